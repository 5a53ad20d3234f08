//! Question sets of an account, and one set with its three doors: write, import, propose.
//! It works without JavaScript.

use super::fault_of;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::{Faults, OwnQuestion, QuestionSetName};
use ibid_service::{ImportedLine, LastAnswer, Proposal, QuestionSetRecord, QuestionSetView};
use serde_json::json;

/// Sets of an account, and a form for a new one.
#[derive(Clone, Copy, Debug)]
pub struct QuestionSetsPage<'a> {
    /// The sets, the oldest first.
    pub sets: &'a [QuestionSetRecord],
    pub form: &'a QuestionEntries,
    pub faults: &'a Faults,
}

#[derive(Clone, Debug, Default)]
pub struct QuestionEntries {
    pub name: String,
    pub domain: String,
    pub keyword: String,
    pub location: String,
    /// The questions, one a line.
    pub questions: String,
    /// The people who ask, for a proposal.
    pub audience: String,
    /// The thing on offer, for a proposal.
    pub offer: String,
}

#[derive(Clone, Copy, Debug)]
pub struct QuestionSetPage<'a> {
    pub view: &'a QuestionSetView,
    /// What the last scans found about each question; empty where no scan has asked the set.
    pub answers: &'a [Option<LastAnswer>],
    pub form: &'a QuestionEntries,
    /// Faults of what was sent.
    pub faults: &'a Faults,
    pub lines: &'a [ImportedLine],
    /// What a model has proposed.
    pub proposal: Option<&'a Proposal>,
    /// The model that proposes and its price, in words; empty where the server has no key.
    pub price: &'a str,
}

#[derive(Template)]
#[template(path = "question_sets.html")]
struct SetsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a QuestionSetsPage<'a>,
}

#[derive(Template)]
#[template(path = "question_set.html")]
struct SetTemplate<'a> {
    shell: Shell<'a>,
    page: &'a QuestionSetPage<'a>,
}

/// Renders the list of sets.
pub fn question_sets(frame: &Frame<'_>, page: &QuestionSetsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Questions", Tab::NewScan);
    render("question-sets", &SetsTemplate { shell, page })
}

pub fn question_set(frame: &Frame<'_>, page: &QuestionSetPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Questions", Tab::NewScan);
    render("question-set", &SetTemplate { shell, page })
}

impl SetsTemplate<'_> {
    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }
}

impl SetTemplate<'_> {
    /// The line about the version: "version 4: 28 questions, 3 changed, 25 comparable with the version before".
    fn version_line(&self) -> String {
        let count = self.page.view.questions.len();
        let noun = if count == 1 { "question" } else { "questions" };
        let line = format!("Version {}: {count} {noun}", self.page.view.version.version);
        match self.page.view.kept {
            Some(kept) => format!(
                "{line}, {} changed, {kept} comparable with the version before",
                count.saturating_sub(kept)
            ),
            None => line,
        }
    }

    /// The questions, one a line.
    fn text(&self) -> String {
        if !self.page.form.questions.is_empty() {
            return self.page.form.questions.clone();
        }
        let texts = self.page.view.questions.iter().map(OwnQuestion::as_str);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The proposed questions that the set does not have.
    fn fresh<'a>(&'a self, proposal: &'a Proposal) -> impl Iterator<Item = &'a OwnQuestion> {
        let known = &self.page.view.questions;
        let proposed = proposal.questions.iter();
        proposed.filter(move |question| !known.iter().any(|one| one.asks_as(question)))
    }

    /// What the last scans found about a question.
    fn answer(&self, at: &usize) -> String {
        match self.page.answers.get(*at).copied().flatten() {
            None => "not asked yet".to_owned(),
            Some(last) if last.silent_runs > 1 => "named nobody in two runs: replace it".to_owned(),
            Some(last) if last.naming == 0 => "named nobody".to_owned(),
            Some(last) => {
                let noun = if last.models == 1 { "model" } else { "models" };
                format!("named by {} of {} {noun}", last.naming, last.models)
            }
        }
    }

    /// Shows a member that may be missing.
    fn cell(value: Option<&impl std::fmt::Display>) -> String {
        value.map_or_else(|| "–".to_owned(), ToString::to_string)
    }
}

/// Names a set in addresses.
fn id(set: &QuestionSetRecord) -> String {
    let name = QuestionSetName {
        id: set.id,
        version: None,
    };
    name.to_string()
}

/// Keyword, place and website of a set.
fn about(set: &QuestionSetRecord) -> String {
    let parts = [&set.keyword, &set.place, &set.domain];
    let parts = parts.into_iter().filter_map(Option::as_deref);
    parts.collect::<Vec<_>>().join(", ")
}

/// The question as the form sends it back.
fn value(question: &OwnQuestion) -> String {
    json!(question).to_string()
}

/// Whether a template wrote a proposed question.
fn is_template(question: &OwnQuestion) -> bool {
    question.tags.iter().any(|tag| tag.as_str() == "template")
}

//! The page "Questions": the sets of an account, and one of them with its three doors: write, import, propose.
//! It works without JavaScript.

use super::fault_of;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::{Faults, OwnQuestion};

/// The sets of an account, with the form of a new one.
#[derive(Clone, Copy, Debug)]
pub struct QuestionSetsPage<'a> {
    /// The sets, the oldest first.
    pub sets: &'a [QuestionSetRow],
    pub form: &'a QuestionEntries,
    /// The faults of the form.
    pub faults: &'a Faults,
}

/// A row of the list of sets.
#[derive(Clone, Debug)]
pub struct QuestionSetRow {
    pub id: String,
    pub name: String,
    /// Keyword, place and website in words.
    pub about: String,
    pub latest: u32,
}

/// The entries of a form.
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

/// A version of a set.
#[derive(Clone, Copy, Debug)]
pub struct QuestionSetPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub version: u32,
    pub questions: &'a [OwnQuestion],
    /// What the last scan found about each question, in words; empty where no scan has asked the set.
    pub answers: &'a [String],
    /// The questions that the version before has, too.
    pub kept: Option<usize>,
    pub form: &'a QuestionEntries,
    /// The faults of the form that was sent.
    pub faults: &'a Faults,
    /// The lines of an import that was tried.
    pub lines: &'a [LineRow],
    /// The questions that a model has proposed.
    pub proposed: &'a [ProposedRow],
    /// What to know about the proposal.
    pub notes: &'a [String],
    /// The model that proposes and its price, in words; empty where the server has no key.
    pub price: &'a str,
}

/// A line of a file.
#[derive(Clone, Debug)]
pub struct LineRow {
    pub line: usize,
    pub text: String,
    /// What would become of it, in words.
    pub outcome: String,
}

#[derive(Clone, Debug)]
pub struct ProposedRow {
    /// The question as JSON, which the form sends back.
    pub value: String,
    pub text: String,
    /// Why it is not fit to be asked; empty for one that is.
    pub finding: String,
    /// Whether a template wrote it.
    pub is_template: bool,
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
        let count = self.page.questions.len();
        let noun = if count == 1 { "question" } else { "questions" };
        let line = format!("Version {}: {count} {noun}", self.page.version);
        match self.page.kept {
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
        let texts = self.page.questions.iter().map(OwnQuestion::as_str);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// What the last scan found about a question, in words.
    fn answer(&self, at: &usize) -> &str {
        self.page.answers.get(*at).map_or("", String::as_str)
    }

    /// The cell of a member that may be missing.
    fn cell(value: Option<&impl std::fmt::Display>) -> String {
        value.map_or_else(|| "–".to_owned(), ToString::to_string)
    }
}

//! Questions of a project.

use super::super::query;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::Faults;
use ibid_service::{AskedQuestion, ImportedLine};

/// Questions of a project, for `GET /workspace/projects/{id}/questions`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectQuestionsPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// Version of its own questions; `None` while the program words them.
    pub version: Option<u32>,
    /// Questions a model in a run; `None` for all.
    pub each: Option<u64>,
    pub rows: &'a [AskedQuestion],
    /// The list to edit, one a line.
    pub list: &'a str,
    /// Lines of a file that were not taken, with the reasons.
    pub lines: &'a [ImportedLine],
    /// Faults of the list that was sent.
    pub faults: &'a Faults,
    /// Whether the reader may change the project.
    pub may_write: bool,
}

#[derive(Template)]
#[template(path = "project_questions.html")]
struct QuestionsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectQuestionsPage<'a>,
    unnamed: Vec<&'a AskedQuestion>,
}

impl QuestionsTemplate<'_> {
    fn lead(&self) -> String {
        let count = self.page.rows.len();
        let noun = if count == 1 { "question" } else { "questions" };
        let which = match self.page.version {
            Some(version) => format!("Version {version}: {count} {noun} of yours."),
            None => format!("Written by ibid: {count} {noun} in the last twelve runs."),
        };
        match self.page.each {
            Some(each) => format!("{which} Each model gets {each} in a run."),
            None => format!("{which} Each model gets all of them in a run."),
        }
    }

    /// The version that a change makes, in words.
    fn next(&self) -> String {
        self.page
            .version
            .map_or_else(|| "Ask these".to_owned(), |_| "Save as a new version".to_owned())
    }

    /// A fault with the number of its question.
    fn fault(fault: &ibid_model::Fault) -> String {
        let number = fault.field.strip_prefix("/questions/");
        let number = number.and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        let sentence = crate::pages::fault_sentence(fault);
        match number {
            Some(number) => format!("Question {}: {sentence}", number + 1),
            None => sentence,
        }
    }
}

/// Returns the address of the last answers to a question.
fn answers(project: &str, question: &AskedQuestion) -> Option<String> {
    let (scan, text) = question.last.as_ref()?;
    let asked = query(&[("question", text)]);
    Some(format!(
        "/workspace/projects/{project}/runs/{scan}/answers?{asked}"
    ))
}

pub fn project_questions(frame: &Frame<'_>, page: &ProjectQuestionsPage<'_>) -> Result<String, RenderError> {
    let template = QuestionsTemplate {
        shell: Shell::new(frame, format!("Questions of {}", page.name), Tab::Projects),
        page,
        unnamed: page.rows.iter().filter(|row| row.names_no_one()).collect(),
    };
    render("project-questions", &template)
}

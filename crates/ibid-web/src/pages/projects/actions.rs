//! The actions of a project.

use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::Faults;
use jiff::Timestamp;

/// The actions of a project, for `GET /workspace/projects/{id}/actions`. Its forms post there, and to `…/actions/{action}`.
#[derive(Clone, Copy, Debug)]
pub struct ActionsPage<'a> {
    /// The id of the project.
    pub id: &'a str,
    pub name: &'a str,
    pub rows: &'a [ActionRow<'a>],
    /// The questions of a new one.
    pub questions: &'a [ActionQuestion<'a>],
    /// What is typed for a new one.
    pub title: &'a str,
    pub page: &'a str,
    /// Who does it.
    pub person: &'a str,
    /// What it should reach.
    pub goal: &'a str,
    /// The runs of its test.
    pub runs: &'a str,
    /// The faults of what was sent.
    pub faults: &'a Faults,
    /// Today, as an ISO date.
    pub today: &'a str,
    /// Whether the reader may change the project.
    pub may_write: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct ActionRow<'a> {
    pub id: &'a str,
    /// What is done.
    pub title: &'a str,
    /// The page, or an empty text.
    pub page: &'a str,
    /// Who does it, or an empty text.
    pub person: &'a str,
    /// What it should reach, or an empty text.
    pub goal: &'a str,
    /// `doing`, `open`, `done` or `dropped`.
    pub status: &'a str,
    /// The time from which its test counts runs.
    pub agreed_at: Timestamp,
    /// The day on which it was done.
    pub done_on: Option<&'a str>,
    pub questions: &'a [String],
    /// What its test can see.
    pub promise: &'a str,
    /// What the runs show, of one that is done.
    pub sentence: Option<&'a str>,
    /// "3 of 8 runs".
    pub progress: Option<&'a str>,
    /// `moved`, `not_seen` or `cannot_tell`.
    pub verdict: Option<&'a str>,
    /// Competitors on the same questions.
    pub rivals: &'a [String],
}

/// A question that an action can move.
#[derive(Clone, Copy, Debug)]
pub struct ActionQuestion<'a> {
    pub text: &'a str,
    /// Whether it is chosen.
    pub checked: bool,
}

/// An action on the page of its project.
#[derive(Clone, Copy, Debug)]
pub struct ActionLine<'a> {
    /// What is done.
    pub title: &'a str,
    /// Its status, or what the runs show.
    pub state: &'a str,
}

#[derive(Template)]
#[template(path = "project_actions.html")]
struct ActionsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ActionsPage<'a>,
}

impl ActionsTemplate<'_> {
    /// Each status with its title.
    const GROUPS: [(&'static str, &'static str); 4] = [
        ("doing", "Doing"),
        ("open", "Open"),
        ("done", "Done"),
        ("dropped", "Dropped"),
    ];

    fn day(day: &str) -> String {
        super::one::note_day(day)
    }

    fn rows(&self, status: &str) -> Vec<&ActionRow<'_>> {
        self.page.rows.iter().filter(|row| row.status == status).collect()
    }
}

impl ActionRow<'_> {
    fn count(&self) -> String {
        figure::plural(self.questions.len() as u64, "question", "questions")
    }

    fn verdict_in_words(&self) -> Option<&'static str> {
        match self.verdict? {
            "moved" => Some("moved"),
            "not_seen" => Some("not seen"),
            _ => Some("cannot tell"),
        }
    }
}

/// The address of the form of a new action, with its title and its questions.
pub(crate) fn action_link<'a>(
    project: &str,
    title: &str,
    questions: impl Iterator<Item = &'a str>,
) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("title", title);
    for question in questions {
        query.append_pair("questions", question);
    }
    format!("/workspace/projects/{project}/actions?{}#new", query.finish())
}

pub fn project_actions(frame: &Frame<'_>, page: &ActionsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Actions", Tab::Projects);
    render("project_actions", &ActionsTemplate { shell, page })
}

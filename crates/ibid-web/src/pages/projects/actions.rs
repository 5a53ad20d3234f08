//! Actions of a project.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::Faults;
use ibid_service::{ActionView, AskedQuestion, Verdict};

/// Actions of a project, for `GET /workspace/projects/{id}/actions`. Its forms post there, and to `…/actions/{action}`.
#[derive(Clone, Copy, Debug)]
pub struct ActionsPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub actions: &'a [ActionView],
    pub questions: &'a [AskedQuestion],
    /// Those that are chosen, as the project has them or as a run asked them.
    pub chosen: &'a [&'a str],
    /// What is typed for a new one.
    pub title: &'a str,
    pub page: &'a str,
    /// Who does it.
    pub person: &'a str,
    /// What it should reach.
    pub goal: &'a str,
    pub runs: &'a str,
    pub faults: &'a Faults,
    /// Today, as an ISO date.
    pub today: &'a str,
    /// Whether the reader may change the project.
    pub may_write: bool,
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

    fn rows(&self, status: &str) -> Vec<&ActionView> {
        let rows = self.page.actions.iter();
        rows.filter(|row| row.record.status.as_str() == status).collect()
    }

    fn is_chosen(&self, question: &AskedQuestion) -> bool {
        let last = question.last.as_ref();
        let asked = last.is_some_and(|(_, text)| self.page.chosen.contains(&text.as_str()));
        asked || self.page.chosen.contains(&question.text.as_str())
    }
}

fn verdict_in_words(row: &ActionView) -> Option<&'static str> {
    Some(match row.verdict()? {
        Verdict::Moved => "moved",
        Verdict::NotSeen => "not seen",
        Verdict::CannotTell => "cannot tell",
    })
}

/// Returns the address of a form for a new action, with its title and its questions.
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

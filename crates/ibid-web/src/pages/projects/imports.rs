//! Answers that were given elsewhere: what a project has of them, and the form that takes a file.

use crate::chart::Markup;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_of, invalid};
use askama::Template;
use ibid_model::Faults;
use ibid_service::{AnswerImportView, MoveIn};

/// Lines of a reason that are named.
const MOST_LINES: usize = 10;
/// Questions, competitors and models of a file that are named.
const MOST_NAMES: usize = 20;

/// The trackers by their words in the API.
const TRACKERS: [(&str, &str); 11] = [
    ("peec", "Peec"),
    ("otterly", "Otterly"),
    ("profound", "Profound"),
    ("elmo", "Elmo"),
    ("ansvisor", "Ansvisor"),
    ("llm-pulse", "LLM Pulse"),
    ("rankscale", "Rankscale"),
    ("scrunch", "Scrunch"),
    ("athena", "Athena"),
    ("brand-radar", "Brand Radar"),
    ("langfuse", "Langfuse"),
];

pub(crate) fn tracker_name(word: &str) -> &str {
    let mut known = TRACKERS.iter();
    match known.find(|(known, _)| *known == word) {
        Some((_, name)) => name,
        None if word == "generic" => "another tracker",
        None => word,
    }
}

/// Imports of a project, for `GET /workspace/projects/{id}/imports`, or a form that makes one from a file, for
/// `GET /workspace/projects/imports`. Its form posts `multipart/form-data` to the same path.
#[derive(Clone, Copy, Debug)]
pub struct ImportsPage<'a> {
    /// The id and the name of the project; `None` for a new one.
    pub project: Option<(&'a str, &'a str)>,
    /// The imports, the latest first.
    pub imports: &'a [AnswerImportView],
    /// What the form has, by the names of its fields.
    pub entries: &'a [(&'a str, &'a str)],
    /// The file that was read a moment ago.
    pub read: Option<ExportView<'a>>,
    pub faults: &'a Faults,
    /// Whether the reader may import.
    pub may_write: bool,
}

/// What was understood of a file.
#[derive(Clone, Copy, Debug)]
pub struct ExportView<'a> {
    pub name: &'a str,
    /// The hash that names it.
    pub hash: &'a str,
    /// Whether its answers were captured from interfaces.
    pub is_captures: bool,
    pub found: &'a MoveIn,
}

/// Names the first lines: "3, 7, …".
pub(super) fn first_lines(count: u64, lines: impl Iterator<Item = u64>) -> String {
    let mut named: Vec<String> = lines.take(MOST_LINES).map(|line| line.to_string()).collect();
    if (named.len() as u64) < count {
        named.push("…".to_owned());
    }
    named.join(", ")
}

/// Rows of a file that are left out: the reason, how many, and the first lines.
fn left_out(found: &MoveIn) -> Vec<(&str, u64, Vec<u64>)> {
    let refused = found.refused.counts.iter().map(|(reason, count)| {
        let lines = found.refused.first.iter().filter(|line| line.reason == *reason);
        (reason.words(), *count, lines.map(|line| line.line).collect())
    });
    refused.collect()
}

fn refused_rows(row: &AnswerImportView) -> u64 {
    row.refused().iter().map(|(_, count, _)| count).sum()
}

fn source(row: &AnswerImportView) -> &str {
    match row.is_captures() {
        true => "seen in assistants",
        false => tracker_name(&row.record.tool),
    }
}

#[derive(Template)]
#[template(path = "project_imports.html")]
struct ImportsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ImportsPage<'a>,
}

impl ImportsTemplate<'_> {
    fn invalid(&self, field: &str) -> Markup {
        invalid(self.page.faults, field)
    }

    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }

    fn entry(&self, field: &str) -> &str {
        let mut entries = self.page.entries.iter();
        entries
            .find(|(name, _)| *name == field)
            .map_or("", |(_, text)| *text)
    }

    fn trackers(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let chosen = self.entry("tool").to_owned();
        TRACKERS
            .into_iter()
            .map(move |(word, name)| (word, name, word == chosen))
    }

    fn path(&self) -> String {
        match self.page.project {
            Some((id, _)) => format!("/workspace/projects/{id}/imports"),
            None => "/workspace/projects/imports".to_owned(),
        }
    }

    /// Whether a file has something to import here.
    fn is_importable(&self, read: &ExportView<'_>) -> bool {
        read.found.answers > 0 || self.page.project.is_none()
    }
}

/// Renders the imports of a project, or a form that makes one from a file.
pub fn project_imports(frame: &Frame<'_>, page: &ImportsPage<'_>) -> Result<String, RenderError> {
    let title = page.project.map_or_else(
        || "Project from another tracker".to_owned(),
        |(_, name)| format!("Imports of {name}"),
    );
    let shell = Shell::new(frame, &title, Tab::Projects);
    render("project-imports", &ImportsTemplate { shell, page })
}

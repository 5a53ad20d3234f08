//! Answers that were given elsewhere: what a project has of them, and the form that takes a file.

use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_of, invalid};
use askama::Template;
use ibid_model::Faults;
use jiff::Timestamp;

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

/// A tracker in words.
pub(crate) fn tracker_name(word: &str) -> &str {
    let mut known = TRACKERS.iter();
    match known.find(|(known, _)| *known == word) {
        Some((_, name)) => name,
        None if word == "generic" => "another tracker",
        None => word,
    }
}

/// The imports of a project, for `GET /workspace/projects/{id}/imports`, or the form of a project from a file, for
/// `GET /workspace/projects/imports`. Its form posts `multipart/form-data` to the same path.
#[derive(Clone, Debug)]
pub struct ImportsPage<'a> {
    /// The id and the name of the project; `None` for a new one.
    pub project: Option<(&'a str, &'a str)>,
    /// The imports, the latest first.
    pub imports: &'a [ImportRow<'a>],
    /// What the form has, by the names of its fields.
    pub entries: &'a [(&'a str, &'a str)],
    /// The file that was read a moment ago.
    pub read: Option<ExportView<'a>>,
    /// The faults of the form.
    pub faults: &'a Faults,
    /// Whether the reader may import.
    pub may_write: bool,
}

#[derive(Clone, Debug)]
pub struct ImportRow<'a> {
    pub id: String,
    /// The word of the tracker.
    pub tool: &'a str,
    /// Whether its answers were captured from interfaces.
    pub is_captures: bool,
    /// The name of the file.
    pub name: &'a str,
    /// The time of the import.
    pub at: Timestamp,
    /// Rows of the file, and answers that are kept.
    pub rows: (u64, u64),
    /// The first and the last day.
    pub days: Option<(String, String)>,
    /// Rows that were left out: the reason, how many, and the first lines.
    pub refused: Vec<(&'a str, u64, String)>,
    /// Pieces that came, and all of them, while some are missing.
    pub unfinished: Option<(u64, u64)>,
}

/// What was understood of a file.
#[derive(Clone, Debug)]
pub struct ExportView<'a> {
    pub name: &'a str,
    /// The hash that names it.
    pub hash: &'a str,
    /// The word of the tracker.
    pub tool: &'a str,
    /// Whether its answers were captured from interfaces.
    pub is_captures: bool,
    pub rows: u64,
    /// Its questions, and some of them.
    pub questions: (u64, Vec<&'a str>),
    /// Its competitors, and some of them.
    pub rivals: (u64, Vec<&'a str>),
    /// Its answers, with their first and last day.
    pub answers: (u64, Option<(String, String)>),
    /// Answers by model or interface.
    pub sources: Vec<(&'a str, u64)>,
    /// Rows that are left out: the reason, how many, and the first lines.
    pub refused: Vec<(&'a str, u64, String)>,
    /// Columns that are not read.
    pub unread: Vec<&'a str>,
}

impl ExportView<'_> {
    fn tool(&self) -> &str {
        tracker_name(self.tool)
    }
}

impl ImportRow<'_> {
    fn source(&self) -> &str {
        match self.is_captures {
            true => "seen in assistants",
            false => tracker_name(self.tool),
        }
    }

    fn left_out(&self) -> String {
        figure::count(self.refused.iter().map(|(_, count, _)| count).sum())
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
        read.answers.0 > 0 || self.page.project.is_none()
    }

    fn count(number: &u64) -> String {
        figure::count(*number)
    }

    fn plural(number: &u64, one: &str, many: &str) -> String {
        figure::plural(*number, one, many)
    }

    fn more(all: &u64, shown: &[&str]) -> u64 {
        all.saturating_sub(shown.len() as u64)
    }

    fn span((first, last): &(String, String)) -> String {
        let (first, last) = (super::one::note_day(first), super::one::note_day(last));
        match first == last {
            true => first,
            false => format!("{first} to {last}"),
        }
    }
}

/// Renders the imports of a project, or the form of a project from a file.
pub fn project_imports(frame: &Frame<'_>, page: &ImportsPage<'_>) -> Result<String, RenderError> {
    let title = page.project.map_or_else(
        || "Project from another tracker".to_owned(),
        |(_, name)| format!("Imports of {name}"),
    );
    let shell = Shell::new(frame, &title, Tab::Projects);
    render("project-imports", &ImportsTemplate { shell, page })
}

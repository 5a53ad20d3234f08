//! All runs of a project.

use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::{Interval, ScanId, Score, UsdMicros};
use jiff::Timestamp;

/// A page of the runs of a project, for `GET /workspace/projects/{id}/runs`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectRunsPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// The runs, the latest first.
    pub rows: &'a [AnyRunRow<'a>],
    /// The number of the page, from 1.
    pub number: u32,
    /// Whether there is another page.
    pub more: bool,
    /// Whether the reader may stop runs.
    pub may_run: bool,
}

/// A run, with or without a result.
#[derive(Clone, Debug)]
pub struct AnyRunRow<'a> {
    pub at: Timestamp,
    /// The scan, once there is one.
    pub scan: Option<ScanId>,
    /// The place, for a project with several.
    pub place: Option<&'a str>,
    /// The score of a run with a result.
    pub score: Option<(Score, Option<Interval>)>,
    /// The outcome in words.
    pub outcome: String,
    /// The page on which what held it back can be changed, or an empty text.
    pub remedy: String,
    pub cost: UsdMicros,
    /// The version of own questions that a run with a result asked.
    pub version: Option<u32>,
    /// Answers so far and in all, of a run that is under way.
    pub progress: Option<(u32, u32)>,
    /// Whether it can be stopped.
    pub stoppable: bool,
}

#[derive(Template)]
#[template(path = "project_runs.html")]
struct RunsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectRunsPage<'a>,
}

impl RunsTemplate<'_> {
    /// Whether a run is under way, so that the page asks again.
    fn is_running(&self) -> bool {
        self.page.rows.iter().any(|row| row.progress.is_some())
    }
}

impl AnyRunRow<'_> {
    fn number(&self) -> String {
        self.score.map_or_else(
            || figure::DASH.to_owned(),
            |(score, _)| figure::whole(score.get()),
        )
    }

    fn range(&self) -> String {
        let interval = self.score.and_then(|(_, interval)| interval);
        interval.as_ref().map_or_else(String::new, figure::interval)
    }

    /// The report of a run with a result.
    fn report(&self) -> Option<ScanId> {
        self.score.and(self.scan)
    }

    fn questions(&self) -> String {
        match (self.version, self.score) {
            (Some(version), _) => format!("version {version}"),
            (None, Some(_)) => "by ibid".to_owned(),
            (None, None) => String::new(),
        }
    }
}

pub fn project_runs(frame: &Frame<'_>, page: &ProjectRunsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, format!("Runs of {}", page.name), Tab::Projects);
    render("project-runs", &RunsTemplate { shell, page })
}

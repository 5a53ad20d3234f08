//! All runs of a project.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_service::{ProjectRunProgress, ProjectRunRecord, ProjectView, failure_in_words, outcome_in_words};

/// Some runs of a project, for `GET /workspace/projects/{id}/runs`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectRunsPage<'a> {
    pub id: &'a str,
    pub project: &'a ProjectView,
    /// The runs, the latest first.
    pub runs: &'a [ProjectRunProgress],
    /// From 1.
    pub number: u32,
    /// Whether there is another page.
    pub more: bool,
    /// Whether the reader may run the project.
    pub may_run: bool,
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
        self.page.runs.iter().any(|found| found.progress.is_some())
    }

    /// Returns the place of a run; `None` where all runs have the same.
    fn place<'b>(&'b self, run: &'b ProjectRunRecord) -> Option<&'b str> {
        let markets = &self.page.project.markets;
        let market = run
            .market
            .and_then(|id| markets.iter().find(|market| market.schedule == id));
        let of_market = market.and_then(|market| market.place.as_deref());
        let own = self
            .page
            .project
            .record
            .place
            .as_deref()
            .filter(|_| run.market.is_none());
        let place = run.place.as_deref().or(of_market).or(own);
        place.filter(|_| !markets.is_empty())
    }

    fn outcome(&self, found: &ProjectRunProgress) -> String {
        match (&found.run.outcome, found.stopping) {
            (None, true) => "being stopped".to_owned(),
            _ => outcome(&found.run, self.page.may_run),
        }
    }
}

/// The questions that a run with a result asked.
fn questions(run: &ProjectRunRecord) -> String {
    let set = run.question_set.as_deref();
    let version: Option<u32> = set.and_then(|set| set.rsplit('@').next()?.parse().ok());
    match (version, run.summary) {
        (Some(version), _) => format!("version {version}"),
        (None, Some(_)) => "by ibid".to_owned(),
        (None, None) => String::new(),
    }
}

/// Says in words what became of a run; to people who may run the project, also why it failed and what to do about it.
pub(super) fn outcome(run: &ProjectRunRecord, may_run: bool) -> String {
    match run.outcome.as_deref() {
        None => "under way".to_owned(),
        Some("failed") if may_run => failure_in_words(run.error.as_deref()),
        Some(word) => outcome_in_words(word).to_owned(),
    }
}

/// The page on which people who may run the project change what held a run back.
pub(super) fn remedy(id: &str, run: &ProjectRunRecord, may_run: bool) -> Option<String> {
    match run.outcome.as_deref().filter(|_| may_run)? {
        "over_budget" => Some(format!("/workspace/projects/{id}/settings")),
        "over_organisation_budget" => Some("/workspace/projects#budget".to_owned()),
        _ => None,
    }
}

pub fn project_runs(frame: &Frame<'_>, page: &ProjectRunsPage<'_>) -> Result<String, RenderError> {
    let title = format!("Runs of {}", page.project.record.name);
    let shell = Shell::new(frame, title, Tab::Projects);
    render("project-runs", &RunsTemplate { shell, page })
}

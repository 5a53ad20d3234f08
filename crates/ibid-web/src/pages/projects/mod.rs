//! Projects: the list, one project on one screen, its settings, and the form of a new one.
//! The pages work without JavaScript.

mod actions;
mod form;
mod imports;
mod one;
mod own_data;
mod questions;
mod reports;
mod rivals;
mod runs;
mod settings;
mod sources;

pub(crate) use actions::action_link;
pub use actions::{ActionsPage, project_actions};
pub use form::{ForecastView, PlaceLine, ProjectForm, project_form};
pub use imports::{ExportView, ImportsPage, project_imports};
#[cfg(feature = "pdf")]
pub(crate) use one::note_day_in;
pub use one::{MoveLine, ProjectPage, project};
pub use own_data::{OwnDataPage, project_own_data};
pub use questions::{ProjectQuestionsPage, project_questions};
pub use reports::{ReportDocumentPage, ReportsPage, accent_css, project_report, project_reports};
pub use rivals::{RivalsPage, project_rivals};
pub use runs::{ProjectRunsPage, project_runs};
pub use settings::{ProjectSettingsPage, SettingsMade, project_settings};
pub(super) use settings::{gets, state};
pub use sources::{SourcesPage, project_sources};

#[cfg(feature = "pdf")]
pub(crate) use reports::{ReportSeries, change_and_why};
#[cfg(feature = "pdf")]
pub(crate) use sources::kind_in_words;

use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::UsdMicros;
use ibid_model::result::Level;
use ibid_service::{Attention, InvitationRecord, ProjectRecord, ProjectStatus, ProjectView, RunSummary};

/// Projects of a reader, for `GET /workspace/projects`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectsPage<'a> {
    /// The projects: first those that want attention.
    pub projects: &'a [ProjectView],
    /// What the reader is invited to.
    pub invitations: &'a [InvitationRecord],
    /// Whether the reader may make projects.
    pub may_make: bool,
    /// Monthly budget of the organisation that the reader manages, or would make with a first project. The form of the
    /// page posts `dollars` to `/workspace/admin/spending`.
    pub budget: Option<UsdMicros>,
}

#[derive(Template)]
#[template(path = "projects.html")]
struct ProjectsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectsPage<'a>,
}

impl ProjectsTemplate<'_> {
    fn is_broke(&self) -> bool {
        self.page.budget == Some(UsdMicros::ZERO)
    }
}

/// What a person should look at: nothing about money for people who may not run the project.
fn attention(view: &ProjectView, may_run: bool) -> impl Iterator<Item = Attention> {
    let all = view.attention().into_iter();
    all.filter(move |what| may_run || matches!(what, Attention::Changed | Attention::Failing))
}

/// The score to show: the average since the last change, else that of the last run.
fn standing(level: Option<Level>, last: Option<RunSummary>) -> Option<RunSummary> {
    let level = level.map(|level| RunSummary {
        score: level.score,
        interval: Some(level.interval),
    });
    level.or(last)
}

fn bar(score: Option<RunSummary>) -> Markup {
    let interval = score.and_then(|score| score.interval);
    chart::bar(score.map_or(0.0, |score| score.score.get()), interval.as_ref())
}

fn number(score: Option<RunSummary>) -> String {
    figure::maybe_score(score.map(|score| score.score))
}

fn range(score: Option<RunSummary>) -> String {
    let interval = score.and_then(|score| score.interval);
    interval.as_ref().map_or_else(String::new, figure::interval)
}

fn next_run(view: &ProjectView) -> String {
    let next = view
        .record
        .next_due
        .filter(|_| view.status() == ProjectStatus::Active);
    next.map_or_else(
        || view.status().as_str().to_owned(),
        |at| figure::date(figure::time(at)),
    )
}

/// Says what the runs of this month cost: "$1.20 of $5.00".
fn money(record: &ProjectRecord) -> String {
    let spent = UsdMicros::new(record.spent).in_cents();
    match record.budget {
        Some(budget) => format!("{spent} of {}", UsdMicros::new(budget).in_cents()),
        None => spent,
    }
}

/// Renders the list of projects.
pub fn projects(frame: &Frame<'_>, page: &ProjectsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Projects", Tab::Projects);
    render("projects", &ProjectsTemplate { shell, page })
}

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
pub use actions::{ActionLine, ActionQuestion, ActionRow, ActionsPage, project_actions};
pub use form::{ForecastView, PlaceLine, ProjectForm, project_form};
pub use imports::{ExportView, ImportRow, ImportsPage, project_imports};
#[cfg(feature = "pdf")]
pub(crate) use one::note_day_in;
pub use one::{
    MarketRow, ModelRow, MoveLine, NoteRow, PastDay, PastSeries, ProjectPage, QuestionRow, RivalLine, RunRow,
    TrendMark, project, trend_marks,
};
pub use own_data::{
    CitedShareView, OwnAgreementRow, OwnDataPage, OwnFileView, OwnImportRow, OwnPageRow, OwnSeries,
    SeenAnswersView, project_own_data,
};
pub use questions::{AskedRow, ProjectQuestionsPage, project_questions};
pub use reports::{ReportDocumentPage, ReportRow, ReportsPage, accent_css, project_report, project_reports};
pub use rivals::{RivalRow, RivalsPage, SharePoint, WinRow, project_rivals};
pub use runs::{AnyRunRow, ProjectRunsPage, project_runs};
pub use settings::{DestinationRow, FeedKeyRow, KeyRow, PersonLine, ProjectSettingsPage, project_settings};
pub use sources::{SourceKindRow, SourceRow, SourcesPage, project_sources};

#[cfg(feature = "pdf")]
pub(crate) use reports::{ReportSeries, change_and_why};
#[cfg(feature = "pdf")]
pub(crate) use sources::kind_in_words;

use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::{Interval, Score, UsdMicros};
use jiff::Timestamp;

/// The projects of a reader, for `GET /workspace/projects`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectsPage<'a> {
    /// The projects: first those that want attention.
    pub rows: &'a [ProjectRow<'a>],
    /// What the reader is invited to.
    pub invitations: &'a [InvitationRow<'a>],
    /// Whether the reader may make projects.
    pub may_make: bool,
    /// The budget of a month of the organisation that the reader manages, or would make with a first project. The form of the
    /// page posts `dollars` to `/workspace/admin/spending`.
    pub budget: Option<UsdMicros>,
}

/// An invitation that waits for an answer.
#[derive(Clone, Debug)]
pub struct InvitationRow<'a> {
    /// What its answer names.
    pub target: String,
    pub organisation: &'a str,
    /// The project; `None` for the whole organisation.
    pub project: Option<&'a str>,
}

/// One project in the list.
#[derive(Clone, Copy, Debug)]
pub struct ProjectRow<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub domain: &'a str,
    pub keyword: &'a str,
    /// The place, or an empty text.
    pub place: &'a str,
    /// `active`, `paused` or `archived`.
    pub status: &'a str,
    /// The score to show: that of the level, else that of the last run.
    pub score: Option<(Score, Option<Interval>)>,
    /// The verdict in sentences, or an empty text.
    pub verdict: &'a str,
    /// What wants attention, in words.
    pub attention: &'a [&'static str],
    /// What the runs of this month cost.
    pub spent: UsdMicros,
    /// The budget of the month.
    pub budget: Option<UsdMicros>,
    /// The time of the next run.
    pub next: Option<Timestamp>,
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

impl ProjectRow<'_> {
    fn bar(&self) -> Markup {
        let (score, interval) = self
            .score
            .map_or((0.0, None), |(score, range)| (score.get(), range));
        chart::bar(score, interval.as_ref())
    }

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

    fn next_run(&self) -> String {
        self.next.map_or_else(|| self.status.to_owned(), figure::date)
    }

    fn money(&self) -> String {
        spent_of(self.spent, self.budget)
    }
}

/// "$1.20 of $5.00".
fn spent_of(spent: UsdMicros, budget: Option<UsdMicros>) -> String {
    match budget {
        Some(budget) => format!("{} of {}", spent.in_cents(), budget.in_cents()),
        None => spent.in_cents(),
    }
}

/// Renders the list of projects.
pub fn projects(frame: &Frame<'_>, page: &ProjectsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Projects", Tab::Projects);
    render("projects", &ProjectsTemplate { shell, page })
}

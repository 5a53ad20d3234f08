//! One function for each page: it renders a [`Frame`](crate::Frame) and a view model to HTML.
//!
//! View models borrow their texts, which are untrusted.

mod account;
mod admin;
mod audit;
mod compare;
mod docs;
mod edit_scan;
mod fault;
mod first_run;
mod glossary;
mod history;
mod home;
mod join;
mod look;
mod mail_link;
mod money;
pub(crate) mod new_scan;
mod order_inputs;
mod problems;
mod progress_page;
mod projects;
mod questions;
mod report;
mod schedules;
mod second_step;
mod set_password;
mod share_lock;
mod sign_in;
mod site_audit;
mod website;

pub use account::{AccountPage, BrandForm, account};
pub use admin::{
    HealthFact, HealthPage, KeysPage, OpenScansPage, OrganisationBudget, PeoplePage, PersonLink, PersonPage,
    PersonSpending, SpendingPage, admin_health, admin_keys, admin_people, admin_person, admin_scans,
    admin_spending,
};
pub use audit::{AuditForm, AuditPage, AuditRow, EarlierAudit, SiteBounds, audit, audit_form};
pub use compare::{ComparePage, ComparedSide, compare};
pub use docs::{DocsPage, docs, docs_schemas};
pub use edit_scan::{EditScanPage, edit_scan};
pub use fault::fault_sentence;
pub use first_run::{FirstRunDone, FirstRunPage, ProbeRow, first_run, first_run_done};
pub use glossary::glossary;
pub use history::{HistoryPage, history};
pub use home::{Demo, HomePage, home};
pub use join::{JoinPage, join};
pub use look::{LookEntries, LookPage, OfferRow, SeenView, look};
pub use mail_link::{MailLinkPage, MailQuestion, mail_link};
pub use money::{CreditsPage, ReceiptsPage, credits, receipts};
pub use new_scan::{NewScanPage, PlanView, ScanFields, new_scan, plan_note};
pub use problems::{FailurePage, WayOut, error_codes, failure};
pub use progress_page::{ProgressPage, RunningRow, ScanProgress, progress_page};
pub(crate) use projects::action_link;
pub use projects::{
    ActionsPage, ExportView, ForecastView, ImportsPage, MoveLine, OwnDataPage, PlaceLine, ProjectForm,
    ProjectPage, ProjectQuestionsPage, ProjectRunsPage, ProjectSettingsPage, ProjectsPage,
    ReportDocumentPage, ReportsPage, RivalsPage, SettingsMade, SourcesPage, accent_css, project,
    project_actions, project_form, project_imports, project_own_data, project_questions, project_report,
    project_reports, project_rivals, project_runs, project_settings, project_sources, projects,
};
pub use questions::{QuestionEntries, QuestionSetPage, QuestionSetsPage, question_set, question_sets};
pub use report::{
    AnswerFilter, AnswersPage, Brand, Owner, ReportPage, Scoring, ShareView, Viewer, answers, report,
};
pub use schedules::{ScheduleForm, ScheduleTarget, SchedulesPage, schedule_outcome, schedules};
pub use second_step::{CodePage, SecondStepPage, SecondStepState, second_step, sign_in_code};
pub use set_password::{SetPasswordPage, set_password};
pub use share_lock::{ShareLockPage, share_lock};
pub use sign_in::{SignInPage, sign_in};
pub use site_audit::{SiteAuditPage, SiteProgressPage, site_audit, site_progress};
pub use website::{ScanSeries, SeriesStep, WebsitePage, website};

pub(crate) use fault::{fault_of, invalid, repeated_fault_of};
#[cfg(feature = "pdf")]
pub(crate) use projects::{ReportSeries, change_and_why, kind_in_words, note_day_in};

use ibid_model::{LocationText, Model, Ring, UsdMicros};

/// Longest place, in characters.
pub(crate) const LOCATION_CHARS: usize = LocationText::MAX_CHARS;

/// A model that can be asked.
#[derive(Clone, Copy, Debug)]
pub struct ModelChoice<'a> {
    /// The alias that callers use.
    pub alias: &'a str,
    pub name: &'a str,
    /// How the provider names the model now.
    pub resolved: &'a str,
    /// Estimated cost of one question.
    pub cost: UsdMicros,
}

impl<'a> ModelChoice<'a> {
    /// A row of the alias table. `resolved` is what the provider offers, where that is known; `web_search` is the
    /// operator's switch, which is part of the price.
    pub fn of(model: &'a Model, resolved: Option<&'a str>, web_search: bool) -> Self {
        Self {
            alias: model.alias.as_str(),
            name: &model.name,
            resolved: resolved.unwrap_or_else(|| model.first_candidate()),
            cost: model.cost_per_question(web_search),
        }
    }
}

/// A label and its value, with a side note.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fact {
    pub(crate) label: &'static str,
    pub(crate) value: String,
    pub(crate) note: String,
}

impl Fact {
    pub(crate) fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self {
            label,
            value: value.into(),
            note: String::new(),
        }
    }

    pub(crate) fn with_note(label: &'static str, value: impl Into<String>, note: impl Into<String>) -> Self {
        Self {
            label,
            value: value.into(),
            note: note.into(),
        }
    }
}

/// Returns the display name of a prominence class.
pub(crate) fn class_label(class: &str) -> &str {
    match class {
        "primary" => "first choice",
        "secondary" => "recommended",
        "none" => "absent",
        "missing" => "no answer",
        other => other,
    }
}

/// Builds a percent-encoded query string from the pairs that have a value.
pub(crate) fn query(pairs: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    query.finish()
}

/// Returns the address of the answers about a town. `answers` is the page with all answers.
pub(crate) fn town_answers(answers: &str, ring: Ring, town: &str) -> String {
    let ring = ring.get().to_string();
    format!("{answers}?{}", query(&[("ring", &ring), ("market", town)]))
}

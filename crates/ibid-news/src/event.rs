//! What people read about projects and schedules. Events are stored as JSON, and programs get the same bytes.
//!
//! What an older version stored is read, too: members that came later may be missing.

use crate::digest::Digest;
use crate::note::Summary;
use ibid_model::result::HistoryChange;
use ibid_model::{AlertId, ProjectId, ScanId, ScheduleId, WebhookEvent};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An event that people get as a [`Note`](crate::Note). Its schema has what programs get, too, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum NewsEvent {
    /// A scan of a schedule differs from the one before, or runs fail in a row.
    #[serde(rename = "alert.raised")]
    #[schemars(skip)]
    AlertRaised(RaisedAlert),
    /// The score of a project changed
    #[serde(rename = "change.noticed")]
    ChangeNoticed(RaisedAlert),
    /// A question of a project lost its answers in three runs in a row
    #[serde(rename = "question.lost")]
    QuestionLost(LostQuestion),
    /// 80 or 100 percent of the budget of the month of a project are spent
    #[serde(rename = "budget.reached")]
    BudgetReached(ReachedBudget),
    #[serde(rename = "news.summary")]
    #[schemars(skip)]
    Summary(Summary),
    #[serde(rename = "news.digest")]
    #[schemars(skip)]
    Digest(Digest),
    #[serde(rename = "news.confirm")]
    #[schemars(skip)]
    Confirm(Confirmation),
    /// Someone tries an address.
    #[serde(rename = "webhook.test")]
    #[schemars(skip)]
    Test {
        /// The name of the project or organisation whose news will come.
        name: String,
    },
}

impl NewsEvent {
    pub const fn kind(&self) -> WebhookEvent {
        match self {
            Self::AlertRaised(_) => WebhookEvent::AlertRaised,
            Self::ChangeNoticed(_) => WebhookEvent::ChangeNoticed,
            Self::QuestionLost(_) => WebhookEvent::QuestionLost,
            Self::BudgetReached(_) => WebhookEvent::BudgetReached,
            Self::Summary(_) => WebhookEvent::NewsSummary,
            Self::Digest(_) => WebhookEvent::NewsDigest,
            Self::Confirm(_) => WebhookEvent::NewsConfirm,
            Self::Test { .. } => WebhookEvent::WebhookTest,
        }
    }
}

/// A kind of alert that an address can take, by itself.
pub struct AlertKind {
    /// Its word in a request, such as `changes`.
    pub name: &'static str,
    pub of_people: WebhookEvent,
    /// Programs learn of each failed run.
    pub of_programs: WebhookEvent,
}

impl AlertKind {
    pub const ALL: [Self; 4] = [
        Self::of(
            "changes",
            WebhookEvent::ChangeNoticed,
            WebhookEvent::ChangeNoticed,
        ),
        Self::of(
            "questions",
            WebhookEvent::QuestionLost,
            WebhookEvent::QuestionLost,
        ),
        Self::of("failures", WebhookEvent::AlertRaised, WebhookEvent::RunFailed),
        Self::of("budget", WebhookEvent::BudgetReached, WebhookEvent::BudgetReached),
    ];

    const fn of(name: &'static str, of_people: WebhookEvent, of_programs: WebhookEvent) -> Self {
        Self {
            name,
            of_people,
            of_programs,
        }
    }

    pub const fn event(&self, is_program: bool) -> &'static str {
        match is_program {
            true => self.of_programs.name(),
            false => self.of_people.name(),
        }
    }
}

/// An alert of a schedule, or of the project that owns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RaisedAlert {
    pub alert_id: AlertId,
    pub schedule_id: ScheduleId,
    pub project_id: Option<ProjectId>,
    /// The client: the project, or the website of a schedule without a name.
    pub name: String,
    pub kind: AlertReason,
    /// What happened, for people.
    pub summary: String,
    /// The changes that the run showed first; none where runs fail.
    #[serde(default)]
    pub changes: Vec<HistoryChange>,
    /// The one thing to do.
    pub next_step: Option<String>,
    pub scan_id: Option<ScanId>,
    pub previous_scan_id: Option<ScanId>,
    /// When the run was due.
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub due_at: Timestamp,
    pub links: AlertLinks,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlertLinks {
    /// The path of the alerts of the schedule in the API.
    pub alerts: String,
}

/// Why an alert was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertReason {
    Changed,
    /// So many runs in a row ended without a result.
    Failing,
}

impl AlertReason {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Failing => "failing",
        }
    }
}

/// A question of a project that lost its answers with a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostQuestion {
    pub project_id: ProjectId,
    pub name: String,
    pub scan_id: ScanId,
    pub question: String,
    /// In the three runs before.
    pub before: CitedAnswers,
    /// In the last three runs.
    pub since: CitedAnswers,
}

/// How many answers cite the website. Shown as "3 of 8 answers".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitedAnswers {
    pub cited_answers: u32,
    pub answers: u32,
}

impl fmt::Display for CitedAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} answers", self.cited_answers, self.answers)
    }
}

/// A part of the budget of the month of a project is spent. It is said once a month for each part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReachedBudget {
    pub project_id: ProjectId,
    pub name: String,
    #[schemars(extend("enum" = [80, 100]))]
    pub percent: u32,
    pub spent_usd: f64,
    pub budget_usd: f64,
}

/// Asks the owner of an address. It quotes nobody, because its reader knows none of the senders yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    #[serde(default)]
    pub of: ConfirmationOf,
    /// Secret part of the link that confirms.
    pub token: String,
}

/// Whose news an address would get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationOf {
    #[default]
    Project,
    Account,
    Organisation,
}

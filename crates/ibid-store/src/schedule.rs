//! Schedules: orders that are repeated, the runs that they made, and alerts about them.
//!
//! A schedule fires in one transaction: it advances its next time and writes a run without a scan.
//! Of two processes, one succeeds.
//! The process then queues the scan under a key derived from the run, so another process can do it again after a crash.
//! A schedule has one open run at a time.

use crate::durable_run::SealedSecret;
use crate::pack::PackedAnswers;
use crate::purchase::Millis;
use ibid_model::{AlertId, ProjectId, ScanId, ScheduleId};
use serde::{Deserialize, Serialize};

/// What the owner of a schedule writes.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleTerms<'a> {
    /// Its name; may be empty.
    pub name: &'a str,
    /// The order, which the store does not read.
    pub document: &'a str,
    /// The recurrence, which the store does not read.
    pub recurrence: &'a str,
    /// When it runs next; `None` at the end of the calendar.
    pub next_due: Option<Millis>,
    /// Limit for its runs of a month, in millionths of a dollar.
    pub budget: Option<u64>,
    /// Most credits that its runs take in a month.
    pub credits: Option<u32>,
    /// What every run asks; `None` leaves the questions that it has.
    pub questions: Option<ScheduleQuestions<'a>>,
}

/// What a schedule asks. The store does not read it.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleQuestions<'a> {
    pub questions: &'a PackedAnswers,
    /// Names the version of the words that they come from.
    pub templates: &'a str,
}

/// A schedule to store.
#[derive(Clone, Copy, Debug)]
pub struct NewSchedule<'a> {
    pub id: ScheduleId,
    /// The caller it belongs to.
    pub owner: &'a str,
    /// The parts that its owner writes.
    pub terms: ScheduleTerms<'a>,
    /// The sealed provider key; `None` if the operator pays.
    pub secret: Option<&'a SealedSecret>,
    /// The project that its results belong to.
    pub project: Option<ProjectId>,
}

/// A stored schedule, without its key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ScheduleRecord {
    pub id: ScheduleId,
    /// The caller it belongs to.
    pub owner: String,
    /// Its name; that of the project for a schedule that a project owns.
    pub name: String,
    pub document: String,
    pub recurrence: String,
    pub next_due: Option<Millis>,
    /// The time from which it does not fire.
    pub paused_at: Option<Millis>,
    /// Limit for its runs of a month, in millionths of a dollar.
    pub budget: Option<u64>,
    /// Most credits that its runs take in a month.
    pub credits: Option<u32>,
    /// Runs that failed since one succeeded.
    pub failures: u32,
    /// Names the version of the words that its questions come from; `None` for a schedule that has not kept any yet.
    pub templates: Option<String>,
    pub created_at: Millis,
    /// The project that its results belong to.
    pub project: Option<ProjectId>,
}

/// A run of a schedule: the schedule, and the time at which it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScheduleStart {
    pub schedule: ScheduleId,
    pub due: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleStarted {
    /// This process fires it: it queues the scan.
    Begun,
    /// The run before is still open, so this one was left out.
    StillRunning,
    /// Another process has fired it, or it was changed, paused or deleted.
    Lost,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ScheduledRun {
    /// The schedule and the time.
    pub firing: ScheduleStart,
    /// The scan, once it is queued.
    pub scan: Option<ScanId>,
    /// How it ended, such as `complete`; `None` while it is open.
    pub outcome: Option<String>,
    /// Its cost, in millionths of a dollar.
    pub cost: u64,
    /// The time at which it began.
    pub began_at: Millis,
    pub ended_at: Option<Millis>,
}

/// A run whose scan has ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EndedScan {
    pub firing: ScheduleStart,
    pub scan: ScanId,
    /// The scan's state, such as `failed`; `None` for a scan that was deleted.
    pub state: Option<String>,
    /// Why it failed, as a code such as `worker_lost`.
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct ScheduledEnd<'a> {
    pub outcome: &'a str,
    /// Its cost, in millionths of a dollar.
    pub cost: u64,
    /// Credits that it took.
    pub credits: u32,
    /// Runs of the schedule that have now failed since one succeeded; `None` leaves the number as it is.
    pub failures: Option<u32>,
    /// The alert about it.
    pub alert: Option<NewAlert<'a>>,
}

/// An alert to store. A run has at most one.
#[derive(Clone, Copy, Debug)]
pub struct NewAlert<'a> {
    pub id: AlertId,
    /// Its reason, `changed` or `failing`.
    pub kind: &'a str,
    /// The scan before the one of the run.
    pub previous: Option<ScanId>,
    /// A sentence for people.
    pub summary: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AlertRecord {
    pub id: AlertId,
    pub firing: ScheduleStart,
    pub name: String,
    /// Its reason, `changed` or `failing`.
    pub kind: String,
    pub scan: Option<ScanId>,
    /// The scan before it.
    pub previous: Option<ScanId>,
    /// A sentence for people.
    pub summary: String,
    pub at: Millis,
    /// The time from which its owner has seen it.
    pub seen_at: Option<Millis>,
}

/// How much a schedule's budget was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ScheduleUse {
    /// Their cost, in millionths of a dollar.
    pub cost: u64,
    pub credits: u32,
}

//! The schedules of an account, and alerts about them.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_sentence, repeated_fault_of};
use askama::Template;
use ibid_model::{Faults, ScanId, ScheduleId};
use jiff::Timestamp;

/// The schedules of an account. The forms post to `/workspace/schedules`, to `edit`, `pause`, `resume`, `run` and `delete` below
/// the path of a schedule, and to `/workspace/schedules/alerts/seen`.
#[derive(Clone, Copy, Debug)]
pub struct SchedulesPage<'a> {
    /// The schedules, the oldest first.
    pub rows: &'a [ScheduleRow<'a>],
    /// The alerts, the latest first.
    pub alerts: &'a [AlertRow<'a>],
    /// The form of a schedule that is made or changed.
    pub form: Option<&'a ScheduleForm<'a>>,
}

#[derive(Clone, Debug)]
pub struct ScheduleRow<'a> {
    pub id: ScheduleId,
    /// Its name, or an empty text.
    pub name: &'a str,
    pub domain: &'a str,
    pub keyword: &'a str,
    /// The place, or an empty text.
    pub place: &'a str,
    /// The recurrence in words.
    pub recurrence: String,
    pub paused: bool,
    /// The next runs on the clock of the schedule.
    pub next: Vec<String>,
    /// The last run: its time, its scan and its outcome in words.
    pub last: Option<(Timestamp, Option<ScanId>, &'a str)>,
    /// The use of the budget of the month in words.
    pub used: String,
    /// Runs that failed in a row.
    pub failures: u32,
    /// Whether this version words the questions otherwise.
    pub new_questions: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct AlertRow<'a> {
    /// The name or the domain of the schedule.
    pub about: &'a str,
    pub summary: &'a str,
    /// The scan of the run.
    pub scan: Option<ScanId>,
    pub previous: Option<ScanId>,
    /// The time of the alert.
    pub at: Timestamp,
    /// Whether the reader has marked it as seen.
    pub seen: bool,
}

/// The thing that the form of a schedule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleTarget {
    /// A scan that a new schedule repeats.
    New(ScanId),
    Edit(ScheduleId),
}

/// The form of a schedule, with the entries as sent.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleForm<'a> {
    /// The scan to repeat, or the schedule to change.
    pub target: ScheduleTarget,
    pub domain: &'a str,
    pub keyword: &'a str,
    /// `hours`, `days` or `weeks`.
    pub unit: &'a str,
    /// The number of units.
    pub every: &'a str,
    /// The weekday in small letters.
    pub weekday: &'a str,
    pub at: &'a str,
    pub time_zone: &'a str,
    pub name: &'a str,
    /// The budget of a month in dollars.
    pub budget: &'a str,
    /// The credits of a month.
    pub credits: &'a str,
    /// The faults of the entries.
    pub faults: &'a Faults,
}

/// Units with their words.
const UNITS: [(&str, &str); 3] = [("weeks", "weeks"), ("days", "days"), ("hours", "hours")];
/// Weekdays with their words.
const WEEKDAYS: [(&str, &str); 7] = [
    ("monday", "Monday"),
    ("tuesday", "Tuesday"),
    ("wednesday", "Wednesday"),
    ("thursday", "Thursday"),
    ("friday", "Friday"),
    ("saturday", "Saturday"),
    ("sunday", "Sunday"),
];

#[derive(Template)]
#[template(path = "schedules.html")]
struct SchedulesTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SchedulesPage<'a>,
}

impl SchedulesTemplate<'_> {
    fn has_unseen(&self) -> bool {
        self.page.alerts.iter().any(|alert| !alert.seen)
    }
}

impl ScheduleForm<'_> {
    /// The scan of a new schedule.
    const fn scan(&self) -> Option<ScanId> {
        match self.target {
            ScheduleTarget::New(scan) => Some(scan),
            ScheduleTarget::Edit(_) => None,
        }
    }

    fn action(&self) -> String {
        match self.target {
            ScheduleTarget::New(_) => "/workspace/schedules".to_owned(),
            ScheduleTarget::Edit(id) => format!("/workspace/schedules/{id}/edit"),
        }
    }

    const fn units(&self) -> [(&'static str, &'static str); 3] {
        UNITS
    }

    const fn weekdays(&self) -> [(&'static str, &'static str); 7] {
        WEEKDAYS
    }

    fn is_unit(&self, word: &str) -> bool {
        self.unit == word
    }

    fn is_weekday(&self, word: &str) -> bool {
        self.weekday == word
    }

    fn fault(&self, name: &str) -> String {
        repeated_fault_of(self.faults, name)
    }

    /// Faults that belong to no entry of the form.
    fn other_faults(&self) -> Vec<String> {
        let others = self.faults.iter();
        let others = others.filter(|fault| fault.field.is_empty() || fault.field.starts_with("/order"));
        others.map(fault_sentence).collect()
    }
}

pub fn schedules(frame: &Frame<'_>, page: &SchedulesPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Schedules", Tab::History);
    render("schedules", &SchedulesTemplate { shell, page })
}

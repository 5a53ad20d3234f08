//! Schedules of an account, and alerts about them.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_sentence, repeated_fault_of};
use askama::Template;
use ibid_model::{Faults, ScanId, ScheduleId, UsdMicros};
use ibid_service::{AlertRecord, ScheduleView, ScheduledRun};

/// Schedules of an account. The forms post to `/workspace/schedules`, to `edit`, `pause`, `resume`, `run` and `delete` below
/// the path of a schedule, and to `/workspace/schedules/alerts/seen`.
#[derive(Clone, Copy, Debug)]
pub struct SchedulesPage<'a> {
    /// The schedules, the oldest first.
    pub schedules: &'a [ScheduleView],
    /// The alerts, the latest first.
    pub alerts: &'a [AlertRecord],
    /// A schedule that is made or changed.
    pub form: Option<&'a ScheduleForm>,
}

/// The thing that the form of a schedule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleTarget {
    /// A scan that a new schedule repeats.
    New(ScanId),
    Edit(ScheduleId),
}

/// Entries of a schedule, as sent.
#[derive(Clone, Debug)]
pub struct ScheduleForm {
    /// The scan to repeat, or the schedule to change.
    pub target: ScheduleTarget,
    /// What the scan measures.
    pub domain: String,
    pub keyword: String,
    /// `hours`, `days` or `weeks`.
    pub unit: String,
    /// Number of units, such as 2 for every second week.
    pub every: String,
    /// The weekday in small letters.
    pub weekday: String,
    pub at: String,
    pub time_zone: String,
    pub name: String,
    /// Dollars a month.
    pub budget: String,
    pub credits: String,
    pub faults: Faults,
}

const UNITS: [&str; 3] = ["weeks", "days", "hours"];
const WEEKDAYS: [(&str, &str); 7] = [
    ("monday", "Monday"),
    ("tuesday", "Tuesday"),
    ("wednesday", "Wednesday"),
    ("thursday", "Thursday"),
    ("friday", "Friday"),
    ("saturday", "Saturday"),
    ("sunday", "Sunday"),
];
/// Next runs that the page shows of each schedule.
const NEXT: usize = 3;

#[derive(Template)]
#[template(path = "schedules.html")]
struct SchedulesTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SchedulesPage<'a>,
}

impl<'a> SchedulesTemplate<'a> {
    fn has_unseen(&self) -> bool {
        self.page.alerts.iter().any(|alert| alert.seen_at.is_none())
    }

    /// Says what an alert is about: its schedule by name, or the website where it has none.
    fn about(&self, alert: &'a AlertRecord) -> &'a str {
        let mut schedules = self.page.schedules.iter();
        let of = schedules.find(|view| view.record.id == alert.firing.schedule);
        match alert.name.as_str() {
            "" => of.map_or("", |view| view.ordered("domain")),
            name => name,
        }
    }
}

impl ScheduleForm {
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

    fn fault(&self, name: &str) -> String {
        repeated_fault_of(&self.faults, name)
    }

    /// Faults that belong to no entry of the form.
    fn other_faults(&self) -> Vec<String> {
        let others = self.faults.iter();
        let others = others.filter(|fault| fault.field.is_empty() || fault.field.starts_with("/order"));
        others.map(fault_sentence).collect()
    }
}

/// The next runs, on the clock of the schedule.
fn next(view: &ScheduleView) -> String {
    let next = view.next.iter().take(NEXT).map(|at| view.recurrence.local(*at));
    next.collect::<Vec<_>>().join(", ")
}

/// Says how much was spent this month.
fn used(view: &ScheduleView) -> String {
    let (record, spent) = (&view.record, UsdMicros::new(view.used.cost).in_cents());
    let of = |most: Option<String>| most.map(|most| format!(" of {most}")).unwrap_or_default();
    let budget = of(record.budget.map(|budget| UsdMicros::new(budget).in_cents()));
    let credits = of(record.credits.map(|credits| credits.to_string()));
    format!("{spent}{budget}, {}{credits} credits", view.used.credits)
}

/// Says what became of a run. A code of a problem is shown as it is.
pub fn schedule_outcome(run: &ScheduledRun) -> &str {
    match run.outcome.as_deref() {
        None => "under way",
        Some("still_running") => "left out, because the run before was under way",
        Some("over_budget") => "the budget of the schedule is used up",
        Some("over_credits") => "the credits of the schedule are used up",
        Some("account_over_budget") => "your budget of this month is used up",
        Some("account_disabled") => "the account may not scan",
        Some("credits_exhausted") => "no credit is left",
        Some("deleted") => "the scan was deleted",
        Some(other) => other,
    }
}

pub fn schedules(frame: &Frame<'_>, page: &SchedulesPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Schedules", Tab::History);
    render("schedules", &SchedulesTemplate { shell, page })
}

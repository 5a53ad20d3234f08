//! A schedule as its owner sees it.

use super::{Recurrence, next_due};
use ibid_engine::plan::is_reworded;
use ibid_model::time::text;
use ibid_store::{AlertRecord, ScheduleRecord, ScheduleUse, ScheduledRun, Store, StoreError};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Next runs that are shown.
const NEXT: usize = 5;
/// Last runs that are shown.
const LAST: u32 = 10;

/// A schedule with its next and last runs.
#[derive(Clone, Debug)]
pub struct ScheduleView {
    pub record: ScheduleRecord,
    pub order: Map<String, Value>,
    pub recurrence: Recurrence,
    /// The next runs; empty while it is paused.
    pub next: Vec<Timestamp>,
    /// What its runs have used this month.
    pub used: ScheduleUse,
    /// The last runs, the latest first.
    pub runs: Vec<ScheduledRun>,
}

impl ScheduleView {
    /// Reads what belongs to a row.
    ///
    /// # Errors
    /// The database fails, or a row cannot be read.
    pub fn of(store: &Store, record: ScheduleRecord, now: Timestamp) -> Result<Self, StoreError> {
        Ok(Self {
            used: store.schedule_use(record.id, super::month_began(now))?,
            runs: store.scheduled_runs(record.id, LAST)?,
            ..Self::without_runs(record)?
        })
    }

    /// As [`Self::of`], before its first run.
    pub fn without_runs(record: ScheduleRecord) -> Result<Self, StoreError> {
        let (order, recurrence) = (order_of(&record)?, recurrence_of(&record)?);
        let next = match (record.paused_at, record.next_due) {
            (None, Some(first)) => {
                let first = time(first);
                std::iter::successors(Some(first), |at| next_due(&recurrence, record.id, *at))
                    .take(NEXT)
                    .collect()
            }
            _ => Vec::new(),
        };
        Ok(Self {
            used: ScheduleUse::default(),
            runs: Vec::new(),
            next,
            order,
            recurrence,
            record,
        })
    }

    /// A text of its order; empty without one.
    pub fn ordered(&self, name: &str) -> &str {
        self.order.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The body that would make this schedule.
    pub fn body(&self) -> Map<String, Value> {
        let record = &self.record;
        let members = [
            ("name", json!(record.name)),
            ("order", json!(self.order)),
            ("recurrence", json!(self.recurrence.members())),
            ("monthlyBudgetUsd", json!(record.budget.map(dollars))),
            ("monthlyCredits", json!(record.credits)),
        ];
        let members = members.into_iter();
        members.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Whether this version of the program words the questions otherwise than the schedule, which goes on with its own.
    pub fn has_new_questions(&self) -> bool {
        let has_own = || self.order.get("questions").is_some_and(Value::is_array);
        match self.record.templates.as_deref() {
            Some(templates) => is_reworded(templates),
            None => !has_own(),
        }
    }

    pub fn document(&self) -> Value {
        let record = &self.record;
        let mut recurrence = self.recurrence.members();
        recurrence.insert("summary".to_owned(), json!(self.recurrence.to_string()));
        json!({
            "scheduleId": record.id,
            "name": record.name,
            "order": self.order,
            "recurrence": recurrence,
            "paused": record.paused_at.is_some(),
            "nextRuns": self.next.iter().copied().map(text).collect::<Vec<_>>(),
            "monthlyBudgetUsd": record.budget.map(dollars),
            "monthlyCredits": record.credits,
            "spentThisMonthUsd": dollars(self.used.cost),
            "creditsThisMonth": self.used.credits,
            "failuresInARow": record.failures,
            "newQuestions": self.has_new_questions(),
            "lastRuns": self.runs.iter().map(scheduled_run_document).collect::<Vec<_>>(),
            "createdAt": text(time(record.created_at)),
            "links": {
                "self": format!("/api/v2/schedules/{}", record.id),
                "alerts": format!("/api/v2/schedules/{}/alerts", record.id),
            },
        })
    }
}

pub fn scheduled_run_document(run: &ScheduledRun) -> Value {
    json!({
        "dueAt": text(time(run.firing.due)),
        "scanId": run.scan,
        "outcome": run.outcome,
        "costUsd": dollars(run.cost),
        "startedAt": text(time(run.began_at)),
        "endedAt": run.ended_at.map(time).map(text),
    })
}

pub fn alert_document(alert: &AlertRecord) -> Value {
    json!({
        "alertId": alert.id,
        "scheduleId": alert.firing.schedule,
        "kind": alert.kind,
        "summary": alert.summary,
        "scanId": alert.scan,
        "previousScanId": alert.previous,
        "createdAt": text(time(alert.at)),
        "seenAt": alert.seen_at.map(time).map(text),
    })
}

pub(super) fn order_of(record: &ScheduleRecord) -> Result<Map<String, Value>, StoreError> {
    // What was stored before marks were refused goes on without them.
    let document = record.document.replace(ibid_model::is_display_control, "");
    serde_json::from_str(&document).map_err(|_| StoreError::Damaged("order of a schedule"))
}

pub(crate) fn recurrence_of(record: &ScheduleRecord) -> Result<Recurrence, StoreError> {
    let damaged = || StoreError::Damaged("recurrence of a schedule");
    let members: Map<String, Value> = serde_json::from_str(&record.recurrence).map_err(|_| damaged())?;
    Recurrence::read(&members, time(record.created_at)).map_err(|_| damaged())
}

/// A time of the store, in milliseconds since 1970.
pub(super) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or_default()
}

pub(crate) fn dollars(micros: u64) -> f64 {
    ibid_model::UsdMicros::new(micros).dollars()
}

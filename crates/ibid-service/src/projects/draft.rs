//! Reading a project: every fault is found.

use super::handle::Projects;
use crate::error::Error;
use crate::schedules::{Recurrence, ScheduleDraft, ScheduleOwner};
use ibid_engine::plan::Forecast;
use ibid_model::{Domain, Fault, FaultCode, Faults, ProjectId};
use ibid_store::ProjectSubject;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

/// The time over which runs are counted for the costs of a month.
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Most runs of a month: one every hour.
const MOST_RUNS: usize = 720;
/// Longest name, in characters.
const NAME_CHARS: usize = 120;
/// Members of a project that are no members of its order.
const OWN: [&str; 4] = ["name", "recurrence", "monthlyBudgetUsd", "status"];

/// A project that can be stored.
#[derive(Clone, Debug)]
pub struct ProjectDraft {
    pub(super) name: String,
    pub(super) schedule: ScheduleDraft,
    /// The website in readable form.
    domain: String,
    /// What its runs cost and show.
    pub forecast: Forecast,
}

impl ProjectDraft {
    /// What it measures.
    pub(super) fn subject(&self) -> ProjectSubject<'_> {
        let text = |name: &str| self.schedule.order().get(name).and_then(Value::as_str);
        ProjectSubject {
            domain: &self.domain,
            keyword: text("keyword").unwrap_or_default(),
            place: text("location"),
        }
    }
}

impl Projects {
    /// Reads `name`, `recurrence` (every Monday at 9, UTC, by default), `monthlyBudgetUsd` and the members of an order, and
    /// plans a run.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault; as [`Scans::plan`](crate::Scans::plan).
    pub async fn draft(&self, body: &Map<String, Value>) -> Result<ProjectDraft, Error> {
        let mut faults = Faults::default();
        let name = name_of(body, "name", &mut faults);
        let (own, order): (Map<_, _>, Map<_, _>) = body
            .clone()
            .into_iter()
            .partition(|(member, _)| OWN.contains(&member.as_str()));
        let weekly = json!({"unit": "weeks", "weekday": "monday", "at": "09:00", "timeZone": "UTC"});
        let recurrence = own.get("recurrence").filter(|value| !value.is_null());
        let schedule = Map::from_iter([
            ("order".to_owned(), Value::Object(order)),
            ("recurrence".to_owned(), recurrence.cloned().unwrap_or(weekly)),
            (
                "monthlyBudgetUsd".to_owned(),
                own.get("monthlyBudgetUsd").cloned().unwrap_or_default(),
            ),
        ]);
        // The owner decides about the form of the order alone.
        let owner = ScheduleOwner::Project(ProjectId::random());
        let read = self.schedules.planned(&owner, &schedule, Timestamp::now()).await;
        let (schedule, plan) = match read {
            Ok(read) if faults.is_empty() => read,
            Ok(_) => return Err(Error::Invalid(faults)),
            Err(Error::Invalid(more)) => {
                faults.append(at_the_root(&more));
                return Err(Error::Invalid(faults));
            }
            Err(error) => return Err(error),
        };
        let domain = schedule.order().get("domain").and_then(Value::as_str);
        let domain = domain.and_then(|domain| domain.parse::<Domain>().ok());
        Ok(ProjectDraft {
            name,
            domain: domain.map_or_else(String::new, |domain| domain.to_unicode()),
            forecast: Forecast::of(&plan, runs_a_month(schedule.recurrence())),
            schedule: schedule.asking(&plan)?,
        })
    }
}

/// The runs in the 30 days from now.
fn runs_a_month(recurrence: &Recurrence) -> usize {
    let now = Timestamp::now();
    let slots = recurrence.next_slots(now, MOST_RUNS);
    slots.iter().filter(|at| at.duration_since(now) < MONTH).count()
}

/// The faults of the order of a schedule, as those of a project, which has the members of the order itself.
pub(super) fn at_the_root(faults: &Faults) -> Faults {
    let mut moved = Faults::default();
    for Fault {
        field, code, message, ..
    } in faults.iter()
    {
        let field = field.strip_prefix("/order").unwrap_or(field);
        let message = message.strip_prefix("order: ").unwrap_or(message);
        moved.push(field.to_owned(), *code, message.to_owned());
    }
    moved
}

/// Reads a required text of one line.
pub(super) fn name_of(body: &Map<String, Value>, member: &str, faults: &mut Faults) -> String {
    let text = match body.get(member) {
        None | Some(Value::Null) => {
            faults.push(
                format!("/{member}"),
                FaultCode::Required,
                format!("{member} is required"),
            );
            return String::new();
        }
        Some(Value::String(text)) => text.trim(),
        Some(_) => "",
    };
    let fits = !text.is_empty() && text.chars().count() <= NAME_CHARS && !text.chars().any(char::is_control);
    if !fits {
        let message =
            format!("{member} must be a text of 1 to {NAME_CHARS} characters, none of them invisible");
        faults.push(format!("/{member}"), FaultCode::Invalid, message);
    }
    text.to_owned()
}

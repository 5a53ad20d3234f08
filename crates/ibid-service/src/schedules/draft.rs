//! Reading a schedule: every fault is found.

use super::questions::KeptQuestions;
use super::{Recurrence, ScheduleOwner};
use crate::error::Error;
use crate::shown_text::is_name;
use ibid_engine::plan::{KeptQuestion, Plan};
use ibid_model::{Catalog, FaultCode, Faults, ProjectId, ScanDraft, ScanOrder, ScheduleId, UsdMicros};
use ibid_store::{NewSchedule, ScheduleTerms, SealedSecret, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

/// Most schedules of an owner.
pub(super) const MOST_SCHEDULES: u32 = 100;
/// Longest name, in characters.
const NAME_CHARS: usize = 120;
/// Most credits of a month.
const MOST_CREDITS: u64 = 100_000;
/// The longest time between a slot and its run, in seconds.
/// Runs of one slot are spread over it.
const SPREAD: u64 = 600;

/// A schedule that can be stored.
#[derive(Clone, Debug)]
pub struct ScheduleDraft {
    pub(super) name: String,
    pub(crate) order: Map<String, Value>,
    pub(crate) recurrence: Recurrence,
    /// The most that the runs of a month may cost.
    pub(crate) budget: Option<UsdMicros>,
    pub(super) credits: Option<u32>,
    /// What every run asks; `None` leaves the questions that the schedule has.
    pub(super) questions: Option<KeptQuestions>,
}

impl ScheduleDraft {
    /// Reads `name`, `order`, `recurrence`, `monthlyBudgetUsd` and `monthlyCredits`.
    ///
    /// # Errors
    /// Every fault of the body.
    pub fn read(
        body: &Map<String, Value>,
        owner: &ScheduleOwner,
        catalog: &Catalog,
        now: Timestamp,
    ) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let name = name(body, &mut faults);
        let order = part(body, "order", &mut faults, |order| {
            ScanDraft(order).parse(catalog, owner.form()).and_then(counted)
        });
        let order = order.map(|order| order.body());
        let recurrence = part(body, "recurrence", &mut faults, |members| {
            Recurrence::read(members, now)
        });
        let budget = budget(body, &mut faults);
        let credits = credits(body, owner, &mut faults);
        match (order, recurrence) {
            (Some(Value::Object(order)), Some(recurrence)) if faults.is_empty() => Ok(Self {
                name,
                order,
                recurrence,
                budget,
                credits,
                questions: None,
            }),
            _ => Err(faults),
        }
    }

    /// The same draft, whose runs ask the questions of a plan.
    ///
    /// # Errors
    /// The questions cannot be packed.
    pub(crate) fn asking(mut self, plan: &Plan) -> Result<Self, Error> {
        self.questions = Some(KeptQuestions::of(plan)?);
        Ok(self)
    }

    /// The same draft, whose runs ask questions that a schedule kept.
    ///
    /// # Errors
    /// The questions cannot be packed.
    pub(crate) fn asking_kept(
        mut self,
        questions: &[KeptQuestion],
        templates: String,
    ) -> Result<Self, Error> {
        self.questions = Some(KeptQuestions::pack(questions, templates)?);
        Ok(self)
    }

    /// The same draft, which leaves the questions that the stored schedule has.
    pub(crate) fn keeping_questions(mut self) -> Self {
        self.questions = None;
        self
    }

    /// Stores the schedule under a new id.
    /// Returns whether the owner may have another one.
    pub fn add(
        &self,
        store: &Store,
        (id, owner): (ScheduleId, &ScheduleOwner),
        secret: Option<&SealedSecret>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let written = self.written(id, now);
        let schedule = NewSchedule {
            id,
            owner: &owner.name(),
            terms: written.terms(),
            secret,
            project: None,
        };
        store.add_schedule(&schedule, MOST_SCHEDULES, now.as_millisecond())
    }

    /// Replaces a schedule by the draft. Returns whether the schedule exists.
    pub fn replace(
        &self,
        store: &Store,
        id: ScheduleId,
        secret: Option<&SealedSecret>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        store.set_schedule(id, &self.written(id, now).terms(), secret)
    }

    /// The draft in the words of the store.
    pub(crate) fn written(&self, id: ScheduleId, now: Timestamp) -> WrittenTerms<'_> {
        WrittenTerms {
            draft: self,
            document: Value::Object(self.order.clone()).to_string(),
            recurrence: Value::Object(self.recurrence.members()).to_string(),
            next_due: next_due(&self.recurrence, id, now).map(Timestamp::as_millisecond),
        }
    }
}

/// A draft in the words of the store.
pub(crate) struct WrittenTerms<'a> {
    draft: &'a ScheduleDraft,
    document: String,
    recurrence: String,
    next_due: Option<i64>,
}

impl WrittenTerms<'_> {
    pub(crate) fn terms(&self) -> ScheduleTerms<'_> {
        ScheduleTerms {
            name: &self.draft.name,
            document: &self.document,
            recurrence: &self.recurrence,
            next_due: self.next_due,
            budget: self.draft.budget.map(UsdMicros::get),
            credits: self.draft.credits,
            questions: self.draft.questions.as_ref().map(KeptQuestions::for_store),
        }
    }

    /// A schedule to store with its project: its own one, which has the project's id, or one for a market.
    pub(crate) fn of_project<'a>(
        &'a self,
        id: ScheduleId,
        project: ProjectId,
        owner: &'a str,
    ) -> NewSchedule<'a> {
        NewSchedule {
            id,
            owner,
            terms: match id.as_bytes() == project.as_bytes() {
                true => self.terms(),
                false => self.terms_of_market(),
            },
            secret: None,
            project: Some(project),
        }
    }

    /// As [`Self::terms`] for a market, which fires with its project and shares the budget.
    pub(crate) fn terms_of_market(&self) -> ScheduleTerms<'_> {
        ScheduleTerms {
            next_due: None,
            budget: None,
            ..self.terms()
        }
    }
}

/// Refuses an order that asks in batches, because runs are judged together and must ask the same number of questions.
fn counted(order: ScanOrder) -> Result<ScanOrder, Faults> {
    let Some(rule) = order.stop() else {
        return Ok(order);
    };
    let name = if rule.target_width.is_some() {
        "targetWidth"
    } else {
        "budget"
    };
    let message =
        format!("{name} is for single scans; a schedule takes questionsPerModel and monthlyBudgetUsd");
    Err(Faults::one(format!("/{name}"), FaultCode::Invalid, message))
}

/// Returns when a schedule runs next after a moment: at a slot, plus its own delay.
pub fn next_due(recurrence: &Recurrence, id: ScheduleId, after: Timestamp) -> Option<Timestamp> {
    let delay = delay_of(id);
    let slot = recurrence.next_after(after.checked_sub(delay).ok()?)?;
    slot.checked_add(delay).ok()
}

/// Returns how long after its slots a schedule runs, so that not all of them run at 9 sharp.
/// It follows from the id, so it never changes.
fn delay_of(id: ScheduleId) -> SignedDuration {
    let bytes = id.as_bytes().iter();
    let number = bytes.fold(0_u64, |number, byte| (number << 8 | u64::from(*byte)) % SPREAD);
    SignedDuration::from_secs(number.cast_signed())
}

fn name(body: &Map<String, Value>, faults: &mut Faults) -> String {
    match body.get("name") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(name)) if is_name(name, NAME_CHARS) => name.trim().to_owned(),
        Some(_) => {
            let message = format!(
                "name must be a text of at most {NAME_CHARS} characters, none of them invisible, and no link"
            );
            faults.invalid("/name", message);
            String::new()
        }
    }
}

/// Reads an object of the body. Its faults name the object.
fn part<T>(
    body: &Map<String, Value>,
    name: &str,
    faults: &mut Faults,
    read: impl FnOnce(&Map<String, Value>) -> Result<T, Faults>,
) -> Option<T> {
    let pointer = format!("/{name}");
    match body.get(name) {
        None | Some(Value::Null) => faults.push(pointer, FaultCode::Required, format!("{name} is required")),
        Some(Value::Object(members)) => match read(members) {
            Ok(value) => return Some(value),
            Err(more) => {
                for fault in more.iter() {
                    faults.push(
                        format!("{pointer}{}", fault.field),
                        fault.code,
                        format!("{name}: {}", fault.message),
                    );
                }
            }
        },
        Some(_) => faults.push(pointer, FaultCode::WrongType, format!("{name} must be an object")),
    }
    None
}

fn budget(body: &Map<String, Value>, faults: &mut Faults) -> Option<UsdMicros> {
    let value = body.get("monthlyBudgetUsd").filter(|value| !value.is_null())?;
    let budget = value.as_f64().and_then(UsdMicros::from_dollars);
    if budget.is_none() {
        faults.push(
            "/monthlyBudgetUsd",
            FaultCode::OutOfRange,
            "monthlyBudgetUsd must be a number of dollars, 0 or more",
        );
    }
    budget
}

fn credits(body: &Map<String, Value>, owner: &ScheduleOwner, faults: &mut Faults) -> Option<u32> {
    let value = body.get("monthlyCredits").filter(|value| !value.is_null())?;
    if matches!(owner, ScheduleOwner::Api(_)) {
        faults.invalid(
            "/monthlyCredits",
            "monthlyCredits is for schedules of the workspace: your own provider key pays",
        );
        return None;
    }
    let credits = value.as_u64().filter(|credits| *credits <= MOST_CREDITS);
    if credits.is_none() {
        let message = format!("monthlyCredits must be a whole number from 0 to {MOST_CREDITS}");
        faults.push("/monthlyCredits", FaultCode::OutOfRange, message);
    }
    credits.and_then(|credits| u32::try_from(credits).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::CallerId;
    use ibid_model::AccountId;
    use serde_json::json;

    fn read(body: Value, owner: &ScheduleOwner) -> Result<ScheduleDraft, Faults> {
        let Value::Object(body) = body else {
            panic!("a body is an object")
        };
        let now = "2026-11-23T12:00:00Z".parse().unwrap();
        ScheduleDraft::read(&body, owner, &Catalog::builtin(), now)
    }

    #[test]
    fn faults_of_all_parts_are_found_with_their_pointers() {
        let api = ScheduleOwner::Api(CallerId::api());
        let fields = |body| -> Vec<String> {
            let faults = read(body, &api).unwrap_err();
            faults.iter().map(|fault| fault.field.clone()).collect()
        };
        assert_eq!(fields(json!({})), ["/order", "/recurrence"]);
        assert_eq!(
            fields(
                json!({"name": 1, "order": {"domain": "example.com"}, "recurrence": {"unit": "days", "at": "9"},
                "monthlyBudgetUsd": -1, "monthlyCredits": 3})
            ),
            [
                "/name",
                "/order/keyword",
                "/recurrence/at",
                "/recurrence/timeZone",
                "/monthlyBudgetUsd",
                "/monthlyCredits"
            ]
        );
        assert_eq!(
            fields(json!({"order": [], "recurrence": 7})),
            ["/order", "/recurrence"]
        );
        let account = ScheduleOwner::Account(AccountId::random());
        let draft = read(
            json!({"name": " Weekly ", "order": {"domain": "example.com", "keyword": "plumber"},
                "recurrence": {"unit": "weeks", "at": "09:00", "timeZone": "UTC"},
                "monthlyBudgetUsd": 2.5, "monthlyCredits": 4}),
            &account,
        );
        let draft = draft.unwrap();
        assert_eq!(
            (draft.name.as_str(), draft.budget, draft.credits),
            ("Weekly", Some(UsdMicros::new(2_500_000)), Some(4))
        );
    }

    #[test]
    fn runs_of_one_slot_are_spread_over_ten_minutes_and_come_at_the_same_delay() {
        let recurrence = read(
            json!({"order": {"domain": "example.com", "keyword": "plumber"},
                "recurrence": {"unit": "days", "at": "09:00", "timeZone": "UTC"}}),
            &ScheduleOwner::Api(CallerId::api()),
        );
        let recurrence = recurrence.unwrap().recurrence;
        let now: Timestamp = "2026-11-24T00:00:00Z".parse().unwrap();
        let slot: Timestamp = "2026-11-24T09:00:00Z".parse().unwrap();
        let mut minutes = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let id = ScheduleId::random();
            let due = next_due(&recurrence, id, now).unwrap();
            let delay = due.duration_since(slot);
            assert!(!delay.is_negative() && delay < SignedDuration::from_secs(600));
            assert_eq!(
                next_due(&recurrence, id, due).unwrap(),
                due + SignedDuration::from_hours(24)
            );
            minutes.insert(delay.as_mins());
        }
        assert!(minutes.len() >= 8, "{minutes:?}");
    }
}

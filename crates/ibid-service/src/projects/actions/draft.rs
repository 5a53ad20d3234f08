//! What a body says about an action.

use crate::shown_text::hides;
use ibid_model::{ActionId, FaultCode, Faults};
use ibid_store::{ActionRecord, ActionStatus, Millis};
use jiff::civil::Date;
use serde_json::{Map, Value};

/// The runs after an action that its test waits for, unless the caller names another number: two months of weeks.
/// Half of it sees a change half as large again; twice, one a quarter smaller.
const DEFAULT_RUNS: u32 = 8;
/// A test takes so many runs. With one, a single odd week decides; after half a year something else has happened.
const RUNS: std::ops::RangeInclusive<u64> = 2..=26;
/// Most questions of an action, which are all that a project may have.
const MOST_QUESTIONS: usize = 300;
/// Longest texts, in characters.
const TITLE_CHARS: usize = 200;
const TEXT_CHARS: usize = 500;
const PAGE_CHARS: usize = 2_000;

/// What is written or changed of an action. Members that are absent stay as they are.
#[derive(Clone, Debug, Default)]
pub struct ActionDraft {
    pub(super) title: Option<String>,
    pub(super) page: Option<Option<String>>,
    pub(super) questions: Option<Vec<String>>,
    pub(super) person: Option<Option<String>>,
    pub(super) goal: Option<Option<String>>,
    pub(super) runs: Option<u32>,
    pub(super) status: Option<ActionStatus>,
    pub(super) done_on: Option<Date>,
}

impl ActionDraft {
    /// Says that an action was done on a day.
    pub(in crate::projects) fn done(done_on: Option<Date>) -> Self {
        Self {
            status: Some(ActionStatus::Done),
            done_on,
            ..Self::default()
        }
    }

    /// Reads `title`, `page`, `questions`, `who`, `goal`, `runs`, `status` and `doneOn`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let title = text(body, "title", TITLE_CHARS, &mut faults);
        if title == Some(None) {
            faults.invalid("/title", "title must not be empty");
        }
        let draft = Self {
            title: title.flatten(),
            page: text(body, "page", PAGE_CHARS, &mut faults),
            questions: questions(body, &mut faults),
            person: text(body, "who", TITLE_CHARS, &mut faults),
            goal: text(body, "goal", TEXT_CHARS, &mut faults),
            runs: runs(body, &mut faults),
            status: status(body, &mut faults),
            done_on: done_on(body, &mut faults),
        };
        faults.into_result(draft)
    }

    /// The action, with a new id, agreed at a time.
    ///
    /// # Errors
    /// Every member that is missing.
    pub(in crate::projects) fn into_record(self, now: Millis) -> Result<ActionRecord, Faults> {
        let mut faults = Faults::default();
        for (member, is_missing) in [
            ("title", self.title.is_none()),
            ("questions", self.questions.is_none()),
        ] {
            if is_missing {
                faults.push(
                    format!("/{member}"),
                    FaultCode::Required,
                    format!("{member} is required"),
                );
            }
        }
        faults.into_result(())?;
        Ok(ActionRecord {
            id: ActionId::random(),
            title: self.title.unwrap_or_default(),
            page: self.page.flatten(),
            questions: self.questions.unwrap_or_default(),
            person: self.person.flatten(),
            goal: self.goal.flatten(),
            status: self.status.unwrap_or(ActionStatus::Open),
            runs: self.runs.unwrap_or(DEFAULT_RUNS),
            agreed_at: now,
            done_on: self.done_on.map(|day| day.to_string()),
            test: None,
            finding: None,
            judged_at: None,
            created_at: now,
            author: None,
        })
    }
}

/// A text: `None` where it is absent, `Some(None)` where it is empty or null.
fn text(body: &Map<String, Value>, member: &str, most: usize, faults: &mut Faults) -> Option<Option<String>> {
    match body.get(member)? {
        Value::Null => Some(None),
        Value::String(text) => {
            let text = text.trim();
            if text.chars().count() > most || hides(text) {
                let message =
                    format!("{member} must be a text of at most {most} characters, none of them invisible");
                faults.invalid(format!("/{member}"), message);
            }
            Some((!text.is_empty()).then(|| text.to_owned()))
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            faults.push(
                format!("/{member}"),
                FaultCode::WrongType,
                format!("{member} must be a text"),
            );
            None
        }
    }
}

fn questions(body: &Map<String, Value>, faults: &mut Faults) -> Option<Vec<String>> {
    let list = body.get("questions")?.as_array();
    let Some(list) = list.filter(|list| (1..=MOST_QUESTIONS).contains(&list.len())) else {
        let message = format!("questions must be a list of 1 to {MOST_QUESTIONS} questions of the project");
        faults.push("/questions", FaultCode::OutOfRange, message);
        return None;
    };
    let mut questions: Vec<String> = Vec::with_capacity(list.len());
    for (at, value) in list.iter().enumerate() {
        match value.as_str().map(str::trim) {
            Some(text) if questions.iter().any(|known| known == text) => {}
            Some(text) => questions.push(text.to_owned()),
            None => {
                let pointer = format!("/questions/{at}");
                faults.push(pointer, FaultCode::WrongType, "a question must be a text");
            }
        }
    }
    Some(questions)
}

fn runs(body: &Map<String, Value>, faults: &mut Faults) -> Option<u32> {
    let value = body.get("runs").filter(|value| !value.is_null())?;
    let number = value.as_u64().filter(|number| RUNS.contains(number));
    if number.is_none() {
        let message = format!("runs must be a number from {} to {}", RUNS.start(), RUNS.end());
        faults.push("/runs", FaultCode::OutOfRange, message);
    }
    number.and_then(|number| number.try_into().ok())
}

fn status(body: &Map<String, Value>, faults: &mut Faults) -> Option<ActionStatus> {
    let status = body.get("status")?.as_str().and_then(|word| word.parse().ok());
    if status.is_none() {
        faults.invalid("/status", "status must be open, doing, done or dropped");
    }
    status
}

fn done_on(body: &Map<String, Value>, faults: &mut Faults) -> Option<Date> {
    let day = body.get("doneOn").filter(|value| !value.is_null())?;
    let day = day.as_str().and_then(|day| day.parse().ok());
    if day.is_none() {
        faults.invalid("/doneOn", "doneOn must be a date, as 2026-11-30");
    }
    day
}

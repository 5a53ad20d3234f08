//! What a project asks: the program's questions, or its own set, which has the project's id.

use super::handle::Projects;
use crate::error::Error;
use crate::job::CallerId;
use crate::questions::{Packed, QuestionSetView};
use ibid_engine::questions::{continued, shared, stratified};
use ibid_model::contract::field as f;
use ibid_model::{
    AccountId, AnnotationId, AskedSet, FaultCode, OwnQuestion, ProjectId, QuestionSetId, QuestionSetName,
};
use ibid_store::{AnnotationKind, AnnotationRecord, QuestionsRecord};
use jiff::Timestamp;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// Stands for all questions where a number for each model is wanted.
pub(super) const ALL: &str = "all";

/// What a body says about the questions.
pub(super) enum Wanted {
    /// Nothing.
    Same,
    /// Those of the program.
    Templates,
    /// These, with the word of their source.
    Own(Vec<OwnQuestion>, String),
    /// A version that the project has.
    Version(Box<QuestionSetView>),
}

/// A version to store in the set of a project.
#[derive(Clone, Debug)]
pub(super) struct NewVersion {
    pub(super) packed: Packed,
    pub(super) source: String,
    /// The last version before; `None` for the first.
    pub(super) parent: Option<u32>,
}

pub(super) fn set_of(project: ProjectId) -> QuestionSetName {
    QuestionSetName {
        id: QuestionSetId::from_bytes(*project.as_bytes()),
        version: None,
    }
}

pub(super) fn asked(order: &Map<String, Value>) -> Option<AskedSet> {
    AskedSet::deserialize(order.get(f::QUESTION_SET.name)?).ok()
}

/// Returns an order's own questions, as they are asked.
pub(super) fn listed(order: &Map<String, Value>) -> Vec<OwnQuestion> {
    let questions = order.get(f::QUESTIONS.name).filter(|value| !value.is_null());
    questions
        .and_then(|value| OwnQuestion::list(value).ok())
        .unwrap_or_default()
}

impl Projects {
    /// Reads questions from a body: `questions`, or `questionSet`, a version of the project's set or of a set of the
    /// account; `null` stands for those of the program.
    pub(super) async fn wanted(
        &self,
        project: ProjectId,
        account: Option<AccountId>,
        body: &Map<String, Value>,
    ) -> Result<Wanted, Error> {
        let given = |name: &str| body.get(name).filter(|value| !value.is_null());
        let fault = |code, message: String| Err(Error::fault("/questionSet", code, message));
        match (given(f::QUESTIONS.name), given(f::QUESTION_SET.name)) {
            (Some(_), Some(_)) => fault(
                FaultCode::QuestionsAndSet,
                "questionSet and questions exclude each other; send one of them".to_owned(),
            ),
            (Some(value), None) => match OwnQuestion::list(value) {
                Ok(list) => Ok(Wanted::Own(list, "written".to_owned())),
                Err(faults) => Err(Error::Invalid(faults.below("/questions"))),
            },
            (None, Some(Value::String(text))) => {
                let name: QuestionSetName = match text.parse() {
                    Ok(name) => name,
                    Err(error) => return fault(FaultCode::Invalid, format!("questionSet {error}")),
                };
                let owner = match account {
                    _ if name.id == set_of(project).id => CallerId::of_project(project),
                    Some(account) => CallerId::of(account),
                    None => CallerId::of_project(project),
                };
                match self.questions.get(&owner, name).await {
                    Ok(view) if name.id == set_of(project).id => Ok(Wanted::Version(Box::new(view))),
                    Ok(view) => Ok(Wanted::Own(view.questions, view.version.source)),
                    Err(Error::QuestionSetNotFound) => fault(
                        FaultCode::QuestionSetNotFound,
                        format!("there is no question set {text} of this caller"),
                    ),
                    Err(error) => Err(error),
                }
            }
            (None, Some(_)) => fault(FaultCode::WrongType, "questionSet must be a string".to_owned()),
            (None, None)
                if body.contains_key(f::QUESTIONS.name) || body.contains_key(f::QUESTION_SET.name) =>
            {
                Ok(Wanted::Templates)
            }
            (None, None) => Ok(Wanted::Same),
        }
    }

    /// Puts the questions that are wanted into an order, which has those of before. Returns the version to store.
    pub(super) async fn ask(
        &self,
        project: ProjectId,
        order: &mut Map<String, Value>,
        wanted: Wanted,
    ) -> Result<Option<NewVersion>, Error> {
        let (list, source) = match wanted {
            Wanted::Same => return Ok(None),
            Wanted::Templates => {
                order.remove(f::QUESTIONS.name);
                order.remove(f::QUESTION_SET.name);
                return Ok(None);
            }
            Wanted::Version(view) => {
                let set = AskedSet {
                    id: set_of(project).to_string(),
                    version: view.version.version,
                    hash: view.version.hash,
                    questions: view.version.count,
                    asked: view.version.count,
                };
                put(order, view.questions, &set);
                return Ok(None);
            }
            Wanted::Own(list, source) => (list, source),
        };
        let packed = Packed::of(&list)?;
        if asked(order).is_some_and(|set| set.hash == packed.hash) {
            return Ok(None);
        }
        let name = set_of(project);
        let last = match self.questions.get(&CallerId::of_project(project), name).await {
            Ok(view) => Some(view),
            Err(Error::QuestionSetNotFound) => None,
            Err(error) => return Err(error),
        };
        let latest = last.as_ref().map(|view| view.set.latest);
        let is_last = last.is_some_and(|view| view.version.hash == packed.hash);
        let set = AskedSet {
            id: name.to_string(),
            version: latest.map_or(1, |latest| if is_last { latest } else { latest + 1 }),
            hash: packed.hash.clone(),
            questions: packed.count,
            asked: packed.count,
        };
        let version = NewVersion {
            parent: latest,
            packed,
            source,
        };
        put(order, list, &set);
        Ok((!is_last).then_some(version))
    }
}

/// Puts a version into an order, which has the questions of before.
fn put(order: &mut Map<String, Value>, questions: Vec<OwnQuestion>, set: &AskedSet) {
    if asked(order).is_some_and(|before| before.hash == set.hash) {
        return;
    }
    let list = continued(&listed(order), stratified(questions, &set.hash));
    order.insert(f::QUESTIONS.name.to_owned(), json!(list));
    order.insert(f::QUESTION_SET.name.to_owned(), json!(set));
}

impl NewVersion {
    /// Makes the first version of a set, ready for the store.
    pub(super) fn first(&self, now: Timestamp) -> QuestionsRecord {
        QuestionsRecord {
            version: 1,
            hash: self.packed.hash.clone(),
            parent: None,
            source: self.source.clone(),
            count: self.packed.count,
            questions: self.packed.with_source(&self.source).questions.clone(),
            created_at: now.as_millisecond(),
        }
    }
}

/// Marks today if the questions changed, and says what the log notes.
pub(super) fn mark(
    before: &Map<String, Value>,
    now: &Map<String, Value>,
) -> Option<(AnnotationRecord, String)> {
    let (old, new) = (asked(before), asked(now));
    if old == new {
        return None;
    }
    let (text, members) = match &new {
        None => (
            "Questions: those of ibid".to_owned(),
            json!({"questionSet": null}),
        ),
        Some(set) => {
            let kept = shared(&listed(now), &listed(before));
            let (all, others) = (set.questions, (set.questions as usize).saturating_sub(kept));
            let text = format!(
                "Questions: version {}, {all} questions, {others} of them new",
                set.version
            );
            let name = format!("{}@{}", set.id, set.version);
            (
                text,
                json!({"questionSet": name, "questions": all, "new": others}),
            )
        }
    };
    let mark = AnnotationRecord {
        id: AnnotationId::random(),
        kind: AnnotationKind::Set,
        day: Timestamp::now().strftime("%Y-%m-%d").to_string(),
        text,
        author: None,
    };
    Some((mark, members.to_string()))
}

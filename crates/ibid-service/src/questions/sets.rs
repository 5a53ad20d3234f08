//! Sets of questions: written, changed by new versions, imported, and named by scans.

use super::check::{Subject, questions_in};
use super::handle::Questions;
use crate::clock::{at as time, now_ms};
use crate::error::Error;
use crate::job::CallerId;
use ibid_engine::plan::Plan;
use ibid_engine::questions::{ImportedLine, LineOutcome, hash, import, shared, stratified, to_csv};
use ibid_model::contract::field as f;
use ibid_model::{
    AccountId, AskedSet, FaultCode, Faults, Keyword, ObjectReader, OwnQuestion, QuestionSetName, Tag,
};
use ibid_model::{ScanDraft, ScanForm};
use ibid_store::{
    NewQuestions, PackedAnswers, QuestionSetRecord, QuestionSetTerms, QuestionsAdded, QuestionsRecord, Store,
    StoreError,
};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// Most sets that an owner has: half would bound an agency's clients, twice makes its list a megabyte.
const MOST_SETS: u32 = 200;
/// Most bytes that a version's questions have: twice what 300 long ones take with all members in Latin letters.
const MOST_BYTES: usize = 256 << 10;

/// A set as its owner writes it. Members that are left out of a change stay as they are.
#[derive(Clone, Debug)]
pub struct QuestionSetDraft {
    name: Option<Tag>,
    subject: Subject,
    questions: Vec<OwnQuestion>,
}

#[derive(Clone, Debug)]
pub struct QuestionSetView {
    pub set: QuestionSetRecord,
    pub version: QuestionsRecord,
    pub questions: Vec<OwnQuestion>,
    /// The questions that the version before has, too.
    pub kept: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct QuestionsImported {
    /// Every line of the file.
    pub lines: Vec<ImportedLine>,
    /// The new version; `None` for a dry run and where no line was added.
    pub view: Option<QuestionSetView>,
}

impl QuestionSetDraft {
    /// Reads `name`, `domain`, `keyword`, `location` and `questions`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(body);
        let name = fields.text(&f::QUESTION_SET_NAME);
        let subject = Subject::read(&mut fields);
        let questions = questions_in(&mut fields);
        fields.finish(questions.map(|questions| Self {
            name,
            subject,
            questions,
        }))
    }
}

/// A version's questions, ready to be stored.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub(crate) hash: String,
    pub(crate) count: u32,
    bytes: PackedAnswers,
}

impl Packed {
    pub(crate) fn of(questions: &[OwnQuestion]) -> Result<Self, Error> {
        let json = serde_json::to_vec(questions)?;
        if json.len() > MOST_BYTES {
            let length = json.len();
            let message = format!("the questions have {length} bytes, at most {MOST_BYTES} are kept");
            let fault = Faults::one("/questions", FaultCode::OutOfRange, message);
            return Err(Error::Invalid(fault));
        }
        Ok(Self {
            hash: hash(questions),
            count: u32::try_from(questions.len()).unwrap_or(u32::MAX),
            bytes: PackedAnswers::of(&json)?,
        })
    }

    pub(crate) fn with_source<'a>(&'a self, source: &'a str) -> NewQuestions<'a> {
        NewQuestions {
            hash: &self.hash,
            source,
            count: self.count,
            questions: &self.bytes,
        }
    }
}

impl QuestionSetView {
    fn of((set, version): (QuestionSetRecord, QuestionsRecord)) -> Result<Self, Error> {
        let questions = read(&version)?;
        Ok(Self {
            set,
            version,
            questions,
            kept: None,
        })
    }

    /// Names the version, such as `qs_…@4`.
    pub fn name(&self) -> String {
        let name = QuestionSetName {
            id: self.set.id,
            version: Some(self.version.version),
        };
        name.to_string()
    }

    /// The version with its questions as a JSON document.
    pub fn document(&self) -> Value {
        let mut document = question_set_document(&self.set);
        let members = [
            ("version", json!(self.version.version)),
            ("hash", json!(self.version.hash)),
            ("parent", json!(self.version.parent)),
            ("source", json!(self.version.source)),
            ("versionAt", json!(time(self.version.created_at))),
            ("kept", json!(self.kept)),
            ("questions", json!(self.questions)),
        ];
        for (name, value) in members {
            document[name] = value;
        }
        document
    }

    /// The questions as a table.
    pub fn csv(&self) -> String {
        to_csv(&self.questions)
    }
}

impl QuestionsImported {
    /// The outcome as a JSON document.
    pub fn document(&self, dry: bool) -> Value {
        let lines = self.lines.iter();
        let added = lines.filter(|line| line.outcome == LineOutcome::Added);
        json!({
            "dryRun": dry,
            "added": added.count(),
            "lines": self.lines,
            "questionSet": self.view.as_ref().map(QuestionSetView::document),
        })
    }
}

/// A set without its questions.
pub fn question_set_document(set: &QuestionSetRecord) -> Value {
    let name = QuestionSetName {
        id: set.id,
        version: None,
    };
    json!({
        "id": name.to_string(),
        "name": set.name,
        "domain": set.domain,
        "keyword": set.keyword,
        "location": set.place,
        "latest": set.latest,
        "createdAt": time(set.created_at),
    })
}

/// Names the last version of a set.
const fn last_of(name: QuestionSetName) -> QuestionSetName {
    QuestionSetName {
        version: None,
        ..name
    }
}

fn read(version: &QuestionsRecord) -> Result<Vec<OwnQuestion>, Error> {
    Ok(serde_json::from_slice(&version.questions.unpack()?)?)
}

/// Reads an account's sets with all of their versions, for its export.
pub(crate) fn account_sets(store: &Store, account: AccountId) -> Result<Vec<Value>, StoreError> {
    let owner = CallerId::of(account);
    let sets = store.question_sets(Some(owner.as_str()))?;
    let mut documents = Vec::with_capacity(sets.len());
    for set in sets {
        let versions = store.question_versions(Some(owner.as_str()), set.id)?;
        let versions = versions.into_iter().map(|version| {
            let view = QuestionSetView::of((set.clone(), version));
            view.map_or(Value::Null, |view| view.document())
        });
        let versions: Vec<Value> = versions.collect();
        let mut document = question_set_document(&set);
        document["versions"] = json!(versions);
        documents.push(document);
    }
    Ok(documents)
}

impl Questions {
    /// Lists an owner's sets, the oldest first, without their questions.
    pub async fn all(&self, owner: &CallerId) -> Result<Vec<QuestionSetRecord>, Error> {
        let owner = owner.as_str().to_owned();
        let sets = self.db().call(move |store| store.question_sets(Some(&owner)));
        Ok(sets.await?)
    }

    /// Reads a version of a set, and how many questions it kept from the version before.
    pub async fn get(&self, owner: &CallerId, name: QuestionSetName) -> Result<QuestionSetView, Error> {
        let owner = owner.as_str().to_owned();
        let found = self.db().call(move |store| {
            let Some((set, version)) = store.questions(&owner, name.id, name.version)? else {
                return Ok(None);
            };
            let parent = match version.parent {
                Some(parent) => store.questions(&owner, name.id, Some(parent))?,
                None => None,
            };
            Ok(Some((set, version, parent)))
        });
        let (set, version, parent) = found.await?.ok_or(Error::QuestionSetNotFound)?;
        let mut view = QuestionSetView::of((set, version))?;
        if let Some((_, parent)) = parent {
            view.kept = Some(shared(&view.questions, &read(&parent)?));
        }
        Ok(view)
    }

    /// Stores a set with its first version.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for one set too many; [`Error::Store`].
    pub async fn add(
        &self,
        owner: &CallerId,
        draft: QuestionSetDraft,
        source: &'static str,
    ) -> Result<QuestionSetView, Error> {
        let packed = Packed::of(&draft.questions)?;
        let (id, caller) = (ibid_model::QuestionSetId::random(), owner.as_str().to_owned());
        let subject = draft.subject;
        let keyword = subject.keyword.as_ref().map_or("Questions", Keyword::as_str);
        let name = draft.name.map_or_else(|| keyword.to_owned(), String::from);
        let added = self.db().call(move |store| {
            let domain = subject.domain.as_ref().map(|domain| domain.to_unicode());
            let terms = QuestionSetTerms {
                name: &name,
                domain: domain.as_deref(),
                keyword: subject.keyword.as_ref().map(|keyword| keyword.as_str()),
                place: subject.location.as_ref().map(|place| place.as_str()),
            };
            let packed = packed.with_source(source);
            store.add_question_set(&caller, id, terms, packed, MOST_SETS, now_ms())
        });
        if !added.await? {
            let message = format!("a caller has at most {MOST_SETS} question sets");
            return Err(Error::Invalid(Faults::one("", FaultCode::OutOfRange, message)));
        }
        self.get(owner, QuestionSetName { id, version: None }).await
    }

    /// Adds a version to a set. With `expected`, only if that is the last version.
    pub async fn replace(
        &self,
        owner: &CallerId,
        name: QuestionSetName,
        expected: Option<u32>,
        draft: QuestionSetDraft,
        source: &'static str,
    ) -> Result<QuestionSetView, Error> {
        let before = self.get(owner, last_of(name)).await?.set;
        let packed = Packed::of(&draft.questions)?;
        let caller = owner.as_str().to_owned();
        let subject = draft.subject;
        let title = draft.name.map_or(before.name, String::from);
        let added = self.db().call(move |store| {
            let domain = subject.domain.map(|domain| domain.to_unicode()).or(before.domain);
            let keyword = subject.keyword.map(String::from).or(before.keyword);
            let place = subject.location.map(String::from).or(before.place);
            let terms = QuestionSetTerms {
                name: &title,
                domain: domain.as_deref(),
                keyword: keyword.as_deref(),
                place: place.as_deref(),
            };
            let packed = packed.with_source(source);
            store.add_questions(&caller, name.id, expected, terms, packed, now_ms())
        });
        match added.await? {
            QuestionsAdded::Stored(version) => {
                let version = Some(version);
                self.get(owner, QuestionSetName { version, ..name }).await
            }
            QuestionsAdded::Changed(latest) => Err(Error::QuestionSetChanged { latest }),
            QuestionsAdded::Unknown => Err(Error::QuestionSetNotFound),
        }
    }

    /// Deletes a set. Versions that scans have asked stay readable by their number.
    pub async fn delete(&self, owner: &CallerId, name: QuestionSetName) -> Result<(), Error> {
        let owner = owner.as_str().to_owned();
        let deleted = self
            .db()
            .call(move |store| store.delete_question_set(&owner, name.id, now_ms()));
        deleted.await?.then_some(()).ok_or(Error::QuestionSetNotFound)
    }

    /// Reads the questions of a file for `domain`, `keyword`, `location` and `language`. Every line is answered.
    pub async fn read_file(
        &self,
        facts: &Map<String, Value>,
        file: Vec<u8>,
        before: Vec<OwnQuestion>,
        info: bool,
    ) -> Result<Vec<ImportedLine>, Error> {
        let mut fields = ObjectReader::new(facts);
        let subject = Subject::read(&mut fields);
        let subject = fields.finish(Some(subject)).map_err(Error::Invalid)?;
        let known = self.known(subject).await?;
        let read = move || import(&file, &before, &known.rules(), info);
        let lines = self.planner.compute(read);
        lines.await?.map_err(Error::ImportUnreadable)
    }

    /// Adds the questions in a file to a set, as a new version; a dry run only tells what would become of each line.
    ///
    /// # Errors
    /// [`Error::ImportUnreadable`], and those of [`Self::replace`].
    pub async fn import(
        &self,
        owner: &CallerId,
        name: QuestionSetName,
        file: Vec<u8>,
        (dry, info): (bool, bool),
    ) -> Result<QuestionsImported, Error> {
        let view = self.get(owner, last_of(name)).await?;
        let set = &view.set;
        let facts = json!({"domain": set.domain, "keyword": set.keyword, "location": set.place});
        let facts = facts.as_object().cloned().unwrap_or_default();
        let lines = self.read_file(&facts, file, view.questions.clone(), info).await?;
        let added: Vec<OwnQuestion> = lines.iter().filter_map(|line| line.question.clone()).collect();
        let view = if dry || added.is_empty() {
            None
        } else {
            let draft = QuestionSetDraft {
                name: None,
                subject: Subject::default(),
                questions: view.questions.iter().cloned().chain(added).collect(),
            };
            let replaced = self.replace(owner, name, Some(view.set.latest), draft, "imported");
            Some(replaced.await?)
        };
        Ok(QuestionsImported { lines, view })
    }

    /// Plans an order that may name a question set of the owner. `asks` notes that a scan asks it.
    ///
    /// # Errors
    /// As `Scans::plan` and [`Self::resolve`], with the faults of both.
    pub async fn plan(
        &self,
        owner: &CallerId,
        body: &mut Map<String, Value>,
        form: ScanForm,
        asks: bool,
    ) -> Result<Plan, Error> {
        match self.resolve(owner, body, asks).await {
            Ok(()) => self.planner.plan(ScanDraft(body), form).await,
            Err(Error::Invalid(mut faults)) => {
                body.remove(f::QUESTION_SET.name);
                if let Err(error) = self.planner.plan(ScanDraft(body), form).await {
                    faults.append(error.faults());
                }
                Err(Error::Invalid(faults))
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces a question set's name in an order by its questions, sorted so that the first ones are a fair part of them.
    /// `asks` notes that a scan asks them.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a set together with `questions` or a set that the owner does not have; [`Error::Store`].
    pub async fn resolve(
        &self,
        owner: &CallerId,
        order: &mut Map<String, Value>,
        asks: bool,
    ) -> Result<(), Error> {
        let Some(value) = order.get(f::QUESTION_SET.name).filter(|value| !value.is_null()) else {
            return Ok(());
        };
        let fault = |code, message: String| Err(Error::Invalid(Faults::one("/questionSet", code, message)));
        // A stored order, such as that of a schedule, has the version as an object, with its questions.
        let stored = AskedSet::deserialize(value).ok();
        let text = match (value.as_str(), &stored) {
            (Some(text), _) => text.to_owned(),
            (None, Some(stored)) => format!("{}@{}", stored.id, stored.version),
            (None, None) => return fault(FaultCode::WrongType, "questionSet must be a string".to_owned()),
        };
        let name = match text.parse::<QuestionSetName>() {
            Ok(name) => name,
            Err(error) => return fault(FaultCode::Invalid, format!("questionSet {error}")),
        };
        let questions = order.get(f::QUESTIONS.name);
        if stored.is_none() && questions.is_some_and(|questions| !questions.is_null()) {
            let message = "questionSet and questions exclude each other; send one of them".to_owned();
            return fault(FaultCode::QuestionsAndSet, message);
        }
        let view = match self.get(owner, name).await {
            Ok(view) => view,
            Err(Error::QuestionSetNotFound) => {
                let message = format!("there is no question set {text} of this caller");
                return fault(FaultCode::QuestionSetNotFound, message);
            }
            Err(error) => return Err(error),
        };
        if asks {
            let version = view.version.version;
            let asked = self
                .db()
                .call(move |store| store.questions_asked(name.id, version));
            asked.await?;
        }
        let count = u32::try_from(view.questions.len()).unwrap_or(u32::MAX);
        let set = AskedSet {
            id: last_of(name).to_string(),
            version: view.version.version,
            hash: view.version.hash.clone(),
            questions: count,
            asked: count,
        };
        let questions = stratified(view.questions, &set.hash);
        order.insert(f::QUESTIONS.name.to_owned(), json!(questions));
        order.insert(f::QUESTION_SET.name.to_owned(), json!(set));
        Ok(())
    }
}

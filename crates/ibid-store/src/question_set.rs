//! Sets of questions in their owners' words, with versions that never change.

use crate::{Millis, PackedAnswers, StoreError};
use ibid_model::QuestionSetId;

/// The parts of a set that a new version may change.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuestionSetTerms<'a> {
    pub name: &'a str,
    /// The website that it is about.
    pub domain: Option<&'a str>,
    /// The keyword that it is about.
    pub keyword: Option<&'a str>,
    /// The place that it is about.
    pub place: Option<&'a str>,
}

/// A version to store.
#[derive(Clone, Copy, Debug)]
pub struct NewQuestions<'a> {
    /// The hash of the questions.
    pub hash: &'a str,
    /// The word of their source: `written`, `imported`, `proposed`.
    pub source: &'a str,
    /// Their number.
    pub count: u32,
    /// The questions, which the store does not read.
    pub questions: &'a PackedAnswers,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionSetRecord {
    pub id: QuestionSetId,
    pub name: String,
    /// The website that it is about.
    pub domain: Option<String>,
    /// The keyword that it is about.
    pub keyword: Option<String>,
    /// The place that it is about.
    pub place: Option<String>,
    /// The number of its last version.
    pub latest: u32,
    /// The time of its creation.
    pub created_at: Millis,
}

#[derive(Clone, Debug)]
pub struct QuestionsRecord {
    /// Its number, from 1.
    pub version: u32,
    /// The hash of the questions.
    pub hash: String,
    /// The version that it was made from.
    pub parent: Option<u32>,
    /// The word of the source.
    pub source: String,
    /// The number of questions.
    pub count: u32,
    pub questions: PackedAnswers,
    /// The time of its creation.
    pub created_at: Millis,
}

/// The outcome of an attempt to add a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionsAdded {
    /// It is stored under this number.
    Stored(u32),
    /// The set has another last version than was expected: this one.
    Changed(u32),
    /// The owner has no such set.
    Unknown,
}

/// The day of a proposal, and what an owner may have on it.
#[derive(Clone, Copy, Debug)]
pub struct ProposalDay {
    /// The days since 1970.
    pub day: i64,
    /// Most proposals of an owner on a day.
    pub most: u32,
    pub now: Millis,
    /// The time up to which the proposal is under way, unless it ends before.
    pub open_until: Millis,
}

/// The outcome of an attempt to begin a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalStart {
    /// It counts, and is under way.
    Begun,
    /// Another one of the owner is under way, up to this time at most.
    UnderWay(Millis),
    /// The owner has used up the day.
    UsedUp,
}

/// Stores sets of questions. Every method is one transaction.
pub trait QuestionSets: Send + Sync + 'static {
    /// Stores a set, by its owner and id, with its first version, and returns whether it did: an owner has at most `most`,
    /// or one more after two calls at the same moment.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    fn add_question_set(
        &self,
        set: (&str, QuestionSetId),
        terms: QuestionSetTerms<'_>,
        first: NewQuestions<'_>,
        most: u32,
        now: Millis,
    ) -> Result<bool, StoreError>;

    /// Adds a version to a set, by its owner and id. With `expected`, only if that is the last version.
    fn add_questions(
        &self,
        set: (&str, QuestionSetId),
        expected: Option<u32>,
        terms: QuestionSetTerms<'_>,
        questions: NewQuestions<'_>,
        now: Millis,
    ) -> Result<QuestionsAdded, StoreError>;

    /// Begins a proposal of questions, if the owner has none under way, in any process, and some left on the day.
    fn begin_proposal(&self, owner: &str, today: ProposalDay) -> Result<ProposalStart, StoreError>;

    /// Ends the proposal that is under way up to a time.
    fn end_proposal(&self, owner: &str, open_until: Millis) -> Result<(), StoreError>;

    /// Returns the sets of an owner, or of all, the oldest first.
    fn question_sets(&self, owner: Option<&str>) -> Result<Vec<QuestionSetRecord>, StoreError>;

    /// Returns a version of a set, the last one by default. A version of a deleted set is found by its number.
    fn questions(
        &self,
        owner: &str,
        id: QuestionSetId,
        version: Option<u32>,
    ) -> Result<Option<(QuestionSetRecord, QuestionsRecord)>, StoreError>;

    /// Returns every version of a set of an owner, or of any, the oldest first.
    fn question_versions(
        &self,
        owner: Option<&str>,
        id: QuestionSetId,
    ) -> Result<Vec<QuestionsRecord>, StoreError>;

    /// Notes that a scan has asked a version, which then outlives its set.
    fn questions_asked(&self, id: QuestionSetId, version: u32) -> Result<(), StoreError>;

    /// Deletes a set, with the versions that no scan has asked. Returns whether the owner had it.
    fn delete_question_set(&self, owner: &str, id: QuestionSetId, now: Millis) -> Result<bool, StoreError>;
}

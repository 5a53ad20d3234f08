//! Sets of questions in their owners' words, with versions that never change.

use crate::{Millis, PackedAnswers};
use ibid_model::QuestionSetId;
use serde::Deserialize;

/// What a new version may change.
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
    pub hash: &'a str,
    /// Where they come from: `written`, `imported` or `proposed`.
    pub source: &'a str,
    /// Their number.
    pub count: u32,
    /// The questions, which the store does not read.
    pub questions: &'a PackedAnswers,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct QuestionSetRecord {
    pub id: QuestionSetId,
    pub name: String,
    /// The website that it is about.
    pub domain: Option<String>,
    /// The keyword that it is about.
    pub keyword: Option<String>,
    /// The place that it is about.
    pub place: Option<String>,
    /// Its last version; the first is 1.
    pub latest: u32,
    pub created_at: Millis,
}

#[derive(Clone, Debug, Deserialize)]
pub struct QuestionsRecord {
    /// Its number, from 1.
    pub version: u32,
    pub hash: String,
    /// The version that it was made from.
    pub parent: Option<u32>,
    pub source: String,
    pub count: u32,
    pub questions: PackedAnswers,
    pub created_at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionsAdded {
    /// It is stored under this number.
    Stored(u32),
    /// The set has another last version than was expected: this one.
    Changed(u32),
    /// The owner has no such set.
    Unknown,
}

/// When a proposal is made, and what an owner may have on that day.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalStart {
    /// It counts, and is under way.
    Begun,
    /// Another one of the owner is under way, up to this time at most.
    UnderWay(Millis),
    /// The owner has used up the day.
    UsedUp,
}

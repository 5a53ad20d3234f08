//! Answers that were given elsewhere: exports of other trackers, and captures of interfaces. They are never runs of a project.

use crate::{Millis, PackedAnswers};
use ibid_model::AnswerImportId;
use serde::Deserialize;

/// Where answers come from. Strata are never added up.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr, Deserialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AnswerStratum {
    /// Another tracker asked.
    Tracker,
    /// Captured from an interface that people use.
    Interface,
}

impl AnswerStratum {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tracker, Self::Interface];

    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A file of answers, which comes in pieces.
#[derive(Clone, Copy, Debug)]
pub struct NewAnswerImport<'a> {
    pub id: AnswerImportId,
    /// Where its answers come from.
    pub stratum: AnswerStratum,
    /// The tool that wrote it.
    pub tool: &'a str,
    pub name: &'a str,
    /// SHA-256 of what was read: a file that comes again goes on where it stopped.
    pub sha256: &'a [u8; 32],
    /// Its pieces, numbered from 1.
    pub parts: u32,
    /// What the reader of the file counted, as JSON.
    pub notes: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerImportAdded {
    /// It is the first with this hash.
    New,
    /// The file came before, and this is its import.
    Known(AnswerImportId),
    /// The project has as many as it may have.
    Full,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AnswerImportRecord {
    pub id: AnswerImportId,
    /// Where its answers come from.
    pub stratum: AnswerStratum,
    /// The tool that wrote the file.
    pub tool: String,
    pub name: String,
    /// SHA-256 of what was read.
    pub sha256: [u8; 32],
    pub parts: u32,
    /// Which pieces came, in order, for example `[1, 2, 4]`.
    #[serde(skip)]
    pub received: Vec<u32>,
    #[serde(skip)]
    pub answers: u64,
    /// What the reader of the file counted, as JSON.
    pub notes: String,
    pub created_at: Millis,
    /// The time at which every piece was there.
    pub ended_at: Option<Millis>,
    /// JSON with a number a day, from then on.
    pub days: Option<String>,
}

/// A piece to store.
#[derive(Clone, Copy, Debug)]
pub struct NewAnswerPart<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// SHA-256.
    pub sha256: &'a [u8; 32],
    pub answers: u32,
    /// The answers themselves, where they are kept.
    pub document: Option<&'a PackedAnswers>,
    /// Counts over them.
    pub counts: &'a [AnswerCount],
}

#[derive(Clone, Debug)]
pub struct KeptAnswerPart {
    pub number: u32,
    /// SHA-256.
    pub sha256: [u8; 32],
    pub answers: u32,
    /// The answers themselves, while they are kept.
    pub document: Option<PackedAnswers>,
    /// Counts over them.
    pub counts: Vec<AnswerCount>,
}

/// Counts and sums over the answers of one source to one question on one day.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AnswerCount {
    /// The day, as an ISO date.
    pub day: String,
    /// The model or interface.
    pub source: String,
    /// The word that names the question.
    pub question: String,
    /// Answers that can be scored.
    pub valid: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// Those that link to it.
    pub linked: u32,
    /// Their scores added up, in thousandths of a point.
    pub score_sum: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartPut {
    Stored,
    /// It was stored before.
    Same,
    /// Another piece has its number.
    Other,
    /// There is no such import or number.
    Unknown,
}

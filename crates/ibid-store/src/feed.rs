//! Feeds: a project's numbers for spreadsheets. Their keys open nothing else.

use crate::Millis;
use crate::project::ProjectScope;
use ibid_model::FeedKeyId;
use serde::Deserialize;

/// A key to the feeds of a project, to store.
#[derive(Clone, Copy, Debug)]
pub struct NewFeedKey<'a> {
    pub id: FeedKeyId,
    /// The name that people gave it.
    pub name: &'a str,
    /// SHA-256 of the key.
    pub hash: &'a [u8; 32],
    /// Whether it opens sources and questions, too.
    pub detail: bool,
    pub expires_at: Millis,
}

/// A key to the feeds of a project, in a list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FeedKeyRecord {
    pub id: FeedKeyId,
    /// The name that people gave it.
    pub name: String,
    /// Whether it opens sources and questions, too.
    pub detail: bool,
    pub created_at: Millis,
    /// Noted once a minute at most, so that a busy key costs no write a call.
    pub used_at: Option<Millis>,
    pub expires_at: Millis,
}

/// A project as a key to its feeds opens it.
#[derive(Clone, Debug)]
pub struct OpenFeed {
    pub key: FeedKeyId,
    /// The proof to read the project.
    pub scope: ProjectScope,
    /// Whether sources and questions are open, too.
    pub detail: bool,
}

/// The parts by which a feed counts, besides the day, the keyword and the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedGrouping {
    /// None.
    Day,
    Model,
    Question,
}

/// Counts and sums over the answers of a day.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FeedRow {
    /// The UTC day, counted from 1 January 1970.
    pub day: i64,
    pub keyword: String,
    pub place: Option<String>,
    /// The language, where a market names one.
    pub language: Option<String>,
    /// The model or the question; empty for all.
    pub part: String,
    /// Runs with a result.
    pub runs: u64,
    /// Answers that can be scored.
    pub valid: u64,
    /// Those that cite the website.
    pub cited: u64,
    /// Those that link to it.
    pub linked: u64,
    /// Those that rest on a web search.
    pub searched: u64,
    /// Providers that they name.
    pub named: u64,
    /// Their scores added up, in thousandths of a point.
    pub score_sum: u64,
}

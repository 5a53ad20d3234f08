//! The history of several scans of the same website, keyword and place.

use crate::{Interval, ScanId, Score};
use serde::{Deserialize, Serialize};

/// Many runs of one scan: the level since the last change, and the changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The number of runs given.
    pub runs: u32,
    /// The average since the last change; `null` with fewer than two runs since then.
    pub level: Option<Level>,
    /// The changes, oldest first.
    pub changes: Vec<HistoryChange>,
    /// The runs from which on some answers are not compared with earlier ones.
    pub notes: Vec<HistoryNote>,
}

/// An average over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Level {
    /// The average score, 0..100, models weighing the same.
    pub score: Score,
    /// 95 % interval of it.
    pub interval: Interval,
    /// The runs that it rests on, at most the last twelve.
    pub runs: u32,
    /// The first of them; `null` when the result came without its id.
    pub since: Option<ScanId>,
}

/// A change between runs, by the questions that were asked before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryChange {
    /// The run after which the change could be seen; `null` when the result came without its id.
    pub noticed_at: Option<ScanId>,
    /// The first run after the change.
    pub since: Option<ScanId>,
    /// The mean score before it, 0..100.
    pub before: f64,
    /// The mean score after it.
    pub after: f64,
    /// The difference in points.
    pub difference: f64,
    /// 95 % interval of the difference; `null` if it rests on one question.
    pub interval: Option<Interval>,
}

/// A run that measures in part something else than the runs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryNote {
    /// The run; `null` when the result came without its id.
    pub at: Option<ScanId>,
    /// The part that differs.
    pub kind: HistoryNoteKind,
}

/// The part of a run that differs from the run before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HistoryNoteKind {
    /// Another model answers behind an alias.
    Model,
    /// No question is one of the run before it.
    Set,
    /// Another number of questions.
    Count,
    /// Another version of the method.
    Method,
}

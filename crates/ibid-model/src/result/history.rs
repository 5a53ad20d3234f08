//! How a website did over several scans with the same keyword and place.

use crate::{Interval, ScanId, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Many runs of one scan: the level since the last change, and the changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Level {
    /// The average score, 0..100, models weighing the same.
    pub score: Score,
    /// 95 % interval of it.
    pub interval: Interval,
    /// The part of it that the choice of questions explains; absent in results of methods before 3.3, whose `interval` is that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_interval: Option<Interval>,
    /// The points that the error of reading the answers adds to either side, 95 times in 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_error: Option<f64>,
    /// The runs that it rests on, at most the last twelve.
    pub runs: u32,
    /// The first of them; `null` when the result came without its id.
    pub since: Option<ScanId>,
}

/// A change between runs, by the questions that were asked before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// What the answers tell about its causes.
    #[serde(default)]
    pub explanation: Explanation,
    /// The causes in sentences, or the sentence that says why none is named. Empty in histories of older versions.
    #[serde(default)]
    pub why: String,
    /// The causes: models and kinds of question first, then what is named or cited instead, or no longer.
    #[serde(default)]
    pub causes: Vec<Cause>,
}

/// What the answers tell about the causes of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// At least one cause is named.
    Named,
    /// All models moved, about alike.
    Alike,
    /// The change is left whichever model or kind of question is taken away.
    Spread,
    /// Nothing that is tracked explains it so far.
    #[default]
    CannotTell,
    /// Fewer than three runs before it, or than two since.
    TooEarly,
}

/// What a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// A model that was asked.
    Model,
    /// A kind of question.
    QuestionKind,
    /// A competitor that is named.
    Rival,
    /// A site that answers cite.
    Source,
    /// A cited page of the website.
    Page,
    /// Answers that rest on a web search.
    Search,
}

/// The part of a cause in its change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CauseRole {
    /// It accounts for a tested part of the change.
    Carries,
    /// The others carry the change.
    Spared,
    /// Answers name it more often, where they name the website less.
    Up,
    /// Answers no longer cite it.
    Gone,
}

/// What the other models, or kinds of question, did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Others {
    /// They stayed as they were.
    Unchanged,
    /// They moved in the same direction.
    Too,
}

/// Answers that can be scored, and those of them that cite something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citations {
    /// Those that cite it.
    pub cited: u32,
    /// All that can be scored.
    pub answers: u32,
}

/// A cause of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// What it is.
    pub factor: Factor,
    /// The model by its label, the kind of question, the competitor, the site or the page.
    pub name: String,
    /// Its part in the change.
    pub role: CauseRole,
    /// Its answers before the change: of a model or kind those that cite the website.
    pub before: Citations,
    /// Those since the change.
    pub after: Citations,
    /// The points of the change that a model adds; `null` for other factors.
    pub points: Option<f64>,
    /// 95 % interval of the points.
    pub interval: Option<Interval>,
    /// What the others did; `null` where the answers do not tell.
    pub others: Option<Others>,
    /// Another factor that explains the change as well.
    pub or: Option<String>,
    /// The cause in words.
    pub sentence: String,
}

/// A run that measures in part something else than the runs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryNote {
    /// The run; `null` when the result came without its id.
    pub at: Option<ScanId>,
    /// The part that differs.
    pub kind: HistoryNoteKind,
}

/// The part of a run that differs from the run before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// Another form of answers, lists or prose: they are compared, but each form is read with another error.
    Form,
}

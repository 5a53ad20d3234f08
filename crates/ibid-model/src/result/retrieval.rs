//! The way an answer came about: from a web search or from the model's memory.

use serde::{Deserialize, Serialize};

/// The web search of one answer, as the provider's reply shows it: from tool calls, usage counters, annotations or
/// citations, never from the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Retrieval {
    /// Whether the model searched the web.
    pub searched: Searched,
    /// The search engine, where the request pins one or the reply names one.
    pub engine: Option<String>,
    /// The number of searches; `null` when the reply does not count them.
    pub queries: Option<u32>,
    /// The number of sources that came with the answer; `null` when nothing is known about searches.
    pub sources: Option<u32>,
    /// Whether the request carried the place of the question; `null` for questions without a place.
    pub location: Option<LocationHint>,
}

/// Whether a model searched the web for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Searched {
    /// The reply shows a search.
    Yes,
    /// The reply shows that there was none, or search was not possible: the answer is from memory.
    No,
    /// The reply does not tell.
    #[default]
    Unknown,
}

/// The way the place of a question reached the search engine, beside the text of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LocationHint {
    /// In a field of the request.
    Sent,
    /// Not at all: the dialect or the model takes no place.
    NotSupported,
}

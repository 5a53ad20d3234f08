//! The way an answer came about: from a web search or from the model's memory.

use crate::Score;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The web search of one answer, as the provider's reply shows it: from tool calls, usage counters, annotations or
/// citations, never from the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Searched {
    /// The reply shows a search.
    Yes,
    /// The reply shows that there was none, or search was not possible: the answer is from memory.
    No,
    /// The reply does not tell.
    #[default]
    Unknown,
}

/// The way the place of a question reached the search engine, apart from the text of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocationHint {
    /// In a field of the request.
    Sent,
    /// Not at all: the dialect or the model takes no place.
    NotSupported,
}

/// The kind of answers that a score rests on. An answer from a search and one from memory are different measurements,
/// so no score mixes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Stratum {
    /// Answers that searched the web, with those of which it is not known.
    Searched,
    /// Answers from memory.
    Memory,
    /// Answers of which it is not known whether they searched.
    #[default]
    Unknown,
}

impl Stratum {
    /// The stratum as readers see it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Searched => "searched",
            Self::Memory => "from memory",
            Self::Unknown => "unknown",
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns whether an answer counts for a score of this stratum. `asked` says whether its model was asked to
    /// search: an answer of which nothing else is known counts with what was asked for.
    pub const fn counts(self, searched: Searched, asked: bool) -> bool {
        match (self, searched) {
            (Self::Searched, Searched::Yes) | (Self::Memory, Searched::No) => true,
            (Self::Searched, Searched::Unknown) => asked,
            (Self::Memory | Self::Unknown, Searched::Unknown) => true,
            (Self::Searched, Searched::No)
            | (Self::Memory, Searched::Yes)
            | (Self::Unknown, Searched::Yes | Searched::No) => false,
        }
    }
}

impl Searched {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The valid core answers of a scan or a model by stratum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetrievalSummary {
    /// The stratum that the score next to it rests on.
    pub headline: Stratum,
    /// Whether web search was on and the model can search.
    pub search_asked: bool,
    /// Valid core answers.
    pub answers: u32,
    /// Those that searched the web.
    pub searched: u32,
    /// Those from memory.
    pub memory: u32,
    /// Those of which it is not known.
    pub unknown: u32,
    /// The score over the answers that are known to have searched, 0..100; `null` without one.
    pub searched_score: Option<Score>,
    /// The score over the answers that are known to be from memory, 0..100; `null` without one.
    pub memory_score: Option<Score>,
}

impl RetrievalSummary {
    /// Returns the headline's stratum: what was asked for, unless every answer is in the other one.
    #[must_use]
    pub const fn choose(asked: bool, searched: u32, memory: u32, unknown: u32) -> Stratum {
        match (asked, searched, memory, unknown) {
            (true, 1.., _, _) | (false, 1.., 0, 0) => Stratum::Searched,
            (true, 0, _, 1..) | (true, 0, 0, 0) => Stratum::Unknown,
            (true, 0, 1.., 0) | (false, _, _, _) => Stratum::Memory,
        }
    }

    /// Returns the share of searched answers, 0..1, among those where it is known.
    pub fn searched_share(&self) -> Option<f64> {
        let known = self.searched + self.memory;
        (known > 0).then(|| f64::from(self.searched) / f64::from(known))
    }

    /// Whether web search was on, and no answer searched.
    pub const fn is_not_searched(&self) -> bool {
        self.search_asked && matches!(self.headline, Stratum::Memory)
    }

    /// The strata in a sentence: "18 of 30 answers searched the web; from memory: 4.1." `None` where nothing was recorded.
    pub fn sentence(&self) -> Option<String> {
        let all = self.answers;
        if all == 0 {
            return None;
        }
        let noun = if all == 1 { "answer" } else { "answers" };
        let mut sentence = match (self.headline, self.search_asked) {
            (Stratum::Searched, _) => format!("{} of {all} {noun} searched the web", self.searched),
            (Stratum::Memory, true) => {
                format!("None of {all} {noun} searched the web: the score is from memory")
            }
            (Stratum::Memory, false) => {
                "The models were not asked to search the web: the score is from memory".to_owned()
            }
            (Stratum::Unknown, _) => "The provider does not tell which answers searched the web".to_owned(),
        };
        // Writing to a String cannot fail.
        if self.unknown > 0 {
            let _ = write!(sentence, "; of {} of {all} it is not known", self.unknown);
        }
        match (self.headline, self.memory_score, self.searched_score) {
            (Stratum::Searched | Stratum::Unknown, Some(memory), _) => {
                let _ = write!(sentence, "; from memory: {memory}");
            }
            (Stratum::Memory, _, Some(searched)) => {
                let _ = write!(sentence, "; {} searched all the same: {searched}", self.searched);
            }
            _ => {}
        }
        sentence.push('.');
        Some(sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_is_what_was_asked_for_unless_every_answer_is_of_the_other_stratum() {
        for (asked, counts, expected) in [
            (true, (18, 12, 0), Stratum::Searched),
            (true, (1, 0, 29), Stratum::Searched),
            (true, (0, 12, 18), Stratum::Unknown),
            (true, (0, 30, 0), Stratum::Memory),
            (true, (0, 0, 0), Stratum::Unknown),
            (false, (0, 30, 0), Stratum::Memory),
            (false, (0, 0, 30), Stratum::Memory),
            (false, (5, 25, 0), Stratum::Memory),
            (false, (30, 0, 0), Stratum::Searched),
            (false, (0, 0, 0), Stratum::Memory),
        ] {
            let (searched, memory, unknown) = counts;
            assert_eq!(
                RetrievalSummary::choose(asked, searched, memory, unknown),
                expected,
                "{asked} {counts:?}"
            );
        }
    }

    #[test]
    fn every_stratum_has_its_sentence() {
        let summary = |asked: bool, (searched, memory, unknown): (u32, u32, u32)| RetrievalSummary {
            headline: RetrievalSummary::choose(asked, searched, memory, unknown),
            search_asked: asked,
            answers: searched + memory + unknown,
            searched,
            memory,
            unknown,
            searched_score: (searched > 0).then(|| Score::new(40.0)),
            memory_score: (memory > 0).then(|| Score::new(4.1)),
        };
        for (asked, counts, expected) in [
            (
                true,
                (18, 12, 0),
                "18 of 30 answers searched the web; from memory: 4.1.",
            ),
            (true, (30, 0, 0), "30 of 30 answers searched the web."),
            (
                true,
                (18, 8, 4),
                "18 of 30 answers searched the web; of 4 of 30 it is not known; from memory: 4.1.",
            ),
            (
                true,
                (0, 1, 0),
                "None of 1 answer searched the web: the score is from memory.",
            ),
            (
                true,
                (0, 2, 1),
                "The provider does not tell which answers searched the web; of 1 of 3 it is not known; from memory: 4.1.",
            ),
            (
                false,
                (0, 3, 0),
                "The models were not asked to search the web: the score is from memory.",
            ),
            (
                false,
                (1, 2, 0),
                "The models were not asked to search the web: the score is from memory; 1 searched all the same: 40.0.",
            ),
        ] {
            assert_eq!(
                summary(asked, counts).sentence().as_deref(),
                Some(expected),
                "{counts:?}"
            );
        }
        assert_eq!(RetrievalSummary::default().sentence(), None);
    }
}

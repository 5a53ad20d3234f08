//! Derives the record of a search from the evidence in a reply.
//! An answer's text is never evidence.

use ibid_model::result::{LocationHint, Retrieval, Searched};

/// The search that a request asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SearchAsked {
    /// Search is off, or the dialect cannot ask for one.
    #[default]
    Nothing,
    /// The model searches by itself.
    Builtin,
    /// Through a tool of the request.
    Tool,
}

/// What was asked for, which a reply is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) search: SearchAsked,
    /// Whether a reply of this dialect shows every search.
    /// No trace then means no search.
    pub(super) complete: bool,
    pub(super) engine: Option<&'static str>,
    pub(super) location: Option<LocationHint>,
}

/// What a reply shows about a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// How many searches tool calls or usage counters report, if any do.
    pub(super) searches: Option<u32>,
    /// Sources in annotations, citations or lists of results.
    pub(super) sources: usize,
    /// Whether the reply has the part that shows searches.
    pub(super) reported: bool,
}

impl Asked {
    /// Judges a reply.
    pub(super) fn classify(self, evidence: Evidence) -> Retrieval {
        let searched = match (evidence.searches, evidence.sources) {
            (Some(1..), _) | (_, 1..) => Searched::Yes,
            (Some(0), 0) => Searched::No,
            (None, 0) => match self.search {
                SearchAsked::Nothing => Searched::No,
                SearchAsked::Builtin | SearchAsked::Tool if self.complete && evidence.reported => {
                    Searched::No
                }
                SearchAsked::Builtin | SearchAsked::Tool => Searched::Unknown,
            },
        };
        let sources = u32::try_from(evidence.sources).unwrap_or(u32::MAX);
        Retrieval {
            searched,
            engine: self
                .engine
                .filter(|_| searched != Searched::No)
                .map(str::to_owned),
            queries: evidence.searches,
            sources: (searched != Searched::Unknown).then_some(sources),
            location: self.location,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_told_by_its_traces() {
        use SearchAsked::{Builtin, Nothing, Tool};
        let judge = |search, complete, searches, sources, reported| {
            let asked = Asked {
                search,
                complete,
                engine: Some("native"),
                location: None,
            };
            let retrieval = asked.classify(Evidence {
                searches,
                sources,
                reported,
            });
            assert_eq!(retrieval.engine.is_some(), retrieval.searched != Searched::No);
            retrieval.searched
        };
        assert_eq!(judge(Tool, true, Some(2), 0, true), Searched::Yes);
        assert_eq!(judge(Tool, true, None, 3, true), Searched::Yes);
        assert_eq!(judge(Tool, false, Some(0), 1, true), Searched::Yes);
        assert_eq!(judge(Tool, false, Some(0), 0, true), Searched::No);
        assert_eq!(judge(Tool, true, None, 0, true), Searched::No);
        assert_eq!(judge(Tool, true, None, 0, false), Searched::Unknown);
        assert_eq!(judge(Tool, false, None, 0, true), Searched::Unknown);
        assert_eq!(judge(Builtin, false, None, 0, true), Searched::Unknown);
        assert_eq!(judge(Nothing, false, None, 0, false), Searched::No);
        assert_eq!(judge(Nothing, false, None, 1, false), Searched::Yes);
    }
}

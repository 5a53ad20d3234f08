//! The phrases that are looked for.

use crate::vocabulary::entries;
use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// A list of phrases with `|` between them, searched without regard to ASCII case.
pub(super) struct Phrases(Option<AhoCorasick>);

impl Phrases {
    /// The lists are constants in this file, far below every limit of the automaton.
    /// It is therefore always built.
    fn new(words: &'static str) -> Self {
        let built = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostFirst)
            .build(entries(words));
        Self(built.ok())
    }

    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        Some(self.0.as_ref()?.find(text)?.range())
    }

    /// Whether a phrase begins within `reach` bytes of a place.
    pub(super) fn is_near(&self, text: &str, place: usize, reach: usize) -> bool {
        let mut found = self.0.iter().flat_map(|words| words.find_iter(text));
        found.any(|found| found.start().abs_diff(place) < reach)
    }
}

/// Words of a wall, in the languages most pages are written in.
pub(super) static WALL_PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/wall_phrases.txt")));

/// Words that only make sense to a model.
pub(super) static ORDER_PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/order_phrases.txt")));

/// Forms of address for a model.
pub(super) static MODEL_NAMES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/model_names.txt")));

/// Orders given to a model.
pub(super) static MODEL_VERBS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/model_verbs.txt")));

/// Sentences of the Latin that fills a template.
pub(super) static LATIN: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/latin.txt")));

/// Other filler, which fits no page.
pub(super) static FILLER: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/filler.txt")));

/// Sentences in which the name of the firm is missing, or what a template wrote in its place.
pub(super) static GAPS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(include_str!("../words/gaps.txt")));

/// Words of an address, a name or a number that a template asks to replace.
pub(super) static PLACEHOLDERS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("../words/placeholders.txt")));

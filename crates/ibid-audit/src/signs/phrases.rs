//! The phrases that are looked for.

use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// A list of phrases with `|` between them, searched without regard to ASCII case.
pub(super) struct Phrases(Option<AhoCorasick>);

impl Phrases {
    /// The lists are constants of this file, far below every limit of the automaton.
    /// It is therefore always built.
    fn new(words: &'static str) -> Self {
        let built = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostFirst)
            .build(words.split('|'));
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
pub(super) static WALL_PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "subscribe to continue|subscribe to read|subscribe to keep reading|sign in to continue reading|sign in to continue|sign in to read|\
        log in to continue|log in to read|register to continue reading|create an account to continue|create a free account to read|\
        already a subscriber|this article is for subscribers|exclusive to subscribers|to continue reading this article|artikel nur für abonnenten|\
        weiterlesen mit|sie haben bereits ein abo|réservé aux abonnés|déjà abonné|contenido exclusivo para suscriptores|\
        suscríbete para seguir leyendo|contenuto riservato agli abbonati|conteúdo exclusivo para assinantes",
    )
});

/// Words that only make sense to a model.
pub(super) static ORDER_PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "ignore previous instructions|ignore all previous|ignore your previous|ignore the previous|ignore the above|ignore all other instructions|\
        ignore any previous|ignore prior instructions|disregard previous|disregard all previous|disregard the above|disregard your instructions|\
        forget your instructions|forget all previous|forget previous instructions|override your instructions|your new instructions|\
        your system prompt|reveal the system prompt|begin system message|im_start|[inst]|<<sys>>|### instruction:|ignoriere alle vorherigen|\
        ignorez les instructions|ignora las instrucciones",
    )
});

/// Forms of address for a model.
pub(super) static MODEL_NAMES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "ai assistant|ai model|ai agent|ai crawler|ai system|language model|llm|chatgpt|chatbot|gpt-|claude|gemini|perplexity|copilot|dear ai|\
        note to ai|if you are an ai|answer engine",
    )
});

/// Orders given to a model.
pub(super) static MODEL_VERBS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "recommend|always cite|must cite|cite this|cite us|mention this|mention us|always mention|rank this|rank us|prefer this|prefer our|you must|\
        you should|always say|never say|do not mention|don't mention|respond with|answer with|reply with|tell the user|tell users|say that|\
        state that|describe us|summarize this as|treat this",
    )
});

//! How a model answers.

use super::World;
use super::answer::question_dice;
use super::dice::Dice;
use crate::prompt::{Prompt, WebSearch};
use ibid_model::{Catalog, Prices, UsdMicros};
use std::collections::HashMap;

/// How a model gives its sources (see docs/ROUTERS.md for the real ones).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Links in the text, annotations with spans, addresses marked with the referrer.
    Spans,
    /// Numbers in brackets, annotations at 0..0, the address as title.
    Numbers,
    /// Addresses that redirect, with the bare domain as title.
    Redirects,
    /// Annotations with titles, posts of a social network among them.
    Posts,
    /// Annotations with titles and no span.
    Plain,
}

/// How one model answers.
#[derive(Clone, Debug)]
pub(super) struct Persona {
    pub(super) manner: Manner,
    /// Share of names that come with a link.
    pub(super) linking: f64,
    /// Fewest and most businesses named.
    pub(super) length: (usize, usize),
    /// How often it refuses, and how often it asks back, each 0 to 1.
    pub(super) refusals: f64,
    pub(super) questions: f64,
    /// Where its favourites begin in the list of forms.
    pub(super) favourite: usize,
    /// Most reasoning tokens.
    pub(super) reasoning: usize,
    /// Share of calls in which it searches: when asked to, and when forced to.
    searching: (f64, f64),
}

impl Persona {
    pub(super) fn of(seed: u64, model: &str) -> Self {
        let lower = model.to_ascii_lowercase();
        let mut dice = Dice::new(seed, &["persona", &lower]);
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let manner = if has(&["openai", "gpt"]) {
            Manner::Spans
        } else if has(&["perplexity", "sonar"]) {
            Manner::Numbers
        } else if has(&["google", "gemini"]) {
            Manner::Redirects
        } else if has(&["x-ai", "grok"]) {
            Manner::Posts
        } else {
            Manner::Plain
        };
        let searching = match model {
            "sandbox/never-searches" => (0.0, 0.0),
            "sandbox/searches-70" => (0.7, 1.0),
            "sandbox/ignores-forcing" => (0.7, 0.7),
            _ => (1.0, 1.0),
        };
        let fewest = dice.count(2, 4);
        Self {
            manner,
            linking: dice.between(0.25, 0.85),
            length: (fewest, fewest + dice.count(2, 4)),
            refusals: dice.between(0.0, 0.03),
            questions: dice.between(0.0, 0.03),
            favourite: dice.count(0, 7),
            reasoning: dice.count(0, 3) * 250,
            searching,
        }
    }

    /// Whether the model searches for an answer.
    pub(super) fn searches(&self, seed: u64, prompt: &Prompt) -> bool {
        match prompt.search {
            WebSearch::Off => false,
            WebSearch::Builtin => true,
            WebSearch::Tool => {
                let (purpose, share) = match prompt.force_search {
                    false => ("search", self.searching.0),
                    true => ("search again", self.searching.1),
                };
                question_dice(seed, purpose, prompt).chance(share)
            }
        }
    }
}

/// Returns the concrete model for an identifier, as a provider names it.
/// Aliases carry a date.
pub(super) fn resolved(world: World, model: &str) -> String {
    let plain = model.trim_start_matches('~');
    match plain.strip_suffix("-latest") {
        Some(family) => {
            let mut dice = Dice::new(world.seed, &["resolved", plain]);
            let month = match world.older_models {
                true => dice.count(1, 5),
                false => dice.count(6, 10),
            };
            format!("{family}-2026{month:02}{:02}", dice.count(1, 28))
        }
        None => plain.to_owned(),
    }
}

/// Prices of models: the built-in table by candidate, and a medium price for others.
#[derive(Clone, Debug)]
pub(super) struct PriceList(HashMap<String, Prices>);

impl PriceList {
    pub(super) fn builtin() -> Self {
        let catalog = Catalog::builtin();
        let rows = catalog.models().iter();
        Self(
            rows.flat_map(|row| row.candidates.iter().map(|id| (id.clone(), row.prices)))
                .collect(),
        )
    }

    /// Bills one call, rounded up to a millionth of a dollar.
    pub(super) fn bill(&self, model: &str, prompt: u64, completion: u64, searches: u32) -> UsdMicros {
        let prices = self.0.get(model).copied().unwrap_or(Prices {
            prompt_per_million: UsdMicros::new(1_500_000),
            completion_per_million: UsdMicros::new(7_500_000),
            per_request: UsdMicros::ZERO,
            per_search: UsdMicros::new(7_000),
        });
        let tokens =
            prices.prompt_per_million.times(prompt) + prices.completion_per_million.times(completion);
        UsdMicros::new(tokens.get().div_ceil(1_000_000))
            + prices.per_request
            + prices.per_search.times(u64::from(searches))
    }
}

//! A provider that answers in process.
//!
//! The sandbox invents a small world for every seed.
//! Its businesses do not exist.
//! Some are known everywhere, some in one town only.
//! Its models have tastes and habits.
//! Every scanned domain has a strength and a reach.
//! Answers are written like real ones, in eight languages.
//!
//! The same seed, question, model and day give the same answer on every machine.
//! Answers on two days, by two models and to two questions agree as often as real ones ([`standing`]).
//! No domain becomes stronger or weaker by itself, except the one of [`sample_shop`], which has a story.

mod answer;
mod competitors;
mod dice;
mod form;
mod names;
mod persona;
mod proposal;
pub mod sample_shop;
mod sources;
mod standing;
mod tables;
mod target;

#[cfg(test)]
mod tests;

pub use target::Visibility;

use crate::completion::Completion;
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::prompt::{Prompt, WebSearch};
use crate::{Provider, ProviderFuture};
use answer::{Author, question_dice};
use ibid_model::Domain;
use persona::PriceList;
use std::time::Duration;
use tokio::time::Instant;

/// The in-process provider.
///
/// An answer is a pure function of seed, day, model, scene, question text and search mode.
///
/// Every model searches when it is asked to, except three by name: `sandbox/never-searches`;
/// `sandbox/searches-70`, which searches in 70 % of its calls unless it is forced;
/// and `sandbox/ignores-forcing`, which does so even when forced.
///
/// Every key is accepted except two, so that callers can test their handling of errors:
/// `invalid` gives [`ProviderError::KeyRejected`] and `broke` gives [`ProviderError::NoCredit`].
#[derive(Clone, Debug)]
pub struct Sandbox {
    world: World,
    prices: PriceList,
    latency: Duration,
    fault_share: f64,
    propose: Propose,
}

/// Words questions about a keyword: for a language tag, a keyword, and whether there is a place, which the texts hold as `{place}`,
/// the intent and the text of each.
pub type Propose = fn(&str, &str, bool) -> Vec<(&'static str, String)>;

/// The invented world, on one day.
#[derive(Clone, Copy, Debug)]
struct World {
    seed: u64,
    day: u32,
    /// The strength of every scanned website, where it is not its own.
    strength: Option<f64>,
    /// Whether the models are those of the release before.
    older_models: bool,
}

impl World {
    const fn on(seed: u64, day: u32) -> Self {
        Self {
            seed,
            day,
            strength: None,
            older_models: false,
        }
    }
}

impl Sandbox {
    /// The world of a seed on day 0.
    /// Answers come at once and never fail.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            world: World::on(seed, 0),
            prices: PriceList::builtin(),
            latency: Duration::ZERO,
            fault_share: 0.0,
            propose: proposal::in_english,
        }
    }

    /// Words proposals of questions by a function, in every language that it has. Without it they are in English.
    #[must_use]
    pub fn with_proposals(self, propose: Propose) -> Self {
        Self { propose, ..self }
    }

    /// The same world on another day.
    #[must_use]
    pub fn with_day(mut self, day: u32) -> Self {
        self.world.day = day;
        self
    }

    /// The same world, in which every scanned website is as strong as this.
    /// With it a website can become stronger or weaker.
    #[must_use]
    pub fn with_strength(mut self, strength: f64) -> Self {
        self.world.strength = Some(strength);
        self
    }

    /// The same world, in which aliases name the models of the release before.
    #[must_use]
    pub fn with_older_models(mut self) -> Self {
        self.world.older_models = true;
        self
    }

    /// Delays answers by `latency` on average, and at least by a quarter of it.
    /// So the progress of a scan can be watched.
    #[must_use]
    pub fn with_latency(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    /// Lets this share of the questions (0 to 1) fail, always the same ones,
    /// with errors of every kind that is limited to the question.
    #[must_use]
    pub fn with_faults(self, share: f64) -> Self {
        Self {
            fault_share: share,
            ..self
        }
    }

    /// Returns the true visibility of a domain in the invented world.
    pub fn visibility(&self, domain: &Domain) -> Visibility {
        Visibility::of(self.world, domain)
    }

    fn delay(&self, prompt: &Prompt) -> Duration {
        if self.latency.is_zero() {
            return Duration::ZERO;
        }
        self.latency
            .mul_f64(question_dice(self.world.seed, "latency", prompt).between(0.25, 1.75))
    }

    fn answer(&self, key: &ProviderKey, prompt: &Prompt) -> Result<Completion, ProviderError> {
        match key.expose() {
            "invalid" => return Err(ProviderError::KeyRejected),
            "broke" => return Err(ProviderError::NoCredit),
            _ => {}
        }
        if self.fault_share > 0.0 {
            let mut dice = question_dice(self.world.seed, "fault", prompt);
            if dice.chance(self.fault_share) {
                return Err(FAULTS[dice.count(0, FAULTS.len() - 1)].clone());
            }
        }
        let mut completion = Author::new(self.world, &self.prices, prompt).write();
        if proposal::is_wanted(&prompt.text) {
            completion.text = proposal::answer(&prompt.model, &prompt.text, self.propose);
            completion.citations.clear();
        }
        Ok(completion)
    }
}

const FAULTS: [ProviderError; 6] = [
    ProviderError::RateLimited { retry_after: None },
    ProviderError::Unavailable,
    ProviderError::Timeout,
    ProviderError::Connection,
    ProviderError::Unreadable,
    ProviderError::Empty,
];

impl Provider for Sandbox {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            let ready = Instant::now() + self.delay(prompt);
            if ready >= prompt.deadline {
                tokio::time::sleep_until(prompt.deadline).await;
                return Err(ProviderError::Timeout);
            }
            if !self.latency.is_zero() {
                tokio::time::sleep_until(ready).await;
            }
            self.answer(key, prompt)
        })
    }

    fn can_force_search(&self, prompt: &Prompt) -> bool {
        prompt.search == WebSearch::Tool
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

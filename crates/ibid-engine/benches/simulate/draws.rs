//! Seeded random draws.

use ibid_engine::score::statistics::Dice;
use statrs::distribution::{ContinuousCDF, Normal};

/// Draws of one simulation.
pub(crate) struct Draws(Dice);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Dice::new(seed))
    }

    /// A number in (0, 1].
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.0.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A draw from the standard normal distribution (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// The answers of `models` to one question: yes with probability `rate`, whose latent values share `shared` of
    /// their variance.
    pub(crate) fn answers(&mut self, models: usize, rate: f64, shared: f64) -> Vec<bool> {
        let threshold = Normal::standard().inverse_cdf(rate);
        let common = shared.sqrt() * self.normal();
        (0..models)
            .map(|_| common + (1.0 - shared).sqrt() * self.normal() < threshold)
            .collect()
    }
}

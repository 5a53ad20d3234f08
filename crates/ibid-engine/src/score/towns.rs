//! Rates of towns: what few answers show, drawn towards what all towns have in common.
//!
//! With fifteen answers a town, the town with the fewest citations is mostly the one with the worst luck.
//! A town therefore counts with its own answers and with those of all others, the more alike the towns are.

use super::interval::quantile;
use super::statistics::{beta_chance, effective_size};
use statrs::function::erf::erfc;

/// How much answers by several models to one question correlate.
pub(crate) const QUESTION_CORRELATION: f64 = 0.44;

/// The least and the most answers that the common rate counts for.
/// At half the least, a lucky town stands alone; at twice the most, no town could differ.
const COMMON: (f64, f64) = (4.0, 60.0);

/// A difference between rates matters from here on.
const DISTANCE: f64 = 0.10;

/// The least chance with which a place is called lost.
/// At .6 one lost place in six is false; at .9 half as many are found.
pub const LEAST_CHANCE: f64 = 0.8;

/// Answers in a town, or in any other part of a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// Valid answers.
    pub answers: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// The questions that they answer.
    pub questions: u32,
}

/// A town's rate, as far as its answers and the others' show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The expected rate, 0..1.
    pub rate: f64,
    /// Its 95 % range.
    pub range: (f64, f64),
    /// The chance that the rate is lower than at home by a tenth or more; 0 for home.
    pub lost: f64,
    /// How many answers the rate rests on, with those that others count for.
    weight: f64,
}

impl Place {
    /// The chance that the rate is under a limit.
    pub fn chance_under(&self, limit: f64) -> f64 {
        beta_chance(self.rate * self.weight, (1.0 - self.rate) * self.weight, limit)
    }
}

/// Estimates rates for home and for the other places. Empty without answers at home.
///
/// ```
/// use ibid_engine::score::towns::{Answers, LEAST_CHANCE, rates};
///
/// let town = |cited| Answers { answers: 15, cited, questions: 15 };
/// let places = rates(town(13), &[town(12), town(0), town(11)]);
/// assert!(places[1].lost < LEAST_CHANCE && places[2].lost > LEAST_CHANCE);
/// assert!(places[2].rate > 0.0, "a town without a citation is not at zero");
/// ```
#[must_use]
pub fn rates(home: Answers, others: &[Answers]) -> Vec<Place> {
    let all: Vec<Answers> = std::iter::once(home).chain(others.iter().copied()).collect();
    let sizes: Vec<f64> = all.iter().map(size).collect();
    if home.answers == 0 {
        return Vec::new();
    }
    let rate = |town: &Answers| f64::from(town.cited) / f64::from(town.answers.max(1));
    let own: Vec<(f64, f64)> = all.iter().map(rate).zip(sizes).collect();
    let (pooled, common) = shrunk(&own, COMMON.0, COMMON.1);
    let posterior = |(rate, n): &(f64, f64)| {
        let weight = common + n;
        let mean = (common * pooled + n * rate) / weight;
        (mean, weight)
    };
    let posteriors: Vec<(f64, f64)> = own.iter().map(posterior).collect();
    let variance = |(mean, weight): (f64, f64)| mean * (1.0 - mean) / (weight + 1.0);
    let at_home = posteriors.first().copied().unwrap_or_default();
    let place = |(at, posterior): (usize, &(f64, f64))| {
        let (rate, weight) = *posterior;
        let error = (variance(at_home) + variance(*posterior)).max(1e-12).sqrt();
        let lost = 0.5 * erfc((rate - (at_home.0 - DISTANCE)) / error / std::f64::consts::SQRT_2);
        Place {
            rate,
            range: range(rate, weight),
            lost: if at == 0 { 0.0 } else { lost },
            weight,
        }
    };
    posteriors.iter().enumerate().map(place).collect()
}

/// What rates with their sizes have in common: the overall rate, and how many answers it counts for beside each one's own,
/// within bounds.
pub(crate) fn shrunk(rates: &[(f64, f64)], least: f64, most: f64) -> (f64, f64) {
    let total: f64 = rates.iter().map(|(_, n)| n).sum();
    let pooled = rates.iter().map(|(rate, n)| rate * n).sum::<f64>() / total.max(1e-9);
    let single = pooled * (1.0 - pooled);
    // The variance between places beyond that of chance (DerSimonian and Laird 1986).
    let found: f64 = rates.iter().map(|(rate, n)| n * (rate - pooled).powi(2)).sum();
    let answered = rates.iter().filter(|(_, n)| *n > 0.0).count() as f64;
    let spread = total - rates.iter().map(|(_, n)| n * n).sum::<f64>() / total.max(1e-9);
    let between = ((found - (answered - 1.0) * single) / spread.max(1e-9)).max(1e-9);
    (pooled, (single / between - 1.0).clamp(least, most))
}

/// How many independent answers would show as much.
fn size(town: &Answers) -> f64 {
    let (answers, questions) = (f64::from(town.answers), f64::from(town.questions.max(1)));
    effective_size(answers, answers / questions, QUESTION_CORRELATION)
}

/// The 95 % range of a beta distribution with a mean and a weight.
fn range(mean: f64, weight: f64) -> (f64, f64) {
    let (yes, no) = (mean * weight, (1.0 - mean) * weight);
    (quantile(yes, no, 0.025), quantile(yes, no, 0.975))
}

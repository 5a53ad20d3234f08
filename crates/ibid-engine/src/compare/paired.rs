//! The paired test: the same question to the same model, then and now.

use super::cells::{Pair, Unit};
use super::difference::{SEED, detectable, nothing, points, rate, variance, verdict};
use crate::score::statistics::{FEWEST_CLUSTERS, sign_flip, student};
use ibid_model::Interval;
use ibid_model::result::{CitedDifference, Difference, Pairing, Verdict};
use std::collections::BTreeMap;

/// Fewest questions that can show a change: with five, 2 in 2^5 sign patterns are already more than one in twenty.
pub const FEWEST: usize = 6;

/// The difference over pairs, second minus first.
///
/// A scan's models answer the same questions, so a question with all its pairs is the unit of the test
/// and of the interval.
/// Under the null either scan could have come first, so the sign of each question's difference is arbitrary.
/// The sign-flip test is therefore exact however scores are distributed and however models agree.
pub(super) fn difference(pairs: &[Pair<'_>]) -> Difference {
    if pairs.is_empty() {
        return nothing();
    }
    let weights = weights(pairs);
    let weighted = |value: fn(&Pair<'_>) -> f64| -> f64 {
        let pairs = pairs.iter().zip(&weights);
        pairs.map(|(pair, weight)| value(pair) * weight).sum()
    };
    let gaps = by_unit(pairs, &weights, |pair| pair.second.score - pair.first.score);
    let mean = weighted(|pair| pair.second.score - pair.first.score);
    let error = standard_error(pairs, &weights, mean);
    let tested = gaps.len() >= FEWEST;
    let interval = error.map(|error| {
        let half = student(0.975, gaps.len() as f64 - 1.0) * error;
        let (low, high) = ((mean - half).max(-100.0), (mean + half).min(100.0));
        Interval::of_differences(low, high, gaps.len() < FEWEST_CLUSTERS)
    });
    let p_value = tested.then(|| flip(&gaps));
    let sum = |value: fn(&Pair<'_>) -> u32| pairs.iter().map(value).sum();
    Difference {
        verdict: p_value.map_or(Verdict::NotComparable, |p| verdict(p, interval.as_ref())),
        pairing: Pairing::Paired,
        questions: gaps.len() as u32,
        pairs: pairs.len() as u32,
        differing: turned(pairs, |pair| pair.second.score != pair.first.score),
        first_answers: sum(|pair| pair.first.answers),
        second_answers: sum(|pair| pair.second.answers),
        first: Some(points(weighted(|pair| pair.first.score))),
        second: Some(points(weighted(|pair| pair.second.score))),
        mean: Some(points(mean)),
        interval,
        p_value,
        detectable: error
            .filter(|_| tested)
            .map(|error| detectable(error, gaps.len())),
        cited: Some(CitedDifference {
            first: rate(weighted(|pair| pair.first.cited)),
            second: rate(weighted(|pair| pair.second.cited)),
            gained: Some(turned(pairs, |pair| pair.second.cited > pair.first.cited)),
            lost: Some(turned(pairs, |pair| pair.second.cited < pair.first.cited)),
            p_value: tested.then(|| {
                flip(&by_unit(pairs, &weights, |pair| {
                    pair.second.cited - pair.first.cited
                }))
            }),
        }),
    }
}

/// Weighs the pairs: groups weigh equally, and so do pairs within a group.
/// They sum to 1.
fn weights(pairs: &[Pair<'_>]) -> Vec<f64> {
    let mut sizes: BTreeMap<usize, u32> = BTreeMap::new();
    for pair in pairs {
        *sizes.entry(pair.group).or_default() += 1;
    }
    let groups = sizes.len() as f64;
    pairs
        .iter()
        .map(|pair| 1.0 / (groups * f64::from(sizes.get(&pair.group).copied().unwrap_or(1))))
        .collect()
}

/// What each unit adds to a weighted mean over pairs.
fn by_unit<'a>(pairs: &[Pair<'a>], weights: &[f64], value: impl Fn(&Pair<'a>) -> f64) -> Vec<f64> {
    let mut sums: BTreeMap<Unit<'a>, f64> = BTreeMap::new();
    for (pair, weight) in pairs.iter().zip(weights) {
        *sums.entry(pair.unit).or_default() += value(pair) * weight;
    }
    sums.into_values().collect()
}

/// How far the mean difference may be off, over whole units; `None` for fewer than two.
fn standard_error(pairs: &[Pair<'_>], weights: &[f64], mean: f64) -> Option<f64> {
    let parts = by_unit(pairs, weights, |pair| pair.second.score - pair.first.score - mean);
    Some((variance(&parts)? * parts.len() as f64).sqrt())
}

/// Tests what all units add, and returns the p-value.
fn flip(parts: &[f64]) -> f64 {
    // Scaled back to the size of scores, so the tolerance for rounding is relative to it.
    let n = parts.len() as f64;
    let scaled: Vec<f64> = parts.iter().map(|part| part * n).collect();
    sign_flip(&scaled, SEED)
}

fn turned(pairs: &[Pair<'_>], test: fn(&Pair<'_>) -> bool) -> u32 {
    pairs.iter().filter(|pair| test(pair)).count() as u32
}

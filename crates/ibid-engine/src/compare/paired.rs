//! The paired test: the same question to the same model, then and now.

use super::cells::Pair;
use super::difference::{DETECTABLE, SEED, interval, nothing, points, rate, variance, verdict};
use crate::score::stats::{RESAMPLES, cluster_bootstrap, mcnemar, sign_flip};
use ibid_model::result::{CitedDifference, Difference, Pairing, Verdict};
use std::collections::BTreeMap;

/// Fewest pairs that can show anything: 2 of the 2^5 sign patterns of five pairs are already more than one in twenty.
pub(super) const FEWEST: usize = 6;

/// The difference over pairs, second minus first. Under the null either answer of a pair could have come first, so
/// the signs of the differences are arbitrary: the sign-flip test is exact, however the scores are distributed.
pub(super) fn difference(pairs: &[Pair]) -> Difference {
    if pairs.is_empty() {
        return nothing();
    }
    let weights = weights(pairs);
    let gaps: Vec<f64> = pairs
        .iter()
        .map(|pair| pair.second.score - pair.first.score)
        .collect();
    let weighted = |value: fn(&Pair) -> f64| -> f64 {
        pairs
            .iter()
            .zip(&weights)
            .map(|(pair, weight)| value(pair) * weight)
            .sum()
    };
    let mean: f64 = gaps.iter().zip(&weights).map(|(gap, weight)| gap * weight).sum();
    let resampled = cluster_bootstrap(pairs.len(), RESAMPLES, SEED, |times| {
        let (mut sum, mut total) = (0.0, 0.0);
        for ((gap, weight), often) in gaps.iter().zip(&weights).zip(times) {
            sum += gap * weight * f64::from(*often);
            total += weight * f64::from(*often);
        }
        (total > 0.0).then(|| sum / total)
    });
    let interval = interval(&resampled, pairs.len());
    let tested = pairs.len() >= FEWEST;
    let p_value = tested.then(|| flip(&gaps, &weights));
    let sum = |value: fn(&Pair) -> u32| pairs.iter().map(value).sum();
    Difference {
        verdict: p_value.map_or(Verdict::NotComparable, |p| verdict(p, interval.as_ref())),
        pairing: Pairing::Paired,
        pairs: pairs.len() as u32,
        differing: gaps.iter().filter(|gap| **gap != 0.0).count() as u32,
        first_answers: sum(|pair| pair.first.answers),
        second_answers: sum(|pair| pair.second.answers),
        first: Some(points(weighted(|pair| pair.first.score))),
        second: Some(points(weighted(|pair| pair.second.score))),
        mean: Some(points(mean)),
        interval,
        p_value,
        detectable: variance(&gaps)
            .filter(|_| tested)
            .map(|variance| points(DETECTABLE * (variance / gaps.len() as f64).sqrt())),
        cited: Some(CitedDifference {
            first: rate(weighted(|pair| pair.first.cited)),
            second: rate(weighted(|pair| pair.second.cited)),
            gained: Some(turned(pairs, |pair| pair.second.cited > pair.first.cited)),
            lost: Some(turned(pairs, |pair| pair.second.cited < pair.first.cited)),
            p_value: tested.then(|| cited_test(pairs, &weights)),
        }),
    }
}

/// What each pair counts: groups weigh equally, and within a group pairs do. They sum to 1.
fn weights(pairs: &[Pair]) -> Vec<f64> {
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

fn flip(gaps: &[f64], weights: &[f64]) -> f64 {
    // Scaled back to the size of scores: the test does not care, but its tolerance for rounding does.
    let n = gaps.len() as f64;
    let weighed: Vec<f64> = gaps
        .iter()
        .zip(weights)
        .map(|(gap, weight)| gap * weight * n)
        .collect();
    sign_flip(&weighed, SEED)
}

fn turned(pairs: &[Pair], test: fn(&Pair) -> bool) -> u32 {
    pairs.iter().filter(|pair| test(pair)).count() as u32
}

/// McNemar for answers, which are cited or not; sign flips where a cell has a rate.
fn cited_test(pairs: &[Pair], weights: &[f64]) -> f64 {
    let is_yes_or_no = |cited: f64| cited == 0.0 || cited == 1.0;
    if pairs
        .iter()
        .all(|pair| is_yes_or_no(pair.first.cited) && is_yes_or_no(pair.second.cited))
    {
        let gained = turned(pairs, |pair| pair.second.cited > pair.first.cited);
        let lost = turned(pairs, |pair| pair.second.cited < pair.first.cited);
        return mcnemar(gained, lost);
    }
    let gaps: Vec<f64> = pairs
        .iter()
        .map(|pair| pair.second.cited - pair.first.cited)
        .collect();
    flip(&gaps, weights)
}

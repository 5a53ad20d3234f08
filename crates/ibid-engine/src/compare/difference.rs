//! What both tests share.

use crate::score::stats::FEWEST_CLUSTERS;
use ibid_model::Interval;
use ibid_model::result::{Difference, Pairing, Verdict};

/// p-values under this, with an interval that excludes 0, are called a change.
pub(super) const SIGNIFICANT: f64 = 0.05;

/// Where the random part of every comparison starts: the same two scans always print the same numbers.
pub(super) const SEED: u64 = 0x1b1d;

/// 1.96 + 0.84: standard errors that a true difference needs to be found four times in five.
pub(super) const DETECTABLE: f64 = 2.8;

/// No numbers at all.
pub(super) const fn nothing() -> Difference {
    Difference {
        verdict: Verdict::NotComparable,
        pairing: Pairing::None,
        pairs: 0,
        differing: 0,
        first_answers: 0,
        second_answers: 0,
        first: None,
        second: None,
        mean: None,
        interval: None,
        p_value: None,
        detectable: None,
        cited: None,
    }
}

/// The verdict of a test that was made.
pub(super) fn verdict(p_value: f64, interval: Option<&Interval>) -> Verdict {
    let excludes_zero = interval.is_some_and(|range| range.low > 0.0 || range.high < 0.0);
    if p_value < SIGNIFICANT && excludes_zero {
        Verdict::Changed
    } else {
        Verdict::WithinNoise
    }
}

/// The percentile interval of resampled differences; few units make it too narrow, and it says so.
pub(super) fn interval(ascending: &[f64], units: usize) -> Option<Interval> {
    let (low, high) = crate::score::stats::percentile_interval(ascending)?;
    Some(Interval::of_differences(low, high, units < FEWEST_CLUSTERS))
}

/// One decimal, and no negative zero.
pub(super) fn points(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

/// Four decimals.
pub(super) fn rate(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0 + 0.0
}

/// Variance over n − 1; `None` of fewer than two values.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    if n < 2.0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    Some(values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

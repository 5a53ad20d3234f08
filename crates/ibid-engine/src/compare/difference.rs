//! The parts that both tests share.

use crate::score::statistics::{FEWEST_CLUSTERS, percentile_interval, student};
use ibid_model::Interval;
use ibid_model::result::{Difference, Pairing, Verdict};

/// A change needs a smaller p-value than this, and an interval that excludes 0.
pub(super) const SIGNIFICANT: f64 = 0.05;

/// Seeds every comparison alike, so that the same two scans always give the same numbers.
pub(super) const SEED: u64 = 0x1b1d;

/// The difference that a test finds four times in five, in points.
/// The test has `questions` units and the standard error `error`.
pub(super) fn detectable(error: f64, questions: usize) -> f64 {
    let freedom = questions.saturating_sub(1) as f64;
    points((student(0.975, freedom) + student(0.8, freedom)) * error)
}

/// A difference without numbers.
pub(super) const fn nothing() -> Difference {
    Difference {
        verdict: Verdict::NotComparable,
        pairing: Pairing::None,
        questions: 0,
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

/// Judges a test that was made.
pub(super) fn verdict(p_value: f64, interval: Option<&Interval>) -> Verdict {
    let excludes_zero = interval.is_some_and(|range| range.low > 0.0 || range.high < 0.0);
    if p_value < SIGNIFICANT && excludes_zero {
        Verdict::Changed
    } else {
        Verdict::WithinNoise
    }
}

/// Takes the 95 % range from resampled differences.
/// Few units make it too narrow; the interval then has a flag.
pub(super) fn interval(ascending: &[f64], units: usize) -> Option<Interval> {
    let (low, high) = percentile_interval(ascending)?;
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

/// Variance over n − 1; `None` for fewer than two values.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    if n < 2.0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    Some(values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

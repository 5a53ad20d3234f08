//! Estimates how far the radius may be off.
//!
//! Each resample draws for every point a rate that its answers allow.
//! (Jeffreys: a beta distribution with half an answer added to either side; answers to one question count as fewer.)
//! It then moves the rate as far as towns of one distance differ.
//! A ring has three markets and home is one, too few to resample, so both spreads are constants.

use super::fit::{RatePoint, crossing, log_odds};
use crate::score::statistics::{Dice, quantile};

/// How often the rates are drawn anew.
/// The range has two figures, which more resamples would not change.
const RESAMPLES: usize = 400;

/// How much answers to one question correlate, between models.
const QUESTION_CORRELATION: f64 = 0.4;

/// The standard deviation between markets of one distance, in log-odds.
const MARKET_SPREAD: f64 = 0.5;

/// The 10th and the 90th percentile of the radius over resamples.
pub(super) fn of(points: &[RatePoint], edge: f64, seed: u64) -> Option<[f64; 2]> {
    let mut dice = Dice::new(seed);
    let mut radii: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<RatePoint> = points.iter().map(|point| resample(point, &mut dice)).collect();
            crossing(&drawn, edge).km
        })
        .collect();
    radii.sort_by(f64::total_cmp);
    Some([quantile(&radii, 0.1)?, quantile(&radii, 0.9)?])
}

fn resample(point: &RatePoint, dice: &mut Dice) -> RatePoint {
    let effect = 1.0 + (point.answers_each - 1.0).max(0.0) * QUESTION_CORRELATION;
    let (cited, others) = (point.cited / effect, (point.weight - point.cited) / effect);
    let moved = MARKET_SPREAD / point.markets.max(1.0).sqrt() * normal(dice);
    let odds = log_odds(beta(cited + 0.5, others + 0.5, dice)) + moved;
    RatePoint {
        rate: 1.0 / (1.0 + (-odds).exp()),
        ..*point
    }
}

/// A draw from a beta distribution: one gamma over the sum of two.
fn beta(a: f64, b: f64, dice: &mut Dice) -> f64 {
    let (x, y) = (gamma(a, dice), gamma(b, dice));
    // Both are 0 only if the generator gives its smallest number many times over.
    if x + y > 0.0 { x / (x + y) } else { 0.5 }
}

/// A draw from a gamma distribution of scale 1: Marsaglia and Tsang (2000), ACM TOMS 26(3),
/// with their squeeze, which avoids most logarithms.
/// A shape under 1 is drawn one higher and scaled by a power of a uniform draw.
fn gamma(shape: f64, dice: &mut Dice) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, dice) * unit(dice).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(dice);
        let v = (1.0 + c * x).powi(3);
        if v <= 0.0 {
            continue;
        }
        let u = unit(dice);
        if u < 1.0 - 0.0331 * x.powi(4) || u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A draw from the standard normal distribution: the polar method, Marsaglia and Bray (1964), SIAM Review 6(3).
fn normal(dice: &mut Dice) -> f64 {
    loop {
        let (x, y) = (2.0 * unit(dice) - 1.0, 2.0 * unit(dice) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// A number in (0, 1].
fn unit(dice: &mut Dice) -> f64 {
    ((dice.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beta_draws_have_the_mean_and_spread_of_the_distribution() {
        for (a, b) in [(0.5, 15.5), (7.5, 8.5), (15.5, 0.5), (0.5, 0.5)] {
            let mut dice = Dice::new(7);
            let draws: Vec<f64> = (0..20_000).map(|_| beta(a, b, &mut dice)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
            let expected: f64 = a / (a + b);
            let spread: f64 = a * b / ((a + b) * (a + b) * (a + b + 1.0));
            assert!((mean - expected).abs() < 0.01, "{a} {b}: {mean}");
            assert!((variance - spread).abs() < 0.005, "{a} {b}: {variance}");
        }
    }
}

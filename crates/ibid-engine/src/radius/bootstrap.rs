//! How far the radius could have come out otherwise.
//!
//! Each resample draws the markets of a ring anew, with replacement, and for each market a rate that its answers
//! allow (Jeffreys: a beta distribution with half an answer added to either side). The first says that other
//! towns could have been asked, the second that they could have answered otherwise.

use super::fit::{RingPoint, crossing};
use super::{MarketCount, RingCount, mean_km};
use crate::score::stats::{Dice, quantile};

/// Resamples. The range is reported with two figures; more would not change them.
const RESAMPLES: usize = 400;

/// The 10th and the 90th percentile of the radius over resamples of rings that have answers.
pub(super) fn range(rings: &[RingCount], edge: f64, seed: u64) -> Option<[f64; 2]> {
    let mut dice = Dice::new(seed);
    let mut radii: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let points: Vec<RingPoint> = rings.iter().map(|ring| resample(ring, &mut dice)).collect();
            crossing(&points, edge).km
        })
        .collect();
    radii.sort_by(f64::total_cmp);
    Some([quantile(&radii, 0.1)?, quantile(&radii, 0.9)?])
}

fn resample(ring: &RingCount, dice: &mut Dice) -> RingPoint {
    let drawn: Vec<&MarketCount> = (0..ring.markets.len())
        .filter_map(|_| ring.markets.get(dice.below(ring.markets.len())))
        .collect();
    let (mut cited, mut answered) = (0.0, 0.0);
    for market in &drawn {
        let answers = f64::from(market.answered);
        cited += answers
            * beta(
                f64::from(market.cited) + 0.5,
                f64::from(market.answered - market.cited) + 0.5,
                dice,
            );
        answered += answers;
    }
    RingPoint {
        km: mean_km(drawn.iter().copied()),
        rate: cited / answered,
        weight: answered,
    }
}

/// A draw from a beta distribution: one gamma over the sum of two.
fn beta(a: f64, b: f64, dice: &mut Dice) -> f64 {
    let (x, y) = (gamma(a, dice), gamma(b, dice));
    // Both vanish only when the generator gives its smallest number many times over.
    if x + y > 0.0 { x / (x + y) } else { 0.5 }
}

/// A draw from a gamma distribution of scale 1: Marsaglia and Tsang (2000), ACM TOMS 26(3), with their squeeze, which
/// spares most logarithms. Shapes here are halves: one half is half the square of a normal draw.
fn gamma(shape: f64, dice: &mut Dice) -> f64 {
    if shape < 1.0 {
        return normal(dice).powi(2) / 2.0;
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

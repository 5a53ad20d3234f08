//! A falling curve, and the distance at which it crosses the threshold.

use super::THRESHOLD_PCT;

/// Home, or a ring's markets, as a point on the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RatePoint {
    /// Mean distance of its markets.
    pub(super) km: f64,
    /// Cited rate, 0..1.
    pub(super) rate: f64,
    /// Answers behind the rate.
    pub(super) weight: f64,
    /// Those that cite the domain.
    pub(super) cited: f64,
    /// Markets behind the rate.
    pub(super) markets: f64,
    /// Answers to each question.
    pub(super) answers_each: f64,
}

/// The point where the curve falls under the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) km: f64,
    /// It never does: `km` is the outer edge.
    pub(super) censored: bool,
}

/// The kilometres added to distances before their logarithm is taken.
/// They give home a place on the scale, and keep the first few kilometres no further apart than the width of a town.
const TOWN_KM: f64 = 5.0;

/// Fits a falling curve through the points, from home outward, and finds where it crosses the threshold.
///
/// Between points the log-odds fall in proportion to the logarithm of the distance.
/// Before the first point the curve is level, and beyond the last it is unknown.
/// A curve that stays above the threshold crosses at `edge`, censored.
pub(super) fn crossing(points: &[RatePoint], edge: f64) -> Crossing {
    let threshold = f64::from(THRESHOLD_PCT) / 100.0;
    let fitted = falling(points);
    let Some(under) = fitted.iter().position(|rate| *rate < threshold) else {
        return Crossing {
            km: edge,
            censored: true,
        };
    };
    let ends = |at: usize| Some((points.get(at)?.km, log_odds(*fitted.get(at)?)));
    let Some(((near, above), (far, below))) = under.checked_sub(1).and_then(ends).zip(ends(under)) else {
        return Crossing {
            km: 0.0,
            censored: false,
        };
    };
    let part = (above - log_odds(threshold)) / (above - below);
    let (near, far) = ((near + TOWN_KM).ln(), (far + TOWN_KM).ln());
    Crossing {
        km: ((near + part * (far - near)).exp() - TOWN_KM).clamp(0.0, edge),
        censored: false,
    }
}

/// Takes the logarithm of a rate's odds.
/// Rates of 0 and 1 are replaced by values near them.
pub(super) fn log_odds(rate: f64) -> f64 {
    let rate = rate.clamp(1e-4, 1.0 - 1e-4);
    (rate / (1.0 - rate)).ln()
}

/// The non-increasing values closest to the rates, weighted by answers.
/// Neighbours that rise outward are pooled until the rates only fall
/// (pool adjacent violators; Ayer et al. 1955).
pub(super) fn falling(points: &[RatePoint]) -> Vec<f64> {
    // A block has its mean, its weight and its number of points.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(points.len());
    for point in points {
        let mut block = (point.rate, point.weight, 1);
        while let Some(&(rate, weight, count)) = blocks.last()
            && rate < block.0
        {
            blocks.pop();
            let both = weight + block.1;
            block = ((rate * weight + block.0 * block.1) / both, both, count + block.2);
        }
        blocks.push(block);
    }
    blocks
        .into_iter()
        .flat_map(|(rate, _, count)| std::iter::repeat_n(rate, count))
        .collect()
}

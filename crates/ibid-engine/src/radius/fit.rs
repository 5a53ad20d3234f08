//! A curve that only falls, and where it falls under the threshold.

use super::THRESHOLD_PCT;

/// One ring on the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RingPoint {
    /// Mean distance of its markets.
    pub(super) km: f64,
    /// Cited rate, 0..1.
    pub(super) rate: f64,
    /// Answers behind the rate.
    pub(super) weight: f64,
}

/// Where the curve falls under the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) km: f64,
    /// It never does: `km` is the outer edge.
    pub(super) censored: bool,
}

/// Fits a falling curve through the rings, from home outward, and finds where it crosses the threshold.
///
/// Between rings the curve is straight, from home to ring 1 it is level, and beyond the outermost ring it is
/// unknown: a curve that stays above the threshold crosses at `edge`, censored.
pub(super) fn crossing(points: &[RingPoint], edge: f64) -> Crossing {
    let threshold = f64::from(THRESHOLD_PCT) / 100.0;
    let fitted = falling(points);
    let mut inner = (0.0, f64::INFINITY);
    for (point, rate) in points.iter().zip(fitted) {
        if rate < threshold {
            let (km, above) = inner;
            let part = if above.is_finite() {
                (above - threshold) / (above - rate)
            } else {
                0.0
            };
            let km = if above.is_finite() {
                km + part * (point.km - km)
            } else {
                0.0
            };
            return Crossing {
                km: km.clamp(0.0, edge),
                censored: false,
            };
        }
        inner = (point.km, rate);
    }
    Crossing {
        km: edge,
        censored: true,
    }
}

/// The non-increasing values closest to the rates, weighted by answers: neighbours that rise outward are pooled
/// until none does (pool adjacent violators; Ayer et al. 1955).
pub(super) fn falling(points: &[RingPoint]) -> Vec<f64> {
    // A block is its mean, its weight and how many points it holds.
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

//! How far around a place a domain is cited, estimated from what the rings answered.
//!
//! The estimate is meant to be checked with a pencil: each ring has a rate at its mean distance; rates that rise
//! outward are pooled, so that the curve only falls; the radius is where the curve crosses one answer in four.
//! Pure: counts in, a distance out. The only randomness is a seeded bootstrap for the range.
//!
//! It refuses to extrapolate beyond the outermost ring that answered, and to say anything without answers at home.

mod bootstrap;
mod fit;
#[cfg(test)]
mod tests;

use fit::{Crossing, RingPoint, crossing};
use ibid_model::Ring;

/// Cited rate, in per cent, that defines the radius: one answer in four. A judgement, published with every result.
pub const THRESHOLD_PCT: u8 = 25;

/// What one market answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarketCount {
    /// Great-circle distance from the anchor in kilometres.
    pub distance_km: f64,
    /// Valid answers that cite the domain.
    pub cited: u32,
    /// Valid answers that name any provider; never fewer than `cited`.
    pub answered: u32,
}

/// What one ring answered.
#[derive(Clone, Debug, PartialEq)]
pub struct RingCount {
    /// The ring.
    pub ring: Ring,
    /// Its markets.
    pub markets: Vec<MarketCount>,
}

/// The headline distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CitationRadius {
    /// Distance within which the domain is cited in at least [`THRESHOLD_PCT`] of answers, two significant
    /// figures; 0 when it is not even at home; `None` without an answer in ring 1.
    pub citation_radius_km: Option<f64>,
    /// 10th to 90th percentile over bootstrap resamples, two significant figures, around the radius; `None`
    /// together with it.
    pub radius_range_km: Option<[f64; 2]>,
    /// The rings ended before the citations did: the radius is at least the outer edge that is given.
    pub censored: bool,
}

impl CitationRadius {
    const UNKNOWN: Self = Self {
        citation_radius_km: None,
        radius_range_km: None,
        censored: false,
    };
}

/// Estimates the citation radius from the rings of one scan. `seed` fixes the bootstrap.
///
/// The order of rings and markets makes no difference. Markets without answers count for nothing.
#[must_use]
pub fn citation_radius(rings: &[RingCount], seed: u64) -> CitationRadius {
    let rings = answered(rings);
    let Some(edge) = outer_edge(&rings) else {
        return CitationRadius::UNKNOWN;
    };
    let Crossing { km, censored } = crossing(&points(&rings), edge);
    let km = two_figures(km);
    let range = bootstrap::range(&rings, edge, seed).map(|[low, high]| {
        // The range is about this estimate: it never lies beside it.
        [two_figures(low).min(km), two_figures(high).max(km)]
    });
    CitationRadius {
        citation_radius_km: Some(km),
        radius_range_km: range,
        censored,
    }
}

/// The rings that answered, from home outward, with nothing but markets that answered.
fn answered(rings: &[RingCount]) -> Vec<RingCount> {
    let mut kept: Vec<RingCount> = rings
        .iter()
        .map(|ring| {
            let usable = |market: &&MarketCount| market.answered > 0 && market.distance_km.is_finite();
            let mut markets: Vec<MarketCount> = ring.markets.iter().filter(usable).copied().collect();
            for market in &mut markets {
                market.cited = market.cited.min(market.answered);
                market.distance_km = market.distance_km.max(0.0);
            }
            markets.sort_by(|a, b| {
                let counts = |market: &MarketCount| (market.cited, market.answered);
                a.distance_km
                    .total_cmp(&b.distance_km)
                    .then(counts(a).cmp(&counts(b)))
            });
            RingCount {
                ring: ring.ring,
                markets,
            }
        })
        .filter(|ring| !ring.markets.is_empty())
        .collect();
    kept.sort_by_key(|ring| ring.ring);
    kept
}

/// The outer edge of the outermost ring that answered; `None` if home did not.
fn outer_edge(rings: &[RingCount]) -> Option<f64> {
    rings.first().filter(|ring| ring.ring == Ring::HOME)?;
    rings.last().map(|ring| f64::from(ring.ring.to_km()))
}

/// The rate of each ring at the mean distance of its markets. Half an answer is added to either side, so that a
/// few answers never make a certainty.
fn points(rings: &[RingCount]) -> Vec<RingPoint> {
    let point = |ring: &RingCount| {
        let sum =
            |count: fn(&MarketCount) -> u32| ring.markets.iter().map(|m| f64::from(count(m))).sum::<f64>();
        let (cited, answered) = (sum(|market| market.cited), sum(|market| market.answered));
        RingPoint {
            km: mean_km(ring.markets.iter()),
            rate: (cited + 0.5) / (answered + 1.0),
            weight: answered,
        }
    };
    rings.iter().map(point).collect()
}

fn mean_km<'a>(markets: impl ExactSizeIterator<Item = &'a MarketCount>) -> f64 {
    let count = markets.len().max(1);
    markets.map(|market| market.distance_km).sum::<f64>() / count as f64
}

/// Rounds to two significant figures: the estimate carries no more.
fn two_figures(km: f64) -> f64 {
    if km <= 0.0 {
        return 0.0;
    }
    let unit = 10_f64.powf(km.log10().floor() - 1.0);
    // Dividing by a power of ten at the end keeps 8.4 from becoming 8.400000000000001.
    if unit < 1.0 {
        (km / unit).round() / (1.0 / unit).round()
    } else {
        (km / unit).round() * unit
    }
}

//! The citation radius: the distance around a place within which a domain is cited, estimated from the rings.
//!
//! The home town has its own point; the other markets of a ring share one at their mean distance.
//! Rates that rise outward are pooled, so the curve only falls.
//! The radius is the distance at which the curve crosses one answer in four.
//! The calculation is pure: counts in, a distance out.
//! Its only randomness is a seeded resampling for the range.
//!
//! ```
//! use ibid_engine::radius::{MarketCount, RingCount, citation_radius};
//! use ibid_model::Ring;
//!
//! let ring = |number: u8, distance_km: f64, cited: u32| RingCount {
//!     ring: Ring::try_from(number).unwrap(),
//!     markets: vec![MarketCount { distance_km, cited, answered: 20, questions: 10 }],
//! };
//! let radius = citation_radius(&[ring(1, 0.0, 16), ring(2, 40.0, 10), ring(3, 80.0, 1)], 7);
//! let km = radius.citation_radius_km.unwrap();
//! assert!(40.0 < km && km < 80.0);
//! ```
//!
//! It does not extrapolate beyond the outermost ring that answered.
//! It gives no radius without answers in ring 1, and does not distinguish distances under [`NEAREST_KM`].

mod fit;
mod range;
#[cfg(test)]
mod tests;

use fit::{Crossing, RatePoint, crossing};
use ibid_model::Ring;

/// Cited rate, in per cent, that defines the radius: one answer in four.
/// It is a judgement, published with every result.
pub const THRESHOLD_PCT: u8 = 25;

/// The nearest distance that differs measurably from home, in kilometres: markets lie further apart.
pub const NEAREST_KM: f64 = 10.0;

/// The answers of one market.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarketCount {
    /// Great-circle distance from the anchor in kilometres.
    pub distance_km: f64,
    /// Valid answers that cite the domain.
    pub cited: u32,
    /// Valid answers that name any provider; never fewer than `cited`.
    pub answered: u32,
    /// Questions that they answer; answers to one question are correlated.
    pub questions: u32,
}

/// The answers of one ring.
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
    /// figures.
    /// It is 0 if no answer at home cites the domain, and `None` without an answer in ring 1.
    pub citation_radius_km: Option<f64>,
    /// The range that holds the radius four times in five, two significant figures; `None` if the radius is `None`.
    pub radius_range_km: Option<[f64; 2]>,
    /// The rings ended before the citations did: the radius is at least the given outer edge.
    pub censored: bool,
    /// The citations end before the nearest measurable distance: the radius is under it.
    pub at_most: bool,
}

impl CitationRadius {
    const UNKNOWN: Self = Self {
        citation_radius_km: None,
        radius_range_km: None,
        censored: false,
        at_most: false,
    };
}

/// Estimates the citation radius from the rings of one scan.
/// `seed` fixes the bootstrap.
///
/// The order of rings and markets makes no difference.
/// Markets without answers are ignored.
#[must_use]
pub fn citation_radius(rings: &[RingCount], seed: u64) -> CitationRadius {
    let rings = answered(rings);
    let Some(edge) = outer_edge(&rings) else {
        return CitationRadius::UNKNOWN;
    };
    let points = points(&rings);
    let Crossing { km, censored } = crossing(&points, edge);
    let Some([low, high]) = range::of(&points, edge, seed) else {
        return CitationRadius::UNKNOWN;
    };
    if km < NEAREST_KM {
        let cited_at_home = points.first().is_some_and(|home| home.cited > 0.0);
        let km = if cited_at_home { NEAREST_KM } else { 0.0 };
        return CitationRadius {
            citation_radius_km: Some(km),
            radius_range_km: Some([0.0, two_figures(high).max(NEAREST_KM)]),
            censored: false,
            at_most: cited_at_home,
        };
    }
    let km = two_figures(km);
    // The range is about this estimate, so it holds it.
    let low = if low < NEAREST_KM {
        0.0
    } else {
        two_figures(low).min(km)
    };
    CitationRadius {
        citation_radius_km: Some(km),
        radius_range_km: Some([low, two_figures(high).max(km)]),
        censored,
        at_most: false,
    }
}

/// The rings with answers, from home outward, without markets that did not answer.
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

/// The points of the curve: home, the other markets of ring 1, and each further ring.
fn points(rings: &[RingCount]) -> Vec<RatePoint> {
    let mut points = Vec::with_capacity(rings.len() + 1);
    for ring in rings {
        // Markets are sorted by distance, and only home lies at 0.
        let home = ring.markets.iter().take_while(|market| market.distance_km < 1.0);
        let (home, around) = ring.markets.split_at(home.count());
        points.extend([home, around].into_iter().filter_map(point));
    }
    points
}

/// The rate of some markets at their mean distance.
/// Half an answer is added to either side, so a few answers never make a certainty.
fn point(markets: &[MarketCount]) -> Option<RatePoint> {
    let sum = |count: fn(&MarketCount) -> u32| markets.iter().map(|m| f64::from(count(m))).sum::<f64>();
    let (cited, answered) = (sum(|market| market.cited), sum(|market| market.answered));
    (answered > 0.0).then(|| RatePoint {
        km: mean_km(markets.iter()),
        rate: (cited + 0.5) / (answered + 1.0),
        cited,
        weight: answered,
        markets: markets.len() as f64,
        answers_each: answered / sum(|market| market.questions).clamp(1.0, answered),
    })
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
    // A final division by a power of ten keeps 8.4 from becoming 8.400000000000001.
    if unit < 1.0 {
        (km / unit).round() / (1.0 / unit).round()
    } else {
        (km / unit).round() * unit
    }
}

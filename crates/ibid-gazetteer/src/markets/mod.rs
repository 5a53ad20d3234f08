//! From a place to the towns of its rings.

mod rings;
mod rules;
mod tiers;

use crate::gazetteer::gazetteer;
use crate::place::KnownPlace;
use crate::resolve::{Anchor, ResolvedPlace};
use ibid_model::{Ring, Rings};

/// Most markets of a ring.
pub const MARKETS_PER_RING: usize = 3;

/// Chooses the markets in each requested ring, from home outward.
/// A ring has zero to three markets.
///
/// A pure function of the embedded data.
/// A ring's markets do not depend on the other requested rings,
/// so that ring 2 in one scan can be compared with ring 2 in another.
/// The rules are in `docs/GEOGRAPHY.md`.
///
/// ```
/// use ibid_gazetteer::{markets, resolve};
/// use ibid_model::Ring;
///
/// let lyon = resolve("Lyon, France").unwrap();
/// let rings = markets(&lyon, &Ring::all().take(2).collect());
/// assert_eq!(rings[0].markets[0].place.name(), "Lyon");
/// ```
#[must_use]
pub fn markets(resolved: &ResolvedPlace, rings: &Rings) -> Vec<RingMarkets> {
    let Some(outermost) = rings.iter().last() else {
        return Vec::new();
    };
    let Some(g) = gazetteer() else { return Vec::new() };
    let all = match resolved.anchor {
        Anchor::Town(row) => rings::choose(g, g.point(row), row, outermost),
        Anchor::Point(row) => rings::choose(g, resolved.place.point(), row, outermost),
        Anchor::Country(country, row) => tiers::choose(g, &[country], row, outermost),
        Anchor::Countries(codes, row) => {
            let country = |code| Some(g.country_of(g.country_of_code(code)?));
            let countries: Vec<usize> = codes.split(',').filter_map(country).collect();
            tiers::choose(g, &countries, row, outermost)
        }
    };
    all.into_iter()
        .filter(|chosen| rings.iter().any(|ring| ring == chosen.ring))
        .collect()
}

/// One ring with its markets.
#[derive(Clone, Debug, PartialEq)]
pub struct RingMarkets {
    /// The ring.
    ///
    /// Under country scope it is a tier: 1 has the largest cities, 2 the next.
    pub ring: Ring,
    /// The markets in order of choice.
    ///
    /// Ring 1 begins with the anchor.
    /// Larger towns come first as far as the rules of distance and direction allow.
    pub markets: Vec<MarketTown>,
    /// Towns of at least 15,000 inhabitants in the ring that were skipped
    /// because they are not in the country of the anchor.
    pub excluded_cross_border: u32,
}

/// A town of a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarketTown {
    /// The town.
    pub place: KnownPlace,
    /// Great-circle distance from the anchor in kilometres.
    pub distance_km: f64,
    /// The initial bearing from the anchor in degrees clockwise from north, in `0.0..360.0`.
    pub bearing_deg: f64,
    /// Whether it lies in another country than the anchor.
    pub cross_border: bool,
}

#[cfg(test)]
mod tests;

//! From a place to the towns of its rings.

use crate::{Place, Resolved};
use ibid_model::{Ring, Rings};

/// The markets of each asked ring, from home outward: at most three a ring, possibly none.
///
/// A pure function of the embedded data: the same place and rings give the same markets.
#[must_use]
pub fn markets(resolved: &Resolved, rings: &Rings) -> Vec<RingMarkets> {
    let _ = resolved;
    rings
        .iter()
        .map(|ring| RingMarkets {
            ring,
            markets: Vec::new(),
            excluded_cross_border: 0,
        })
        .collect()
}

/// The markets of one ring.
#[derive(Clone, Debug, PartialEq)]
pub struct RingMarkets {
    /// The ring. Under country scope it is a tier: 1 holds the largest cities, 2 the next.
    pub ring: Ring,
    /// The markets in order of choice: the anchor first in ring 1, then by population.
    pub markets: Vec<Market>,
    /// Towns across a border that would have been eligible, had domestic ones not come first.
    pub excluded_cross_border: u32,
}

/// A town of a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Market {
    /// The town.
    pub place: Place,
    /// Great-circle distance from the anchor in kilometres.
    pub distance_km: f64,
    /// Initial bearing from the anchor in degrees clockwise from north, 0 up to but excluding 360.
    pub bearing_deg: f64,
    /// Whether it lies in another country than the anchor.
    pub cross_border: bool,
}

//! How far around a place a domain is cited, estimated from what the rings answered.
//!
//! Pure: counts in, a distance out. The only randomness is a seeded bootstrap.

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
    /// figures; `None` without an answer in ring 1.
    pub citation_radius_km: Option<f64>,
    /// 10th to 90th percentile over bootstrap resamples; `None` together with the radius.
    pub radius_range_km: Option<[f64; 2]>,
    /// The rings ended before the citations did.
    pub censored: bool,
}

/// Estimates the citation radius from the rings of one scan. `seed` fixes the bootstrap.
#[must_use]
pub fn citation_radius(rings: &[RingCount], seed: u64) -> CitationRadius {
    let _ = (rings, seed);
    CitationRadius {
        citation_radius_km: None,
        radius_range_km: None,
        censored: false,
    }
}

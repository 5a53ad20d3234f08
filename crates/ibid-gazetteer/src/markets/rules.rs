//! The rules that keep two markets apart.

use crate::gazetteer::{Gazetteer, Row};
use crate::geo::{Point, turn_deg};
use crate::layout;

/// A town that could become a market.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) row: Row,
    pub(super) id: u32,
    pub(super) point: Point,
    pub(super) population: u64,
    pub(super) country: usize,
    pub(super) distance_km: f64,
}

impl Candidate {
    pub(super) fn new(g: &Gazetteer, row: Row, distance_km: f64) -> Self {
        Self {
            row,
            id: g.id(row),
            point: g.point(row),
            population: g.population(row),
            country: g.country(row),
            distance_km,
        }
    }
}

/// Sorts candidates the way they are tried: larger towns first, ids break ties.
pub(super) fn by_size(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|c| (std::cmp::Reverse(c.population), c.id));
}

/// A market that was chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) town: Candidate,
    /// The ring or tier it was chosen for.
    pub(super) ring: u8,
    /// The least distance to every other market.
    pub(super) spacing_km: f64,
}

/// Whether a town is far enough from every chosen market and has no twin among them.
pub(super) fn is_apart(town: &Candidate, taken: &[Taken], spacing_km: f64) -> bool {
    taken.iter().all(|other| {
        // Towards an inner ring, the smaller distance of that ring applies.
        let km = town.point.distance_km(other.town.point);
        km >= spacing_km.min(other.spacing_km) && !is_twin(town, &other.town, km)
    })
}

/// Whether two rows are a municipality and its main settlement.
///
/// They are close together and nearly as populous.
fn is_twin(a: &Candidate, b: &Candidate, km: f64) -> bool {
    const TWIN_KM: f64 = 12.0;
    let (small, large) = (a.population.min(b.population), a.population.max(b.population));
    km <= TWIN_KM && 100 * (large - small) <= 12 * large
}

/// The least angle between the markets of a ring, seen from the anchor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pub(super) anchor: Point,
    pub(super) ring: u8,
    /// The smallest angle in degrees; 0 for any.
    pub(super) turn: f64,
}

impl Direction {
    /// Whether a town lies in another direction than the markets of its ring.
    pub(super) fn is_new(&self, town: &Candidate, taken: &[Taken]) -> bool {
        if self.turn <= 0.0 {
            return true;
        }
        let bearing = self.anchor.bearing_deg(town.point);
        let mut others = taken
            .iter()
            .filter(|other| other.ring == self.ring && other.town.distance_km > 0.0);
        others.all(|other| turn_deg(bearing, self.anchor.bearing_deg(other.town.point)) >= self.turn)
    }
}

/// Whether a town is a suburb.
///
/// A suburb is within reach of a place that is at least three times as populous, in the same country.
/// For example a city with a million people reaches 10 km, one with four million 20 km.
/// Macau is not a suburb of Zhuhai.
///
/// `by_size` holds the places around, larger ones first.
pub(super) fn is_suburb(town: &Candidate, by_size: &[Candidate]) -> bool {
    by_size
        .iter()
        .take_while(|other| other.population >= 3 * town.population)
        .filter(|other| other.country == town.country)
        .any(|other| {
            #[expect(clippy::cast_precision_loss, reason = "populations are far below 2^52")]
            let reach_km = 10.0 * (other.population as f64 / 1e6).sqrt();
            // A degree of latitude is more than 110 km.
            // This is checked first, because it avoids most of the trigonometry.
            (other.point.lat - town.point.lat).abs() * 110.0 <= reach_km
                && other.point.distance_km(town.point) <= reach_km
        })
}

/// Whether a row may be a market.
pub(super) fn is_market(g: &Gazetteer, row: Row) -> bool {
    g.has(row, layout::MARKET)
}

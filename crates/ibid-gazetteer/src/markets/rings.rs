//! Rings by distance.

use super::rules::{Candidate, Direction, Taken, by_size, is_apart, is_market, is_suburb};
use super::{MARKETS_PER_RING, MarketTown, RingMarkets};
use crate::gazetteer::{Gazetteer, Row};
use crate::geo::Point;
use crate::layout::{self, core_km};
use crate::near::around;
use ibid_model::Ring;

/// The population from which a skipped foreign town is counted.
const LARGE: u64 = 15_000;
/// The angle between the markets of a ring.
///
/// Relaxed where the land (or the sea) requires it.
const TURNS_DEG: [f64; 3] = [70.0, 35.0, 0.0];
/// The radius within which the largest cities of the world can have suburbs.
const SUBURB_REACH_KM: f64 = 50.0;

/// The minimum populations to try, in order.
///
/// The lower ones are for regions with few towns.
/// In the outer rings, a city in nearly the same direction is better
/// than a small town in another one: models know the city.
const fn floors(ring: Ring) -> &'static [u64] {
    match ring.get() {
        4.. => &[100_000, 15_000, 5_000, 1_000],
        _ => &[15_000, 5_000, 1_000],
    }
}

/// Distance between markets of a ring in kilometres.
const fn spacing_km(ring: Ring) -> f64 {
    match ring.get() {
        1 => 5.0,
        2 => 10.0,
        3 => 20.0,
        4 => 50.0,
        _ => 100.0,
    }
}

/// Chooses the markets of every ring up to `outermost` around `anchor`.
///
/// The anchor has the name of the town `home`.
pub(super) fn choose(g: &Gazetteer, anchor: Point, home: Row, outermost: Ring) -> Vec<RingMarkets> {
    let edge = f64::from(outermost.to_km());
    let mut towns: Vec<Candidate> = around(g, anchor, edge + SUBURB_REACH_KM, |row| is_market(g, row))
        .map(|(row, km)| Candidate::new(g, row, km))
        .collect();
    by_size(&mut towns);

    let home = Candidate::new(g, home, anchor.distance_km(g.point(home)));
    let core = core_km(home.population);
    // A city with half its country's people has its hinterland across the border.
    // For example Johor Bahru is Singapore's.
    let city_state = 2 * home.population >= g.country_population(home.country);
    let mut choice = Choice {
        anchor,
        towns: &towns,
        taken: Vec::new(),
    };
    let mut rings = Vec::new();
    for ring in Ring::all().take_while(|ring| *ring <= outermost) {
        let inside = |km: f64| km > f64::from(ring.from_km()) && km <= f64::from(ring.to_km());
        if ring == Ring::HOME && (home.distance_km <= 0.0 || inside(home.distance_km)) {
            choice.take(ring, home);
        }
        let eligible = towns
            .iter()
            .filter(|town| town.row != home.row && inside(town.distance_km))
            .filter(|town| {
                // Close to home, a town inside the city is not a market, unless it governs itself.
                ring.get() > 2 || g.has(town.row, layout::SEAT) || town.point.distance_km(home.point) > core
            });
        let (domestic, foreign): (Vec<&Candidate>, Vec<&Candidate>) =
            eligible.partition(|town| city_state || town.country == home.country);
        choice.fill(ring, &domestic);
        choice.fill(ring, &foreign);
        rings.push(RingMarkets {
            ring,
            markets: choice
                .of(ring)
                .map(|town| market_of(g, anchor, town, home.country))
                .collect(),
            excluded_cross_border: choice.passed_over(&foreign),
        });
    }
    rings
}

/// The markets chosen so far, and the candidates.
struct Choice<'a> {
    anchor: Point,
    /// All towns around, larger ones first, including those that are only used to detect suburbs.
    towns: &'a [Candidate],
    taken: Vec<Taken>,
}

impl Choice<'_> {
    fn take(&mut self, ring: Ring, town: Candidate) {
        self.taken.push(Taken {
            town,
            ring: ring.get(),
            spacing_km: spacing_km(ring),
        });
    }

    fn of(&self, ring: Ring) -> impl Iterator<Item = &Candidate> {
        self.taken
            .iter()
            .filter(move |market| market.ring == ring.get())
            .map(|market| &market.town)
    }

    /// Adds towns on one side of the border until the ring is full.
    ///
    /// Prefers the largest towns that are far enough apart, in different directions if possible.
    /// Uses smaller towns only after the larger ones.
    fn fill(&mut self, ring: Ring, from: &[&Candidate]) {
        for &floor in floors(ring) {
            for turn in TURNS_DEG {
                for town in from.iter().take_while(|town| town.population >= floor) {
                    if self.of(ring).count() >= MARKETS_PER_RING {
                        return;
                    }
                    if self.suits(ring, town, turn) {
                        let town = self.city_beside(ring, town, from);
                        self.take(ring, *town);
                    }
                }
            }
        }
    }

    /// Returns the city to choose instead of a small town next to it, or else the town.
    ///
    /// The city is at least ten times as large, and in a sufficiently new direction:
    /// Macau, and not Luhuan.
    fn city_beside<'c>(&self, ring: Ring, town: &'c Candidate, from: &[&'c Candidate]) -> &'c Candidate {
        from.iter()
            .take_while(|city| city.population >= 10 * town.population)
            .find(|city| {
                city.country == town.country
                    && city.point.distance_km(town.point) <= spacing_km(ring)
                    && self.suits(ring, city, TURNS_DEG[1])
            })
            .map_or(town, |city| *city)
    }

    fn suits(&self, ring: Ring, town: &Candidate, turn: f64) -> bool {
        let chosen = Direction {
            anchor: self.anchor,
            ring: ring.get(),
            turn,
        };
        chosen.is_new(town, &self.taken)
            && is_apart(town, &self.taken, spacing_km(ring))
            && !(ring.get() > 2 && is_suburb(town, self.towns))
    }

    /// Counts the large towns on the other side of the border that were not chosen.
    fn passed_over(&self, foreign: &[&Candidate]) -> u32 {
        let chosen = |town: &Candidate| self.taken.iter().any(|market| market.town.row == town.row);
        let left = foreign
            .iter()
            .filter(|town| town.population >= LARGE && !chosen(town));
        u32::try_from(left.count()).unwrap_or(u32::MAX)
    }
}

pub(super) fn market_of(g: &Gazetteer, anchor: Point, town: &Candidate, home_country: usize) -> MarketTown {
    let at_home = town.distance_km <= 0.0;
    MarketTown {
        place: g.place(town.row),
        distance_km: town.distance_km,
        bearing_deg: if at_home {
            0.0
        } else {
            anchor.bearing_deg(town.point)
        },
        cross_border: town.country != home_country,
    }
}

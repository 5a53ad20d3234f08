//! Rings by distance.

use super::rules::{Candidate, Taken, by_size, is_apart, is_market, is_suburb, spreads};
use super::{MARKETS_PER_RING, Market, RingMarkets};
use crate::gazetteer::{Gazetteer, Row};
use crate::geo::Point;
use crate::layout::{self, core_km};
use crate::near::around;
use ibid_model::Ring;

/// A foreign town of this size is worth a mention.
const LARGE: u64 = 15_000;
/// Angle between the markets of a ring, relaxed where the land (or the sea) leaves no choice.
const TURNS_DEG: [f64; 3] = [70.0, 35.0, 0.0];
/// The largest cities of the world reach this far when suburbs are told apart.
const SUBURB_REACH_KM: f64 = 50.0;

/// Smallest town tried first, then where towns are few. Far out a city in nearly the same direction tells more
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

/// Chooses the markets of every ring up to `outermost` around `anchor`, which is named after the town `home`.
pub(super) fn choose(g: &Gazetteer, anchor: Point, home: Row, outermost: Ring) -> Vec<RingMarkets> {
    let edge = f64::from(outermost.to_km());
    let mut towns: Vec<Candidate> = around(g, anchor, edge + SUBURB_REACH_KM, |row| is_market(g, row))
        .map(|(row, km)| Candidate::new(g, row, km))
        .collect();
    by_size(&mut towns);

    let home = Candidate::new(g, home, anchor.distance_km(g.point(home)));
    let core = core_km(home.population);
    let mut taken: Vec<Taken> = Vec::new();
    let mut rings = Vec::new();
    for ring in Ring::all().take_while(|ring| *ring <= outermost) {
        let inside = |km: f64| km > f64::from(ring.from_km()) && km <= f64::from(ring.to_km());
        if ring == Ring::HOME && (home.distance_km <= 0.0 || inside(home.distance_km)) {
            taken.push(Taken {
                town: home,
                ring: ring.get(),
                spacing_km: spacing_km(ring),
            });
        }
        let eligible: Vec<Candidate> = towns
            .iter()
            .filter(|town| town.row != home.row && inside(town.distance_km))
            .filter(|town| {
                // Close to home: what the city has swallowed is no market of its own, unless it governs itself.
                ring.get() > 2 || g.has(town.row, layout::SEAT) || town.point.distance_km(home.point) > core
            })
            .copied()
            .collect();
        let (domestic, foreign): (Vec<Candidate>, Vec<Candidate>) = eligible
            .into_iter()
            .partition(|town| town.country == home.country);
        for side in [&domestic, &foreign] {
            fill(anchor, ring, side, &towns, &mut taken);
        }
        let markets: Vec<Market> = taken
            .iter()
            .filter(|market| market.ring == ring.get())
            .map(|market| market_of(g, anchor, &market.town, home.country))
            .collect();
        let excluded = passed_over(&foreign, &taken);
        rings.push(RingMarkets {
            ring,
            markets,
            excluded_cross_border: excluded,
        });
    }
    rings
}

/// Large foreign towns that were not chosen.
fn passed_over(foreign: &[Candidate], taken: &[Taken]) -> u32 {
    let left = foreign
        .iter()
        .filter(|town| town.population >= LARGE && !taken.iter().any(|market| market.town.row == town.row));
    u32::try_from(left.count()).unwrap_or(u32::MAX)
}

/// Adds the towns of one side of the border until the ring is full: the largest that keep apart first, in
/// different directions if possible, smaller ones only where the larger ones run out.
fn fill(anchor: Point, ring: Ring, from: &[Candidate], towns: &[Candidate], taken: &mut Vec<Taken>) {
    let spacing_km = spacing_km(ring);
    for &floor in floors(ring) {
        for turn in TURNS_DEG {
            for town in from.iter().take_while(|town| town.population >= floor) {
                if taken.iter().filter(|market| market.ring == ring.get()).count() >= MARKETS_PER_RING {
                    return;
                }
                if spreads(anchor, town, ring.get(), taken, turn)
                    && is_apart(town, taken, spacing_km)
                    && !(ring.get() > 2 && is_suburb(town, towns))
                {
                    taken.push(Taken {
                        town: *town,
                        ring: ring.get(),
                        spacing_km,
                    });
                }
            }
        }
    }
}

pub(super) fn market_of(g: &Gazetteer, anchor: Point, town: &Candidate, home_country: usize) -> Market {
    let at_home = town.distance_km <= 0.0;
    Market {
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

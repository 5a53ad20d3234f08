//! Rings for a whole country, or for several: tiers by size instead of distances.

use super::rings::market_of;
use super::rules::{Candidate, Taken, by_size, is_apart, is_market, is_suburb};
use super::{MARKETS_PER_RING, RingMarkets};
use crate::gazetteer::{Gazetteer, Row};
use ibid_model::Ring;

/// Distance between the cities in kilometres, relaxed where the country is small.
const SPACINGS_KM: [f64; 4] = [100.0, 50.0, 20.0, 5.0];
/// Smallest city tried first, then where a country has hardly any.
const FLOORS: [u64; 3] = [15_000, 5_000, 0];

/// Chooses the cities of every tier up to `outermost`.
///
/// Tiers have the three largest that are far enough apart, the next three, and so on.
/// Distances and bearings are from the largest one.
pub(super) fn choose(g: &Gazetteer, countries: &[usize], largest: Row, outermost: Ring) -> Vec<RingMarkets> {
    let anchor = g.point(largest);
    let mut towns: Vec<Candidate> = g
        .rows()
        .filter(|row| (is_market(g, *row) || *row == largest) && countries.contains(&g.country(*row)))
        .map(|row| Candidate::new(g, row, anchor.distance_km(g.point(row))))
        .collect();
    by_size(&mut towns);

    // Fills all tiers on every call: a tier must not depend on the requested tiers.
    let wanted = MARKETS_PER_RING * usize::from(Ring::MAX);
    let mut taken: Vec<Taken> = Vec::new();
    for floor in FLOORS {
        for spacing_km in SPACINGS_KM {
            for town in towns.iter().take_while(|town| town.population >= floor) {
                if taken.len() >= wanted {
                    break;
                }
                if is_apart(town, &taken, spacing_km) && !is_suburb(town, &towns) {
                    taken.push(Taken {
                        town: *town,
                        ring: 0,
                        spacing_km,
                    });
                }
            }
        }
    }
    let mut tiers = taken.chunks(MARKETS_PER_RING);
    Ring::all()
        .take_while(|ring| *ring <= outermost)
        .map(|ring| RingMarkets {
            ring,
            markets: tiers
                .next()
                .unwrap_or_default()
                .iter()
                .map(|market| market_of(g, anchor, &market.town, market.town.country))
                .collect(),
            excluded_cross_border: 0,
        })
        .collect()
}

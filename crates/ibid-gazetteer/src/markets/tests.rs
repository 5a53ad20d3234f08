//! Properties of the rings around towns all over the world, and a naive count of what lies in them.

use super::rules::{Candidate, by_size};
use super::*;
use crate::gazetteer::{Gazetteer, Row};
use crate::geo::{Point, turn_deg};
use crate::layout;
use crate::near::{around, nearest};
use proptest::prelude::*;

fn g() -> &'static Gazetteer {
    gazetteer().unwrap()
}

/// Rows of towns, spread over all latitudes.
fn towns() -> impl Strategy<Value = Row> {
    let rows: Vec<Row> = g()
        .rows()
        .filter(|row| g().has(*row, layout::MARKET) && g().population(*row) >= 15_000)
        .collect();
    proptest::sample::select(rows)
}

fn check_rings(rings: &[RingMarkets], anchor: Point) {
    let mut all: Vec<MarketTown> = Vec::new();
    for ring in rings {
        assert!(ring.markets.len() <= MARKETS_PER_RING);
        let domestic = ring.markets.iter().filter(|market| !market.cross_border).count();
        // Domestic ones come first, in the list too.
        assert!(
            ring.markets
                .iter()
                .take(domestic)
                .all(|market| !market.cross_border)
        );
        for market in &ring.markets {
            let point = market.place.point();
            assert!((market.distance_km - anchor.distance_km(point)).abs() < 1e-9);
            assert!((0.0..360.0).contains(&market.bearing_deg));
            let (from, to) = (f64::from(ring.ring.from_km()), f64::from(ring.ring.to_km()));
            let at_home = ring.ring == Ring::HOME && market.distance_km == 0.0;
            assert!(
                at_home || (market.distance_km > from && market.distance_km <= to),
                "{market:?}"
            );
            // No two markets of all the rings are one town, or stand closer than in the densest ring.
            assert!(all.iter().all(|other| other.place.id() != market.place.id()));
            assert!(
                all.iter()
                    .all(|other| other.place.point().distance_km(point) >= 5.0),
                "{market:?}"
            );
            all.push(*market);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn markets_lie_in_their_ring_apart_and_home_first(row in towns()) {
        let anchor = g().point(row);
        let outermost = Ring::all().last().unwrap();
        let chosen = rings::choose(g(), anchor, row, outermost);
        prop_assert_eq!(chosen.len(), 5);
        prop_assert_eq!(chosen[0].markets[0].place.id().get(), g().id(row));
        check_rings(&chosen, anchor);
        prop_assert_eq!(chosen, rings::choose(g(), anchor, row, outermost));
    }

    // Oracle: the distance to every place there is.
    #[test]
    fn a_radius_search_equals_a_full_search(lat in -90.0..=90.0f64, lon in -180.0..=180.0f64, km in 1.0..600.0f64) {
        let centre = Point { lat, lon };
        let found: Vec<Row> = around(g(), centre, km, |_| true).map(|(row, _)| row).collect();
        let all: Vec<Row> = g().rows().filter(|row| centre.distance_km(g().point(*row)) <= km).collect();
        prop_assert_eq!(found, all);
    }
}

#[test]
fn caps_cross_the_antimeridian_and_hold_the_poles() {
    for (lat, lon) in [
        (-16.8, 180.0),
        (-16.8, -179.9),
        (65.0, 179.9),
        (89.9, 0.0),
        (-89.9, 0.0),
        (78.2, 15.6),
    ] {
        let centre = Point { lat, lon };
        let found = around(g(), centre, 500.0, |_| true).count();
        let all = g()
            .rows()
            .filter(|row| centre.distance_km(g().point(*row)) <= 500.0)
            .count();
        assert_eq!(found, all, "{lat} {lon}");
    }
    // Taveuni lies on both sides of the antimeridian.
    let fiji = around(
        g(),
        Point {
            lat: -16.8,
            lon: 180.0,
        },
        500.0,
        |_| true,
    )
    .count();
    assert!(fiji > 5);
    assert!(nearest(g(), Point { lat: 0.0, lon: 0.0 }, 500.0).is_none());
}

#[test]
fn a_suburb_is_within_reach_of_something_three_times_as_large() {
    let candidate = |id: u32, lat: f64, population: u64| Candidate {
        row: Row(id),
        id,
        point: Point { lat, lon: 0.0 },
        population,
        country: 0,
        distance_km: 0.0,
    };
    let city = candidate(1, 0.0, 4_000_000);
    // A degree of latitude is 111 km: 16, 21 and 16 km from the city, which reaches 20 km.
    let mut towns = [
        candidate(2, 0.15, 200_000),
        candidate(3, 0.19, 200_000),
        city,
        candidate(4, -0.15, 1_500_000),
    ];
    by_size(&mut towns);
    let suburbs: Vec<u32> = towns
        .iter()
        .filter(|town| rules::is_suburb(town, &towns))
        .map(|town| town.id)
        .collect();
    assert_eq!(suburbs, [2]);
}

#[test]
fn directions_are_spread_where_the_land_allows() {
    let berlin = crate::resolve("Berlin").unwrap();
    for ring in markets(
        &berlin,
        &Rings::from(vec![Ring::new(2).unwrap(), Ring::new(3).unwrap()]),
    ) {
        for (index, market) in ring.markets.iter().enumerate() {
            for other in &ring.markets[index + 1..] {
                assert!(
                    turn_deg(market.bearing_deg, other.bearing_deg) >= 35.0,
                    "{market:?} {other:?}"
                );
            }
        }
    }
}

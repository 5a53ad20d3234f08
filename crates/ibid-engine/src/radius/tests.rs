//! Worked examples, and a slow way to find the same radius.

use super::fit::falling;
use super::*;
use proptest::prelude::*;

/// A ring as its number and a list of (distance, cited, answered).
type Counted<'a> = (u8, &'a [(f64, u32, u32)]);

fn rings(counts: &[Counted<'_>]) -> Vec<RingCount> {
    let market = |&(distance_km, cited, answered): &(f64, u32, u32)| MarketCount {
        distance_km,
        cited,
        answered,
        questions: answered.div_ceil(3),
    };
    counts
        .iter()
        .map(|(ring, markets)| RingCount {
            ring: Ring::new(*ring).unwrap(),
            markets: markets.iter().map(market).collect(),
        })
        .collect()
}

fn check(counts: &[Counted<'_>], km: Option<f64>, censored: bool) {
    let found = citation_radius(&rings(counts), 1);
    assert_eq!(
        (found.citation_radius_km, found.censored),
        (km, censored),
        "{counts:?}"
    );
    assert_eq!(found.radius_range_km.is_some(), km.is_some());
}

#[test]
fn worked_examples() {
    // 62.5 % around home and 11.0 % at 40 km. The log-odds are 0.511, −1.099 and −2.092; the logarithms of the distances
    // and 5 km are 3.219 and 3.807: 25 % lies at exp(3.219 + 0.588 × 1.610 / 2.603) − 5 = 31.0 km.
    check(
        &[(1, &[(0.0, 20, 22), (20.0, 27, 43)]), (2, &[(40.0, 4, 40)])],
        Some(31.0),
        false,
    );
    // Never under the threshold: at least the edge of the outermost ring with answers.
    check(&[(1, &[(0.0, 15, 15)])], Some(25.0), true);
    check(
        &[(1, &[(0.0, 15, 15)]), (2, &[(30.0, 15, 15)]), (3, &[])],
        Some(50.0),
        true,
    );
    check(
        &[(1, &[(0.0, 15, 15)]), (5, &[(300.0, 15, 15)])],
        Some(500.0),
        true,
    );
    // Not cited at home at all, and not in one answer of four.
    check(&[(1, &[(0.0, 0, 15)]), (2, &[(30.0, 2, 15)])], Some(0.0), false);
    check(&[(1, &[(0.0, 0, 15)])], Some(0.0), false);
    // Rises are pooled: 0 of 15 and 15 of 15 are 50 % over both rings.
    check(&[(1, &[(0.0, 1, 15)]), (2, &[(30.0, 15, 15)])], Some(50.0), true);
}

#[test]
fn citations_that_end_near_home_are_under_ten_kilometres() {
    for counts in [
        &[(1, &[(0.0, 6, 15), (12.0, 0, 15), (18.0, 0, 15)][..])][..],
        &[(1, &[(0.0, 2, 15), (12.0, 1, 15)][..]), (2, &[(30.0, 0, 15)][..])],
    ] {
        let found = citation_radius(&rings(counts), 1);
        assert_eq!(
            (found.citation_radius_km, found.at_most),
            (Some(10.0), true),
            "{counts:?}"
        );
        let [low, high] = found.radius_range_km.unwrap();
        assert!(low == 0.0 && high >= 10.0);
    }
    let at_home = citation_radius(&rings(&[(1, &[(0.0, 0, 15)])]), 1);
    assert_eq!((at_home.citation_radius_km, at_home.at_most), (Some(0.0), false));
}

#[test]
fn without_answers_at_home_there_is_no_radius() {
    check(&[], None, false);
    check(&[(1, &[])], None, false);
    check(&[(1, &[(0.0, 0, 0)])], None, false);
    check(&[(2, &[(30.0, 15, 15)])], None, false);
    check(&[(1, &[(f64::NAN, 15, 15)])], None, false);
}

#[test]
fn one_answer_is_no_certainty() {
    // 1 of 1 is read as 75 %, 0 of 1 as 25 %: just not under the threshold.
    check(&[(1, &[(0.0, 1, 1)])], Some(25.0), true);
    check(&[(1, &[(0.0, 0, 1)])], Some(25.0), true);
    let range = citation_radius(&rings(&[(1, &[(0.0, 0, 1)])]), 1)
        .radius_range_km
        .unwrap();
    assert_eq!(range, [0.0, 25.0]);
}

#[test]
fn more_answers_narrow_the_range() {
    let width = |times: u32| {
        let near: Vec<(f64, u32, u32)> = (0..3)
            .map(|n| (f64::from(n) * 8.0, 9 * times, 15 * times))
            .collect();
        let far: Vec<(f64, u32, u32)> = (0..3)
            .map(|n| (30.0 + f64::from(n) * 8.0, 2 * times, 15 * times))
            .collect();
        let [low, high] = citation_radius(&rings(&[(1, &near), (2, &far)]), 9)
            .radius_range_km
            .unwrap();
        high - low
    };
    assert!(width(1) > width(20), "{} {}", width(1), width(20));
}

#[test]
fn two_figures_are_kept() {
    for (km, rounded) in [
        (0.0, 0.0),
        (-1.0, 0.0),
        (0.123, 0.12),
        (8.449, 8.4),
        (9.97, 10.0),
        (31.54, 32.0),
        (99.6, 100.0),
        (128.0, 130.0),
        (250.0, 250.0),
        (500.0, 500.0),
    ] {
        assert_eq!(two_figures(km), rounded, "{km}");
    }
}

fn counts() -> impl Strategy<Value = Vec<RingCount>> {
    let market = |ring: Ring| {
        let km = f64::from(ring.from_km())..f64::from(ring.to_km());
        (km, 0..20_u32, 0..20_u32).prop_map(|(distance_km, cited, others)| MarketCount {
            distance_km,
            cited,
            answered: cited + others,
            questions: (cited + others).div_ceil(3),
        })
    };
    let ring = move |number: u8| {
        let ring = Ring::new(number).unwrap();
        proptest::collection::vec(market(ring), 0..4).prop_map(move |markets| RingCount { ring, markets })
    };
    (1..=5_u8).prop_flat_map(move |most| (1..=most).map(ring).collect::<Vec<_>>())
}

/// The closest falling values by their definition: the least, over starts, of the greatest, over ends, mean.
fn falling_by_definition(points: &[RatePoint]) -> Vec<f64> {
    let mean = |from: usize, to: usize| {
        let part = &points[from..=to];
        part.iter().map(|p| p.rate * p.weight).sum::<f64>() / part.iter().map(|p| p.weight).sum::<f64>()
    };
    let greatest = |from: usize, least_end: usize| {
        (least_end..points.len())
            .map(|to| mean(from, to))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    (0..points.len())
        .map(|i| {
            (0..=i)
                .map(|from| greatest(from, i))
                .fold(f64::INFINITY, f64::min)
        })
        .collect()
}

/// Walks outward in small steps until the curve is under the threshold.
fn radius_by_walking(points: &[RatePoint], edge: f64) -> f64 {
    let fitted = falling_by_definition(points);
    let odds = |rate: f64| (rate / (1.0 - rate)).ln();
    let at = |km: f64| {
        let next = points.iter().position(|point| point.km >= km);
        match next {
            None => *fitted.last().unwrap(),
            Some(0) => fitted[0],
            Some(n) => {
                let (a, b) = ((points[n - 1].km + 5.0).ln(), (points[n].km + 5.0).ln());
                let part = ((km + 5.0).ln() - a) / (b - a);
                let odds = odds(fitted[n - 1]) + (odds(fitted[n]) - odds(fitted[n - 1])) * part;
                1.0 / (1.0 + (-odds).exp())
            }
        }
    };
    let steps = (edge * 20.0) as u32;
    let under = (0..=steps)
        .map(|step| f64::from(step) / 20.0)
        .find(|km| at(*km) < 0.25);
    // The outermost point is known, what lies beyond is not.
    under
        .filter(|km| *km <= points.last().unwrap().km + 0.05)
        .unwrap_or(edge)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn agrees_with_a_walk_along_the_curve(counts in counts()) {
        let kept = answered(&counts);
        let found = citation_radius(&counts, 3);
        let Some(edge) = outer_edge(&kept) else {
            prop_assert_eq!(found, CitationRadius::UNKNOWN);
            return Ok(());
        };
        let points = points(&kept);
        for (fast, slow) in falling(&points).iter().zip(falling_by_definition(&points)) {
            prop_assert!((fast - slow).abs() < 1e-9);
        }
        let walked = radius_by_walking(&points, edge);
        let exact = crossing(&points, edge).km;
        prop_assert!((exact - walked).abs() <= 0.051, "{exact} {walked} {points:?}");
        if exact < NEAREST_KM {
            prop_assert!([Some(0.0), Some(NEAREST_KM)].contains(&found.citation_radius_km));
        } else {
            prop_assert_eq!(found.citation_radius_km, Some(two_figures(exact)));
        }
    }

    #[test]
    fn the_range_holds_the_radius_and_both_stay_inside_the_rings(counts in counts(), seed: u64) {
        let found = citation_radius(&counts, seed);
        prop_assert_eq!(found, citation_radius(&counts, seed));
        if let (Some(km), Some([low, high])) = (found.citation_radius_km, found.radius_range_km) {
            prop_assert!(0.0 <= low && low <= km && km <= high && high <= 500.0);
            prop_assert!(!found.censored || [25.0, 50.0, 100.0, 250.0, 500.0].contains(&km));
        }
    }

    #[test]
    fn order_makes_no_difference(counts in counts(), seed: u64) {
        let mut turned = counts.clone();
        turned.reverse();
        turned.iter_mut().for_each(|ring| ring.markets.reverse());
        prop_assert_eq!(citation_radius(&counts, seed), citation_radius(&turned, seed));
    }

    #[test]
    fn one_more_citation_never_shrinks_the_radius(counts in counts(), ring in 0..5_usize, market in 0..3_usize) {
        let mut more = counts.clone();
        if let Some(market) = more.get_mut(ring).and_then(|ring| ring.markets.get_mut(market))
            && market.cited < market.answered
        {
            market.cited += 1;
        }
        let km = |counts: &[RingCount]| citation_radius(counts, 1).citation_radius_km;
        prop_assert!(km(&more) >= km(&counts));
    }
}

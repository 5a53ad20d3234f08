//! Table Radius: the citation radius against a truth that is known.

use crate::draws::Draws;
use crate::goals::{Goals, Share, Size, on_all_cores};
use ibid_engine::radius::{CitationRadius, MarketCount, RingCount, citation_radius};
use ibid_model::Ring;

/// Standard deviation between markets of one distance, in log-odds.
const MARKET_NOISE: f64 = 0.5;
/// Questions a market: five to each of three models, the default counts.
const QUESTIONS: u32 = 15;

/// The rate at home and the steepness of the decline; the rate at the radius is one in four.
const CURVES: [(f64, f64); 6] = [
    (0.5, 1.0),
    (0.5, 2.0),
    (0.7, 1.0),
    (0.7, 2.0),
    (0.85, 1.0),
    (0.85, 2.0),
];

fn rate(km: f64, radius: f64, (home, steep): (f64, f64)) -> f64 {
    home / (1.0 + (home / 0.25 - 1.0) * (km / radius).powf(steep))
}

fn rings(most: u8, radius: f64, curve: (f64, f64), draws: &mut Draws) -> Vec<RingCount> {
    (1..=most)
        .filter_map(|number| {
            let ring = Ring::new(number)?;
            let markets = (0..3).map(|market| {
                let km = match (number, market) {
                    (1, 0) => 0.0,
                    (1, _) => between(5.0, 25.0, draws),
                    _ => between(f64::from(ring.from_km()), f64::from(ring.to_km()), draws),
                };
                let rate = rate(km, radius, curve);
                let odds = (rate / (1.0 - rate)).ln() + MARKET_NOISE * draws.normal();
                let rate = 1.0 / (1.0 + (-odds).exp());
                let cited = (0..QUESTIONS).filter(|_| draws.unit() <= rate);
                MarketCount {
                    distance_km: km,
                    cited: cited.count() as u32,
                    answered: QUESTIONS,
                    questions: QUESTIONS,
                }
            });
            Some(RingCount {
                ring,
                markets: markets.collect(),
            })
        })
        .collect()
}

fn between(low: f64, high: f64, draws: &mut Draws) -> f64 {
    low + (high - low) * draws.unit()
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(100);
    println!("\n## Radius ({} draws a row)\n", sims * CURVES.len());
    println!(
        "| Rings | Truth, km | Within a factor of 2 | At least | Under 10 km | Median | 80 % range holds it |"
    );
    println!("|---|---|---|---|---|---|---|");
    let rows: Vec<(u8, f64)> = [
        (5, [5.0, 10.0, 20.0, 40.0, 80.0, 150.0, 300.0]),
        (2, [5.0, 10.0, 20.0, 40.0, 75.0, 100.0, 200.0]),
    ]
    .into_iter()
    .flat_map(|(most, truths)| truths.map(|truth| (most, truth)))
    .collect();
    let all = on_all_cores(&rows, |&(most, truth)| {
        let mut draws = Draws::new(u64::from(most) * 1_000 + truth as u64);
        let curves = (0..sims).flat_map(|_| CURVES).enumerate();
        let radii =
            curves.map(|(n, curve)| citation_radius(&rings(most, truth, curve, &mut draws), n as u64));
        radii.collect::<Vec<CitationRadius>>()
    });
    for (&(most, truth), found) in rows.iter().zip(&all) {
        row((most, truth), found, goals);
    }
}

fn row((most, truth): (u8, f64), found: &[CitationRadius], goals: &mut Goals) {
    let edge = Ring::new(most).map_or(0.0, |ring| f64::from(ring.to_km()));
    let share = |test: &dyn Fn(&CitationRadius) -> bool| Share {
        hits: found.iter().filter(|one| test(one)).count(),
        of: found.len(),
    };
    let km = |one: &CitationRadius| one.citation_radius_km.unwrap_or(f64::NAN);
    let near = share(&|one| (truth / 2.0..=truth * 2.0).contains(&km(one)));
    let censored = share(&|one| one.censored);
    let holds = share(&|one| {
        one.radius_range_km
            .is_some_and(|[low, high]| low <= truth.min(edge) && truth.min(edge) <= high)
    });
    let mut all: Vec<f64> = found.iter().map(km).collect();
    all.sort_by(f64::total_cmp);
    let median = all.get(all.len() / 2).copied().unwrap_or(f64::NAN);
    println!(
        "| 1–{most} | {truth} | {:.2} | {:.2} | {:.2} | {median} | {:.2} |",
        near.value(),
        censored.value(),
        share(&|one| one.at_most).value(),
        holds.value()
    );
    let name = format!("radius, rings 1 to {most}, truth {truth} km");
    if truth > edge {
        goals.check(&format!("{name}: at least"), censored.both(), (0.85, 1.0));
        return;
    }
    let goal = match (most, truth) {
        (_, truth) if truth < 10.0 => 0.0,
        (_, 10.0) => 0.75,
        (2, _) => 0.8,
        _ => 0.85,
    };
    goals.check(&format!("{name}: within a factor of 2"), near.both(), (goal, 1.0));
    if truth >= 10.0 {
        goals.check(&format!("{name}: range holds it"), holds.both(), (0.7, 0.92));
    }
}

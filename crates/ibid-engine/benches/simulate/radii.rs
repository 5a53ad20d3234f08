//! The citation radius against a truth that is known.

use crate::draws::Draws;
use crate::{Goals, two_errors};
use ibid_engine::radius::{CitationRadius, MarketCount, RingCount, citation_radius};
use ibid_model::Ring;

/// Standard deviation between markets of one distance, in log-odds.
const MARKET_NOISE: f64 = 0.5;
/// Correlation of the answers to one question.
const QUESTION_NOISE: f64 = 0.4;
/// Keywords a market, each asked of three models: the default counts.
const KEYWORDS: u32 = 5;
const MODELS: usize = 3;

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
                    (1, _) => draws.between(5.0, 25.0),
                    _ => draws.between(f64::from(ring.from_km()), f64::from(ring.to_km())),
                };
                let rate = rate(km, radius, curve);
                let odds = (rate / (1.0 - rate)).ln() + MARKET_NOISE * draws.normal();
                let rate = 1.0 / (1.0 + (-odds).exp());
                let cited = (0..KEYWORDS).flat_map(|_| draws.answers(MODELS, rate, QUESTION_NOISE));
                MarketCount {
                    distance_km: km,
                    cited: cited.filter(|cited| *cited).count() as u32,
                    answered: KEYWORDS * MODELS as u32,
                    questions: KEYWORDS,
                }
            });
            Some(RingCount {
                ring,
                markets: markets.collect(),
            })
        })
        .collect()
}

pub(crate) fn run(sims: usize, goals: &mut Goals) {
    println!("## Citation radius ({} draws a row)\n", sims * CURVES.len());
    println!(
        "| Rings | Truth, km | Within a factor of 2 | At least | Under 10 km | Median | 80 % range holds it |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (most, truths) in [
        (5_u8, &[5.0, 10.0, 20.0, 40.0, 80.0, 150.0, 300.0][..]),
        (2, &[5.0, 10.0, 20.0, 40.0, 75.0, 100.0, 200.0]),
    ] {
        let edge = Ring::new(most).map_or(0.0, |ring| f64::from(ring.to_km()));
        for &truth in truths {
            let mut draws = Draws::new(u64::from(most) * 1_000 + truth as u64);
            let found: Vec<CitationRadius> = (0..sims)
                .flat_map(|_| CURVES)
                .enumerate()
                .map(|(n, curve)| citation_radius(&rings(most, truth, curve, &mut draws), n as u64))
                .collect();
            let share = |test: &dyn Fn(&CitationRadius) -> bool| {
                found.iter().filter(|one| test(one)).count() as f64 / found.len() as f64
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
                "| 1–{most} | {truth} | {near:.2} | {censored:.2} | {:.2} | {median} | {holds:.2} |",
                share(&|one| one.at_most)
            );
            let slack = two_errors(near, found.len());
            let name = format!("radius, rings 1 to {most}, truth {truth} km");
            if truth > edge {
                let slack = two_errors(censored, found.len());
                goals.check(
                    censored + slack >= 0.85,
                    format!("{name}: at least, {censored:.2}"),
                );
                continue;
            }
            let goal = match (most, truth) {
                (_, truth) if truth < 10.0 => 0.0,
                (_, 10.0) => 0.75,
                (2, _) => 0.8,
                _ => 0.85,
            };
            goals.check(
                near + slack >= goal,
                format!("{name}: within a factor of 2, {near:.2}"),
            );
            if truth >= 10.0 {
                let slack = two_errors(holds, found.len());
                let met = holds + slack >= 0.7 && holds - slack <= 0.92;
                goals.check(met, format!("{name}: range holds it, {holds:.2}"));
            }
        }
    }
    println!();
}

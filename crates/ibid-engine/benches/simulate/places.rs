//! Table Towns: towns that are called lost.

use crate::draws::{Draws, Kind, REAL, World};
use crate::goals::{Goals, Mean, Share, Size, on_all_cores};
use ibid_engine::score::towns::{Answers, LEAST_CHANCE, rates};

const MODELS: usize = 3;
/// Questions a model in each town, and questions a model at home beside the town's own.
const EACH: (usize, usize) = (5, 3);
/// Towns of five rings without home's.
const TOWNS: usize = 5;
/// The distance from home at which a town is lost.
const LOST: f64 = 0.10;

/// How the rates of towns differ from home's.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    None,
    /// By chance, as towns of one distance do: half a unit of log-odds.
    Differing,
    /// By half a unit of log-odds with each ring.
    Gentle,
    /// By a unit and a half.
    Steep,
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(600);
    println!("\n## Towns ({sims} scans a cell; homes of .05 to .85)\n");
    println!(
        "| Towns | Called lost, a scan | False share | Lost towns found | Range of a town holds its rate |"
    );
    println!("|---|---|---|---|---|");
    let homes = [0.05, 0.1, 0.3, 0.5, 0.7, 0.85];
    let (mut called, mut wrong) = (Share::default(), Share::default());
    let (mut found_all, mut quiet) = (Share::default(), Mean::default());
    for pattern in [Pattern::None, Pattern::Differing, Pattern::Gentle, Pattern::Steep] {
        let found = on_all_cores(&homes, |&home| simulate(home, pattern, sims));
        let (mut each, mut false_ones, mut lost, mut held) = (
            Mean::default(),
            Share::default(),
            Share::default(),
            Share::default(),
        );
        for (home, found) in homes.iter().zip(&found) {
            if matches!(pattern, Pattern::None) && *home <= 0.1 {
                quiet.add(found.calls.value());
            }
            each.add(found.calls.value());
            add(&mut false_ones, found.wrong);
            add(&mut lost, found.found);
            add(&mut held, found.held);
        }
        add(
            &mut called,
            Share {
                hits: false_ones.of,
                of: sims * homes.len(),
            },
        );
        add(&mut wrong, false_ones);
        add(&mut found_all, lost);
        println!(
            "| {pattern:?} | {:.3} | {:.2} | {} | {:.3} |",
            each.value(),
            false_ones.value(),
            if lost.of > 0 {
                format!("{:.2}", lost.value())
            } else {
                String::new()
            },
            held.value()
        );
    }
    println!(
        "| all | {:.3} | {:.3} | {:.2} | |",
        called.value(),
        wrong.value(),
        found_all.value()
    );
    goals.check(
        "towns, false moves a scan at homes of .05 and .1",
        (quiet.value(), 0.002),
        (0.0, 0.01),
    );
    goals.check("towns, false share", wrong.both(), (0.0, 0.10));
    goals.check("towns, found", found_all.both(), (0.30, 1.0));
}

fn add(all: &mut Share, one: Share) {
    all.hits += one.hits;
    all.of += one.of;
}

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Towns called lost, by scan.
    calls: Mean,
    /// Those that are not, of all called lost.
    wrong: Share,
    /// Lost towns that were called so.
    found: Share,
    /// Ranges of towns that hold the rate.
    held: Share,
}

fn simulate(home: f64, pattern: Pattern, sims: usize) -> Found {
    let seed = (home * 100.0) as u64 + ((pattern as u64) << 32);
    let mut draws = Draws::new(seed);
    let mut result = Found::default();
    for _ in 0..sims {
        let odds = (home / (1.0 - home)).ln();
        let rate = |town: usize, draws: &mut Draws| {
            let moved = match pattern {
                Pattern::None => 0.0,
                Pattern::Differing => 0.5 * draws.normal(),
                Pattern::Gentle => -0.5 * (town + 1) as f64,
                Pattern::Steep => -1.5 * (town + 1) as f64,
            };
            1.0 / (1.0 + (-(odds + moved)).exp())
        };
        let truths: Vec<f64> = (0..TOWNS).map(|town| rate(town, &mut draws)).collect();
        let at_home = answers(home, EACH.0 + EACH.1, &mut draws);
        let towns: Vec<Answers> = truths
            .iter()
            .map(|rate| answers(*rate, EACH.0, &mut draws))
            .collect();
        let mut calls = 0.0;
        for (truth, place) in truths.iter().zip(rates(at_home, &towns).iter().skip(1)) {
            let (is_lost, called) = (*truth <= home - LOST, place.lost >= LEAST_CHANCE);
            if called {
                calls += 1.0;
                result.wrong.add(!is_lost);
            }
            if is_lost {
                result.found.add(called);
            }
            result
                .held
                .add(place.range.0 <= *truth && *truth <= place.range.1);
        }
        result.calls.add(calls);
    }
    result
}

fn answers(rate: f64, each: usize, draws: &mut Draws) -> Answers {
    let world = World::new(Kind::Rate, rate, MODELS, REAL);
    let all = each * MODELS;
    let cited = (0..all).filter(|answer| {
        let (common, own) = (draws.normal(), draws.normal());
        let latent = world.latent(common, own, draws);
        world.score(answer % MODELS, latent) > 0.0
    });
    Answers {
        answers: all as u32,
        cited: cited.count() as u32,
        questions: all as u32,
    }
}

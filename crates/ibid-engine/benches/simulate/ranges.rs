//! Tables Range and Design: the coverage and the width of the 95 % range of a score.

use crate::draws::{Draws, Kind, MOCK, Noise, REAL, World};
use crate::goals::{Goals, Mean, Share, Size, on_all_cores};
use ibid_engine::score::interval::{Scored, of_answers};

const RATES: [f64; 9] = [0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95];
const MODELS: [usize; 3] = [1, 3, 6];
const EACH: [usize; 5] = [1, 2, 3, 8, 10];

/// The answers of a scan: each model to `each` questions, its own or those of all.
pub(crate) fn scan(world: &World, each: usize, shared: bool, draws: &mut Draws) -> Vec<Scored> {
    let models = world.models();
    let mut answers = Vec::with_capacity(models * each);
    for question in 0..each {
        let mut common = draws.normal();
        for model in 0..models {
            if !shared {
                common = draws.normal();
            }
            let own = draws.normal();
            let latent = world.latent(common, own, draws);
            answers.push(Scored {
                model,
                question: if shared {
                    question
                } else {
                    question * models + model
                },
                score: world.score(model, latent),
            });
        }
    }
    answers
}

#[derive(Clone, Copy)]
struct Cell {
    kind: Kind,
    rate: f64,
    models: usize,
    each: usize,
    shared: bool,
    noise: Noise,
}

#[derive(Clone, Copy, Default)]
struct Found {
    held: Share,
    width: Mean,
    mean: Mean,
}

fn simulate(cell: &Cell, sims: usize) -> Found {
    let world = World::new(cell.kind, cell.rate, cell.models, cell.noise);
    let seed = cell.models * 10_000 + cell.each * 100 + (cell.rate * 100.0) as usize;
    let mut draws = Draws::new(seed as u64 + ((cell.kind as u64) << 32) + (u64::from(cell.shared) << 40));
    let mut found = Found::default();
    for _ in 0..sims {
        if let Some(range) = of_answers(&scan(&world, cell.each, cell.shared, &mut draws)) {
            let truth = world.truth();
            found
                .held
                .add(range.low <= truth + 1e-12 && truth <= range.high + 1e-12);
            found.width.add(range.high - range.low);
            found.mean.add(range.mean);
        }
    }
    found
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(800);
    println!("## Range ({sims} draws a cell): least and greatest coverage, mean width at rates .3 to .7\n");
    println!(
        "| Questions | Kind | Models | {} |",
        EACH.map(|n| format!("{n} each")).join(" | ")
    );
    println!("|---|---|---|{}", "---|".repeat(EACH.len()));
    for shared in [false, true] {
        for kind in Kind::ALL {
            for models in MODELS {
                row(kind, models, shared, sims, goals);
            }
        }
    }
    design(sims, goals);
}

fn row(kind: Kind, models: usize, shared: bool, sims: usize, goals: &mut Goals) {
    let cells: Vec<Cell> = EACH
        .iter()
        .flat_map(|&each| {
            RATES.map(|rate| Cell {
                kind,
                rate,
                models,
                each,
                shared,
                noise: REAL,
            })
        })
        .collect();
    let found = on_all_cores(&cells, |cell| simulate(cell, sims));
    let texts = cells.chunks(RATES.len()).zip(found.chunks(RATES.len()));
    let texts: Vec<String> = texts.map(|(cells, found)| text(cells, found, goals)).collect();
    let questions = if shared { "shared" } else { "own" };
    println!("| {questions} | {kind:?} | {models} | {} |", texts.join(" | "));
}

fn text(cells: &[Cell], found: &[Found], goals: &mut Goals) -> String {
    let (mut least, mut most, mut width) = (1.0_f64, 0.0_f64, Mean::default());
    for (cell, found) in cells.iter().zip(found) {
        let Cell {
            kind,
            rate,
            models,
            each,
            shared,
            ..
        } = *cell;
        let (held, error) = found.held.both();
        (least, most) = (least.min(held), most.max(held));
        let name = format!("range, {kind:?} {rate}, {models} x {each}, shared {shared}");
        let low = if kind == Kind::Graded && rate >= 0.9 {
            0.91
        } else {
            0.93
        };
        let middle = (0.25..0.75).contains(&rate);
        let questions = if shared { each } else { models * each };
        let high = if middle && questions >= 24 { 0.99 } else { 1.0 };
        goals.check(&format!("{name}: coverage"), (held, error), (low, high));
        if middle {
            width.add(100.0 * found.width.value());
            if models * each >= 9 && !shared {
                let ratio = found.width.value() / (3.92 * found.mean.sd());
                let error = ratio
                    * found
                        .width
                        .relative_error()
                        .hypot(found.mean.relative_error_of_sd());
                goals.check(&format!("{name}: width over 3.92 sd"), (ratio, error), (0.0, 1.2));
            }
        }
    }
    format!("{least:.3}–{most:.3}, {:.0}", width.value())
}

/// The spread of the mean with own questions over that with shared ones, at the same number of calls.
fn design(sims: usize, goals: &mut Goals) {
    println!(
        "\n## Design: sd of the score with own over that with shared questions; mean width of the range\n"
    );
    println!("| Models x questions | Noise | sd | Width, shared | Width, own |");
    println!("|---|---|---|---|---|");
    // Models, questions, the most that the ratio and the width may be.
    let designs = [
        (3, 3, 0.85, 48.0),
        (3, 8, 0.85, 29.0),
        (3, 10, 0.85, 26.0),
        (6, 3, 0.85, 35.0),
        (6, 10, 0.75, 18.0),
    ];
    for noise in [REAL, MOCK] {
        for (models, each, most, widest) in designs {
            let cell = |kind, rate, shared| Cell {
                kind,
                rate,
                models,
                each,
                shared,
                noise,
            };
            let cells: Vec<Cell> = [false, true]
                .into_iter()
                .flat_map(|shared| {
                    Kind::SCORES
                        .into_iter()
                        .flat_map(move |kind| [0.3, 0.5, 0.7].map(|rate| cell(kind, rate, shared)))
                })
                .collect();
            let found = on_all_cores(&cells, |cell| simulate(cell, sims));
            let (own, shared) = found.split_at(cells.len() / 2);
            let (mut ratio, mut own_width, mut shared_width) =
                (Mean::default(), Mean::default(), Mean::default());
            for (own, shared) in own.iter().zip(shared) {
                ratio.add(own.mean.sd() / shared.mean.sd());
                own_width.add(100.0 * own.width.value());
                shared_width.add(100.0 * shared.width.value());
            }
            let error = ratio.value() / (sims as f64 * own.len() as f64).sqrt();
            goals.check(
                &format!("design, {models} x {each}, {}", noise.name),
                (ratio.value(), error),
                (0.0, most),
            );
            goals.check(
                &format!("width, {models} x {each}, {}", noise.name),
                (own_width.value(), 0.2),
                (0.0, widest),
            );
            println!(
                "| {models} x {each} | {} | {:.2} | {:.1} | {:.1} |",
                noise.name,
                ratio.value(),
                shared_width.value(),
                own_width.value()
            );
        }
    }
}

//! Table Stopping: scans that ask until their range is narrow enough.

use crate::draws::{Draws, Kind, REAL, World};
use crate::goals::{Goals, Mean, Share, Size, on_all_cores};
use ibid_engine::score::interval::{Scored, of_answers};
use ibid_engine::score::stop::{calls, next_batch};

const MODELS: usize = 3;

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(400);
    println!("\n## Stopping ({sims} draws a cell)\n");
    println!("| Width | Coverage: mean, least | Mean width | Answers: mean, most | At worst |");
    println!("|---|---|---|---|---|");
    let cells: Vec<(Kind, f64)> = Kind::ALL
        .into_iter()
        .flat_map(|kind| [0.1, 0.3, 0.5, 0.7, 0.9].map(|rate| (kind, rate)))
        .collect();
    for width in [40.0, 30.0, 20.0] {
        let found = on_all_cores(&cells, |&cell| simulate(width, cell, sims));
        let (mut all, mut widths, mut answers) = (Share::default(), Mean::default(), Mean::default());
        let (mut least, mut most) = (1.0_f64, 0.0_f64);
        for ((kind, rate), (held, wide, asked)) in cells.iter().zip(&found) {
            let name = format!("stopping at {width}, {kind:?} {rate}");
            goals.check(&name, held.both(), (0.90, 1.0));
            all = Share {
                hits: all.hits + held.hits,
                of: all.of + held.of,
            };
            widths.add(wide.value());
            if *kind != Kind::Rate {
                answers.add(asked.value());
            }
            (least, most) = (least.min(held.value()), most.max(asked.value()));
        }
        let worst = 1.15 * 21_000.0 / (width * width);
        goals.check(
            &format!("stopping at {width}: answers"),
            (answers.value(), 0.0),
            (0.0, worst),
        );
        goals.check(&format!("stopping at {width}"), all.both(), (0.95, 1.0));
        println!(
            "| {width} | {:.3}, {least:.3} | {:.0} | {:.0}, {most:.0} | {} |",
            all.value(),
            100.0 * widths.value(),
            answers.value(),
            calls(width)
        );
    }
}

fn simulate(width: f64, (kind, rate): (Kind, f64), sims: usize) -> (Share, Mean, Mean) {
    let world = World::new(kind, rate, MODELS, REAL);
    let seed = width as usize * 1000 + (rate * 100.0) as usize;
    let mut draws = Draws::new(seed as u64 + ((kind as u64) << 40));
    let (mut held, mut widths, mut asked) = (Share::default(), Mean::default(), Mean::default());
    for _ in 0..sims {
        let mut answers: Vec<Scored> = Vec::new();
        loop {
            let batch = next_batch(width, MODELS, answers.len(), usize::MAX);
            for question in answers.len()..answers.len() + batch * MODELS {
                let (common, own) = (draws.normal(), draws.normal());
                let latent = world.latent(common, own, &mut draws);
                let model = question % MODELS;
                answers.push(Scored {
                    model,
                    question,
                    score: world.score(model, latent),
                });
            }
            let Some(range) = of_answers(&answers) else { break };
            if 100.0 * (range.high - range.low) <= width {
                let truth = world.truth();
                held.add(range.low <= truth && truth <= range.high);
                widths.add(range.high - range.low);
                asked.add(answers.len() as f64);
                break;
            }
        }
    }
    (held, widths, asked)
}

//! Table Actions: whether something that was done moved the questions that it touched.

use crate::draws::{Draws, Kind, REAL, World};
use crate::goals::{Goals, Share, Size, on_all_cores};
use ibid_engine::history::{ActionRun, ActionVerdict, effect, visible};
use ibid_engine::score::interval::Scored;
use ibid_engine::score::statistics::student;

const MODELS: usize = 3;

/// Questions that are touched and not, and runs before and after.
#[derive(Clone, Copy, Debug)]
struct Design {
    questions: (usize, usize),
    runs: (usize, usize),
}

/// What happens when the action is done, in points.
#[derive(Clone, Copy, Debug, Default)]
struct Happening {
    /// To the touched questions.
    touched: f64,
    /// To all.
    all: f64,
    /// The latent move of all answers in a week.
    weeks: f64,
    /// Whether the questions are picked where they did worst in the run before.
    worst: bool,
}

const CELLS: [(Kind, f64); 4] = [
    (Kind::Rate, 0.3),
    (Kind::Rate, 0.5),
    (Kind::Podium, 0.5),
    (Kind::Graded, 0.6),
];

/// The draws that are called moved, by the difference of differences and by the touched questions alone.
fn moved(design: Design, happening: Happening, (kind, rate): (Kind, f64), sims: usize) -> [Share; 2] {
    let Design { questions, runs } = design;
    let later = |points: f64| {
        World::new(
            kind,
            (rate + points / 100.0 / kind.cited()).clamp(0.01, 0.99),
            MODELS,
            REAL,
        )
    };
    let (before, rest, own) = (
        later(0.0),
        later(happening.all),
        later(happening.all + happening.touched),
    );
    let seed = questions.0 * 10_000 + runs.1 * 100 + (rate * 100.0) as usize;
    let mut draws = Draws::new(seed as u64 + ((kind as u64) << 40) + ((happening.touched as u64) << 44));
    let mut found = [Share::default(); 2];
    for _ in 0..sims {
        let all = questions.0 + questions.1;
        let mut parts: Vec<[(f64, f64); MODELS]> = (0..all)
            .map(|_| {
                let common = draws.normal();
                [(); MODELS].map(|()| (common, draws.normal()))
            })
            .collect();
        let answer = |world: &World,
                      question: &[(f64, f64); MODELS],
                      shock: f64,
                      draws: &mut Draws|
         -> [f64; MODELS] {
            let mut model = 0;
            question.map(|(common, own)| {
                let latent = world.latent(common, own, draws) + shock;
                model += 1;
                world.score(model - 1, latent)
            })
        };
        if happening.worst {
            let sums: Vec<f64> = parts
                .iter()
                .map(|question| answer(&before, question, 0.0, &mut draws).iter().sum())
                .collect();
            let mut order: Vec<usize> = (0..all).collect();
            order.sort_by(|first, second| sums[*first].total_cmp(&sums[*second]));
            parts = order.into_iter().map(|question| parts[question]).collect();
        }
        let run = |worlds: (&World, &World), draws: &mut Draws| -> ActionRun {
            let shock = happening.weeks * draws.normal();
            let mut run = ActionRun::default();
            for (number, question) in parts.iter().enumerate() {
                let is_touched = number < questions.0;
                let world = if is_touched { worlds.0 } else { worlds.1 };
                let scores = answer(world, question, shock, draws);
                let scored = scores.iter().enumerate().map(|(model, score)| Scored {
                    model,
                    question: number,
                    score: *score,
                });
                match is_touched {
                    true => run.touched.extend(scored),
                    false => run.controls.extend(scored),
                }
            }
            run
        };
        let first: Vec<ActionRun> = (0..runs.0).map(|_| run((&before, &before), &mut draws)).collect();
        let second: Vec<ActionRun> = (0..runs.1).map(|_| run((&own, &rest), &mut draws)).collect();
        let verdict = effect(&first, &second).map(|effect| effect.verdict);
        found[0].add(verdict == Some(ActionVerdict::Moved));
        found[1].add(is_plainly_moved(&first, &second, questions.0));
    }
    found
}

/// A comparison of the touched questions before and after, as it is done without controls.
fn is_plainly_moved(before: &[ActionRun], after: &[ActionRun], questions: usize) -> bool {
    let mean = |runs: &[ActionRun], question: usize| {
        let answers = runs.iter().flat_map(|run| &run.touched);
        let scores = answers.filter(|answer| answer.question == question);
        let (sum, n) = scores.fold((0.0, 0.0), |(sum, n), answer| (sum + answer.score, n + 1.0));
        sum / n
    };
    let changes: Vec<f64> = (0..questions)
        .map(|question| mean(after, question) - mean(before, question))
        .collect();
    let n = changes.len() as f64;
    let change = changes.iter().sum::<f64>() / n;
    let squares: f64 = changes.iter().map(|one| (one - change).powi(2)).sum();
    change.abs() > student(0.975, n - 1.0) * (squares / (n - 1.0) / n).sqrt()
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(120);
    println!(
        "\n## Actions ({sims} draws a cell): called moved, mean over kinds of answers; in brackets without controls\n"
    );
    println!(
        "| Questions | Runs | Nothing, worst picked | Weeks move all | All fell by 10 | +10 points | +15 | +20 | 8 of 10 from |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let nothing = Happening::default();
    let gain = |touched| Happening { touched, ..nothing };
    let happenings = [
        Happening {
            worst: true,
            ..nothing
        },
        Happening {
            weeks: 0.2,
            ..nothing
        },
        Happening {
            all: -10.0,
            ..nothing
        },
        gain(10.0),
        gain(15.0),
        gain(20.0),
    ];
    for (questions, runs) in [
        ((4, 20), (4, 4)),
        ((8, 24), (4, 4)),
        ((8, 24), (2, 8)),
        ((8, 24), (8, 8)),
        ((24, 24), (8, 8)),
    ] {
        let design = Design { questions, runs };
        let mut texts = Vec::new();
        for (at, happening) in happenings.iter().enumerate() {
            let found = on_all_cores(&CELLS, |&cell| moved(design, *happening, cell, sims));
            let mut sums = [Share::default(); 2];
            for ((kind, rate), found) in CELLS.iter().zip(&found) {
                if at < 3 {
                    let name = format!("actions, {questions:?} {runs:?}, nothing {at}, {kind:?} {rate}");
                    goals.check(&name, found[0].both(), (0.0, 0.05));
                }
                for (sum, one) in sums.iter_mut().zip(found) {
                    sum.hits += one.hits;
                    sum.of += one.of;
                }
            }
            texts.push(format!("{:.2} ({:.2})", sums[0].value(), sums[1].value()));
        }
        let seen = visible(questions.0, questions.1, MODELS, runs.0, runs.1);
        if let Some(seen) = seen {
            let found = on_all_cores(&CELLS, |&cell| moved(design, gain(100.0 * seen), cell, sims));
            for ((kind, rate), found) in CELLS.iter().zip(&found) {
                let name = format!("actions, {questions:?} {runs:?}, power, {kind:?} {rate}");
                goals.check(&name, found[0].both(), (0.8, 1.0));
            }
        }
        let seen = seen.map_or_else(
            || "not promised".to_owned(),
            |seen| format!("+{:.0}", 100.0 * seen),
        );
        println!(
            "| {} of {} | {} + {} | {} | {seen} |",
            questions.0,
            questions.0 + questions.1,
            runs.0,
            runs.1,
            texts.join(" | ")
        );
    }
}

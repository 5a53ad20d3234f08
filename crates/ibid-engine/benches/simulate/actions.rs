//! Table Actions: questions that an action touched, against the others of a project that is scanned every week.

use crate::draws::{Draws, Kind, REAL, World};
use crate::goals::{Goals, Share, Size, on_all_cores};
use ibid_engine::actions::{Agreed, Kept, Verdict, judge, power};

const MODELS: usize = 3;
/// The sizes of weekly shocks that move all answers.
const SHOCK: f64 = 0.2;

/// How the touched questions are picked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pick {
    Random,
    /// Those with the lowest scores before, as people do.
    Lowest,
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    touched: usize,
    controls: usize,
    runs: usize,
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(200);
    println!("\n## Actions ({sims} draws a cell): false verdicts, effects that are seen, promised power\n");
    println!(
        "| Touched + controls | Runs before and after | Picked | False moved: mean, worst | Sees 10 points | 20 | Promised for 20 | 30 | Not seen, without an effect |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let plans = [(6, 18, 4), (6, 18, 8), (12, 24, 8), (24, 60, 8), (24, 60, 12)];
    for (touched, controls, runs) in plans {
        let plan = Plan {
            touched,
            controls,
            runs,
        };
        for pick in [Pick::Random, Pick::Lowest] {
            let cells: Vec<(Kind, f64)> = Kind::ALL
                .into_iter()
                .flat_map(|kind| [0.05, 0.2, 0.4, 0.7].map(|rate| (kind, rate)))
                .collect();
            let none = on_all_cores(&cells, |cell| simulate(plan, pick, *cell, 0.0, sims));
            let (mut all, mut worst, mut ruled_out) = (Share::default(), 0.0_f64, Share::default());
            for ((kind, rate), found) in cells.iter().zip(&none) {
                goals.check(
                    &format!(
                        "actions, {touched} + {controls}, {runs} runs, {pick:?}, {kind:?} {rate}: false moved"
                    ),
                    found.moved.both(),
                    (0.0, 0.05),
                );
                worst = worst.max(found.moved.value());
                add(&mut all, found.moved);
                add(&mut ruled_out, found.not_seen);
            }
            let middle: Vec<(Kind, f64)> = Kind::ALL.into_iter().map(|kind| (kind, 0.4)).collect();
            let seen = |effect| {
                let found = on_all_cores(&middle, |cell| simulate(plan, pick, *cell, effect, sims));
                let (mut seen, mut promised) = (Share::default(), 0.0);
                for one in &found {
                    add(&mut seen, one.moved);
                    promised += one.promised / found.len() as f64;
                }
                (seen.value(), promised)
            };
            let (ten, twenty, thirty) = (seen(0.1), seen(0.2), seen(0.3));
            println!(
                "| {touched} + {controls} | {runs} | {pick:?} | {:.3}, {worst:.3} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                all.value(),
                ten.0,
                twenty.0,
                twenty.1,
                thirty.0,
                ruled_out.value()
            );
        }
    }
}

fn add(all: &mut Share, one: Share) {
    all.hits += one.hits;
    all.of += one.of;
}

#[derive(Debug, Default)]
struct Found {
    moved: Share,
    not_seen: Share,
    promised: f64,
}

fn simulate(plan: Plan, pick: Pick, (kind, rate): (Kind, f64), effect: f64, sims: usize) -> Found {
    let world = World::new(kind, rate, MODELS, REAL);
    let seed = (plan.touched * 1_000 + plan.runs * 10) as u64 + ((rate * 100.0) as u64) * 1_000_000;
    let mut draws = Draws::new(seed + ((kind as u64) << 40) + ((effect * 100.0) as u64) * 77);
    let mut found = Found::default();
    for _ in 0..sims {
        // A question is asked to one model, as in a split panel.
        let mut questions: Vec<(usize, f64, f64)> = (0..plan.touched + plan.controls)
            .map(|question| (question % MODELS, draws.normal(), draws.normal()))
            .collect();
        let window = |questions: &[(usize, f64, f64)], draws: &mut Draws| -> Vec<Vec<f64>> {
            let shocks: Vec<f64> = (0..plan.runs).map(|_| SHOCK * draws.normal()).collect();
            let mut scores = Vec::with_capacity(questions.len());
            for (model, common, own) in questions {
                let answers = shocks.iter();
                let answers =
                    answers.map(|shock| world.score(*model, world.latent(*common, *own, draws) + shock));
                scores.push(answers.collect());
            }
            scores
        };
        let mut before = window(&questions, &mut draws);
        if pick == Pick::Lowest {
            let mut order: Vec<usize> = (0..questions.len()).collect();
            let sum = |question: &usize| before[*question].iter().sum::<f64>();
            order.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
            before = order.iter().map(|question| before[*question].clone()).collect();
            questions = order.iter().map(|question| questions[*question]).collect();
        }
        let mut after = window(&questions, &mut draws);
        // An effect raises the rate of answers that did not cite, so that the mean rises by as much as said.
        for scores in after.iter_mut().take(plan.touched) {
            for score in scores {
                if *score == 0.0 && draws.unit() < effect / (1.0 - rate) {
                    *score = 1.0_f64.min(kind.cited() + 1e-9);
                }
            }
        }
        let (touched_before, controls_before) = before.split_at(plan.touched);
        let agreed = Agreed {
            effect: if effect > 0.0 { effect } else { 0.2 },
            runs: plan.runs,
        };
        found.promised += power(agreed, touched_before, controls_before).unwrap_or(0.0) / sims as f64;
        let kept: Vec<Kept> = before
            .into_iter()
            .zip(after)
            .map(|(before, after)| Kept { before, after })
            .collect();
        let (touched, controls) = kept.split_at(plan.touched);
        let verdict = judge(agreed, touched, controls, &[]).verdict;
        found.moved.add(verdict == Verdict::Moved);
        found.not_seen.add(verdict == Verdict::NotSeen);
    }
    found
}

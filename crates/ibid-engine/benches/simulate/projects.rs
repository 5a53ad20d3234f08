//! Tables Level, False alerts and Delay: projects that are scanned every week.

use crate::draws::{Draws, Kind, REAL, World};
use crate::goals::{Goals, Mean, Share, Size, on_all_cores};
use ibid_engine::history::{Detector, level};
use ibid_engine::score::interval::{Scored, of_answers};

/// Models of every project here.
const MODELS: usize = 3;

/// The questions of a project: some kept, some new every run, out of a pool.
#[derive(Clone, Copy, Debug)]
struct Panel {
    kept: usize,
    new: usize,
    pool: Option<usize>,
}

/// A project as its runs go by. Question n is asked to model n % 3.
struct Project {
    panel: Panel,
    /// The latent values of every question asked so far, which stay.
    questions: Vec<(f64, f64)>,
    runs: usize,
}

impl Project {
    const fn new(panel: Panel) -> Self {
        Self {
            panel,
            questions: Vec::new(),
            runs: 0,
        }
    }

    /// The true score: that of the pool, or of all questions if it has no end.
    fn truth(&mut self, world: &World, draws: &mut Draws) -> f64 {
        let Some(pool) = self.panel.pool else {
            return world.truth();
        };
        self.questions = (0..pool).map(|_| (draws.normal(), draws.normal())).collect();
        let parts = self.questions.iter().enumerate();
        let sum: f64 = parts
            .map(|(question, parts)| world.expected(question % MODELS, *parts))
            .sum();
        sum / pool as f64
    }

    /// The next run of a website; all of its answers are moved by `shock`, and one in ten is `missing`.
    fn run(&mut self, world: &World, shock: f64, missing: bool, draws: &mut Draws) -> Vec<Scored> {
        let Panel { kept, new, pool } = self.panel;
        let place = |n: usize| {
            let after = self.runs * new + n;
            kept + pool.map_or(after, |pool| after % (pool - kept))
        };
        let asked: Vec<usize> = (0..kept).chain((0..new).map(place)).collect();
        self.runs += 1;
        let most = asked.iter().copied().max().unwrap_or_default();
        while self.questions.len() <= most {
            self.questions.push((draws.normal(), draws.normal()));
        }
        let mut answers = Vec::with_capacity(asked.len());
        for question in asked {
            let (common, own) = self.questions[question];
            let latent = world.latent(common, own, draws) + shock;
            let model = question % MODELS;
            if !(missing && draws.unit() < 0.1) {
                answers.push(Scored {
                    model,
                    question,
                    score: world.score(model, latent),
                });
            }
        }
        answers
    }
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    levels(size.draws(600), goals);
    false_alerts(size.draws(120), goals);
    delays(size.draws(400), goals);
}

const AFTER: [usize; 4] = [1, 4, 12, 26];

fn levels(sims: usize, goals: &mut Goals) {
    println!("\n## Level ({sims} draws a cell): coverage, mean width, after so many runs without a change\n");
    println!(
        "| Calls | Pool | This run | {} |",
        AFTER.map(|n| format!("{n} runs")).join(" | ")
    );
    println!("|---|---|---|{}", "---|".repeat(AFTER.len()));
    let panel = |kept, new, pool| Panel { kept, new, pool };
    let panels = [
        panel(6, 3, Some(24)),
        panel(6, 3, Some(60)),
        panel(6, 3, None),
        panel(24, 6, Some(60)),
        panel(24, 6, Some(99)),
        panel(24, 6, None),
    ];
    for panel in panels {
        let cells: Vec<(Kind, f64)> = Kind::ALL
            .into_iter()
            .flat_map(|kind| [0.1, 0.3, 0.5, 0.7, 0.9].map(|rate| (kind, rate)))
            .collect();
        let found = on_all_cores(&cells, |&(kind, rate)| level_cell(panel, kind, rate, sims));
        let pool = panel
            .pool
            .map_or("without end".to_owned(), |pool| pool.to_string());
        let calls = format!("{} + {}", panel.kept, panel.new);
        let mut texts = Vec::new();
        for at in 0..=AFTER.len() {
            let (mut least, mut width) = (1.0_f64, Mean::default());
            for ((kind, rate), found) in cells.iter().zip(&found) {
                let (held, _) = found[at];
                least = least.min(held.value());
                if (0.25..0.75).contains(rate) {
                    width.add(100.0 * found[at].1.value());
                }
                let name = format!("level, {calls} of {pool}, {kind:?} {rate}, column {at}");
                goals.check(&name, held.both(), (0.92, 1.0));
            }
            texts.push((least, width.value()));
        }
        let ratio = texts[3].1 / texts[0].1;
        // With a pool of 24, twelve runs ask each question several times.
        let most = if panel.pool.is_some_and(|pool| pool < 99) {
            1.0
        } else {
            0.55
        };
        goals.check(
            &format!("level, {calls} of {pool}: width of 12 runs over that of one"),
            (ratio, 0.005),
            (0.0, most),
        );
        let texts: Vec<String> = texts
            .iter()
            .map(|(least, width)| format!("{least:.3}, {width:.0}"))
            .collect();
        println!("| {calls} | {pool} | {} |", texts.join(" | "));
    }
}

/// Coverage and width of one run, and of the level after each number of runs.
fn level_cell(panel: Panel, kind: Kind, rate: f64, sims: usize) -> Vec<(Share, Mean)> {
    let world = World::new(kind, rate, MODELS, REAL);
    let seed = panel.kept * 100_000 + panel.pool.unwrap_or_default() * 1000 + (rate * 100.0) as usize;
    let mut draws = Draws::new(seed as u64 + ((kind as u64) << 40));
    let mut found = vec![(Share::default(), Mean::default()); AFTER.len() + 1];
    for _ in 0..sims {
        let mut project = Project::new(panel);
        let truth = project.truth(&world, &mut draws);
        let mut runs = Vec::new();
        for _ in 0..AFTER[AFTER.len() - 1] {
            runs.push(project.run(&world, 0.0, false, &mut draws));
            let at = AFTER.iter().position(|after| *after == runs.len());
            let this = if runs.len() == 1 {
                of_answers(&runs[0])
            } else {
                None
            };
            let places = [
                this.map(|range| (0, range)),
                at.and_then(|at| Some((at + 1, level(&runs)?))),
            ];
            for (at, range) in places.into_iter().flatten() {
                found[at]
                    .0
                    .add(range.low <= truth + 1e-9 && truth <= range.high + 1e-9);
                found[at].1.add(range.high - range.low);
            }
        }
    }
    found
}

const KEPT: [usize; 4] = [6, 9, 24, 30];

fn false_alerts(sims: usize, goals: &mut Goals) {
    println!("\n## False alerts a project-year of 52 runs ({sims} projects of two years a cell)\n");
    println!("| Kept calls | Answers missing | Shock 0 | .1 | .2 |");
    println!("|---|---|---|---|---|");
    let rates = [0.05, 0.1, 0.3, 0.5, 0.7, 0.9];
    let cells: Vec<(Kind, f64)> = Kind::ALL
        .into_iter()
        .flat_map(|kind| rates.map(|rate| (kind, rate)))
        .collect();
    for kept in KEPT {
        for missing in [false, true] {
            let mut texts = Vec::new();
            for (shock, most) in [(0.0, 0.6), (0.1, 0.8), (0.2, 1.0)] {
                let found = on_all_cores(&cells, |&(kind, rate)| {
                    alerts(kept, missing, shock, (kind, rate), sims)
                });
                let (mut all, mut worst) = (Mean::default(), 0.0_f64);
                for ((kind, rate), found) in cells.iter().zip(&found) {
                    let name = format!(
                        "false alerts, {kept} kept, missing {missing}, shock {shock}, {kind:?} {rate}"
                    );
                    goals.check(&name, found.both(), (0.0, most));
                    all.add(found.value());
                    worst = worst.max(found.value());
                }
                texts.push(format!("{:.2}, at most {worst:.2}", all.value()));
            }
            let missing = if missing { "one in ten" } else { "none" };
            println!("| {kept} | {missing} | {} |", texts.join(" | "));
        }
    }
}

/// Alerts a year of projects in which only chance moves.
fn alerts(kept: usize, missing: bool, shock: f64, (kind, rate): (Kind, f64), sims: usize) -> Mean {
    let world = World::new(kind, rate, MODELS, REAL);
    let seed = kept * 10_000 + (rate * 100.0) as usize + (shock * 10.0) as usize * 1_000_000;
    let mut draws = Draws::new(seed as u64 + ((kind as u64) << 40) + (u64::from(missing) << 44));
    let mut found = Mean::default();
    for _ in 0..sims {
        let mut project = Project::new(Panel {
            kept,
            new: 0,
            pool: None,
        });
        let mut detector = Detector::new(1);
        let mut count = 0;
        for _ in 0..104 {
            let all = shock * draws.normal();
            let run = project.run(&world, all, missing, &mut draws);
            count += usize::from(detector.push(&run).is_some());
        }
        found.add(count as f64 / 2.0);
    }
    found
}

/// Runs before a change.
const BEFORE: usize = 12;
/// Runs after it that are looked at.
const LATER: [usize; 4] = [2, 4, 8, 12];

fn delays(sims: usize, goals: &mut Goals) {
    println!(
        "\n## Delay ({sims} draws a cell): found by so many runs after a change ({BEFORE} runs before it)\n"
    );
    println!(
        "| Kept calls | Change | {} |",
        LATER.map(|n| format!("run {n}")).join(" | ")
    );
    println!("|---|---|{}", "---|".repeat(LATER.len()));
    let cells: Vec<(Kind, f64)> = vec![
        (Kind::Rate, 0.5),
        (Kind::Podium, 0.6),
        (Kind::Graded, 0.7),
        (Kind::Rate, 0.3),
    ];
    for kept in KEPT {
        for (points, slow) in [(20.0, false), (15.0, false), (10.0, false), (18.0, true)] {
            let found = on_all_cores(&cells, |&cell| noticed(kept, points, slow, cell, sims));
            let mut by = vec![Share::default(); LATER.len()];
            for found in &found {
                for (all, one) in by.iter_mut().zip(found) {
                    all.hits += one.hits;
                    all.of += one.of;
                }
            }
            let name = format!("delay, {kept} kept, -{points}");
            match (kept, points, slow) {
                (30, 15.0, false) => goals.check(&name, by[1].both(), (0.93, 1.0)),
                (30, 10.0, false) => goals.check(&name, by[2].both(), (0.90, 1.0)),
                (9, 20.0, false) => goals.check(&name, by[2].both(), (0.92, 1.0)),
                _ => {}
            }
            let texts: Vec<String> = by.iter().map(|share| format!("{:.2}", share.value())).collect();
            let slow = if slow { " over ten runs" } else { "" };
            println!("| {kept} | −{points}{slow} | {} |", texts.join(" | "));
        }
    }
}

/// The draws in which a fall of some points is noticed, by the number of runs after it.
fn noticed(kept: usize, points: f64, slow: bool, (kind, rate): (Kind, f64), sims: usize) -> Vec<Share> {
    let steps = if slow { 10 } else { 1 };
    let worlds: Vec<World> = (0..=steps)
        .map(|step| {
            let fallen = points / 100.0 * f64::from(step) / f64::from(steps) / kind.cited();
            World::new(kind, rate - fallen, MODELS, REAL)
        })
        .collect();
    let seed = kept * 10_000 + (rate * 100.0) as usize + points as usize * 1_000_000;
    let mut draws = Draws::new(seed as u64 + ((kind as u64) << 40));
    let mut found = vec![Share::default(); LATER.len()];
    for _ in 0..sims {
        let mut project = Project::new(Panel {
            kept,
            new: 0,
            pool: None,
        });
        let mut detector = Detector::new(1);
        let mut first = None;
        for run in 0..BEFORE + LATER[LATER.len() - 1] {
            let step = (run + 1).saturating_sub(BEFORE).min(worlds.len() - 1);
            let answers = project.run(&worlds[step], 0.0, false, &mut draws);
            let fell = detector
                .push(&answers)
                .is_some_and(|change| change.after < change.before);
            if fell && run >= BEFORE && first.is_none() {
                first = Some(run + 1 - BEFORE);
            }
        }
        for (share, later) in found.iter_mut().zip(LATER) {
            share.add(first.is_some_and(|first| first <= later));
        }
    }
    found
}

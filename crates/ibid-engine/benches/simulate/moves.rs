//! Table Moves: what a project can do, in worlds where nothing stands out and in real ones.

use crate::draws::Draws;
use crate::goals::{Goals, Mean, Share, Size, on_all_cores};
use ibid_engine::mentions::{AnswerMentions, Named, ProjectMoveKind, RunMentions, moves};
use ibid_model::ScanId;
use statrs::distribution::{ContinuousCDF, Normal};

const MODELS: usize = 3;
const RIVALS: usize = 20;
const RUNS: [usize; 3] = [4, 8, 12];

/// A project as its answers are drawn: the true rates of the website, and of rivals where answers leave it out.
struct World {
    null: bool,
    shared: bool,
    /// The latent mean of each question and model.
    means: Vec<[f64; MODELS]>,
    rivals: Vec<Vec<f64>>,
    /// The spread of one asking.
    asking: f64,
}

impl World {
    fn draw(null: bool, level: f64, shared: bool, draws: &mut Draws) -> Self {
        let normal = Normal::standard();
        let questions = if shared { 10 } else { 30 };
        let spread = if null { 0.0 } else { 1.0 };
        let mut base = [-0.82, 0.0, 0.82].map(|one: f64| one * spread);
        base.rotate_left((draws.unit() * 3.0) as usize % MODELS);
        if !null && draws.unit() < 0.5 {
            base[(draws.unit() * 3.0) as usize % MODELS] -= 2.5;
        }
        let (mut low, mut high) = (-6.0, 6.0);
        for _ in 0..50 {
            let middle: f64 = (low + high) / 2.0;
            let mean = base.iter().map(|one| normal.cdf(one + middle)).sum::<f64>() / 3.0;
            match mean < level {
                true => low = middle,
                false => high = middle,
            }
        }
        let mut normal_draw = |sd: f64| spread * sd * draws.normal();
        let means = (0..questions)
            .map(|_| {
                let common = normal_draw(0.634_f64.sqrt());
                base.map(|one| one + low + common + normal_draw(0.242_f64.sqrt()))
            })
            .collect();
        let all = if null { 1.0 } else { (1.0_f64 + 0.81 + 0.16).sqrt() };
        let rivals = (0..questions)
            .map(|_| {
                let rate = |at: usize| 0.45 / ((at + 1) as f64).powf(0.8);
                (0..RIVALS)
                    .map(|at| normal.inverse_cdf(rate(at)) * all + normal_draw(0.9))
                    .collect()
            })
            .collect();
        Self {
            null,
            shared,
            means,
            rivals,
            asking: if null { 1.0 } else { 0.124_f64.sqrt() },
        }
    }

    fn models(&self, question: usize) -> impl Iterator<Item = usize> + use<> {
        let shared = self.shared;
        (0..MODELS).filter(move |model| shared || question % MODELS == *model)
    }

    fn run(&self, draws: &mut Draws) -> RunMentions {
        let mut answers = Vec::new();
        for (question, means) in self.means.iter().enumerate() {
            for model in self.models(question) {
                let names = self.rivals[question].iter().enumerate();
                let names = names.filter(|(_, mean)| *mean + draws.normal() > 0.0);
                let names: Vec<Named> = names
                    .map(|(at, _)| Named {
                        name: format!("Rival {}", (b'A' + at as u8) as char),
                        domain: Some(format!("rival-{at}.example")),
                    })
                    .collect();
                answers.push(AnswerMentions {
                    id: String::new(),
                    kind: String::new(),
                    question: format!("Question {question}?"),
                    model: format!("model-{model}")
                        .parse()
                        .unwrap_or_else(|_| unreachable!()),
                    cites_target: means[model] + self.asking * draws.normal() > 0.0,
                    names,
                    pages: Vec::new(),
                });
            }
        }
        RunMentions { answers }
    }

    fn rate(&self, question: usize, model: usize) -> f64 {
        Normal::standard().cdf(self.means[question][model] / self.asking)
    }

    fn question(&self, question: usize) -> f64 {
        let rates: Vec<f64> = self
            .models(question)
            .map(|model| self.rate(question, model))
            .collect();
        rates.iter().sum::<f64>() / rates.len() as f64
    }

    fn rival(&self, question: usize, rival: usize) -> f64 {
        Normal::standard().cdf(self.rivals[question][rival])
    }

    fn model(&self, model: usize) -> f64 {
        let questions =
            (0..self.means.len()).filter(|question| self.models(*question).any(|one| one == model));
        let rates: Vec<f64> = questions.map(|question| self.rate(question, model)).collect();
        rates.iter().sum::<f64>() / rates.len() as f64
    }

    fn others(&self, model: usize) -> f64 {
        let others = (0..MODELS)
            .filter(|other| *other != model)
            .map(|other| self.model(other));
        others.sum::<f64>() / (MODELS - 1) as f64
    }
}

#[derive(Clone, Default)]
struct Found {
    moves: Mean,
    /// Projects with any false one.
    any_false: Share,
    lost_false: Share,
    lost: Share,
    blind_false: Share,
    blind: Share,
    /// "Below half of the others", untested.
    half_false: Share,
}

fn cell((null, level, shared, runs): (bool, f64, bool, usize), sims: usize) -> Found {
    let seed = runs + 100 * usize::from(shared) + 1_000 * usize::from(null) + (level * 1e6) as usize;
    let mut draws = Draws::new(seed as u64);
    let mut found = Found::default();
    for _ in 0..sims {
        let world = World::draw(null, level, shared, &mut draws);
        let runs: Vec<(ScanId, RunMentions)> = (0..runs)
            .map(|_| (ScanId::random(), world.run(&mut draws)))
            .collect();
        let told = moves(&runs, &[], 4.0, str::to_owned);
        let (mut named, mut blind, mut is_false) = (Vec::new(), Vec::new(), false);
        for one in &told.moves {
            match one.kind {
                ProjectMoveKind::LostToRival => {
                    let rival = one.subject.rival.as_deref().and_then(|name| name.bytes().last());
                    let rival = usize::from(rival.unwrap_or(b'A') - b'A');
                    for text in &one.subject.questions {
                        let number = text.trim_start_matches("Question ").trim_end_matches('?');
                        let question: usize = number.parse().unwrap_or_default();
                        let right = world.question(question) < 0.25 && world.rival(question, rival) > 0.5;
                        found.lost_false.add(!right);
                        is_false |= !right;
                        named.push(question);
                    }
                }
                ProjectMoveKind::BlindModel => {
                    let model = one.subject.model.as_deref().and_then(|name| name.bytes().last());
                    let model = usize::from(model.unwrap_or(b'0') - b'0');
                    let right = world.model(model) < 0.7 * world.others(model);
                    found.blind_false.add(!right);
                    is_false |= !right;
                    blind.push(model);
                }
            }
        }
        for question in 0..world.means.len() {
            let is_lost = (0..8).any(|rival| world.rival(question, rival) > 0.6);
            if world.question(question) < 0.2 && is_lost {
                found.lost.add(named.contains(&question));
            }
        }
        let mut any_half = false;
        for model in 0..MODELS {
            if world.model(model) < 0.4 * world.others(model) && world.others(model) > 0.2 {
                found.blind.add(blind.contains(&model));
            }
            let rate = |of: &dyn Fn(usize) -> bool| {
                let answers = runs.iter().flat_map(|(_, run)| &run.answers);
                let answers: Vec<bool> = answers
                    .filter(|answer| {
                        of(usize::from(
                            answer.model.as_str().bytes().last().unwrap_or(b'0') - b'0',
                        ))
                    })
                    .map(|answer| answer.cites_target)
                    .collect();
                answers.iter().filter(|cites| **cites).count() as f64 / answers.len().max(1) as f64
            };
            let is_half = rate(&|one| one == model) < 0.5 * rate(&|one| one != model);
            any_half |= is_half && world.model(model) >= 0.7 * world.others(model);
        }
        found.half_false.add(any_half);
        found.any_false.add(is_false);
        found.moves.add(told.moves.len() as f64);
    }
    found
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(60);
    println!("\n## Moves ({sims} draws a cell)\n");
    println!(
        "| World, level, questions | Runs | Moves | Any false | Lost: found; share false | Blind: found; share false | A model \"under half\", untested: false |"
    );
    println!("|---|---|---|---|---|---|---|");
    for null in [true, false] {
        for level in [0.12, 0.35, 0.6] {
            for shared in [true, false] {
                let cells = RUNS.map(|runs| (null, level, shared, runs));
                let found = on_all_cores(&cells, |cell_of| cell(*cell_of, sims));
                for ((.., runs), found) in cells.iter().zip(found) {
                    let world = if null { "null" } else { "real" };
                    let questions = if shared { "10 shared" } else { "30 own" };
                    let name = format!("moves, {world} {level}, {questions}, {runs} runs");
                    if null {
                        goals.check(&name, found.any_false.both(), (0.0, 0.10));
                    } else {
                        goals.check(&format!("{name}: lost"), found.lost_false.both(), (0.0, 0.10));
                        goals.check(&format!("{name}: blind"), found.blind_false.both(), (0.0, 0.10));
                    }
                    println!(
                        "| {world}, {level}, {questions} | {runs} | {:.1} | {:.2} | {:.2}; {:.2} | {:.2}; {:.2} | {:.2} |",
                        found.moves.value(),
                        found.any_false.value(),
                        found.lost.value(),
                        found.lost_false.value(),
                        found.blind.value(),
                        found.blind_false.value(),
                        found.half_false.value(),
                    );
                }
            }
        }
    }
}

//! What a project could do: how often a move is told where there is none, and how many of those told are wrong.

use crate::draws::Draws;
use crate::goals::{Goals, Share, Size, on_all_cores};
use ibid_engine::mentions::{AnswerMentions, Named, ProjectMove, RunMentions, moves};
use ibid_model::{ModelAlias, ScanId};
use std::collections::BTreeSet;

const RUNS: usize = 8;
const MODELS: [&str; 3] = ["openai", "gemini", "perplexity"];
const RIVALS: usize = 12;
/// The question of each world that is lost, and the model that is blind.
const LOST: usize = 2;
const BLIND: usize = 1;

/// What is true of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum World {
    /// Questions and rivals differ by their own; none is lost, and no model is blind.
    Null,
    /// Three questions of ten are lost to the first rival.
    Lost,
    /// One model names the website a fifth as often.
    Blind,
}

/// What was found in the draws of a world.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Draws with a move that is wrong, and those by the plain rule.
    draws: (Share, Share),
    /// Wrong ones among the moves told, and among those of the plain rule.
    told: (Share, Share),
    /// What is true was told.
    right: Share,
}

/// A rate for a question around a level, between 0 and 1.
fn rate(level: f64, spread: f64, draws: &mut Draws) -> f64 {
    let logit = (level / (1.0 - level)).ln() + spread * draws.normal();
    1.0 / (1.0 + (-logit).exp())
}

/// The answers of some runs, and the questions that are lost.
fn world(
    world: World,
    questions: usize,
    draws: &mut Draws,
) -> (Vec<(ScanId, RunMentions)>, BTreeSet<String>) {
    let level = 0.3 + 0.3 * draws.unit();
    let mut lost = BTreeSet::new();
    let mut asked = Vec::new();
    for at in 0..questions {
        let text = format!("question {at}");
        let is_lost = world == World::Lost && at % 10 < LOST + 1;
        let own = match is_lost {
            true => 0.08,
            false => rate(level, 0.8, draws).max(0.3),
        };
        let rivals: Vec<f64> = (0..RIVALS)
            .map(|rival| match is_lost && rival == 0 {
                true => 0.8,
                false => rate(0.35 / (1.0 + rival as f64).sqrt(), 0.7, draws).min(0.45),
            })
            .collect();
        if is_lost {
            lost.insert(text.clone());
        }
        asked.push((text, own, rivals));
    }
    let mut runs = Vec::new();
    for run in 0..RUNS {
        let mut answers = Vec::new();
        for (text, own, rivals) in &asked {
            for (at, model) in MODELS.iter().enumerate() {
                let blind = world == World::Blind && at == BLIND;
                let own = if blind { own / 5.0 } else { *own };
                let names = rivals
                    .iter()
                    .enumerate()
                    .filter(|(_, rate)| draws.unit() < **rate);
                let names: Vec<Named> = names
                    .map(|(rival, _)| Named {
                        name: format!("Rival {}", char::from(b'A' + rival as u8)),
                        domain: None,
                    })
                    .collect();
                let Ok(model) = model.parse::<ModelAlias>();
                answers.push(AnswerMentions {
                    id: text.clone(),
                    kind: String::new(),
                    question: text.clone(),
                    model,
                    cites_target: draws.unit() < own,
                    names,
                    pages: Vec::new(),
                });
            }
        }
        let read = RunMentions {
            answers,
            ..RunMentions::default()
        };
        runs.push((ScanId::from_bytes([run as u8 + 1; 16]), read));
    }
    (runs, lost)
}

/// The plain rule: a question is lost where the website is in under a quarter of its answers and a rival in over half of those
/// without it; a model is blind under half the rate of the others. Questions and models.
fn plain(runs: &[(ScanId, RunMentions)]) -> (BTreeSet<String>, BTreeSet<String>) {
    let answers: Vec<&AnswerMentions> = runs.iter().flat_map(|(_, run)| &run.answers).collect();
    let share = |of: &[&AnswerMentions]| {
        of.iter().filter(|answer| answer.cites_target).count() as f64 / of.len().max(1) as f64
    };
    let questions: BTreeSet<&str> = answers.iter().map(|answer| answer.question.as_str()).collect();
    let is_lost = |question: &&&str| {
        let of: Vec<_> = answers
            .iter()
            .copied()
            .filter(|answer| answer.question == ***question)
            .collect();
        let without: Vec<_> = of.iter().filter(|answer| !answer.cites_target).collect();
        let most = (0..RIVALS).map(|rival| {
            let name = format!("Rival {}", char::from(b'A' + rival as u8));
            without
                .iter()
                .filter(|answer| answer.names.iter().any(|named| named.name == name))
                .count()
        });
        share(&of) < 0.25 && most.max().unwrap_or(0) * 2 > without.len()
    };
    let is_blind = |model: &&&str| {
        let (own, others): (Vec<_>, Vec<_>) = answers
            .iter()
            .copied()
            .partition(|answer| answer.model.as_str() == **model);
        share(&own) < share(&others) / 2.0
    };
    (
        questions
            .iter()
            .filter(is_lost)
            .map(ToString::to_string)
            .collect(),
        MODELS.iter().filter(is_blind).map(ToString::to_string).collect(),
    )
}

fn cell(of: World, questions: usize, sims: usize) -> Found {
    let mut draws = Draws::new(((of as u64) << 32) + questions as u64);
    let mut found = Found::default();
    for _ in 0..sims {
        let (runs, lost) = world(of, questions, &mut draws);
        let is_right = |told: &ProjectMove| match &told.subject.model {
            Some(model) => of == World::Blind && model == MODELS[BLIND],
            None => told
                .subject
                .questions
                .iter()
                .all(|question| lost.contains(question)),
        };
        let told = moves(&runs, &[], 4.3, str::to_owned).moves;
        for one in &told {
            found.told.0.add(!is_right(one));
        }
        found.draws.0.add(told.iter().any(|one| !is_right(one)));
        found.right.add(told.iter().any(is_right));
        let (questions, models) = plain(&runs);
        let wrong = |model: &String| of != World::Blind || model != MODELS[BLIND];
        let wrong: Vec<bool> = questions
            .iter()
            .map(|question| !lost.contains(question))
            .chain(models.iter().map(wrong))
            .collect();
        for is_wrong in &wrong {
            found.told.1.add(*is_wrong);
        }
        found.draws.1.add(wrong.contains(&true));
    }
    found
}

/// The table of moves.
pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(40);
    println!("\n## Moves of a project ({sims} draws a cell), eight runs of three models\n");
    println!(
        "| World | Questions | Draws with a false move; plain | False among those told; plain | Told what is true |"
    );
    println!("|---|---|---|---|---|");
    for world in [World::Null, World::Lost, World::Blind] {
        let sizes = [10, 32];
        for (questions, found) in sizes
            .iter()
            .zip(on_all_cores(&sizes, |questions| cell(world, *questions, sims)))
        {
            let name = |what: &str| format!("moves, {world:?}, {questions} questions: {what}");
            match world {
                World::Null => goals.check(&name("false"), found.draws.0.both(), (0.0, 0.10)),
                World::Lost | World::Blind => {
                    goals.check(&name("false share"), found.told.0.both(), (0.0, 0.10))
                }
            }
            println!(
                "| {world:?} | {questions} | {:.2}; {:.2} | {:.2}; {:.2} | {:.2} |",
                found.draws.0.value(),
                found.draws.1.value(),
                found.told.0.value(),
                found.told.1.value(),
                found.right.value(),
            );
        }
    }
}

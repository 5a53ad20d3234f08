//! Table Causes: what carries a change, beside the largest difference and tests of each model by itself.

use crate::draws::Draws;
use crate::goals::{Goals, Share, Size, on_all_cores};
use ibid_engine::history::{Group, Item, Seen, Trend, carriers, moved_items};
use ibid_engine::score::interval::Scored;
use ibid_model::result::{CauseRole, Explanation};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;

const MODELS: usize = 3;
const KINDS: usize = 5;
const BEFORE: usize = 12;
const SINCE: [usize; 3] = [2, 4, 8];
/// Latent variances: question, question and model, asking.
const VARIANCES: (f64, f64, f64) = (0.634, 0.242, 0.124);

/// The questions of a run and model, whether models share them, and how many are kept.
#[derive(Clone, Copy, Debug)]
struct Layout {
    name: &'static str,
    questions: usize,
    shared: bool,
    kept: usize,
}

const fn layout(name: &'static str, questions: usize, shared: bool, kept: usize) -> Layout {
    Layout {
        name,
        questions,
        shared,
        kept,
    }
}

const LAYOUTS: [Layout; 5] = [
    layout("30, own questions, 24 kept", 10, false, 8),
    layout("30, 10 shared, half kept", 10, true, 5),
    layout("30, 10 shared, all kept", 10, true, 10),
    layout("96, own questions, 78 kept", 32, false, 26),
    layout("96, 32 shared, half kept", 32, true, 16),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// All fall alike, by 13 points.
    Uniform,
    /// All fall, and each question moves by its own.
    Scatter,
    /// The middle model falls to zero.
    Model,
    /// It falls by half.
    Half,
    /// A kind of question falls to zero.
    Kind,
}

const EFFECTS: [Effect; 5] = [
    Effect::Uniform,
    Effect::Scatter,
    Effect::Model,
    Effect::Half,
    Effect::Kind,
];

fn graded(latent: f64) -> f64 {
    match latent {
        high if high > 1.0 => 0.95,
        high if high > 0.35 => 0.6,
        high if high > 0.0 => 0.2,
        _ => 0.0,
    }
}

fn mean_score(base: &[f64]) -> f64 {
    let normal = Normal::standard();
    let of = |mean: &f64| {
        let above = |limit: f64| normal.cdf(mean - limit);
        0.2 * above(0.0) + 0.4 * above(0.35) + 0.35 * above(1.0)
    };
    base.iter().map(of).sum::<f64>() / base.len() as f64
}

/// Distances of models, moved together until their mean score is `target`.
fn at(base: [f64; MODELS], target: f64) -> [f64; MODELS] {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle: f64 = (low + high) / 2.0;
        match mean_score(&base.map(|one| one + middle)) < target {
            true => low = middle,
            false => high = middle,
        }
    }
    base.map(|one| one + low)
}

struct Question {
    common: f64,
    own: [f64; MODELS],
    moves: f64,
    kind: usize,
}

fn question(kind: usize, draws: &mut Draws) -> Question {
    Question {
        common: draws.normal() * VARIANCES.0.sqrt(),
        own: [(); MODELS].map(|()| draws.normal() * VARIANCES.1.sqrt()),
        moves: 0.6 * draws.normal(),
        kind,
    }
}

/// Answers around a change, and what it came from.
fn history(layout: Layout, since: usize, effect: Effect, draws: &mut Draws) -> (Vec<Seen>, Option<Group>) {
    let mut base = at([-0.82, 0.0, 0.82], 0.5);
    base.rotate_left((draws.unit() * 3.0) as usize % MODELS);
    let fallen = at(base, 0.37);
    let mut order: Vec<usize> = (0..MODELS).collect();
    order.sort_by(|a, b| base[*a].total_cmp(&base[*b]));
    let (model, kind) = (order[1], (draws.unit() * KINDS as f64) as usize % KINDS);
    let shift = |one: usize, question: &Question| match effect {
        Effect::Uniform => fallen[one] - base[one],
        Effect::Scatter => fallen[one] - base[one] + question.moves,
        Effect::Model if one == model => -99.0,
        Effect::Half if one == model => -1.1,
        Effect::Kind if question.kind == kind => -99.0,
        Effect::Model | Effect::Half | Effect::Kind => 0.0,
    };
    let rows = |questions: usize| {
        if layout.shared {
            questions
        } else {
            questions * MODELS
        }
    };
    let kind_of = |row: usize| (if layout.shared { row } else { row / MODELS }) % KINDS;
    let kept: Vec<Question> = (0..rows(layout.kept))
        .map(|row| question(kind_of(row), draws))
        .collect();
    let fresh = rows(layout.questions - layout.kept);
    let mut seen = Vec::new();
    for run in 0..BEFORE + since {
        let new: Vec<Question> = (0..fresh)
            .map(|row| question(kind_of(run * fresh + row), draws))
            .collect();
        for (number, question) in kept.iter().chain(&new).enumerate() {
            let id = if number < kept.len() {
                number
            } else {
                number + run * fresh
            };
            let row = if number < kept.len() {
                number
            } else {
                number - kept.len()
            };
            for alias in (0..MODELS).filter(|alias| layout.shared || row % MODELS == *alias) {
                let asking = draws.normal() * VARIANCES.2.sqrt();
                let mut latent = base[alias] + question.common + question.own[alias] + asking;
                if run >= BEFORE {
                    latent += shift(alias, question);
                }
                seen.push(Seen {
                    run,
                    answer: Scored {
                        model: alias,
                        question: id,
                        score: graded(latent),
                    },
                    alias,
                    kind: Some(question.kind),
                });
            }
        }
    }
    let truth = match effect {
        Effect::Uniform | Effect::Scatter => None,
        Effect::Model | Effect::Half => Some(Group::Model(model)),
        Effect::Kind => Some(Group::Kind(kind)),
    };
    (seen, truth)
}

#[derive(Clone, Default)]
struct Found {
    /// The cause, alone or as one of two.
    right: Share,
    /// A wrong one is named, or one where there is none.
    wrong: Share,
    alike: Share,
    spread: Share,
    /// The group with the largest difference is the cause.
    largest: Share,
    /// Tests of each model say that some fell and others did not.
    subset: Share,
}

fn cell((layout, effect, since): (Layout, Effect, usize), sims: usize) -> Found {
    let seed = layout.questions * 1000 + layout.kept * 10 + since + 100_000 * effect as usize;
    let mut draws = Draws::new(seed as u64 + (u64::from(layout.shared) << 40));
    let mut found = Found::default();
    for _ in 0..sims {
        let (seen, truth) = history(layout, since, effect, &mut draws);
        let told = carriers(&seen, BEFORE);
        let carrying = told.named.iter().filter(|one| one.role == CauseRole::Carries);
        let mut named: Vec<Group> = carrying.map(|one| one.group).collect();
        let has_truth = truth.is_some_and(|truth| named.contains(&truth) || told.or == Some(truth));
        named.extend(told.or);
        let is_pair = told.or.is_some();
        found.right.add(has_truth);
        let others = named.iter().filter(|one| truth != Some(**one)).count();
        found.wrong.add(others > usize::from(is_pair && has_truth));
        found.alike.add(told.explanation == Explanation::Alike);
        found.spread.add(told.explanation == Explanation::Spread);
        found.largest.add(truth == largest(&seen));
        found.subset.add(is_subset(&seen));
    }
    found
}

fn sides(seen: &[Seen], group: Group) -> (Vec<f64>, Vec<f64>) {
    let is_in = |one: &&Seen| match group {
        Group::Model(alias) => one.alias == alias,
        Group::Kind(kind) => one.kind == Some(kind),
    };
    let (before, after): (Vec<&Seen>, Vec<&Seen>) =
        seen.iter().filter(is_in).partition(|one| one.run < BEFORE);
    let scores = |side: Vec<&Seen>| side.iter().map(|one| one.answer.score).collect();
    (scores(before), scores(after))
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(2) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, variance / n)
}

fn largest(seen: &[Seen]) -> Option<Group> {
    let models = (0..MODELS).map(Group::Model);
    models.chain((0..KINDS).map(Group::Kind)).min_by(|a, b| {
        let fall = |group: &Group| {
            let (before, after) = sides(seen, *group);
            moments(&after).0 - moments(&before).0
        };
        fall(a).total_cmp(&fall(b))
    })
}

fn is_subset(seen: &[Seen]) -> bool {
    let fell = (0..MODELS).filter(|model| {
        let (before, after) = sides(seen, Group::Model(*model));
        let (before, after) = (moments(&before), moments(&after));
        (after.0 - before.0) / (before.1 + after.1).sqrt().max(1e-9) < -1.96
    });
    (1..MODELS).contains(&fell.count())
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(80);
    println!("\n## Causes ({sims} draws a cell): twelve runs before a fall of 13 points from 50\n");
    println!(
        "False: a model or kind is named though all fell alike; in brackets where each question also moves by its own. \
         Plain: the largest difference is always false there; tests of each model say \"some fell, others did not\".\n"
    );
    println!(
        "| Answers a run | Runs since | False | Each model by itself | Model to zero; wrong; largest | Model by half; wrong | One kind to zero; wrong; largest | Alike, spread said where true |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for layout in LAYOUTS {
        for since in SINCE {
            let cells: Vec<(Layout, Effect, usize)> = EFFECTS.map(|effect| (layout, effect, since)).to_vec();
            let found = on_all_cores(&cells, |one| cell(*one, sims));
            let [uniform, scatter, model, half, kind] = &found[..] else {
                continue;
            };
            let name = |what: &str| format!("causes, {}, {since} since: {what}", layout.name);
            for (what, share) in [
                ("false", uniform),
                ("false, scattered", scatter),
                ("wrong, model", model),
                ("wrong, half", half),
                ("wrong, kind", kind),
            ] {
                goals.check(&name(what), share.wrong.both(), (0.0, 0.10));
            }
            goals.check(&name("model to zero"), model.right.both(), (0.85, 1.0));
            if since >= 4 {
                let least = if layout.questions > 10 { 0.90 } else { 0.75 };
                goals.check(&name("kind to zero"), kind.right.both(), (least, 1.0));
            }
            println!(
                "| {} | {since} | {:.2} ({:.2}) | {:.2} | {:.2}; {:.2}; {:.2} | {:.2}; {:.2} | {:.2}; {:.2}; {:.2} | {:.2}, {:.2} |",
                layout.name,
                uniform.wrong.value(),
                scatter.wrong.value(),
                uniform.subset.value(),
                model.right.value(),
                model.wrong.value(),
                model.largest.value(),
                half.right.value(),
                half.wrong.value(),
                kind.right.value(),
                kind.wrong.value(),
                kind.largest.value(),
                uniform.alike.value(),
                uniform.spread.value(),
            );
        }
    }
    items(size.draws(40), goals);
}

const RIVALS: usize = 20;
const SITES: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taker {
    Nobody,
    /// The places lost go to rivals by chance.
    Anyone,
    /// One rival takes four in five of them.
    Rival,
    /// A site that was cited with the website in half of the answers is gone.
    Site,
}

fn items(sims: usize, goals: &mut Goals) {
    println!("\n## Items ({sims} draws a cell): rivals named instead, sites no longer cited\n");
    println!("| Answers a run | Runs since | Rival: false; no fall; found | Site: false; found |");
    println!("|---|---|---|---|");
    for layout in LAYOUTS {
        for since in SINCE {
            let takers = [Taker::Nobody, Taker::Anyone, Taker::Rival, Taker::Site];
            let found = on_all_cores(&takers, |taker| taken(layout, since, *taker, sims));
            let [nobody, anyone, rival, site] = found[..] else {
                continue;
            };
            let name = |what: &str| format!("items, {}, {since} since: {what}", layout.name);
            goals.check(&name("false rival"), anyone.0.both(), (0.0, 0.10));
            goals.check(&name("rival without a fall"), nobody.0.both(), (0.0, 0.10));
            goals.check(&name("false site"), anyone.2.both(), (0.0, 0.10));
            println!(
                "| {} | {since} | {:.2}; {:.2}; {:.2} | {:.2}; {:.2} |",
                layout.name,
                anyone.0.value(),
                nobody.0.value(),
                rival.1.value(),
                anyone.2.value(),
                site.3.value(),
            );
        }
    }
}

/// Shares of draws: a rival is named that took no place; the one that did; a site that is not gone; the one that is.
fn taken(layout: Layout, since: usize, taker: Taker, sims: usize) -> (Share, Share, Share, Share) {
    let normal = Normal::standard();
    let mut draws = Draws::new(
        (layout.questions * 1000 + layout.kept * 10 + since) as u64
            + ((taker as u64) << 32)
            + (u64::from(layout.shared) << 40),
    );
    let rate = |at: usize, top: f64, power: f64| top / ((at + 1) as f64).powf(power);
    let rows = if layout.shared {
        layout.kept
    } else {
        layout.kept * MODELS
    };
    let base = at([-0.82, 0.0, 0.82], 0.5);
    let shift = at(base, 0.37)[0] - base[0];
    let mut found = (
        Share::default(),
        Share::default(),
        Share::default(),
        Share::default(),
    );
    for _ in 0..sims {
        let strong = 2 + (draws.unit() * 9.0) as usize % 9;
        let (mut rivals, mut sites): (BTreeMap<usize, Vec<Item>>, BTreeMap<usize, Vec<Item>>) =
            Default::default();
        for row in 0..rows {
            let question = question(0, &mut draws);
            let liked: Vec<f64> = (0..RIVALS)
                .map(|at| normal.inverse_cdf(rate(at, 0.45, 0.8)) * 1.4 + 0.9 * draws.normal())
                .collect();
            let fitting: Vec<f64> = (0..SITES)
                .map(|at| normal.inverse_cdf(rate(at, 0.3, 0.9)) * 1.3 + 0.8 * draws.normal())
                .collect();
            for alias in (0..MODELS).filter(|alias| layout.shared || row % MODELS == *alias) {
                let own: Vec<f64> = liked.iter().map(|one| one + 0.4 * draws.normal()).collect();
                let mut counts = (vec![Item::default(); RIVALS], vec![Item::default(); SITES]);
                let mut cited = [0_u32; 2];
                for run in 0..BEFORE + since {
                    let latent = base[alias]
                        + question.common
                        + question.own[alias]
                        + draws.normal() * VARIANCES.2.sqrt();
                    let is_after = run >= BEFORE;
                    let named = latent > 0.0;
                    let still = named && !(is_after && taker != Taker::Nobody && latent + shift <= 0.0);
                    cited[usize::from(is_after)] += u32::from(still);
                    let lost = named && !still;
                    let mut names: Vec<bool> = own.iter().map(|one| one + draws.normal() > 0.0).collect();
                    if !still && draws.unit() < if lost { 0.8 } else { 0.5 } {
                        let mut left = draws.unit() * (0..RIVALS).map(|at| rate(at, 0.45, 0.8)).sum::<f64>();
                        let drawn = (0..RIVALS).find(|at| {
                            left -= rate(*at, 0.45, 0.8);
                            left <= 0.0
                        });
                        let one = if taker == Taker::Rival && lost {
                            strong
                        } else {
                            drawn.unwrap_or(0)
                        };
                        names[one] = true;
                    }
                    let mut cites: Vec<bool> = fitting.iter().map(|one| one + draws.normal() > 0.0).collect();
                    if taker == Taker::Site {
                        cites[0] = !is_after && named && draws.unit() < 0.5;
                    }
                    for (items, had) in [(&mut counts.0, &names), (&mut counts.1, &cites)] {
                        for (item, has) in items.iter_mut().zip(had) {
                            let side = if is_after {
                                &mut item.after
                            } else {
                                &mut item.before
                            };
                            side.0 += 1;
                            side.1 += u32::from(*has);
                        }
                    }
                }
                if f64::from(cited[1]) / since as f64 <= f64::from(cited[0]) / BEFORE as f64 - 1e-9 {
                    for (all, items) in [(&mut rivals, counts.0), (&mut sites, counts.1)] {
                        for (at, item) in items.into_iter().enumerate() {
                            all.entry(at).or_default().push(item);
                        }
                    }
                }
            }
        }
        let up = moved_items(&rivals.into_values().collect::<Vec<_>>(), Trend::Up);
        let gone = moved_items(&sites.into_values().collect::<Vec<_>>(), Trend::Gone);
        found
            .0
            .add(up.iter().any(|at| taker != Taker::Rival || *at != strong));
        found.1.add(up.contains(&strong));
        found
            .2
            .add(gone.iter().any(|at| taker != Taker::Site || *at != 0));
        found.3.add(gone.contains(&0));
    }
    found
}

//! Which models and kinds of question carry a change: tests each against the others, over answers before and since.

use crate::score::interval::Scored;
use crate::score::statistics::{holm, student};
use crate::score::towns::QUESTION_CORRELATION;
use ibid_model::result::{CauseRole, Explanation, Others};
use statrs::function::beta::beta_reg;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers for the rule, as the simulations in docs/METHOD.md chose them.
struct Rules {
    /// Runs before a change, and since it, from which on it is explained.
    runs: (usize, usize),
    /// What part of the change a group has to explain beyond the others' shift. Otherwise a model at .9 would be named for
    /// a fall that all share.
    least: f64,
    chance: f64,
    most: usize,
    /// Two factors whose squared scores differ by less are not told apart.
    apart: f64,
    /// Rows that "no dispersion" counts for.
    prior: f64,
    /// Scores above which a set moved, or certainly moved.
    moved: (f64, f64),
    /// A rival is tested from so many answers since a change on, a site from so many before it; and the chance for each family.
    items: (u32, u32, f64),
    /// The repeats that the expected variance of repeats counts for, and that variance.
    repeats: (f64, f64),
}

const RULES: Rules = Rules {
    runs: (3, 2),
    least: 0.35,
    chance: 0.05,
    most: 3,
    apart: 2.8,
    prior: 2.0,
    moved: (1.645, 1.96),
    items: (4, 6, 0.025),
    repeats: (20.0, 0.02),
};

/// A home answer beside a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Its run, counted from 0.
    pub run: usize,
    /// Its score in 0..1, with the number of its concrete model.
    pub answer: Scored,
    /// Which alias was asked, as a number.
    pub alias: usize,
    /// Which kind its question has, as a number, where it has one.
    pub kind: Option<usize>,
}

/// Answers that may carry a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Those of an alias.
    Model(usize),
    /// Those to a kind of question.
    Kind(usize),
}

/// A group that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// Which answers differ.
    pub group: Group,
    /// Whether it carries the change, or is spared.
    pub role: CauseRole,
    /// For a model: its part in the change, 0..1, with half the 95 % range.
    pub points: Option<(f64, f64)>,
    /// What the others did.
    pub others: Option<Others>,
}

/// What carries a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carriers {
    /// What the tests say.
    pub explanation: Explanation,
    /// The groups that are named, the surest first.
    pub named: Vec<Carrier>,
    /// A group of another factor that explains the change as well as the first.
    pub or: Option<Group>,
}

/// Names the groups that carry the change with which the run `since` begins.
pub fn carriers(seen: &[Seen], since: usize) -> Carriers {
    let runs: BTreeSet<usize> = seen.iter().map(|one| one.run).collect();
    let before = runs.iter().filter(|run| **run < since).count();
    if before < RULES.runs.0 || runs.len() - before < RULES.runs.1 {
        return Carriers {
            explanation: Explanation::TooEarly,
            ..Carriers::default()
        };
    }
    Test::of(seen, since).outcome()
}

/// Answers that are compared with each other: all in one cell, or the new ones by a model and kind.
struct Stratum {
    /// The question, or the kind of new questions.
    row: usize,
    alias: usize,
    kind: Option<usize>,
    /// Whether the same question was answered on both sides.
    kept: bool,
    /// Sum of the distances since the change from the overall mean, and its variance if nothing changed.
    sum: f64,
    variance: f64,
    /// The mean since the change minus the mean before it.
    shift: f64,
    /// Squared distances from the two means, and answers on both sides.
    squares: f64,
    answers: (f64, f64),
}

impl Stratum {
    /// `None` unless there are answers on both sides.
    fn of(answers: &[&Seen], since: usize, row: usize, weight: f64) -> Option<Self> {
        let first = answers.first()?;
        let (before, after): (Vec<f64>, Vec<f64>) = {
            let (before, after): (Vec<&Seen>, Vec<&Seen>) = answers.iter().partition(|one| one.run < since);
            let scores = |side: Vec<&Seen>| side.iter().map(|one| one.answer.score).collect();
            (scores(before), scores(after))
        };
        let (b, a) = (before.len() as f64, after.len() as f64);
        if b * a == 0.0 {
            return None;
        }
        let n = a + b;
        let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
        let squares = |scores: &[f64], mean: f64| scores.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let (old, new) = (mean(&before), mean(&after));
        let all = (old * b + new * a) / n;
        let total = squares(&before, all) + squares(&after, all);
        Some(Self {
            row,
            alias: first.alias,
            kind: first.kind,
            kept: false,
            sum: weight * a * (new - all),
            variance: weight * a * b * total / (n * (n - 1.0)),
            shift: new - old,
            squares: squares(&before, old) + squares(&after, new),
            answers: (b, a),
        })
    }

    fn is_in(&self, group: Group) -> bool {
        match group {
            Group::Model(alias) => self.alias == alias,
            Group::Kind(kind) => self.kind == Some(kind),
        }
    }
}

/// A group beyond the named ones: its score, and the chance of one as large.
#[derive(Clone, Copy)]
struct Score {
    group: Group,
    z: f64,
    p: f64,
}

/// What some strata have in common.
#[derive(Clone, Copy, Default)]
struct Shift {
    sum: f64,
    variance: f64,
}

struct Test {
    strata: Vec<Stratum>,
    /// The groups that can be told from the others.
    groups: Vec<Group>,
    /// Whether answers rose or fell: 1 or -1.
    sign: f64,
}

impl Test {
    fn of(seen: &[Seen], since: usize) -> Self {
        let mut cells: BTreeMap<(usize, usize), Vec<&Seen>> = BTreeMap::new();
        for one in seen {
            let cell = (one.answer.model, one.answer.question);
            cells.entry(cell).or_default().push(one);
        }
        let questions = seen.iter().map(|one| one.answer.question + 1).max().unwrap_or(0);
        let (mut strata, mut rest): (Vec<Stratum>, Vec<&Seen>) = (Vec::new(), Vec::new());
        for ((_, question), answers) in &cells {
            match Stratum::of(answers, since, *question, 1.0) {
                Some(kept) => strata.push(Stratum { kept: true, ..kept }),
                None => rest.extend(answers.iter().copied()),
            }
        }
        let asked: BTreeSet<(usize, usize)> = rest.iter().map(|one| (one.run, one.answer.question)).collect();
        let shared = rest.len() as f64 / asked.len().max(1) as f64;
        let weight = 1.0 / (1.0 + QUESTION_CORRELATION * (shared - 1.0).max(0.0));
        let mut fresh: BTreeMap<(usize, Option<usize>), Vec<&Seen>> = BTreeMap::new();
        for one in rest {
            fresh.entry((one.answer.model, one.kind)).or_default().push(one);
        }
        for ((_, kind), answers) in &fresh {
            let row = questions + kind.map_or(0, |kind| kind + 1);
            strata.extend(Stratum::of(answers, since, row, weight));
        }
        let all = strata.iter().flat_map(|one| {
            let kind = one.kind.map(Group::Kind);
            [Some(Group::Model(one.alias)), kind]
        });
        let all: BTreeSet<Group> = all.flatten().collect();
        let rows = |inside: bool, group: Group| {
            let strata = strata.iter().filter(|one| one.is_in(group) == inside);
            strata.map(|one| one.row).collect::<BTreeSet<_>>().len()
        };
        let is_tested = |group: &Group| match group {
            Group::Model(_) => rows(true, *group) >= 2 && rows(false, *group) >= 1,
            Group::Kind(_) => rows(true, *group) >= 2 && rows(false, *group) >= 2,
        };
        Self {
            groups: all.into_iter().filter(is_tested).collect(),
            sign: strata.iter().map(|one| one.sum).sum::<f64>().signum(),
            strata,
        }
    }

    fn outcome(&self) -> Carriers {
        let (mut on, mut or) = (Vec::new(), None);
        let mut named: Vec<Score> = Vec::new();
        while on.len() < RULES.most && or.is_none() {
            let left = self.groups.iter().filter(|group| !on.contains(*group));
            let scores: Vec<Score> = left.map(|group| self.score(&on, *group)).collect();
            let adjusted = holm(&scores.iter().map(|score| score.p).collect::<Vec<_>>());
            let found = scores.iter().zip(adjusted).min_by(|a, b| a.0.p.total_cmp(&b.0.p));
            let Some((found, _)) = found.filter(|(_, p)| *p <= RULES.chance) else {
                break;
            };
            if on.is_empty() {
                let is_model = |group: Group| matches!(group, Group::Model(_));
                let near = scores.iter().filter(|score| {
                    is_model(score.group) != is_model(found.group)
                        && found.z.powi(2) - score.z.powi(2) < RULES.apart
                });
                or = near
                    .max_by(|a, b| a.z.abs().total_cmp(&b.z.abs()))
                    .map(|near| near.group);
            }
            on.push(found.group);
            named.push(*found);
        }
        if named.is_empty() {
            return Carriers {
                explanation: self.without_a_name(),
                ..Carriers::default()
            };
        }
        let carrier = |score: Score| Carrier {
            group: score.group,
            role: match score.z * self.sign < 0.0 {
                true => CauseRole::Spared,
                false => CauseRole::Carries,
            },
            points: self.points(score.group),
            others: self.others(score.group),
        };
        Carriers {
            explanation: Explanation::Named,
            named: named.into_iter().map(carrier).collect(),
            or,
        }
    }

    fn without_a_name(&self) -> Explanation {
        let moved = |group: &Group, inside: bool| {
            self.total(|one| one.is_in(*group) == inside) * self.sign > RULES.moved.0
        };
        let models: BTreeSet<Group> = self.strata.iter().map(|one| Group::Model(one.alias)).collect();
        if models.len() > 1 && models.iter().all(|model| moved(model, true)) {
            return Explanation::Alike;
        }
        match !self.groups.is_empty() && self.groups.iter().all(|group| moved(group, false)) {
            true => Explanation::Spread,
            false => Explanation::CannotTell,
        }
    }

    /// Which part a stratum is in, among those with a shift to themselves.
    fn part(on: &[Group], stratum: &Stratum) -> usize {
        let bits = on.iter().enumerate();
        bits.map(|(at, group)| usize::from(stratum.is_in(*group)) << at)
            .sum()
    }

    /// Sum and variance of each part.
    fn parts(&self, on: &[Group]) -> BTreeMap<usize, Shift> {
        let mut parts: BTreeMap<usize, Shift> = BTreeMap::new();
        for one in &self.strata {
            let part = parts.entry(Self::part(on, one)).or_default();
            part.sum += one.sum;
            part.variance += one.variance;
        }
        parts
    }

    /// What is left in a stratum after its part's shift.
    fn residual(stratum: &Stratum, part: Shift) -> f64 {
        match part.variance > 1e-9 {
            true => stratum.sum - stratum.variance * part.sum / part.variance,
            false => stratum.sum,
        }
    }

    fn score(&self, on: &[Group], group: Group) -> Score {
        let none = Score {
            group,
            z: 0.0,
            p: 1.0,
        };
        let (mut rest, mut weight, mut inside) = (0.0, 0.0, 0.0);
        let parts = self.parts(on).into_iter();
        for (key, part) in parts.filter(|(_, part)| part.variance > 1e-9) {
            let own = self
                .strata
                .iter()
                .filter(|one| Self::part(on, one) == key && one.is_in(group));
            let (sum, variance) = own.fold((0.0, 0.0), |(sum, variance), one| {
                (sum + Self::residual(one, part), variance + one.variance)
            });
            rest += sum;
            weight += variance * (1.0 - variance / part.variance);
            inside += variance;
        }
        let total: f64 = self.strata.iter().map(|one| one.sum).sum();
        if weight < 1e-9 || rest.abs() * inside / weight < RULES.least * total.abs() {
            return none;
        }
        let full: Vec<Group> = on.iter().copied().chain([group]).collect();
        let parts = self.parts(&full);
        let rows = self.strata.iter().enumerate().map(|(at, one)| {
            let part = parts.get(&Self::part(&full, one)).copied().unwrap_or_default();
            let row = match group {
                Group::Model(_) => at,
                Group::Kind(_) => one.row,
            };
            (row, Self::residual(one, part), one.variance)
        });
        let (dispersion, freedom) = dispersion(rows, parts.len());
        let z = rest / (dispersion * weight).sqrt();
        let p = beta_reg(freedom / 2.0, 0.5, freedom / (freedom + z * z));
        Score { group, z, p }
    }

    /// How far some strata changed, in standard errors.
    fn total(&self, is_in: impl Fn(&Stratum) -> bool) -> f64 {
        let strata = || self.strata.iter().filter(|one| is_in(one));
        let all = strata().fold(Shift::default(), |all, one| Shift {
            sum: all.sum + one.sum,
            variance: all.variance + one.variance,
        });
        if all.variance < 1e-9 {
            return 0.0;
        }
        let rows = strata().map(|one| (one.row, Self::residual(one, all), one.variance));
        all.sum / (all.variance * dispersion(rows, 1).0).sqrt()
    }

    /// What part a model has in the change, with half the 95 % range.
    fn points(&self, group: Group) -> Option<(f64, f64)> {
        let Group::Model(_) = group else { return None };
        let kept = || self.strata.iter().filter(|one| one.kept);
        let models: BTreeSet<usize> = kept().map(|one| one.alias).collect();
        let own: Vec<&Stratum> = kept().filter(|one| one.is_in(group)).collect();
        let (mean, deviation) = spread(own.iter().map(|one| one.shift))?;
        let (n, models) = (own.len() as f64, models.len() as f64);
        let (expected, least) = RULES.repeats;
        let squares: f64 = kept().map(|one| one.squares).sum();
        let repeats: f64 = kept().map(|one| one.answers.0 + one.answers.1 - 2.0).sum();
        let repeat = (squares + expected * least) / (repeats + expected);
        let per_cell = own.iter().map(|one| 1.0 / one.answers.0 + 1.0 / one.answers.1);
        let chance = repeat * per_cell.sum::<f64>() / n.powi(2);
        let error = (deviation.powi(2) / n).max(chance).sqrt();
        Some((mean / models, student(0.975, n - 1.0) * error / models))
    }

    fn others(&self, group: Group) -> Option<Others> {
        let shifts = |inside: bool| {
            let kept = self.strata.iter().filter(|one| one.kept);
            let side = kept.filter(move |one| one.is_in(group) == inside);
            spread(side.map(|one| one.shift))
        };
        let ((own, _), (rest, deviation)) = (shifts(true)?, shifts(false)?);
        let n = self
            .strata
            .iter()
            .filter(|one| one.kept && !one.is_in(group))
            .count() as f64;
        let z = self.total(|one| !one.is_in(group));
        let half = student(0.975, n - 1.0) * deviation / n.sqrt();
        if z * own.signum() > RULES.moved.1 {
            return Some(Others::Too);
        }
        (z.abs() < RULES.moved.0 && rest.abs() + half <= own.abs() / 2.0).then_some(Others::Unchanged)
    }
}

/// Mean and standard deviation; `None` of fewer than two.
fn spread(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (mean, (squares / (n - 1.0)).sqrt()))
}

/// How much more the rows' residuals scatter than chance lets them, at least 1, and the degrees of freedom.
fn dispersion(strata: impl Iterator<Item = (usize, f64, f64)>, parts: usize) -> (f64, f64) {
    let mut rows: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (row, rest, variance) in strata {
        let row = rows.entry(row).or_default();
        row.0 += rest;
        row.1 += variance;
    }
    rows.retain(|_, row| row.1 > 1e-9);
    let freedom = rows.len().saturating_sub(parts) as f64 + RULES.prior;
    let found: f64 = rows
        .values()
        .map(|(rest, variance)| rest.powi(2) / variance)
        .sum();
    (((found + RULES.prior) / freedom).max(1.0), freedom)
}

/// Answers, and those of them that have an item.
pub type Counts = (u32, u32);

/// How often answers to one question of one model have an item: a competitor that they name, or a site that they cite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Answers before the change, and those of them that have it.
    pub before: Counts,
    /// Those since.
    pub after: Counts,
}

/// Whether an item appeared, or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It is there more often since the change.
    Up,
    /// It is there less often.
    Gone,
}

/// Returns the items that appeared, or are gone, by the cells in which they could: each is tested exactly, given how many
/// answers in a cell have the item at all.
pub fn moved_items(items: &[Vec<Item>], trend: Trend) -> Vec<usize> {
    let least = match trend {
        Trend::Up => RULES.items.0,
        Trend::Gone => RULES.items.1,
    };
    let tested: Vec<(usize, f64)> = items
        .iter()
        .enumerate()
        .filter_map(|(at, cells)| {
            let sides = cells.iter().map(|cell| match trend {
                Trend::Up => (cell.before, cell.after),
                Trend::Gone => (cell.after, cell.before),
            });
            let sides: Vec<_> = sides.collect();
            let seen: u32 = sides.iter().map(|(_, more)| more.1).sum();
            (seen >= least).then(|| (at, tail(&sides)))
        })
        .collect();
    let adjusted = holm(&tested.iter().map(|(_, p)| *p).collect::<Vec<_>>());
    let mut found: Vec<((usize, f64), f64)> = tested.into_iter().zip(adjusted).collect();
    found.retain(|(_, p)| *p <= RULES.items.2);
    found.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    found.into_iter().map(|((at, _), _)| at).collect()
}

/// The chance that the second sides of cells have as many as they have, if the answers that have it lie at random.
fn tail(cells: &[(Counts, Counts)]) -> f64 {
    let (mut chances, mut seen) = (vec![1.0], 0);
    for ((less, had), (more, has)) in cells {
        let hits = had + has;
        let low = hits.saturating_sub(*less);
        let high = hits.min(*more);
        let ways: Vec<f64> = (low..=high)
            .map(|k| {
                (log_choose(*more, k) + log_choose(*less, hits - k) - log_choose(less + more, hits)).exp()
            })
            .collect();
        seen += has - low;
        let mut next = vec![0.0; chances.len() + ways.len() - 1];
        for (at, chance) in chances.iter().enumerate() {
            for (k, way) in ways.iter().enumerate() {
                if let Some(sum) = next.get_mut(at + k) {
                    *sum += chance * way;
                }
            }
        }
        chances = next;
    }
    chances.iter().skip(seen as usize).sum()
}

/// How many ways there are to choose `k` from `n`, as a logarithm.
fn log_choose(n: u32, k: u32) -> f64 {
    let log = |n: u32| statrs::function::factorial::ln_factorial(n.into());
    log(n) - log(k) - log(n.saturating_sub(k))
}

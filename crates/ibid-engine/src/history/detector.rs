//! Detects changes: sums over all possible beginnings how much better "changed there" explains the runs.

use crate::score::interval::Scored;
use crate::score::statistics::student;
use std::collections::BTreeMap;

/// One detector raises a false alert once in so many runs, in the mean: two years with weekly runs.
/// At half of it alerts come a run earlier; at twice, a run later.
const RUNS_TO_FALSE_ALERT: f64 = 104.0;

/// So many runs at the start only teach the usual spread.
const LEARNING_RUNS: usize = 3;

/// The steps that the expected spread of steps counts for.
const EXPECTED_STEPS: f64 = 20.0;

/// How much a model's repeats to one question are expected to vary, as a share of what yes-or-no answers do.
const REPEAT_VARIANCE: f64 = 0.20;

/// Yes-or-no answers vary at least as much as those with a rate of .02.
const LEAST_VARIANCE: f64 = 0.02;

/// The runs that "all answers move alone" counts for, before runs show that they move together.
const EXPECTED_RUNS: f64 = 2.0;

/// The most that one run counts as evidence of answers moving together.
/// Without a limit a true change would hide itself.
const LARGEST_STEP: f64 = 16.0;

/// A change between runs, in parts of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The run after which it was noticed, counted from 0.
    pub noticed: usize,
    /// The first run after the change.
    pub since: usize,
    /// Mean over the kept cells before it.
    pub before: f64,
    /// Their mean after it.
    pub after: f64,
    /// The 95 % range of the difference; `None` with fewer than two cells.
    pub range: Option<(f64, f64)>,
    /// How many cells it rests on, each one question to one model.
    pub cells: usize,
}

/// Looks for changes in runs as they come.
///
/// ```
/// use ibid_engine::history::Detector;
/// use ibid_engine::score::interval::Scored;
///
/// let run = |citing: usize, week: usize| -> Vec<Scored> {
///     let cited = |n: usize| (n * 7 + week * 3) % 24 < citing;
///     let score = |n| if cited(n) { 0.6 } else { 0.0 };
///     (0..24).map(|n| Scored { model: n % 3, question: n, score: score(n) }).collect()
/// };
/// let mut detector = Detector::new(1);
/// let noticed: Vec<usize> = (0..20)
///     .filter_map(|week| detector.push(&run(if week < 10 { 20 } else { 4 }, week)))
///     .map(|change| change.noticed)
///     .collect();
/// assert!(matches!(noticed[..], [10..=13]));
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    threshold: f64,
    runs: usize,
    /// The run with which the stretch begins.
    since: usize,
    stretch: Vec<Vec<Scored>>,
    state: State,
}

/// A sum and a number.
type Pair = (f64, f64);

/// The sums over a stretch.
#[derive(Clone, Debug, Default)]
struct State {
    runs: usize,
    cells: BTreeMap<(usize, usize), Cell>,
    /// Sum, and number, of all scores.
    total: Pair,
    /// Sum over the squared steps between a cell's runs, and how many there are.
    steps: Pair,
    /// Sum over the squared, standardised steps between whole runs, and how many there are.
    moves: Pair,
    /// `moves` as it was before each run.
    learned: Vec<Pair>,
    /// Standardised distances of the runs from earlier ones.
    distances: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    sum: f64,
    runs: f64,
    last: f64,
}

impl Detector {
    /// Makes a detector, one among `detectors` that look at parts of the same project.
    #[must_use]
    pub fn new(detectors: usize) -> Self {
        Self {
            threshold: RUNS_TO_FALSE_ALERT * detectors.max(1) as f64,
            runs: 0,
            since: 0,
            stretch: Vec::new(),
            state: State::default(),
        }
    }

    /// The first run since the last change.
    pub const fn since(&self) -> usize {
        self.since
    }

    /// Takes the answers of the next run, one for each cell, and returns a change that is noticed with it.
    /// A stretch then begins anew at the change, so each change is noticed once.
    pub fn push(&mut self, run: &[Scored]) -> Option<Change> {
        let noticed = self.runs;
        self.runs += 1;
        self.state.push(run);
        self.stretch.push(run.to_vec());
        let (evidence, start) = self.state.evidence();
        if evidence < self.threshold {
            return None;
        }
        let after = self.stretch.split_off(start);
        self.since += start;
        let change = sized(&self.stretch, &after, noticed, self.since);
        // Weeks that move all answers are in the nature of a series, so they outlast the change.
        self.state = State {
            moves: self.state.learned.get(start).copied().unwrap_or_default(),
            ..State::default()
        };
        for run in &after {
            self.state.push(run);
        }
        self.stretch = after;
        change
    }
}

impl State {
    fn push(&mut self, run: &[Scored]) {
        self.learned.push(self.moves);
        let (mut distance, mut spread, mut step, mut squares, mut kept) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for answer in run {
            let cell = self.cells.entry((answer.model, answer.question)).or_default();
            if cell.runs > 0.0 {
                distance += answer.score - cell.sum / cell.runs;
                spread += 1.0 + 1.0 / cell.runs;
                step += answer.score - cell.last;
                squares += (answer.score - cell.last).powi(2);
                kept += 1.0;
            }
            *cell = Cell {
                sum: cell.sum + answer.score,
                runs: cell.runs + 1.0,
                last: answer.score,
            };
        }
        let variance = self.variance();
        let mut standardised = 0.0;
        if kept > 0.0 {
            let moved = step * step / (2.0 * variance * kept);
            self.moves = (self.moves.0 + moved.min(LARGEST_STEP), self.moves.1 + 1.0);
            let together = ((EXPECTED_RUNS + self.moves.0) / (EXPECTED_RUNS + self.moves.1)).max(1.0);
            if self.runs >= LEARNING_RUNS {
                standardised = distance / (variance * together * spread).sqrt();
            }
        }
        self.distances.push(standardised);
        self.steps = (self.steps.0 + squares / 2.0, self.steps.1 + kept);
        for answer in run {
            self.total = (self.total.0 + answer.score, self.total.1 + 1.0);
        }
        self.runs += 1;
    }

    /// How much repeats in a cell vary, from its steps.
    fn variance(&self) -> f64 {
        let mean = self.total.0 / self.total.1.max(1.0);
        let expected = REPEAT_VARIANCE * (mean * (1.0 - mean)).max(LEAST_VARIANCE);
        (self.steps.0 + EXPECTED_STEPS * expected) / (self.steps.1 + EXPECTED_STEPS)
    }

    /// The evidence for a change somewhere, and the run with which it most likely began.
    /// Without changes, evidence less the number of runs is a martingale.
    fn evidence(&self) -> (f64, usize) {
        let (mut sum, mut evidence, mut best) = (0.0, 0.0, (0.0, 0));
        for (start, distance) in self.distances.iter().enumerate().rev() {
            sum += distance;
            let runs = (self.distances.len() - start) as f64;
            evidence += (sum * sum / (2.0 * (1.0 + runs))).exp() / (1.0 + runs).sqrt();
            // The likeliest beginning, because the largest part of the evidence is a run early more often.
            let likelihood = sum * sum / runs;
            if likelihood > best.0 {
                best = (likelihood, start);
            }
        }
        (evidence, best.1)
    }
}

/// How large a change is, over cells with answers on both sides.
fn sized(before: &[Vec<Scored>], after: &[Vec<Scored>], noticed: usize, since: usize) -> Option<Change> {
    let side = |runs: &[Vec<Scored>]| means(runs.iter().map(Vec::as_slice));
    let (before, after) = (side(before), side(after));
    let cells = before
        .iter()
        .filter_map(|(cell, before)| Some((*before, *after.get(cell)?)));
    let cells: Vec<(f64, f64)> = cells.collect();
    let n = cells.len() as f64;
    if cells.is_empty() {
        return None;
    }
    let mean = |value: fn(&(f64, f64)) -> f64| cells.iter().map(value).sum::<f64>() / n;
    let (first, second) = (mean(|cell| cell.0), mean(|cell| cell.1));
    let gap = second - first;
    let squares = cells
        .iter()
        .map(|cell| (cell.1 - cell.0 - gap).powi(2))
        .sum::<f64>();
    let range = (cells.len() > 1).then(|| {
        let half = student(0.975, n - 1.0) * (squares / (n - 1.0) / n).sqrt();
        ((gap - half).max(-1.0), (gap + half).min(1.0))
    });
    Some(Change {
        noticed,
        since,
        before: first,
        after: second,
        range,
        cells: cells.len(),
    })
}

/// Means by cell, over runs.
pub(super) fn means<'a>(runs: impl Iterator<Item = &'a [Scored]>) -> BTreeMap<(usize, usize), f64> {
    let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    for answer in runs.flatten() {
        let sum = sums.entry((answer.model, answer.question)).or_default();
        *sum = (sum.0 + answer.score, sum.1 + 1.0);
    }
    sums.into_iter().map(|(cell, (sum, n))| (cell, sum / n)).collect()
}

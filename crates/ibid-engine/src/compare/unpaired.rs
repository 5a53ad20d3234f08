//! The unpaired test: other questions then than now.

use super::cells::Observation;
use super::difference::{SEED, SIGNIFICANT, detectable, interval, nothing, points, rate, variance, verdict};
use super::paired::FEWEST;
use crate::score::statistics::{Dice, RESAMPLES, resample};
use ibid_model::result::{CitedDifference, Difference, Pairing, Verdict};
use std::collections::BTreeMap;

/// Up to so many ways to divide the questions all are tried; above, as many random ones.
const DIVISIONS: u64 = 20_000;

/// All answers to one question, moved between the scans as a whole.
/// A question that draws citations draws them from every model.
#[derive(Clone, Debug, Default)]
struct Cluster {
    /// (group, score, cited), groups ascending.
    cells: Vec<(usize, f64, f64)>,
    answers: u32,
}

/// Picks what is compared: a cell's score, or its citations.
type Value = fn(&(usize, f64, f64)) -> f64;
const SCORE: Value = |cell| cell.1;
const CITED: Value = |cell| cell.2;

/// How the scans' means differ, second minus first, tested by dividing all questions anew between them.
pub(super) fn difference(first: &[Observation<'_>], second: &[Observation<'_>]) -> Difference {
    let (first, second) = (clusters(first), clusters(second));
    let groups = first
        .iter()
        .chain(&second)
        .flat_map(|cluster| &cluster.cells)
        .map(|cell| cell.0 + 1);
    let sides = Sides {
        groups: groups.max().unwrap_or_default(),
        first: &first,
        second: &second,
    };
    let (before, after) = (sides.whole(&first, SCORE), sides.whole(&second, SCORE));
    let Some(gap) = gap(&before, &after) else {
        return nothing();
    };
    let fewest = first.len().min(second.len());
    let interval = interval(&sides.resampled(), fewest);
    let tested = fewest >= FEWEST && sides.smallest_p() < SIGNIFICANT;
    let p_value = tested.then(|| sides.permutation(SCORE));
    let answers = |side: &[Cluster]| side.iter().map(|cluster| cluster.answers).sum();
    Difference {
        verdict: p_value.map_or(Verdict::NotComparable, |p| verdict(p, interval.as_ref())),
        pairing: Pairing::Unpaired,
        questions: (first.len() + second.len()) as u32,
        pairs: 0,
        differing: 0,
        first_answers: answers(&first),
        second_answers: answers(&second),
        first: average(before.into_iter().flatten()).map(points),
        second: average(after.into_iter().flatten()).map(points),
        mean: Some(points(gap)),
        interval,
        p_value,
        detectable: sides
            .standard_error()
            .filter(|_| tested)
            .map(|error| detectable(error, first.len() + second.len() - 1)),
        cited: sides.cited(tested),
    }
}

fn clusters(observations: &[Observation<'_>]) -> Vec<Cluster> {
    let mut clusters: BTreeMap<_, Cluster> = BTreeMap::new();
    for observation in observations {
        let cluster = clusters.entry(observation.question).or_default();
        cluster
            .cells
            .push((observation.group, observation.cell.score, observation.cell.cited));
        cluster.answers += observation.cell.answers;
    }
    clusters.into_values().collect()
}

/// Means by group over weighted clusters; `None` for a group without clusters.
type Means = Vec<Option<f64>>;

fn mean<'a>(groups: usize, clusters: impl Iterator<Item = (&'a Cluster, f64)>, value: Value) -> Means {
    let mut sums = vec![(0.0, 0.0); groups];
    for (cluster, weight) in clusters.filter(|(_, weight)| *weight > 0.0) {
        for cell in &cluster.cells {
            if let Some((sum, n)) = sums.get_mut(cell.0) {
                *sum += value(cell) * weight;
                *n += weight;
            }
        }
    }
    sums.into_iter()
        .map(|(sum, n)| (n > 0.0).then(|| sum / n))
        .collect()
}

/// The mean difference over the groups of both sides.
fn gap(first: &Means, second: &Means) -> Option<f64> {
    average(
        first
            .iter()
            .zip(second)
            .filter_map(|(before, after)| Some((*after)? - (*before)?)),
    )
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

struct Sides<'a> {
    groups: usize,
    first: &'a [Cluster],
    second: &'a [Cluster],
}

impl Sides<'_> {
    fn whole(&self, side: &[Cluster], value: Value) -> Means {
        mean(self.groups, side.iter().map(|cluster| (cluster, 1.0)), value)
    }

    /// All questions in an order that does not depend on the side, and how many the smaller side has.
    fn pool(&self) -> (Vec<&Cluster>, usize) {
        let mut pool: Vec<&Cluster> = self.first.iter().chain(self.second).collect();
        let bits = |cluster: &Cluster| -> Vec<(usize, u64, u64)> {
            let cells = cluster.cells.iter();
            cells
                .map(|(group, score, cited)| (*group, score.to_bits(), cited.to_bits()))
                .collect()
        };
        pool.sort_by_cached_key(|cluster| bits(cluster));
        (pool, self.first.len().min(self.second.len()))
    }

    /// Ways to divide the questions.
    fn divisions(&self) -> u64 {
        let all = self.first.len() + self.second.len();
        let fewer = self.first.len().min(self.second.len());
        (0..fewer as u64).fold(1_u64, |ways, n| ways.saturating_mul(all as u64 - n) / (n + 1))
    }

    /// The least p-value possible with any data.
    /// Equal sides can be swapped, so every division has a twin.
    fn smallest_p(&self) -> f64 {
        let twins = if self.first.len() == self.second.len() {
            2.0
        } else {
            1.0
        };
        (twins / self.divisions() as f64).max(1.0 / DIVISIONS as f64)
    }

    fn permutation(&self, value: Value) -> f64 {
        let (pool, fewer) = self.pool();
        let part = |chosen: &[bool], side: bool| {
            let clusters = pool
                .iter()
                .zip(chosen)
                .filter(move |(_, is_chosen)| **is_chosen == side);
            mean(self.groups, clusters.map(|(cluster, _)| (*cluster, 1.0)), value)
        };
        let distance = |chosen: &[bool]| gap(&part(chosen, true), &part(chosen, false)).map(f64::abs);
        let observed = gap(&self.whole(self.first, value), &self.whole(self.second, value));
        // Sums of the same numbers in another order differ by rounding; a tie is a tie.
        let reached = observed.unwrap_or_default().abs() - 1e-9;
        let is_extreme = |chosen: &[bool]| distance(chosen).is_some_and(|found| found >= reached);
        let divisions = self.divisions();
        if divisions <= DIVISIONS {
            let mut extreme = 0_u32;
            each_choice(pool.len(), fewer, |chosen| {
                extreme += u32::from(is_extreme(chosen))
            });
            return f64::from(extreme) / divisions as f64;
        }
        let mut dice = Dice::new(SEED);
        let mut order: Vec<usize> = (0..pool.len()).collect();
        let mut chosen = vec![false; pool.len()];
        let mut extreme = 1_u32;
        for _ in 0..DIVISIONS {
            chosen.fill(false);
            for place in 0..fewer {
                order.swap(place, place + dice.below(pool.len() - place));
                if let Some(is_chosen) = order.get(place).and_then(|at| chosen.get_mut(*at)) {
                    *is_chosen = true;
                }
            }
            extreme += u32::from(is_extreme(&chosen));
        }
        f64::from(extreme) / (DIVISIONS + 1) as f64
    }

    /// Differences of both sides drawn anew, ascending.
    fn resampled(&self) -> Vec<f64> {
        let draw = |side: &[Cluster], seed: u64| {
            let mut draws = Vec::with_capacity(RESAMPLES as usize);
            resample(side.len(), RESAMPLES, seed, |times| {
                let weighted = side
                    .iter()
                    .zip(times)
                    .map(|(cluster, often)| (cluster, f64::from(*often)));
                draws.push(mean(self.groups, weighted, SCORE));
            });
            draws
        };
        // Each side has its own stream, so swapping the scans does not change the draws.
        let [low, high] = if key(self.first) <= key(self.second) {
            [SEED, SEED + 1]
        } else {
            [SEED + 1, SEED]
        };
        let pairs = draw(self.first, low).into_iter().zip(draw(self.second, high));
        let mut gaps: Vec<f64> = pairs.filter_map(|(one, other)| gap(&one, &other)).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        gaps
    }

    /// Standard error of the difference, from the questions' own means.
    fn standard_error(&self) -> Option<f64> {
        let of = |side: &[Cluster]| {
            let of_one = |cluster: &Cluster| average(cluster.cells.iter().map(SCORE));
            let means: Vec<f64> = side.iter().filter_map(of_one).collect();
            Some(variance(&means)? / means.len() as f64)
        };
        Some((of(self.first)? + of(self.second)?).sqrt())
    }

    fn cited(&self, tested: bool) -> Option<CitedDifference> {
        let of = |side: &[Cluster]| average(self.whole(side, CITED).into_iter().flatten()).map(rate);
        Some(CitedDifference {
            first: of(self.first)?,
            second: of(self.second)?,
            gained: None,
            lost: None,
            p_value: tested.then(|| self.permutation(CITED)),
        })
    }
}

/// Something to order sides by, from their content.
fn key(side: &[Cluster]) -> Vec<(usize, u64)> {
    let cells = side.iter().flat_map(|cluster| &cluster.cells);
    cells.map(|cell| (cell.0, cell.1.to_bits())).collect()
}

/// Visits every way to choose `chosen` places from `all`, once.
fn each_choice(all: usize, chosen: usize, mut each: impl FnMut(&[bool])) {
    let mut places: Vec<usize> = (0..chosen).collect();
    let mut marks = vec![false; all];
    loop {
        marks.fill(false);
        for place in &places {
            if let Some(mark) = marks.get_mut(*place) {
                *mark = true;
            }
        }
        each(&marks);
        // Moves the last place that can advance, and sets the later ones directly after it.
        let Some(at) = (0..chosen).rev().find(|at| places[*at] < all - chosen + at) else {
            return;
        };
        places[at] += 1;
        for next in at + 1..chosen {
            places[next] = places[next - 1] + 1;
        }
    }
}

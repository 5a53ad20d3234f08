//! Estimates the level in a stretch without changes.

use crate::score::interval::{Range, Scored, cells, of_cells};
use crate::score::statistics::{REPEAT_CORRELATION, effective_size};

/// The runs that a level rests on at most: three months of weeks.
pub const LEVEL_RUNS: usize = 12;

/// Averages the last runs in a stretch, with the range; `None` without answers.
///
/// A cell, one question to one model, that was asked several times counts for less than as many cells,
/// because its answers resemble each other. Models weigh the same.
///
/// ```
/// use ibid_engine::history::level;
/// use ibid_engine::score::interval::Scored;
///
/// let run = |question: usize| -> Vec<Scored> {
///     (0..9).map(|n| Scored { model: n % 3, question: question + n, score: (n % 2) as f64 }).collect()
/// };
/// let (same, new) = ([run(0), run(0), run(0)], [run(0), run(9), run(18)]);
/// let width = |runs: &[Vec<Scored>]| level(runs).map(|range| range.high - range.low);
/// assert!(width(&new) < width(&same));
/// ```
#[must_use]
pub fn level(stretch: &[Vec<Scored>]) -> Option<Range> {
    let last = stretch.len().saturating_sub(LEVEL_RUNS);
    let answers: Vec<Scored> = stretch.iter().skip(last).flatten().copied().collect();
    let weight = |times: f64| effective_size(times, times, REPEAT_CORRELATION);
    of_cells(&cells(&answers, weight), true)
}

//! Whether something that was done moved the answers to some questions.

use super::detector::means;
use crate::score::interval::Scored;
use crate::score::statistics::{REPEAT_CORRELATION, student};
use std::collections::BTreeMap;

/// The change that an action without one has to rule out, in parts of 1.
/// At half of it nearly every action ends as "cannot tell"; at twice, a change that matters passes as none.
const RULED_OUT: f64 = 0.1;

/// In a normal distribution 8 in 10 cases are below this quantile.
const EIGHT_OF_TEN: f64 = 0.84;

/// In a normal distribution a 95 % range ends at this quantile.
const NORMAL: f64 = 1.96;

/// A change is promised to be seen from so many questions a side on, because among fewer one that moves far widens the range.
const FEWEST_QUESTIONS: usize = 8;

/// How much wider the wider one of two ranges is, as docs/METHOD.md measures it.
const WIDER: f64 = 1.15;

/// What one run answered: to the questions that an action touched, and to those that it left alone. Rivals count among the
/// latter, each as a further question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionRun {
    /// Answers to touched questions.
    pub touched: Vec<Scored>,
    /// Answers of the controls.
    pub controls: Vec<Scored>,
}

/// What can be said of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionVerdict {
    /// The touched questions moved otherwise than the controls, by more than chance.
    Moved,
    /// They did not, and in 8 of 10 cases a move by ten points would have been seen.
    NotSeen,
    /// Neither is sure.
    CannotTell,
}

/// How far the touched questions and the controls changed, in parts of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionEffect {
    /// How far the touched questions changed.
    pub touched: f64,
    /// How far the controls changed.
    pub controls: f64,
    /// The 95 % range of the first less the second.
    pub range: (f64, f64),
    /// The verdict.
    pub verdict: ActionVerdict,
}

impl ActionEffect {
    /// How much more the touched questions changed than the controls.
    pub fn difference(&self) -> f64 {
        self.touched - self.controls
    }
}

/// Measures an action by the runs between its plan and its end, and the runs after it.
///
/// Runs before the plan do not count: questions are picked where they did badly, and would do better again by chance alone.
/// It takes the wider of two ranges: from the changes by question (Welch), and from the differences between whole runs.
/// `None` without two touched questions and two controls on both sides, and with fewer than three runs.
///
/// ```
/// use ibid_engine::history::{ActionRun, ActionVerdict, effect};
/// use ibid_engine::score::interval::Scored;
///
/// let run = |week: usize, citing: usize| -> ActionRun {
///     let score = |n: usize, most: usize| f64::from(u8::from((n + week) % 6 < most));
///     let answer = |n: usize, most: usize| Scored { model: n % 3, question: n, score: score(n, most) };
///     ActionRun {
///         touched: (0..12).map(|n| answer(n, citing)).collect(),
///         controls: (12..36).map(|n| answer(n, 2)).collect(),
///     }
/// };
/// let (before, after): (Vec<_>, Vec<_>) = ((0..6).map(|week| run(week, 2)).collect(), (6..12).map(|week| run(week, 4)).collect());
/// let found = effect(&before, &after).unwrap();
/// assert_eq!(found.verdict, ActionVerdict::Moved);
/// assert!((found.difference() - 1.0 / 3.0).abs() < 0.01);
/// ```
#[must_use]
pub fn effect(before: &[ActionRun], after: &[ActionRun]) -> Option<ActionEffect> {
    let touched = changes(before, after, |run| &run.touched);
    let controls = changes(before, after, |run| &run.controls);
    let by_questions = welch(&spread(&touched)?, &spread(&controls)?);
    let by_runs = run_to_run(before, after, &touched, &controls)?;
    let half = by_questions.max(by_runs);
    let (touched, controls) = (mean(&touched)?, mean(&controls)?);
    let difference = touched - controls;
    let verdict = if difference.abs() > half {
        ActionVerdict::Moved
    } else if half * (1.0 + EIGHT_OF_TEN / NORMAL) <= RULED_OUT {
        ActionVerdict::NotSeen
    } else {
        ActionVerdict::CannotTell
    };
    Some(ActionEffect {
        touched,
        controls,
        range: ((difference - half).max(-2.0), (difference + half).min(2.0)),
        verdict,
    })
}

/// How small a change an action can show in 8 cases out of 10, in parts from 0 to 1, at even chances: by how many questions
/// (touched, and not), models that are asked each, and runs (before, and after). `None` below eight questions a side.
///
/// ```
/// use ibid_engine::history::visible;
///
/// let points = |touched, controls| visible(touched, controls, 3, 8, 8).map(|seen| (100.0 * seen).round());
/// assert_eq!(points(8, 24), Some(12.0));
/// assert_eq!(points(24, 24), Some(8.0));
/// assert_eq!(points(4, 24), None);
/// ```
#[must_use]
pub fn visible(touched: usize, controls: usize, models: usize, before: usize, after: usize) -> Option<f64> {
    if touched.min(controls) < FEWEST_QUESTIONS || models == 0 {
        return None;
    }
    let share = |n: usize| 1.0 / n as f64;
    // How much the mean over a side's repeats varies, and how many questions it has, less one.
    let repeats = (1.0 - REPEAT_CORRELATION) / 4.0 * (share(before) + share(after));
    let side = |questions: usize| (repeats * share(questions * models), questions as f64 - 1.0);
    let (first, second) = (side(touched), side(controls));
    let error = (first.0 + second.0).sqrt();
    let by_runs = student(0.975, (before + after) as f64 - 2.0) * error;
    let seen = WIDER * (welch(&first, &second).max(by_runs) + EIGHT_OF_TEN * error);
    seen.is_finite().then_some(seen)
}

/// How each cell with answers on both sides changed, by question.
type Changes = BTreeMap<(usize, usize), (f64, f64)>;

fn changes(before: &[ActionRun], after: &[ActionRun], answers: fn(&ActionRun) -> &Vec<Scored>) -> Changes {
    let side = |runs: &[ActionRun]| means(runs.iter().map(|run| answers(run).as_slice()));
    let (before, after) = (side(before), side(after));
    let both = before
        .iter()
        .filter_map(|(cell, before)| Some((*cell, (*before, *after.get(cell)?))));
    both.collect()
}

fn mean(changes: &Changes) -> Option<f64> {
    let sum: f64 = changes.values().map(|(before, after)| after - before).sum();
    (!changes.is_empty()).then(|| sum / changes.len() as f64)
}

/// How much the mean change varies, and how many questions it has, less one: questions are independent, their models are not.
fn spread(changes: &Changes) -> Option<(f64, f64)> {
    let mut questions: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for ((_, question), (before, after)) in changes {
        let sum = questions.entry(*question).or_default();
        *sum = (sum.0 + after - before, sum.1 + 1.0);
    }
    let n = questions.len() as f64;
    let mean = mean(changes)?;
    // The mean is over cells, so a question with more of them weighs more.
    let weight = changes.len() as f64 / n;
    let squares: f64 = questions
        .values()
        .map(|(sum, cells)| ((sum - mean * cells) / weight).powi(2))
        .sum();
    (questions.len() > 1).then(|| (squares / (n - 1.0) / n, n - 1.0))
}

/// Half the 95 % range around the difference between two means with these variances (Welch 1947).
fn welch(first: &(f64, f64), second: &(f64, f64)) -> f64 {
    let variance = first.0 + second.0;
    let spent = first.0.powi(2) / first.1 + second.0.powi(2) / second.1;
    let freedom = if spent > 0.0 {
        variance.powi(2) / spent
    } else {
        first.1 + second.1
    };
    student(0.975, freedom) * variance.sqrt()
}

/// Half the 95 % range from the spread of whole runs: weeks may move the touched questions together.
fn run_to_run(
    before: &[ActionRun],
    after: &[ActionRun],
    touched: &Changes,
    controls: &Changes,
) -> Option<f64> {
    let distance = |answers: &[Scored], usual: &Changes, is_after: bool| -> Option<f64> {
        let known = answers.iter().filter_map(|answer| {
            let (before, after) = usual.get(&(answer.model, answer.question))?;
            Some(answer.score - if is_after { after } else { before })
        });
        let known: Vec<f64> = known.collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let side = |runs: &[ActionRun], is_after: bool| -> Vec<f64> {
        let gaps = runs.iter().filter_map(|run| {
            Some(distance(&run.touched, touched, is_after)? - distance(&run.controls, controls, is_after)?)
        });
        gaps.collect()
    };
    let (before, after) = (side(before, false), side(after, true));
    let (first, second) = (before.len() as f64, after.len() as f64);
    let freedom = first + second - 2.0;
    if before.is_empty() || after.is_empty() || freedom < 1.0 {
        return None;
    }
    let squares: f64 = before.iter().chain(&after).map(|gap| gap * gap).sum();
    let variance = squares / freedom * (1.0 / first + 1.0 / second);
    Some(student(0.975, freedom) * variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(touched: &[f64], controls: &[f64]) -> ActionRun {
        let scored = |scores: &[f64], from: usize| -> Vec<Scored> {
            let answer = |(at, score): (usize, &f64)| Scored {
                model: 0,
                question: from + at,
                score: *score,
            };
            scores.iter().enumerate().map(answer).collect()
        };
        ActionRun {
            touched: scored(touched, 0),
            controls: scored(controls, 100),
        }
    }

    #[test]
    fn a_move_of_all_answers_is_no_effect_and_one_of_the_touched_is() {
        let quiet = |by: f64, week: usize| {
            let wave = |n: usize| 0.02 * ((n * 5 + week * 3) % 7) as f64;
            let answers: Vec<f64> = (0..12).map(|n| 0.3 + by + wave(n)).collect();
            (answers[..6].to_vec(), answers)
        };
        let runs = |touched: f64, controls: f64| -> Vec<ActionRun> {
            let both = |week| run(&quiet(touched, week).0, &quiet(controls, week).1);
            (0..8).map(both).collect()
        };
        let all = effect(&runs(0.0, 0.0), &runs(0.4, 0.4)).unwrap();
        assert_eq!(all.verdict, ActionVerdict::NotSeen);
        assert!((all.touched - 0.4).abs() < 1e-9 && all.difference().abs() < 1e-9);
        let own = effect(&runs(0.0, 0.0), &runs(0.2, 0.0)).unwrap();
        assert_eq!(own.verdict, ActionVerdict::Moved);
        assert!(own.range.0 > 0.15 && own.range.1 < 0.25, "{:?}", own.range);
    }

    #[test]
    fn a_week_that_moves_the_touched_questions_together_widens_the_range() {
        let even: Vec<ActionRun> = (0..4).map(|_| run(&[0.5; 4], &[0.5; 8])).collect();
        let odd: Vec<ActionRun> = (0..4)
            .map(|week| run(&[if week == 0 { 1.0 } else { 0.5 }; 4], &[0.5; 8]))
            .collect();
        // By questions alone all four moved by the same.
        let found = effect(&even, &odd).unwrap();
        assert_eq!(found.verdict, ActionVerdict::CannotTell);
        assert!((found.difference() - 0.125).abs() < 1e-9);
    }

    #[test]
    fn too_little_says_nothing() {
        let one = [run(&[0.5; 4], &[0.5; 8])];
        assert_eq!(effect(&one, &one), None);
        let single = vec![run(&[0.5], &[0.5; 8]); 4];
        assert_eq!(effect(&single, &single), None);
        let strangers = vec![run(&[0.5; 4], &[]); 4];
        assert_eq!(effect(&strangers, &strangers), None);
        assert_eq!(effect(&[], &single), None);
    }
}

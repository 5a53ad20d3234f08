//! Actions with a test agreed beforehand: did the questions that an action touched move more than the others?
//!
//! The unit is a question that was kept: its runs resemble each other, so more runs do not make more questions. What moves
//! all answers of a week cancels out against the controls. docs/METHOD.md has the simulated errors.

use crate::score::statistics::student;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// Fewer questions on a side than this leave its spread unknown.
pub const FEWEST_QUESTIONS: usize = 3;
/// The runs that a plan looks ahead: a year of weeks.
const MOST_RUNS: usize = 52;
/// The power that a plan asks for.
const POWER: f64 = 0.8;

/// A question that was kept: its scores (0..1) in each run, the mean over the models that answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The runs before the action was done.
    pub before: Vec<f64>,
    /// The runs after it.
    pub after: Vec<f64>,
}

/// What was agreed before the action was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreed {
    /// The change to look for, 0..1.
    pub effect: f64,
    /// The runs after the action that are waited for. A verdict before them would look until it likes what it sees.
    pub runs: usize,
}

/// The verdict on an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The touched questions changed against the controls by more than chance explains.
    Moved,
    /// A change as large as agreed is ruled out.
    NotSeen,
    /// Neither.
    CannotTell,
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Runs are still to come.
    Early,
    /// A side has fewer than [`FEWEST_QUESTIONS`] questions with runs before and after.
    FewQuestions,
    /// The range holds both no change and the change that was agreed.
    Wide,
    /// Rivals changed on the touched questions at least as much.
    Rivals,
}

/// The difference of differences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason of [`Verdict::CannotTell`].
    pub doubt: Option<Doubt>,
    /// The change of the touched questions less that of the controls, −1..1; `None` with too few questions.
    pub difference: Option<Difference>,
    /// Touched questions that count.
    pub touched: usize,
    /// Controls that count.
    pub controls: usize,
}

/// A difference with its 95 % range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The estimate.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Judges an action by the questions that it touched, other questions as controls, and rivals on the touched questions.
///
/// ```
/// use ibid_engine::actions::{Agreed, Kept, Verdict, judge};
///
/// let question = |before: f64, after: f64| Kept { before: vec![before; 4], after: vec![after; 4] };
/// let touched: Vec<_> = (0..6).map(|n| question(0.2, 0.6 + 0.02 * f64::from(n))).collect();
/// let controls: Vec<_> = (0..12).map(|n| question(0.3, 0.3 + 0.01 * f64::from(n % 3))).collect();
/// let outcome = judge(Agreed { effect: 0.1, runs: 4 }, &touched, &controls, &[]);
/// assert_eq!(outcome.verdict, Verdict::Moved);
/// assert!((outcome.difference.unwrap().mean - 0.44).abs() < 0.05);
/// ```
#[must_use]
pub fn judge(agreed: Agreed, touched: &[Kept], controls: &[Kept], rivals: &[Kept]) -> Outcome {
    let changes = Changes::of(touched, controls);
    let runs = touched.iter().map(|kept| kept.after.len()).max().unwrap_or(0);
    let mut outcome = Outcome {
        verdict: Verdict::CannotTell,
        doubt: None,
        difference: None,
        touched: changes.touched.len(),
        controls: changes.controls.len(),
    };
    if outcome.touched.min(outcome.controls) < FEWEST_QUESTIONS {
        outcome.doubt = Some(Doubt::FewQuestions);
        return outcome;
    }
    let found = changes.difference();
    outcome.difference = Some(found);
    let rival: Vec<f64> = rivals
        .iter()
        .filter_map(|kept| Some(mean(&kept.after)? - mean(&kept.before)?))
        .collect();
    let own = mean(&changes.touched).unwrap_or(0.0);
    // Rivals that changed as much in the same direction: answers to these questions changed, not what they say of us.
    let is_shared = mean(&rival).is_some_and(|rival| rival * own > 0.0 && rival.abs() >= own.abs());
    (outcome.verdict, outcome.doubt) = if runs < agreed.runs {
        (Verdict::CannotTell, Some(Doubt::Early))
    } else if found.low > 0.0 || found.high < 0.0 {
        match is_shared {
            true => (Verdict::CannotTell, Some(Doubt::Rivals)),
            false => (Verdict::Moved, None),
        }
    } else if found.high < agreed.effect {
        (Verdict::NotSeen, None)
    } else {
        (Verdict::CannotTell, Some(Doubt::Wide))
    };
    outcome
}

/// The chance that a change of the agreed size will be called [`Verdict::Moved`], from runs before the action: for each
/// question its scores. `None` with too few questions or runs.
#[must_use]
pub fn power(agreed: Agreed, touched: &[Vec<f64>], controls: &[Vec<f64>]) -> Option<f64> {
    let spread = within(touched.iter().chain(controls))?;
    let runs = |side: &[Vec<f64>]| side.iter().map(Vec::len).max().unwrap_or(0).max(1) as f64;
    let of_question = |side: &[Vec<f64>]| {
        let after = agreed.runs.max(1) as f64;
        (spread * (1.0 / runs(side) + 1.0 / after)).max(1.0 / (after * after))
    };
    let count = |side: &[Vec<f64>]| side.iter().filter(|scores| !scores.is_empty()).count();
    let (n, m) = (count(touched), count(controls));
    if n.min(m) < FEWEST_QUESTIONS {
        return None;
    }
    let (a, b) = (of_question(touched) / n as f64, of_question(controls) / m as f64);
    let error = (a + b).sqrt();
    let normal = Normal::standard();
    Some(normal.cdf(agreed.effect.abs() / error - student(0.975, freedom((a, n), (b, m)))))
}

/// The fewest runs after the action with which a change of this size is seen in 8 of 10 cases; `None` where a year does not
/// suffice, or with too few questions or runs.
#[must_use]
pub fn runs_needed(effect: f64, touched: &[Vec<f64>], controls: &[Vec<f64>]) -> Option<usize> {
    (1..=MOST_RUNS).find(|runs| {
        let agreed = Agreed { effect, runs: *runs };
        power(agreed, touched, controls).is_some_and(|power| power >= POWER)
    })
}

/// The change of each question.
struct Changes {
    touched: Vec<f64>,
    controls: Vec<f64>,
    /// The least variance of a change: one answer of one run.
    least: f64,
}

impl Changes {
    /// The level before is drawn to the mean of all questions by as much as it is chance: questions that were picked because
    /// they were low would rise without any action.
    fn of(touched: &[Kept], controls: &[Kept]) -> Self {
        let all = || touched.iter().chain(controls);
        let levels: Vec<f64> = all().filter_map(|kept| mean(&kept.before)).collect();
        let middle = mean(&levels).unwrap_or(0.0);
        let runs: Vec<f64> = all()
            .map(|kept| kept.before.len() as f64)
            .filter(|runs| *runs > 0.0)
            .collect();
        let chance = within(all().flat_map(|kept| [&kept.before, &kept.after])).unwrap_or(0.0)
            / mean(&runs).unwrap_or(1.0);
        let spread = variance(&levels).unwrap_or(0.0);
        let trust = if spread > 0.0 {
            (1.0 - chance / spread).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let change = |kept: &Kept| {
            let before = mean(&kept.before)?;
            Some(mean(&kept.after)? - (middle + trust * (before - middle)))
        };
        let after = all().map(|kept| kept.after.len()).max().unwrap_or(0).max(1) as f64;
        Self {
            touched: touched.iter().filter_map(change).collect(),
            controls: controls.iter().filter_map(change).collect(),
            least: 1.0 / (after * after),
        }
    }

    /// Welch's range of the difference of two means.
    fn difference(&self) -> Difference {
        let error = |side: &[f64]| variance(side).unwrap_or(0.0).max(self.least) / side.len() as f64;
        let (a, b) = (error(&self.touched), error(&self.controls));
        let middle = mean(&self.touched).unwrap_or(0.0) - mean(&self.controls).unwrap_or(0.0);
        let freedom = freedom((a, self.touched.len()), (b, self.controls.len()));
        let half = student(0.975, freedom) * (a + b).sqrt();
        Difference {
            mean: middle,
            low: (middle - half).max(-1.0),
            high: (middle + half).min(1.0),
        }
    }
}

/// The degrees of freedom of Welch and Satterthwaite, from the squared errors and sizes of two sides.
fn freedom((a, n): (f64, usize), (b, m): (f64, usize)) -> f64 {
    (a + b).powi(2) / (a * a / (n as f64 - 1.0) + b * b / (m as f64 - 1.0))
}

/// The variance of scores about the mean of their own list; `None` where no list has two.
fn within<'a>(lists: impl Iterator<Item = &'a Vec<f64>>) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for list in lists.filter(|list| list.len() > 1) {
        let degrees = list.len() as f64 - 1.0;
        squares += variance(list)? * degrees;
        freedom += degrees;
    }
    (freedom > 0.0).then(|| squares / freedom)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn variance(values: &[f64]) -> Option<f64> {
    let middle = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() as f64 - 1.0))
}

#[cfg(test)]
mod tests {
    use super::{Agreed, Doubt, Kept, Verdict, judge, power, runs_needed};

    const AGREED: Agreed = Agreed { effect: 0.1, runs: 4 };

    /// Questions whose level rises by so much, with scores that alternate about it.
    fn questions(count: usize, level: f64, rise: f64, runs: usize) -> Vec<Kept> {
        let scores = |middle: f64, shift: usize| -> Vec<f64> {
            (0..runs)
                .map(|run| middle + if (run + shift) % 2 == 0 { 0.05 } else { -0.05 })
                .collect()
        };
        (0..count)
            .map(|n| {
                let own = level + 0.02 * (n % 5) as f64;
                Kept {
                    before: scores(own, n),
                    after: scores(own + rise, n + 1),
                }
            })
            .collect()
    }

    #[test]
    fn a_week_that_moves_everything_is_no_effect() {
        let outcome = judge(
            AGREED,
            &questions(8, 0.3, 0.3, 4),
            &questions(16, 0.3, 0.3, 4),
            &[],
        );
        assert_ne!(outcome.verdict, Verdict::Moved, "{outcome:?}");
    }

    #[test]
    fn more_runs_turn_a_doubt_into_a_verdict() {
        let verdict = |rise, runs| {
            let outcome = judge(
                Agreed { runs: 8, ..AGREED },
                &questions(12, 0.3, rise, runs),
                &questions(24, 0.3, 0.0, runs),
                &[],
            );
            (outcome.verdict, outcome.doubt)
        };
        assert_eq!(verdict(0.3, 4), (Verdict::CannotTell, Some(Doubt::Early)));
        assert_eq!(verdict(0.3, 8), (Verdict::Moved, None));
        assert_eq!(verdict(-0.3, 8), (Verdict::Moved, None));
        assert_eq!(verdict(0.0, 12), (Verdict::NotSeen, None));
    }

    #[test]
    fn doubts_have_their_reasons() {
        let controls = questions(16, 0.3, 0.0, 4);
        let few = judge(AGREED, &questions(2, 0.3, 0.5, 4), &controls, &[]);
        assert_eq!((few.doubt, few.difference), (Some(Doubt::FewQuestions), None));
        let touched = questions(8, 0.3, 0.5, 4);
        let rivals = judge(AGREED, &touched, &controls, &questions(8, 0.3, 0.5, 4));
        assert_eq!(
            (rivals.verdict, rivals.doubt),
            (Verdict::CannotTell, Some(Doubt::Rivals))
        );
        // Rivals that lost what the website won are no doubt.
        let won = judge(AGREED, &touched, &controls, &questions(8, 0.6, -0.5, 4));
        assert_eq!(won.verdict, Verdict::Moved);
        let wide = judge(
            AGREED,
            &questions(3, 0.3, 0.02, 4),
            &questions(3, 0.3, 0.0, 4),
            &[],
        );
        assert_eq!(
            (wide.verdict, wide.doubt),
            (Verdict::CannotTell, Some(Doubt::Wide))
        );
        assert_eq!(judge(AGREED, &[], &[], &[]).doubt, Some(Doubt::FewQuestions));
    }

    #[test]
    fn power_grows_with_runs_and_questions() {
        let before = |count| -> Vec<Vec<f64>> {
            let scores = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
            (0..count)
                .map(|n| {
                    scores
                        .iter()
                        .map(|score: &f64| score * f64::from(n % 2))
                        .collect()
                })
                .collect()
        };
        let of = |runs, count| power(Agreed { effect: 0.1, runs }, &before(count), &before(24)).unwrap();
        assert!(
            of(4, 12) < of(8, 12) && of(8, 12) < of(8, 24),
            "{} {} {}",
            of(4, 12),
            of(8, 12),
            of(8, 24)
        );
        assert_eq!(power(AGREED, &before(2), &before(24)), None);
        let (few, many) = (
            runs_needed(0.3, &before(12), &before(24)),
            runs_needed(0.2, &before(12), &before(24)),
        );
        assert!(few < many && few.is_some(), "{few:?} {many:?}");
        assert_eq!(runs_needed(0.001, &before(12), &before(24)), None);
    }
}

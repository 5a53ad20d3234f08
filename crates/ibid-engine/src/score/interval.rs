//! A mean's 95 % range over questions: one rule for scores and rates, and for any number of questions.
//!
//! The unit is a question, with its answers by one model or by several.
//! Models are chosen, not drawn: the spread between them is taken out of the spread between questions.
//! The rule is that of a yes-or-no rate (a beta interval).
//! Instead of the number of questions it takes how many yes-or-no questions would have a mean that varies as much.
//! docs/METHOD.md has its coverage; `cargo bench -p ibid-engine --bench simulate` measures it.

use super::statistics::{FEWEST_CLUSTERS, beta_quantile, student};
use ibid_model::{Interval, Score};
use std::collections::BTreeMap;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// What part of an answer is added on the far side of each bound.
/// It is between one half (mid-P) and 1 (Clopper and Pearson 1934).
/// The smallest value that covers .5 with four equal answers is .55.
/// From .68, twenty answers at .3 are covered more than .97.
const FAR_SIDE: f64 = 0.6;

/// Lower limit for the sum of squares in a group.
/// It keeps answers which agree by chance from making a certainty.
const LEAST_SQUARES: f64 = 0.01;

/// Added to the sum of squares for three questions or fewer, because their own variance is unreliable.
/// It fades with more.
const FEW_SQUARES: f64 = 0.3;

/// Over so many further questions [`FEW_SQUARES`] fades.
const FADES_OVER: f64 = 3.5;

/// How many citing answers the expected variance counts for, and that number times its share of the yes-or-no variance.
/// Few citing answers agree by chance more often than their class does.
/// Half as many cover graded scores around .9 less than .90; twice as many make the range over 24 answers a tenth wider.
const EXPECTED: (f64, f64) = (4.0, 2.4);

/// How one model's answer to one question scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The model, by any number.
    pub model: usize,
    /// The question, by any number: the same question to several models has one number.
    pub question: usize,
    /// Its score, 0..1.
    pub score: f64,
}

/// A mean and its 95 % range, 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Mean over the models' means.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// How many questions it rests on.
    pub questions: usize,
    /// It rests on fewer than ten questions.
    pub low_precision: bool,
}

/// Scores some answers, with the range: models weigh the same, and within a model questions do.
/// `None` without answers.
///
/// The models may share their questions, or have other ones each, which tell more for the same number of calls.
///
/// ```
/// use ibid_engine::score::interval::{Scored, of_answers};
///
/// let answers = |shared: bool| -> Vec<Scored> {
///     let cell = |n: usize| Scored {
///         model: n % 3,
///         question: if shared { n / 3 } else { n },
///         score: if n % 4 == 0 { 0.6 } else { 0.0 },
///     };
///     (0..24).map(cell).collect()
/// };
/// let own = of_answers(&answers(false)).unwrap();
/// assert!(own.low < own.mean && own.mean < own.high && !own.low_precision);
/// assert!(of_answers(&answers(true)).unwrap().low_precision);
/// assert_eq!(of_answers(&[]), None);
/// ```
#[must_use]
pub fn of_answers(answers: &[Scored]) -> Option<Range> {
    of_cells(&cells(answers, |_| 1.0), true)
}

/// A rate over answers, each weighing the same, with its range.
#[must_use]
pub fn of_rate(answers: &[Scored]) -> Option<Range> {
    let mut cells = cells(answers, |_| 1.0);
    for cell in &mut cells {
        cell.part = cell.answers;
    }
    of_cells(&cells, false)
}

/// The points by which the reading may move a score to either side, 95 times in 100: what all answers about one website share.
/// `named` is the share of answers that are read as naming it; the questions are in `language`.
pub(crate) fn reading_error(named: f64, language: &str) -> f64 {
    // Standard deviations on labelled answers in which the website is named; docs/METHOD.md has the measurement.
    let points = match language.split('-').next() {
        Some("zh" | "ja" | "ko") => 20.0,
        _ => 6.0,
    };
    (Z * points * named * 10.0).round() / 10.0
}

/// A score with its likely range, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadScore {
    /// Models weigh the same.
    pub score: Score,
    /// With the error of reading, where the language is known.
    pub interval: Interval,
    /// What part the choice of questions explains.
    pub sampling_interval: Option<Interval>,
    /// The points that the error of reading adds to either side.
    pub reading_error: Option<f64>,
}

impl Range {
    /// Turns a range over these answers into points, with the error in reading answers in this language.
    pub fn as_read(&self, answers: &[Scored], language: Option<&str>) -> ReadScore {
        let score = Score::new(100.0 * self.mean);
        let sampling = Interval::of_scores(100.0 * self.low, 100.0 * self.high, self.low_precision);
        let named = answers.iter().filter(|answer| answer.score > 0.0).count();
        let named = named as f64 / answers.len().max(1) as f64;
        let error = language.map(|language| reading_error(named, language));
        ReadScore {
            score,
            interval: error.map_or(sampling, |error| sampling.widened(score, error)),
            sampling_interval: error.map(|_| sampling),
            reading_error: error,
        }
    }
}

/// One model's answers to one question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    model: usize,
    question: usize,
    score: f64,
    answers: f64,
    /// How many cells asked once would show as much.
    weight: f64,
    /// Its part in the mean of its model or, for rates, in the whole.
    part: f64,
}

/// Groups answers into cells, with a weight by how many each has.
pub(crate) fn cells(answers: &[Scored], weight: impl Fn(f64) -> f64) -> Vec<Cell> {
    let mut sums: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for answer in answers {
        let cell = sums.entry((answer.model, answer.question)).or_default();
        cell.push(answer.score);
    }
    let cell = |((model, question), mut scores): (_, Vec<f64>)| {
        // Sorted, so that the sum does not depend on the order of the answers.
        scores.sort_unstable_by(f64::total_cmp);
        let answers = scores.len() as f64;
        let weight = weight(answers);
        Cell {
            model,
            question,
            score: scores.iter().sum::<f64>() / answers,
            answers,
            weight,
            part: weight,
        }
    };
    sums.into_iter().map(cell).collect()
}

/// Averages cells, in which models weigh the same or parts do, and gives the range over whole questions.
pub(crate) fn of_cells(cells: &[Cell], models_equal: bool) -> Option<Range> {
    // Sums over parts, and over parts times scores.
    let mut models: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for cell in cells {
        let sums = models.entry(cell.model).or_default();
        *sums = (sums.0 + cell.part, sums.1 + cell.part * cell.score);
    }
    let whole: f64 = models.values().map(|sums| sums.0).sum();
    let of = |sums: &(f64, f64)| {
        if models_equal {
            sums.0 * models.len() as f64
        } else {
            whole
        }
    };
    let mean: f64 = models.values().map(|sums| sums.1 / of(sums)).sum();
    // A question that several models share weighs as much as its heaviest cell.
    let mut questions: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for cell in cells {
        let question = questions.entry(cell.question).or_default();
        question.1 = question.1.max(cell.weight);
    }
    let n: f64 = questions.values().map(|question| question.1).sum();
    let asked: f64 = cells.iter().map(|cell| cell.weight).sum();
    // The means taken out: one for each model if every question is asked once, one in all if every model is asked all.
    let means = 1.0 + models.len() as f64 - asked / n;
    // A model with one question is its own mean, so with one each nothing is taken out.
    let centred = n - means > 1e-9 && cells.len() > models.len();
    let spread = if centred {
        ((n - 1.0) / (n - means)).sqrt()
    } else {
        1.0
    };
    for cell in cells {
        let sums = models.get(&cell.model)?;
        let centre = if centred { sums.1 / sums.0 } else { mean };
        let question = questions.get_mut(&cell.question)?;
        question.0 += n * cell.part / of(sums) * (cell.score - centre) * spread;
    }
    let cited = cells.iter().filter(|cell| cell.score > 0.0);
    let above = cited.map(|cell| cell.weight).sum();
    let squares = questions.values().map(|(sum, weight)| sum * sum / weight).sum();
    let (low, high) = bounds(mean, n, squares, above)?;
    Some(Range {
        mean,
        low,
        high,
        questions: questions.len(),
        low_precision: questions.len() < FEWEST_CLUSTERS,
    })
}

/// Bounds a mean, 0..1, with 95 % over `n` questions whose squared distances from it sum up to `squares`.
/// `above` is the number of answers over 0. `None` without questions.
fn bounds(mean: f64, n: f64, squares: f64, above: f64) -> Option<(f64, f64)> {
    if n <= 0.0 {
        return None;
    }
    let mean = mean.clamp(0.0, 1.0);
    let size = size(mean, n, squares, above);
    let low = quantile(size * mean, size * (1.0 - mean) + FAR_SIDE, 0.025);
    let high = quantile(size * mean + FAR_SIDE, size * (1.0 - mean), 0.975);
    Some((low.min(mean), high.max(mean)))
}

/// How wide a rate's range is expected to be over so many questions, each asked once, where yes and no are equally likely:
/// the mean over all outcomes. It is 1 for zero questions.
#[must_use]
pub fn expected_width(questions: usize) -> f64 {
    let n = questions as f64;
    let mut width = 0.0;
    let mut chance = 0.5_f64.powi(i32::try_from(questions).unwrap_or(i32::MAX));
    for yes in 0..=questions {
        let mean = yes as f64 / n.max(1.0);
        let found = bounds(mean, n, n * mean * (1.0 - mean), yes as f64);
        width += chance * found.map_or(1.0, |(low, high)| high - low);
        chance *= (questions - yes) as f64 / (yes + 1) as f64;
    }
    width
}

/// How many yes-or-no questions have a mean that varies as much.
fn size(mean: f64, n: f64, squares: f64, above: f64) -> f64 {
    let few = (-((n - 3.0).max(0.0) / FADES_OVER).powi(2)).exp();
    let added = LEAST_SQUARES + FEW_SQUARES * few;
    // 1 if every question is all yes or all no, which is the most that values in 0..1 can vary.
    let found = ((squares + added) / (n * mean * (1.0 - mean) + added)).min(1.0);
    let (answers, variance) = EXPECTED;
    let share = found.max((above * found + variance) / (above + answers));
    // A yes-or-no mean has a known variance.
    // The more it is estimated, the more it needs Student's t.
    let freedom = n / (1.0 - share).max(1e-6);
    let t = student(0.975, freedom);
    ((n - 1.0) / share + 1.0) * (Z / t).powf(2.0 * (1.0 - few))
}

/// The `p`-quantile of a beta distribution; its end if one side has no weight.
pub(super) fn quantile(a: f64, b: f64, p: f64) -> f64 {
    if a <= 1e-9 {
        return 0.0;
    }
    if b <= 1e-9 {
        return 1.0;
    }
    beta_quantile(a, b, p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own(values: &[f64]) -> Vec<Scored> {
        let answers = values.iter().enumerate();
        let answer = |(question, &score)| Scored {
            model: 0,
            question,
            score,
        };
        answers.map(answer).collect()
    }

    fn check(values: &[f64], expected: (f64, f64)) {
        let Range { low, high, .. } = of_answers(&own(values)).unwrap();
        assert!(
            (low - expected.0).abs() < 2e-3 && (high - expected.1).abs() < 2e-3,
            "{values:?}: {low:.4} to {high:.4}, not {expected:?}"
        );
    }

    #[test]
    fn worked_examples() {
        assert_eq!(of_answers(&[]), None);
        // Yes or no: Beta(X, n - X + 0.6) and Beta(X + 0.6, n - X).
        check(&[1.0, 1.0, 1.0, 1.0], (0.4836, 1.0));
        check(&[0.0, 0.0, 0.0, 0.0], (0.0, 0.5164));
        let mut six_of_ten = [1.0; 10];
        six_of_ten[6..].fill(0.0);
        check(&six_of_ten, (0.2759, 0.8727));
    }

    #[test]
    fn more_questions_are_expected_to_give_narrower_intervals() {
        let widths: Vec<f64> = (0..=10).map(expected_width).collect();
        assert_eq!(widths[0], 1.0);
        assert!(widths.windows(2).all(|pair| pair[1] < pair[0]), "{widths:?}");
        // The outcomes of two questions: both 0 (0 to .83), one 1 (0 to 1) with twice the chance, both 1.
        let width = |values: &[f64]| {
            of_answers(&own(values))
                .map(|range| range.high - range.low)
                .unwrap()
        };
        let expected = (width(&[0.0; 2]) + width(&[0.0, 1.0])) / 2.0;
        assert!((widths[2] - expected).abs() < 1e-6, "{widths:?}");
    }

    #[test]
    fn answers_that_agree_are_no_certainty() {
        for n in [1, 2, 3, 9, 10, 40, 200] {
            for value in [0.0, 0.2, 0.5, 1.0] {
                let Range { low, high, .. } = of_answers(&own(&vec![value; n])).unwrap();
                assert!(high - low > 0.001, "{n} times {value}: {low} to {high}");
            }
        }
    }

    /// The rule as docs/METHOD.md writes it, for questions that are all own or all shared.
    /// Model j has the answers `rows[j]`.
    fn oracle(rows: &[Vec<f64>], shared: bool) -> (f64, f64, f64) {
        let models = rows.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let m = mean(&rows.iter().map(|row| mean(row)).collect::<Vec<_>>());
        let each = rows[0].len();
        let (n, r) = if shared {
            (each as f64, 1.0)
        } else {
            (each as f64 * models, models)
        };
        let widen = if each == 1 {
            1.0
        } else {
            ((n - 1.0) / (n - r)).sqrt()
        };
        let part = |row: &[f64], i: usize| {
            if each == 1 {
                row[i] - m
            } else {
                (row[i] - mean(row)) * widen
            }
        };
        let mut v: Vec<f64> = Vec::new();
        for i in 0..each {
            let parts: Vec<f64> = rows.iter().map(|row| part(row, i)).collect();
            if shared {
                v.push(m + mean(&parts));
            } else {
                v.extend(parts.iter().map(|part| m + part));
            }
        }
        let w = if n <= 3.0 {
            1.0
        } else {
            (-((n - 3.0) / 3.5_f64).powi(2)).exp()
        };
        let a = 0.01 + 0.3 * w;
        let squares: f64 = v.iter().map(|v| (v - m).powi(2)).sum();
        let k = rows.iter().flatten().filter(|score| **score > 0.0).count() as f64;
        let f = ((squares + a) / (n * m * (1.0 - m) + a)).min(1.0);
        let f = f.max((k * f + 2.4) / (k + 4.0));
        let t = student(0.975, n / (1.0 - f).max(1e-6));
        let size = ((n - 1.0) / f + 1.0) * (1.959_964 / t).powf(2.0 - 2.0 * w);
        let low = if size * m < 1e-9 {
            0.0
        } else {
            beta_quantile(size * m, size * (1.0 - m) + 0.6, 0.025)
        };
        let high = if size * (1.0 - m) < 1e-9 {
            1.0
        } else {
            beta_quantile(size * m + 0.6, size * (1.0 - m), 0.975)
        };
        (m, low.min(m), high.max(m))
    }

    fn answers(rows: &[Vec<f64>], shared: bool) -> Vec<Scored> {
        let rows = rows.iter().enumerate();
        rows.flat_map(|(model, row)| {
            let cells = row.iter().enumerate();
            cells.map(move |(at, &score)| Scored {
                model,
                question: if shared { at } else { at * 100 + model },
                score,
            })
        })
        .collect()
    }

    fn grid() -> impl Strategy<Value = Vec<Vec<f64>>> {
        (1..7_usize, 1..9_usize).prop_flat_map(|(models, each)| {
            let score = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64];
            prop::collection::vec(prop::collection::vec(score, each), models)
        })
    }

    proptest! {
        #[test]
        fn the_range_is_that_of_a_naive_oracle(rows in grid(), shared: bool) {
            let range = of_answers(&answers(&rows, shared)).unwrap();
            let (mean, low, high) = oracle(&rows, shared);
            prop_assert!((range.mean - mean).abs() < 1e-9, "{range:?} {mean}");
            prop_assert!((range.low - low).abs() < 1e-6 && (range.high - high).abs() < 1e-6, "{range:?} {low} {high}");
            prop_assert_eq!(range.low_precision, range.questions < 10);
        }

        #[test]
        fn order_and_numbers_make_no_difference(rows in grid(), shared: bool) {
            let mut all = answers(&rows, shared);
            let range = of_answers(&all);
            all.reverse();
            for answer in &mut all {
                answer.question = answer.question * 7 + 3;
                answer.model += 5;
            }
            prop_assert_eq!(of_answers(&all).map(|range| (range.questions, range.low_precision)), range.map(|range| (range.questions, range.low_precision)));
            prop_assert!((of_answers(&all).unwrap().high - range.unwrap().high).abs() < 1e-9);
        }

        #[test]
        fn the_range_holds_the_mean(rows in grid(), lost in 0..4_usize) {
            let mut all = answers(&rows, false);
            all.truncate(all.len().saturating_sub(lost).max(1));
            for range in [of_answers(&all).unwrap(), of_rate(&all).unwrap()] {
                prop_assert!(0.0 <= range.low && range.low <= range.mean + 1e-9);
                prop_assert!(range.mean <= range.high + 1e-9 && range.high <= 1.0);
            }
        }
    }
}

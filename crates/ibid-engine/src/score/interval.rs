//! The 95 % interval of a mean over questions: one rule for scores and rates, and for any number of questions.
//!
//! The models of a scan answer the same questions, so a question with all its answers is the unit.
//! The rule is that of a yes-or-no rate (a beta interval).
//! Its number of questions is replaced by the number of yes-or-no questions whose mean would vary as much.
//! docs/METHOD.md has its coverage; `cargo bench -p ibid-engine --bench simulate` measures it.

use super::statistics::{beta_quantile, student};

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The part of an answer that is added on the far side of each bound.
/// It is between one half (mid-P) and 1 (Clopper and Pearson 1934).
/// The smallest value that covers .5 with four equal answers is .55.
/// From .68, twenty answers at .3 are covered more than .97.
const FAR_SIDE: f64 = 0.6;

/// The lower limit of the sum of squares of a group of questions.
/// It keeps answers which agree by chance from making a certainty.
const LEAST_SQUARES: f64 = 0.01;

/// The sum of squares added for three questions or fewer, whose own variance is unreliable.
/// It fades with more.
const FEW_SQUARES: f64 = 0.3;

/// The number of further questions over which [`FEW_SQUARES`] fades.
const FADES_OVER: f64 = 3.5;

/// The 95 % interval of the mean of `values`, one for each question, each 0..1; `None` for an empty slice.
///
/// ```
/// use ibid_engine::score::interval::of_mean;
///
/// let (low, high) = of_mean(&[1.0, 0.0, 1.0, 1.0]).unwrap();
/// assert!(low < 0.75 && 0.75 < high);
/// assert_eq!(of_mean(&[]), None);
/// ```
#[must_use]
pub fn of_mean(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = (values.iter().sum::<f64>() / n).clamp(0.0, 1.0);
    let size = size(values, mean);
    let low = quantile(size * mean, size * (1.0 - mean) + FAR_SIDE, 0.025);
    let high = quantile(size * mean + FAR_SIDE, size * (1.0 - mean), 0.975);
    Some((low.min(mean), high.max(mean)))
}

/// The expected width of the interval of a rate over so many yes-or-no questions, each with even chances:
/// the mean over all their outcomes. It is 1 for zero questions.
#[must_use]
pub fn expected_width(questions: usize) -> f64 {
    let mut width = 0.0;
    let mut chance = 0.5_f64.powi(i32::try_from(questions).unwrap_or(i32::MAX));
    for yes in 0..=questions {
        let mut values = vec![0.0; questions];
        values[..yes].fill(1.0);
        width += chance * of_mean(&values).map_or(1.0, |(low, high)| high - low);
        chance *= (questions - yes) as f64 / (yes + 1) as f64;
    }
    width
}

/// The number of yes-or-no questions whose mean varies as much as that of `values`.
fn size(values: &[f64], mean: f64) -> f64 {
    let n = values.len() as f64;
    let few = (-((n - 3.0).max(0.0) / FADES_OVER).powi(2)).exp();
    let added = LEAST_SQUARES + FEW_SQUARES * few;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    // 1 if every question is all yes or all no, which is the most that values in 0..1 can vary.
    let share = ((squares + added) / (n * mean * (1.0 - mean) + added)).min(1.0);
    // The variance of a yes-or-no mean is known.
    // The more it is estimated, the more it needs Student's t.
    let freedom = n / (1.0 - share).max(1e-6);
    let t = student(0.975, freedom);
    ((n - 1.0) / share + 1.0) * (Z / t).powf(2.0 * (1.0 - few))
}

/// The `p`-quantile of a beta distribution; its end if one side has no weight.
fn quantile(a: f64, b: f64, p: f64) -> f64 {
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

    fn check(values: &[f64], expected: (f64, f64)) {
        let (low, high) = of_mean(values).unwrap();
        assert!(
            (low - expected.0).abs() < 2e-3 && (high - expected.1).abs() < 2e-3,
            "{values:?}: {low:.4} to {high:.4}, not {expected:?}"
        );
    }

    #[test]
    fn worked_examples() {
        assert_eq!(of_mean(&[]), None);
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
        let (none, one) = (of_mean(&[0.0; 2]).unwrap(), of_mean(&[0.0, 1.0]).unwrap());
        let expected = ((none.1 - none.0) + (one.1 - one.0)) / 2.0;
        assert!((widths[2] - expected).abs() < 1e-6, "{widths:?}");
    }

    #[test]
    fn answers_that_agree_are_no_certainty() {
        for n in [1, 2, 3, 9, 10, 40, 200] {
            for value in [0.0, 0.2, 0.5, 1.0] {
                let (low, high) = of_mean(&vec![value; n]).unwrap();
                assert!(high - low > 0.001, "{n} times {value}: {low} to {high}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_mean_and_mirrors(values in prop::collection::vec(0.0..=1.0_f64, 1..50)) {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (low, high) = of_mean(&values).unwrap();
            prop_assert!(0.0 <= low && low <= mean + 1e-9 && mean <= high + 1e-9 && high <= 1.0);
            let mirrored: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
            let (other_low, other_high) = of_mean(&mirrored).unwrap();
            prop_assert!((low - (1.0 - other_high)).abs() < 1e-6 && (high - (1.0 - other_low)).abs() < 1e-6);
        }
    }
}

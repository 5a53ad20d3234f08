//! Batches of a scan that asks until its range is narrow enough.
//!
//! A scan that stops for its width, and never for its score, keeps the coverage of its range.

/// A target from which the first look comes after nine answers.
const WIDE: f64 = 40.0;

/// How many answers come before the first look: with a wide target, and with any other.
/// Five answers agree by chance too often; thirty would be more than a width of 27 needs.
const FIRST_LOOK: (usize, usize) = (9, 15);

/// The calls that a range of so many points takes at worst, roughly: with scores that vary most, a quarter more.
///
/// ```
/// use ibid_engine::score::stop::calls;
///
/// assert_eq!([calls(30.0), calls(20.0), calls(10.0)], [23, 53, 210]);
/// ```
#[must_use]
pub fn calls(width: f64) -> usize {
    (21_000.0 / (width * width)).round() as usize
}

/// The width in points that so many answers reach, roughly.
///
/// ```
/// use ibid_engine::score::stop::width;
///
/// assert_eq!([width(60).round(), width(23).round()], [19.0, 30.0]);
/// ```
#[must_use]
pub fn width(answers: usize) -> f64 {
    (21_000.0 / answers.max(1) as f64).sqrt().min(100.0)
}

/// How many questions a model the next batch asks: 0 once the pool is empty.
/// `asked` of the `pool` questions have been asked so far, by all models together.
///
/// ```
/// use ibid_engine::score::stop::next_batch;
///
/// // Three models: first 15 answers, then two questions a model, then a third of all.
/// assert_eq!([next_batch(30.0, 3, 0, 60), next_batch(30.0, 3, 15, 60), next_batch(30.0, 3, 27, 60)], [5, 2, 3]);
/// assert_eq!(next_batch(30.0, 3, 60, 60), 0);
/// ```
#[must_use]
pub fn next_batch(width: f64, models: usize, asked: usize, pool: usize) -> usize {
    let models = models.max(1);
    let wanted = if asked == 0 {
        let look = if width >= WIDE { FIRST_LOOK.0 } else { FIRST_LOOK.1 };
        look.div_ceil(models)
    } else {
        (asked / 3).div_ceil(models).max(2)
    };
    wanted.min(pool.saturating_sub(asked).div_ceil(models))
}

use super::*;
use crate::read::AnswerClass;
use ibid_model::result::Breakdown;
use proptest::prelude::*;

fn reading(class: Prominence, parts: [f64; 4], cap: Option<f64>) -> Reading {
    let mut reading = Reading::failed();
    reading.answer_class = AnswerClass::Answer;
    reading.informative = true;
    reading.class = class;
    reading.breakdown = Breakdown {
        base: parts[0],
        rank: parts[1],
        link: parts[2],
        share: parts[3],
        cap,
    };
    reading.score = Score::new(reading.points());
    reading
}

/// The worked example of docs/METHOD.md: three models, three questions.
fn example() -> Vec<(usize, usize, Reading)> {
    use Prominence::{Mentioned, Primary, Secondary};
    let none = || reading(Prominence::None, [0.0; 4], None);
    vec![
        (0, 0, reading(Primary, [70.0, 15.0, 10.0, 2.5], None)),
        (0, 1, reading(Secondary, [40.0, 7.5, 0.0, 0.75], None)),
        (0, 2, none()),
        (1, 0, reading(Secondary, [40.0, 9.46, 10.0, 1.5], None)),
        (1, 1, reading(Secondary, [40.0, 6.46, 5.0, 0.5], None)),
        (1, 2, reading(Mentioned, [15.0, 0.0, 5.0, 0.25], None)),
        (2, 0, none()),
        (2, 1, reading(Mentioned, [15.0, 0.0, 0.0, 0.0], Some(10.0))),
        (2, 2, none()),
    ]
}

fn samples(of: &[(usize, usize, Reading)]) -> Vec<Sample<'_>> {
    of.iter()
        .map(|(model, question, reading)| Sample {
            model: *model,
            question: *question,
            ring: None,
            reading,
        })
        .collect()
}

#[test]
fn the_worked_example_comes_out() {
    let readings = example();
    let samples = samples(&readings);
    for (index, (score, prominence)) in [
        ("48.6", Prominence::Secondary),
        ("44.4", Prominence::Secondary),
        ("3.3", Prominence::Mentioned),
    ]
    .into_iter()
    .enumerate()
    {
        let found = model(&samples, index);
        assert_eq!(found.numbers.score.unwrap().to_string(), score);
        assert_eq!(found.prominence, prominence);
    }
    let whole = group(&samples);
    assert_eq!(whole.score.unwrap().to_string(), "32.1");
    assert_eq!((whole.cited, whole.valid), (6, 9));
    let interval = whole.cited_rate_interval.unwrap();
    assert!(
        (interval.low - 0.189).abs() < 1e-3 && (interval.high - 0.972).abs() < 1e-3,
        "{interval:?}"
    );
    let interval = whole.interval.unwrap();
    assert_eq!(
        (interval.low, interval.high, interval.low_precision),
        (3.0, 78.3, true)
    );
}

#[test]
fn failures_lower_the_coverage_and_nothing_else() {
    let mut readings = example();
    let before = group(&samples(&readings));
    readings.push((1, 3, Reading::failed()));
    let after = group(&samples(&readings));
    assert_eq!((after.score, after.cited_rate), (before.score, before.cited_rate));
    assert_eq!(after.coverage, Some(0.9));
    assert_eq!(group(&[]), GroupScore::default());
}

proptest! {
    #[test]
    fn numbers_do_not_depend_on_the_order(
        cells in prop::collection::vec((0..3_usize, 0..14_usize, 0.0..100.0_f64, any::<bool>()), 1..60),
        turn in 0..60_usize,
    ) {
        let mut readings: Vec<(usize, usize, Reading)> = cells
            .into_iter()
            .map(|(model, question, points, cited)| {
                let class = if cited { Prominence::Mentioned } else { Prominence::None };
                (model, question, reading(class, [points, 0.0, 0.0, 0.0], None))
            })
            .collect();
        let found = group(&samples(&readings));
        let turn = turn % readings.len();
        readings.rotate_left(turn);
        readings.reverse();
        prop_assert_eq!(group(&samples(&readings)), found);
    }
}

#[test]
fn the_error_of_reading_widens_the_range_by_the_share_that_names_the_website() {
    let (named, absent) = (
        reading(Prominence::Secondary, [40.0, 9.0, 10.0, 1.0], None),
        reading(Prominence::None, [0.0; 4], None),
    );
    let samples: Vec<Sample<'_>> = (0..24)
        .map(|question| Sample {
            model: question % 3,
            question,
            ring: None,
            reading: if question % 2 == 0 { &named } else { &absent },
        })
        .collect();
    let sampling = group(&samples).interval.unwrap();
    for (language, error) in [("en", 5.9), ("de", 5.9), ("zh-Hant", 19.6), ("ja", 19.6)] {
        let numbers = group(&samples).with_reading_error(language);
        let (score, interval) = (numbers.score.unwrap().get(), numbers.interval.unwrap());
        assert_eq!(
            (numbers.sampling_interval, numbers.reading_error),
            (Some(sampling), Some(error))
        );
        let low = score - ((score - sampling.low).powi(2) + error * error).sqrt();
        let high = score + ((sampling.high - score).powi(2) + error * error).sqrt();
        assert!((interval.low - low.max(0.0)).abs() < 0.06, "{interval:?} {low}");
        assert!(
            (interval.high - high.min(100.0)).abs() < 0.06,
            "{interval:?} {high}"
        );
    }
    // Answers that do not name the website are hardly ever read wrong.
    let none: Vec<Sample<'_>> = samples
        .iter()
        .map(|sample| Sample {
            reading: &absent,
            ..*sample
        })
        .collect();
    let numbers = group(&none).with_reading_error("ja");
    assert_eq!(
        (numbers.interval, numbers.reading_error),
        (numbers.sampling_interval, Some(0.0))
    );
}

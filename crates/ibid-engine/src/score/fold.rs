//! Folds samples into numbers for a model, a ring, a market or a whole scan.

use super::Sample;
use super::interval::{self, Scored};
use crate::read::Reading;
use ibid_model::{Interval, Prominence, Score};
use std::collections::BTreeMap;

/// Numbers for any group of samples: a scan's core questions, a ring, a market.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupScore {
    /// Mean over the scores of the models that gave a valid answer; `None` without one.
    pub score: Option<Score>,
    /// 95 % interval for the score over questions like these.
    pub interval: Option<Interval>,
    /// That interval, where `interval` holds the error of reading too.
    pub sampling_interval: Option<Interval>,
    /// How many points that error adds to either side.
    pub reading_error: Option<f64>,
    /// Different questions with a valid answer.
    pub questions: u32,
    /// Answers asked for.
    pub asked: u32,
    /// Valid answers.
    pub valid: u32,
    /// Valid answers that cite the target.
    pub cited: u32,
    /// Valid answers that name any provider, or cite the target.
    pub informative: u32,
    /// Citing answers over valid answers, 0..1.
    pub cited_rate: Option<f64>,
    /// 95 % interval of the cited rate.
    pub cited_rate_interval: Option<Interval>,
    /// Citing answers over informative answers, 0..1.
    pub cited_rate_informative: Option<f64>,
    /// Answers with a link to the target over valid answers, 0..1.
    pub linked_rate: Option<f64>,
    /// Informative answers over valid answers, 0..1.
    pub informative_rate: Option<f64>,
    /// Valid answers over answers asked for, 0..1.
    pub coverage: Option<f64>,
}

impl GroupScore {
    /// Adds the error in reading to the score's interval, for answers to questions in this language.
    pub(crate) fn with_reading_error(self, language: &str) -> Self {
        let (Some(score), Some(sampling)) = (self.score, self.interval) else {
            return self;
        };
        let error = interval::reading_error(self.cited_rate.unwrap_or_default(), language);
        Self {
            interval: Some(sampling.widened(score, error)),
            sampling_interval: Some(sampling),
            reading_error: Some(error),
            ..self
        }
    }
}

/// Numbers for one model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModelScore {
    /// Score, rates and counts.
    pub numbers: GroupScore,
    /// Most frequent class among citing answers; ties go to the lower one.
    pub prominence: Prominence,
    /// Median rank over the answers that rank the target.
    pub rank: Option<f64>,
}

/// Folds one model's samples; samples from other models are ignored.
#[must_use]
pub fn model(samples: &[Sample<'_>], model: usize) -> ModelScore {
    let own: Vec<Sample<'_>> = samples
        .iter()
        .copied()
        .filter(|sample| sample.model == model)
        .collect();
    let valid = || {
        own.iter()
            .map(|sample| sample.reading)
            .filter(|reading| reading.is_valid())
    };
    let mut ranks: Vec<f64> = valid()
        .filter_map(|reading| reading.rank)
        .map(f64::from)
        .collect();
    ranks.sort_unstable_by(f64::total_cmp);
    ModelScore {
        numbers: group(&own),
        prominence: most_frequent(valid().map(|reading| reading.class)),
        rank: super::statistics::quantile(&ranks, 0.5),
    }
}

/// Folds all samples given.
/// Models weigh equally, and within a model questions do.
#[must_use]
pub fn group(samples: &[Sample<'_>]) -> GroupScore {
    let valid: Vec<&Sample<'_>> = samples
        .iter()
        .filter(|sample| sample.reading.is_valid())
        .collect();
    let count =
        |test: fn(&Reading) -> bool| valid.iter().filter(|sample| test(sample.reading)).count() as u32;
    let (asked, answered) = (samples.len() as u32, valid.len() as u32);
    let (cited, linked) = (count(Reading::cited), count(Reading::linked));
    let informative = count(|reading| reading.informative || reading.cited());
    let rate = |hits: u32, of: u32| (of > 0).then(|| f64::from(hits) / f64::from(of));
    let scored = |score: fn(&Reading) -> f64| -> Vec<Scored> {
        let of_one = |sample: &&Sample<'_>| Scored {
            model: sample.model,
            question: sample.question,
            score: score(sample.reading),
        };
        valid.iter().map(of_one).collect()
    };
    let range = interval::of_answers(&scored(|reading| reading.points() / 100.0));
    let cited_range = interval::of_rate(&scored(|reading| f64::from(u8::from(reading.cited()))));
    GroupScore {
        score: range.map(|range| Score::new(100.0 * range.mean)),
        interval: range
            .map(|range| Interval::of_scores(100.0 * range.low, 100.0 * range.high, range.low_precision)),
        sampling_interval: None,
        reading_error: None,
        questions: range.map_or(0, |range| range.questions as u32),
        asked,
        valid: answered,
        cited,
        informative,
        cited_rate: rate(cited, answered),
        cited_rate_interval: cited_range
            .map(|range| Interval::of_rates(range.low, range.high, range.low_precision)),
        cited_rate_informative: rate(cited, informative),
        linked_rate: rate(linked, answered),
        informative_rate: rate(informative, answered),
        coverage: rate(answered, asked),
    }
}

fn most_frequent(classes: impl Iterator<Item = Prominence>) -> Prominence {
    let mut counts: BTreeMap<Prominence, u32> = BTreeMap::new();
    for class in classes.filter(|class| *class != Prominence::None) {
        *counts.entry(class).or_default() += 1;
    }
    // Ascending classes and a strict comparison: a tie keeps the lower class.
    let most = counts.into_iter().fold(
        (Prominence::None, 0),
        |best, next| if next.1 > best.1 { next } else { best },
    );
    most.0
}

#[cfg(test)]
mod tests;

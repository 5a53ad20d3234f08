//! The fold of samples into the numbers of a model, a ring, a market or a whole scan.

use super::Sample;
use super::interval;
use super::statistics::FEWEST_CLUSTERS;
use crate::read::Reading;
use ibid_model::{Interval, Prominence, Score};
use std::collections::BTreeMap;

/// The numbers of any group of samples: a scan's core questions, a ring, a market.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupScore {
    /// Mean of the scores of the models that gave a valid answer; `None` without one.
    pub score: Option<Score>,
    /// 95 % interval of the score.
    pub interval: Option<Interval>,
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

/// The numbers of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModelScore {
    /// Score, rates and counts.
    pub numbers: GroupScore,
    /// Most frequent class among citing answers; ties go to the lower one.
    pub prominence: Prominence,
    /// Median rank over the answers that rank the target.
    pub rank: Option<f64>,
}

/// The numbers of one model's samples; samples of other models are ignored.
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

/// The numbers of all samples given.
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
    let cells = Cells::of(&valid);
    let score = cells.mean();
    GroupScore {
        score: score.map(Score::new),
        interval: score.and_then(|score| cells.interval(score)),
        asked,
        valid: answered,
        cited,
        informative,
        cited_rate: rate(cited, answered),
        cited_rate_interval: rate_interval(&valid, Reading::cited),
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

/// Mean points of each model by question, questions numbered anew.
struct Cells {
    questions: usize,
    /// `models[model][question]`; `None` without a valid answer.
    models: Vec<Vec<Option<f64>>>,
}

impl Cells {
    fn of(valid: &[&Sample<'_>]) -> Self {
        let mut points: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for sample in valid {
            let cell = points.entry((sample.model, sample.question)).or_default();
            cell.push(sample.reading.points());
        }
        let mut questions: Vec<usize> = points.keys().map(|key| key.1).collect();
        questions.sort_unstable();
        questions.dedup();
        let mut models: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
        for ((model, question), mut points) in points {
            let row = models.entry(model).or_insert_with(|| vec![None; questions.len()]);
            // Sorted, so that the sum does not depend on the order of the samples.
            points.sort_unstable_by(f64::total_cmp);
            let at = questions.binary_search(&question).unwrap_or(usize::MAX);
            if let Some(cell) = row.get_mut(at) {
                *cell = mean(points.iter().copied());
            }
        }
        Self {
            questions: questions.len(),
            models: models.into_values().collect(),
        }
    }

    /// The mean of the model means.
    fn mean(&self) -> Option<f64> {
        mean(
            self.models
                .iter()
                .filter_map(|row| mean(row.iter().flatten().copied())),
        )
    }

    /// The interval of the score from the values of whole questions.
    fn interval(&self, score: f64) -> Option<Interval> {
        let mut values = vec![score / 100.0; self.questions];
        for row in &self.models {
            let Some(own) = mean(row.iter().flatten().copied()) else {
                continue;
            };
            // A model with few answers moves the score more with each.
            let answered = row.iter().flatten().count() * self.models.len();
            let weight = self.questions as f64 / answered as f64 / 100.0;
            for (value, points) in values.iter_mut().zip(row) {
                *value += points.map_or(0.0, |points| (points - own) * weight);
            }
        }
        let (low, high) = interval::of_mean(&values)?;
        let few = self.questions < FEWEST_CLUSTERS;
        Some(Interval::of_scores(100.0 * low, 100.0 * high, few))
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

/// The interval of a rate from the values of whole questions: the rate, and the question's part in it.
fn rate_interval(valid: &[&Sample<'_>], test: fn(&Reading) -> bool) -> Option<Interval> {
    let mut questions: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for sample in valid {
        let (hits, answers) = questions.entry(sample.question).or_default();
        *hits += f64::from(u8::from(test(sample.reading)));
        *answers += 1.0;
    }
    let answers = valid.len() as f64;
    let rate = questions.values().map(|(hits, _)| hits).sum::<f64>() / answers;
    let weight = questions.len() as f64 / answers;
    let values: Vec<f64> = questions
        .values()
        .map(|(hits, answers)| rate + (hits - rate * answers) * weight)
        .collect();
    let (low, high) = interval::of_mean(&values)?;
    Some(Interval::of_rates(low, high, questions.len() < FEWEST_CLUSTERS))
}

#[cfg(test)]
mod tests;

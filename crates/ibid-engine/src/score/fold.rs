//! Samples to the numbers of a model, a ring, a market or a whole scan.

use super::Sample;
use super::stats::{
    Bootstrap, Draws, FEWEST_CLUSTERS, REPEAT_CORRELATION, effective_size, intraclass, unsorted_interval,
    wilson,
};
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
pub fn model(samples: &[Sample<'_>], model: usize, bootstrap: &Bootstrap) -> ModelScore {
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
        numbers: group(&own, bootstrap),
        prominence: most_frequent(valid().map(|reading| reading.class)),
        rank: super::stats::quantile(&ranks, 0.5),
    }
}

/// The numbers of all samples given. Models weigh equally, and within a model questions do.
#[must_use]
pub fn group(samples: &[Sample<'_>], bootstrap: &Bootstrap) -> GroupScore {
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
        interval: score.and_then(|score| cells.interval(score, bootstrap)),
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
    // Ascending classes and a strict comparison: a tie stays with the lower class.
    let most = counts.into_iter().fold(
        (Prominence::None, 0),
        |best, next| if next.1 > best.1 { next } else { best },
    );
    most.0
}

/// Mean scores by model and question: `cells[model][question]`, questions numbered anew.
struct Cells {
    questions: usize,
    models: Vec<Row>,
}

/// One model's mean points by question, in two columns, so that a resample is a pair of dot products.
struct Row {
    /// Mean points; 0 where there is no valid answer.
    points: Vec<f64>,
    /// 1 where there is a valid answer, else 0.
    present: Vec<f64>,
}

impl Cells {
    fn of(valid: &[&Sample<'_>]) -> Self {
        let mut sums: BTreeMap<(usize, usize), (Vec<f64>, u32)> = BTreeMap::new();
        for sample in valid {
            let cell = sums.entry((sample.model, sample.question)).or_default();
            cell.0.push(sample.reading.points());
            cell.1 += 1;
        }
        let mut questions: Vec<usize> = sums.keys().map(|key| key.1).collect();
        questions.sort_unstable();
        questions.dedup();
        let mut models: BTreeMap<usize, Row> = BTreeMap::new();
        let blank = || Row {
            points: vec![0.0; questions.len()],
            present: vec![0.0; questions.len()],
        };
        for ((model, question), (mut points, n)) in sums {
            let row = models.entry(model).or_insert_with(blank);
            // Sorted, so that the sum does not depend on the order of the samples.
            points.sort_unstable_by(f64::total_cmp);
            let mean = points.iter().sum::<f64>() / f64::from(n);
            let at = questions.binary_search(&question).unwrap_or(usize::MAX);
            if let (Some(points), Some(present)) = (row.points.get_mut(at), row.present.get_mut(at)) {
                (*points, *present) = (mean, 1.0);
            }
        }
        Self {
            questions: questions.len(),
            models: models.into_values().collect(),
        }
    }

    /// The mean of the model means.
    fn mean(&self) -> Option<f64> {
        let of = |column: &[f64]| vec![column.iter().sum::<f64>()];
        self.means(of).first().copied()
    }

    /// The mean of the model means wherever `sums` has sums of a column over questions; not where there is no answer.
    fn means(&self, sums: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut totals: Vec<(f64, f64)> = Vec::new();
        for row in &self.models {
            let points = sums(&row.points);
            totals.resize(points.len(), (0.0, 0.0));
            if row.present.iter().all(|present| *present > 0.0) {
                // As many questions as there are, whichever they are.
                let weight = self.questions as f64;
                for (total, points) in totals.iter_mut().zip(points) {
                    *total = (total.0 + points / weight, total.1 + 1.0);
                }
                continue;
            }
            for ((total, points), weight) in totals.iter_mut().zip(points).zip(sums(&row.present)) {
                if weight > 0.0 {
                    *total = (total.0 + points / weight, total.1 + 1.0);
                }
            }
        }
        let answered = totals.into_iter().filter(|(_, models)| *models > 0.0);
        answered.map(|(sum, models)| sum / models).collect()
    }

    /// Cluster bootstrap over questions; Wilson on the score over 100 where that would pretend too much.
    fn interval(&self, score: f64, bootstrap: &Bootstrap) -> Option<Interval> {
        if self.questions >= FEWEST_CLUSTERS {
            let draws: &Draws = &bootstrap.draws(self.questions);
            let values = self.means(|column| draws.sums(column));
            let (low, high) = unsorted_interval(&values)?;
            if high > low {
                return Some(Interval::of_scores(low, high, false));
            }
        }
        let n = self.questions as f64;
        let (low, high) = wilson(n * score / 100.0, n)?;
        Some(Interval::of_scores(100.0 * low, 100.0 * high, true))
    }
}

/// Wilson's interval with the effective sample: repeats of one question, and answers to one question in general,
/// are not independent.
fn rate_interval(valid: &[&Sample<'_>], test: fn(&Reading) -> bool) -> Option<Interval> {
    let by_question = counts(valid, test, |sample| (sample.question, 0));
    let n = valid.len() as f64;
    let mean_size = |groups: &[(u32, u32)]| n / groups.len().max(1) as f64;
    let few = by_question.len() < FEWEST_CLUSTERS;
    let effective = if few {
        let cells = counts(valid, test, |sample| (sample.question, sample.model));
        effective_size(n, mean_size(&cells), REPEAT_CORRELATION)
    } else {
        let repeats = mean_size(&by_question);
        effective_size(n, repeats, intraclass(&by_question).unwrap_or(REPEAT_CORRELATION))
    };
    let hits = f64::from(by_question.iter().map(|group| group.0).sum::<u32>());
    let (low, high) = wilson(hits / n * effective, effective)?;
    Some(Interval::of_rates(low, high, few))
}

fn counts(
    valid: &[&Sample<'_>],
    test: fn(&Reading) -> bool,
    key: fn(&Sample<'_>) -> (usize, usize),
) -> Vec<(u32, u32)> {
    let mut groups: BTreeMap<(usize, usize), (u32, u32)> = BTreeMap::new();
    for sample in valid {
        let group = groups.entry(key(sample)).or_default();
        group.0 += u32::from(test(sample.reading));
        group.1 += 1;
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests;

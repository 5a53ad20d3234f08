//! Questions that lost their answers.

use super::is_cited;
use crate::compare::Side;
use ibid_model::result::{AnswerSummary, Citations};
use std::collections::{BTreeMap, BTreeSet};

/// Runs in a row without a citation after which a question has lost its answers.
const LOST_RUNS: usize = 3;
/// Runs in a row that must have asked it.
const KEPT_RUNS: usize = 6;

const fn sum(one: Citations, other: Citations) -> Citations {
    Citations {
        cited: one.cited + other.cited,
        answers: one.answers + other.answers,
    }
}

/// A question whose answers changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedQuestion {
    /// The word that names it in results.
    pub question: String,
    /// Its answers before.
    pub before: Citations,
    /// Its answers since.
    pub after: Citations,
}

/// The question that lost its answers with the last run: the last six runs or more asked it, the last three have answers and none of
/// them cites the website, and the run before did. Of several the one with most citations before.
#[must_use]
pub fn lost_question(runs: &[Side<'_>]) -> Option<MovedQuestion> {
    let kept = runs.get(runs.len().checked_sub(KEPT_RUNS)?..)?;
    let counts: Vec<BTreeMap<String, Citations>> = kept.iter().map(counted).collect();
    let (before, last) = counts.split_at(KEPT_RUNS - LOST_RUNS);
    let asked = |question: &String| {
        counts
            .iter()
            .all(|run| run.get(question).is_some_and(|found| found.answers > 0))
    };
    let names: BTreeSet<&String> = last.iter().flat_map(BTreeMap::keys).collect();
    let total = |runs: &[BTreeMap<String, Citations>], question: &String| {
        let counts = runs.iter().filter_map(|run| run.get(question));
        counts.fold(Citations::default(), |total, run| sum(total, *run))
    };
    let lost = names.into_iter().filter(|question| asked(question));
    let lost = lost.map(|question| MovedQuestion {
        question: question.clone(),
        before: total(before, question),
        after: total(last, question),
    });
    lost.filter(|found| {
        let cited_then = before
            .last()
            .and_then(|run| run.get(&found.question))
            .is_some_and(|run| run.cited > 0);
        found.after.cited == 0 && cited_then
    })
    .max_by(|a, b| {
        a.before
            .cited
            .cmp(&b.before.cited)
            .then_with(|| b.question.cmp(&a.question))
    })
}

fn counted(run: &Side<'_>) -> BTreeMap<String, Citations> {
    let mut counts: BTreeMap<String, Citations> = BTreeMap::new();
    for answer in run.result.models.iter().flat_map(|model| &model.answers) {
        let name = answer.question_hash.as_ref().unwrap_or(&answer.question_id);
        let count = counts.entry(name.clone()).or_default();
        *count = sum(*count, citation(answer));
    }
    counts
}

fn citation(answer: &AnswerSummary) -> Citations {
    Citations {
        cited: u32::from(is_cited(answer)),
        answers: u32::from(answer.class.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::{document, paired, result};
    use ibid_model::{ScanId, ScanResult};

    /// Runs with a score for each question.
    fn runs(scores: &[&[f64]]) -> Vec<(ScanId, ScanResult)> {
        let run = |scores: &&[f64]| {
            let models = [("a", paired(scores)), ("b", paired(scores))];
            (ScanId::random(), result(document(&models)))
        };
        scores.iter().map(run).collect()
    }

    fn sides(runs: &[(ScanId, ScanResult)]) -> Vec<Side<'_>> {
        runs.iter()
            .map(|(id, result)| Side {
                id: Some(*id),
                result,
            })
            .collect()
    }

    #[test]
    fn a_question_is_lost_once() {
        let (cited, not): (&[f64], &[f64]) = (&[60.0, 60.0], &[60.0, 0.0]);
        let lost = |scores: &[&[f64]]| lost_question(&sides(&runs(scores))).map(|found| found.question);
        let name = Some(format!("{:016x}", 1));
        assert_eq!(lost(&[cited, cited, cited, not, not, not]), name);
        assert_eq!(lost(&[cited, cited, cited, cited, not, not, not]), name);
        for other in [
            &[cited, cited, cited, cited, not, not][..],
            &[cited, cited, not, not, not, not],
            &[cited, cited, not, not, not],
            &[cited, cited, cited, not, cited, not],
            &[not, not, not, not, not, not],
            // A run without an answer says nothing.
            &[cited, cited, cited, not, &[60.0, -1.0], not],
        ] {
            assert_eq!(lost(other), None, "{other:?}");
        }
    }
}

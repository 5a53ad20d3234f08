//! The questions behind a change of a history, and questions that lost their answers.

use super::causes::log_choose;
use crate::compare::Side;
use ibid_model::Prominence;
use ibid_model::result::{AnswerSummary, Citations, HistoryChange};
use std::collections::{BTreeMap, BTreeSet};

/// The chance at which a difference still counts as chance, over all questions of a change.
const CHANCE: f64 = 0.05;
/// Most questions that are named with a change.
const MOST: usize = 3;
/// Runs in a row without a citation after which a question has lost its answers.
const LOST_RUNS: usize = 3;
/// Runs in a row that must have asked it.
const KEPT_RUNS: usize = 6;

fn share(of: Citations) -> f64 {
    f64::from(of.cited) / f64::from(of.answers.max(1))
}

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

/// The questions that moved most with a change, in its direction, at most three: those for which the answers before and after
/// differ beyond chance by Fisher's exact test, with as many tests as there are questions.
#[must_use]
pub fn behind_change(change: &HistoryChange, runs: &[Side<'_>]) -> Vec<MovedQuestion> {
    let Some(from) = runs
        .iter()
        .position(|run| run.id.is_some() && run.id == change.since)
    else {
        return Vec::new();
    };
    let (before, after) = runs.split_at(from);
    let (mut before, after) = (counted(before), counted(after));
    let mut pairs: Vec<MovedQuestion> = after
        .into_iter()
        .filter_map(|(question, after)| {
            let before = before.remove(&question)?;
            Some(MovedQuestion {
                question,
                before,
                after,
            })
        })
        .filter(|pair| pair.before.answers > 0 && pair.after.answers > 0)
        .collect();
    let tests = pairs.len() as f64;
    pairs.retain(|pair| {
        let moved = share(pair.after) - share(pair.before);
        moved * change.difference > 0.0 && fisher(pair.before, pair.after) * tests < CHANCE
    });
    let size = |pair: &MovedQuestion| (share(pair.after) - share(pair.before)).abs();
    pairs.sort_by(|a, b| {
        size(b)
            .total_cmp(&size(a))
            .then_with(|| a.question.cmp(&b.question))
    });
    pairs.truncate(MOST);
    pairs
}

/// The question that lost its answers with the last run: the last six runs or more asked it, the last three have answers and none of
/// them cites the website, and the run before did. Of several the one with most citations before.
#[must_use]
pub fn lost_question(runs: &[Side<'_>]) -> Option<MovedQuestion> {
    let kept = runs.get(runs.len().checked_sub(KEPT_RUNS)?..)?;
    let counts: Vec<BTreeMap<String, Citations>> = kept
        .iter()
        .map(|run| counted(std::slice::from_ref(run)))
        .collect();
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

fn counted(runs: &[Side<'_>]) -> BTreeMap<String, Citations> {
    let mut counts: BTreeMap<String, Citations> = BTreeMap::new();
    let answers = runs.iter().flat_map(|run| &run.result.models);
    for answer in answers.flat_map(|model| &model.answers) {
        let name = answer.question_hash.as_ref().unwrap_or(&answer.question_id);
        let count = counts.entry(name.clone()).or_default();
        *count = sum(*count, citation(answer));
    }
    counts
}

fn citation(answer: &AnswerSummary) -> Citations {
    Citations {
        cited: u32::from(answer.class.is_some_and(|class| class != Prominence::None)),
        answers: u32::from(answer.class.is_some()),
    }
}

/// The two-sided chance of such a table by Fisher's exact test.
fn fisher(a: Citations, b: Citations) -> f64 {
    let (all, cited) = (a.answers + b.answers, a.cited + b.cited);
    let chance =
        |k: u32| (log_choose(a.answers, k) + log_choose(b.answers, cited - k) - log_choose(all, cited)).exp();
    let own = chance(a.cited);
    let tables = cited.saturating_sub(b.answers)..=cited.min(a.answers);
    // Tables that are as rare as this one differ from it in the last digits only.
    tables
        .map(chance)
        .filter(|other| *other <= own * (1.0 + 1e-9))
        .sum()
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
    fn a_change_names_the_questions_that_moved_beyond_chance() {
        let (before, after): (&[f64], &[f64]) = (&[60.0, 60.0, 0.0, 60.0], &[0.0, 60.0, 60.0, 60.0]);
        let found = runs(&[before, before, before, before, after, after, after, after]);
        let change = HistoryChange {
            noticed_at: None,
            since: Some(found[4].0),
            before: 45.0,
            after: 30.0,
            difference: -15.0,
            interval: None,
            explanation: ibid_model::result::Explanation::CannotTell,
            why: String::new(),
            causes: Vec::new(),
        };
        let moved = behind_change(&change, &sides(&found));
        let fell = MovedQuestion {
            question: format!("{:016x}", 0),
            before: of(8, 8),
            after: of(0, 8),
        };
        assert_eq!(moved, [fell]);
        // Two runs on each side are too few to tell.
        assert!(behind_change(&change, &sides(&found[3..5])).is_empty());
        let unknown = HistoryChange {
            since: Some(ScanId::random()),
            ..change
        };
        assert!(behind_change(&unknown, &sides(&found)).is_empty());
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

    const fn of(cited: u32, answers: u32) -> Citations {
        Citations { cited, answers }
    }

    #[test]
    fn chances_are_those_of_tables() {
        // R: fisher.test(matrix(c(8, 1, 2, 5), 2)) and the like.
        for (a, b, expected) in [
            (of(8, 10), of(1, 6), 0.034_965),
            (of(3, 4), of(1, 4), 0.485_714),
            (of(5, 10), of(5, 10), 1.0),
            (of(12, 12), of(0, 12), 7.396e-7),
        ] {
            let found = fisher(a, b);
            assert!((found - expected).abs() < 1e-5, "{a:?} {b:?}: {found}");
        }
    }
}

//! Tests an action in a series: chooses which answers from which runs are compared.

use super::Series;
use crate::compare::Side;
use crate::history::{ActionEffect, ActionRun, effect};
use crate::score::interval::Scored;
use ibid_model::result::HistoryNoteKind;
use std::collections::{BTreeMap, BTreeSet};

/// What the runs before and after an action show.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSeries {
    /// The effect, where there is enough to compare.
    pub effect: Option<ActionEffect>,
    /// The questions that one model, behind the same name, answered before and after: touched ones, and controls.
    pub questions: (usize, usize),
    /// What changed between the runs, each kind once. Answers from the two sides of it are not compared.
    pub notes: Vec<HistoryNoteKind>,
}

/// Measures what an action did to the questions that it touched, by their hashes.
///
/// An answer is compared with one to the same question, by the same model, read by the same method.
///
/// For example in a project's scans, where the first `before` ended before the action:
///
/// ```no_run
/// use ibid_engine::compare::Side;
/// use ibid_engine::history::effect_in;
/// use std::collections::BTreeSet;
///
/// # let (scans, touched, controls): (Vec<Side<'_>>, BTreeSet<String>, BTreeSet<String>) = Default::default();
/// let found = effect_in(&scans, 4, &touched, &controls);
/// if let Some(effect) = found.effect {
///     println!("{:+.0} points, {:?}", 100.0 * effect.difference(), effect.verdict);
/// }
/// ```
#[must_use]
pub fn effect_in(
    scans: &[Side<'_>],
    before: usize,
    touched: &BTreeSet<String>,
    controls: &BTreeSet<String>,
) -> ActionSeries {
    let mut series = Series::default();
    let runs: Vec<Vec<Scored>> = scans
        .iter()
        .enumerate()
        .map(|(at, scan)| series.answers(scan, at).iter().map(|home| home.scored).collect())
        .collect();
    let numbers = |hashes: &BTreeSet<String>| -> BTreeSet<usize> {
        let known = hashes.iter().filter_map(|hash| series.questions.get(hash));
        known.copied().collect()
    };
    let (touched, controls) = (numbers(touched), numbers(controls));
    let only = |run: &[Scored], questions: &BTreeSet<usize>| -> Vec<Scored> {
        let answers = run.iter().filter(|answer| questions.contains(&answer.question));
        answers.copied().collect()
    };
    let runs: Vec<ActionRun> = runs
        .iter()
        .map(|run| ActionRun {
            touched: only(run, &touched),
            controls: only(run, &controls),
        })
        .collect();
    let (first, second) = runs.split_at(before.min(runs.len()));
    let notes: BTreeSet<HistoryNoteKind> = series.notes.iter().map(|note| note.kind).collect();
    ActionSeries {
        effect: effect(first, second),
        questions: (
            on_both_sides(first, second, |run| &run.touched),
            on_both_sides(first, second, |run| &run.controls),
        ),
        notes: notes.into_iter().collect(),
    }
}

/// The questions that the last scan shares with the one before it, by their hashes, with the number of models that were asked
/// each; with a single scan all its questions.
#[must_use]
pub fn kept_questions(scans: &[Side<'_>]) -> BTreeMap<String, usize> {
    let asked = |scan: &Side<'_>| -> BTreeMap<String, usize> {
        let mut models: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (model, answer) in scan.result.headline_answers() {
            if let Some(hash) = &answer.question_hash {
                models
                    .entry(hash.clone())
                    .or_default()
                    .insert(model.model.as_str());
            }
        }
        let counted = models.into_iter().map(|(hash, models)| (hash, models.len()));
        counted.collect()
    };
    let Some((last, earlier)) = scans.split_last() else {
        return BTreeMap::new();
    };
    let mut questions = asked(last);
    if let Some(before) = earlier.last().map(asked) {
        questions.retain(|hash, _| before.contains_key(hash));
    }
    questions
}

fn on_both_sides(
    before: &[ActionRun],
    after: &[ActionRun],
    answers: fn(&ActionRun) -> &Vec<Scored>,
) -> usize {
    let cells = |runs: &[ActionRun]| -> BTreeSet<(usize, usize)> {
        let all = runs.iter().flat_map(answers);
        all.map(|answer| (answer.model, answer.question)).collect()
    };
    let (before, after) = (cells(before), cells(after));
    let questions: BTreeSet<usize> = before
        .intersection(&after)
        .map(|(_, question)| *question)
        .collect();
    questions.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::{document, paired, result};
    use crate::history::ActionVerdict;
    use crate::score::statistics::Dice;
    use ibid_model::ScanId;
    use ibid_model::result::ScanResult;
    use serde_json::{Value, json};

    /// A run of thirty questions to one model; the first ten are touched. The mean scores of both sides are given; questions
    /// and weeks differ by some points.
    fn run(touched: usize, controls: usize, week: usize) -> Value {
        let mut dice = Dice::new(week as u64);
        let scores: Vec<f64> = (0..30)
            .map(|n| (n % 5 * 3 + dice.below(9) + if n < 10 { touched } else { controls }) as f64)
            .collect();
        document(&[("a", paired(&scores))])
    }

    fn found(runs: Vec<Value>, before: usize) -> ActionSeries {
        let results: Vec<ScanResult> = runs.into_iter().map(result).collect();
        let sides: Vec<Side<'_>> = results
            .iter()
            .map(|result| Side {
                id: Some(ScanId::random()),
                result,
            })
            .collect();
        let hashes = |range: std::ops::Range<usize>| range.map(|n| format!("{n:016x}")).collect();
        effect_in(&sides, before, &hashes(0..10), &hashes(10..30))
    }

    fn verdict(after: fn(usize) -> Value) -> (Option<ActionVerdict>, ActionSeries) {
        let before = (0..8).map(|week| run(40, 40, week));
        let found = found(before.chain((8..16).map(after)).collect(), 8);
        (found.effect.map(|effect| effect.verdict), found)
    }

    #[test]
    fn an_action_that_moves_its_questions_is_seen_and_others_are_not() {
        let (moved, found) = verdict(|week| run(70, 40, week));
        assert_eq!(moved, Some(ActionVerdict::Moved), "{found:?}");
        assert_eq!((found.questions, found.notes.len()), ((10, 20), 0));
        let (nothing, found) = verdict(|week| run(40, 40, week));
        assert_eq!(nothing, Some(ActionVerdict::NotSeen), "{found:?}");
        let (all, found) = verdict(|week| run(10, 10, week));
        assert_eq!(all, Some(ActionVerdict::NotSeen), "{found:?}");
        assert!(found.effect.unwrap().touched < -0.1);
    }

    #[test]
    fn answers_are_not_compared_across_another_model_or_method() {
        let (verdict, found) = verdict(|week| {
            let mut run = run(70, 40, week);
            run["models"][0]["resolvedModel"] = json!("a-2");
            run
        });
        assert_eq!((verdict, found.questions), (None, (0, 0)));
        assert_eq!(found.notes, [HistoryNoteKind::Model]);
        let (verdict, found) = self::verdict(|week| {
            let mut run = run(70, 40, week);
            run["method"]["version"] = json!("0.0");
            run
        });
        assert_eq!(verdict, None);
        assert_eq!(found.notes, [HistoryNoteKind::Method]);
    }

    #[test]
    fn new_questions_are_none_that_are_kept() {
        let results = [
            run(40, 40, 0),
            document(&[("a", paired(&[60.0; 6])), ("b", paired(&[0.0; 4]))]),
        ];
        let results: Vec<ScanResult> = results.into_iter().map(result).collect();
        let sides: Vec<Side<'_>> = results.iter().map(|result| Side { id: None, result }).collect();
        let kept: Vec<usize> = kept_questions(&sides).into_values().collect();
        assert_eq!(kept, [2, 2, 2, 2, 1, 1]);
        assert_eq!(kept_questions(&sides[..1]).len(), 30);
    }
}

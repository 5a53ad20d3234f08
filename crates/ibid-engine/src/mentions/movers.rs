//! What moved in the latest runs of a project: a question won or lost, a competitor that is up, a new source.

use super::{AnswerMentions, KeptRival, Names, RunMentions, SourceKind};
use crate::history::{Trend, family};
use ibid_model::ScanId;
use ibid_model::result::Factor;
use std::collections::{BTreeMap, BTreeSet};

/// Runs on each side of a question that turned.
const SIDE: usize = 3;

/// Tells what moved in the latest `recent` runs, in words: at most three movers, and a new source. Runs come oldest first.
pub fn movers(
    runs: &[(ScanId, RunMentions)],
    kept: &[KeptRival],
    recent: usize,
) -> (Vec<String>, Option<String>) {
    let all: Vec<&RunMentions> = runs.iter().map(|(_, run)| run).collect();
    let mut words = Vec::new();
    for is_won in [true, false] {
        let mut ends = (0..recent.max(1)).filter_map(|back| all.get(..all.len().checked_sub(back)?));
        words.extend(ends.find_map(|runs| turned(runs, is_won)));
    }
    words.extend(rival_up(&all, kept));
    (words, new_source(&all))
}

/// Finds a question that the last three runs all cite and the three before never did, or the other way around.
fn turned(runs: &[&RunMentions], is_won: bool) -> Option<String> {
    let last = runs.get(runs.len().checked_sub(2 * SIDE)?..)?;
    let (before, since) = last.split_at(SIDE);
    let count = |run: &RunMentions, question: &str| {
        let answers = run.answers.iter().filter(|answer| answer.question == question);
        let all = answers.clone().count();
        (answers.filter(|answer| answer.cites_target).count(), all)
    };
    let sum = |runs: &[&RunMentions], question: &str| {
        let counts = runs.iter().map(|run| count(run, question));
        counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    };
    let questions: BTreeSet<&str> = last
        .iter()
        .flat_map(|run| &run.answers)
        .map(|answer| answer.question.as_str())
        .collect();
    let is_turned = |question: &&str| {
        let is_all = |runs: &[&RunMentions], cited: bool| {
            runs.iter().all(|run| {
                let (hits, all) = count(run, question);
                all > 0 && (hits > 0) == cited
            })
        };
        is_all(before, !is_won) && is_all(since, is_won)
    };
    let found = questions.into_iter().filter(is_turned);
    let best = found.max_by_key(|question| sum(if is_won { since } else { before }, question).0)?;
    let (before, since) = (sum(before, best), sum(since, best));
    let word = if is_won { "Won" } else { "Lost" };
    Some(format!(
        "{word}: “{best}”, cited in {} of {} answers of the last three runs, in {} of {} before.",
        since.0, since.1, before.0, before.1
    ))
}

/// The competitor that the same questions to the same models name more often in the last runs than before, by more than chance.
fn rival_up(runs: &[&RunMentions], kept: &[KeptRival]) -> Option<String> {
    let names = Names::of(runs, kept);
    let first = runs.len().saturating_sub(4 * SIDE);
    let split = runs
        .len()
        .checked_sub(SIDE)
        .filter(|split| *split >= first + SIDE)?;
    let recent = runs.iter().enumerate().skip(first);
    let answers: Vec<(usize, &AnswerMentions)> = recent
        .flat_map(|(at, run)| run.answers.iter().map(move |answer| (at, answer)))
        .collect();
    let mut cells: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, (_, answer)) in answers.iter().enumerate() {
        let cell = (answer.question.as_str(), answer.model.as_str());
        cells.entry(cell).or_default().push(at);
    }
    let is_after = |at: &usize| answers.get(*at).is_some_and(|(run, _)| *run >= split);
    let cells = cells.into_values();
    let both: Vec<Vec<usize>> = cells
        .filter(|cell| cell.iter().any(is_after) && !cell.iter().all(is_after))
        .collect();
    let named = |at: usize| -> BTreeSet<(Factor, String)> {
        let named = answers.get(at).into_iter().flat_map(|(_, answer)| &answer.names);
        let names = named.filter_map(|named| names.shown(named, kept));
        names.map(|name| (Factor::Rival, name.to_owned())).collect()
    };
    let found = family(&both, named, is_after, Trend::Up).into_iter().next()?;
    Some(format!(
        "{} is up: named in {} of {} answers of the last three runs, in {} of {} before to the same questions.",
        found.name, found.after.cited, found.after.answers, found.before.cited, found.before.answers
    ))
}

/// The site that most answers in the last run cite, among those that no run before cited.
fn new_source(runs: &[&RunMentions]) -> Option<String> {
    let (last, before) = runs.split_last()?;
    let answers = before.iter().flat_map(|run| &run.answers);
    let known: BTreeSet<&str> = answers.flat_map(sites).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let cited = last.answers.iter().flat_map(sites);
    for site in cited.filter(|site| !known.contains(site)) {
        *counts.entry(site).or_default() += 1;
    }
    let (site, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count > 1 && before.len() >= SIDE).then(|| {
        format!(
            "New source: {site}, cited in {count} of {} answers.",
            last.answers.len()
        )
    })
}

/// Which other sites an answer cites than the project's own.
fn sites(answer: &AnswerMentions) -> BTreeSet<&str> {
    let others = answer.pages.iter().filter(|page| page.kind != SourceKind::Own);
    others.map(|page| page.site.as_str()).collect()
}

//! Stored scans as one series.

use super::explained::{Home, explain};
use super::{Change, Detector, LEVEL_RUNS, level};
use crate::compare::Side;
use crate::mentions::{KeptRival, RunMentions};
use crate::score::interval::Scored;
use ibid_model::result::{
    AnswerForm, Explanation, History, HistoryChange, HistoryNote, HistoryNoteKind, Level, ScanResult,
};
use ibid_model::{Interval, Locale, ScanId};
use std::collections::{BTreeMap, BTreeSet};

mod action;

pub use action::{ActionSeries, effect_in, kept_questions};

/// The reason why scans are no series.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOneSeries {
    /// A scan measures something else than the first.
    #[error("scan {number} has another {part} than the first: {value}")]
    Other {
        /// Its position in the list, from 1.
        number: usize,
        /// Website, keyword, place or language.
        part: &'static str,
        /// The other value.
        value: String,
    },
    /// No model was asked by all.
    #[error("scan {number} has no model in common with the scan before it")]
    NoSharedModel {
        /// Its position in the list, from 1.
        number: usize,
    },
}

/// Finds level and changes in scans, which come in the order of time.
///
/// Answers are compared with earlier ones to the same question, by the same model, read by the same method.
///
/// # Errors
/// [`NotOneSeries`] for scans of different websites, keywords, places or languages, or without a shared model.
pub fn history(scans: &[Side<'_>]) -> Result<History, NotOneSeries> {
    history_of(scans, &Told::default())
}

/// What is known of a series beside its results.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// How many series of a project are looked at together, each with a detector: the more look, the more evidence a change
    /// needs, so that they raise no more false alerts together.
    pub detectors: usize,
    /// What the answers in its runs name and cite. Runs without it tell about models only.
    pub mentions: BTreeMap<ScanId, &'a RunMentions>,
    /// The competitors that people pinned or ignored.
    pub competitors: &'a [KeptRival],
    /// How days are written.
    pub locale: Locale,
}

impl Default for Told<'_> {
    fn default() -> Self {
        Self {
            detectors: 1,
            mentions: BTreeMap::new(),
            competitors: &[],
            locale: Locale::default(),
        }
    }
}

/// As [`history`], with what else is known.
///
/// # Errors
/// As [`history`].
pub fn history_of(scans: &[Side<'_>], told: &Told<'_>) -> Result<History, NotOneSeries> {
    let mut series = Series::default();
    let mut detector = Detector::new(told.detectors);
    let mut found: Vec<Change> = Vec::new();
    let mut homes: Vec<Vec<Home<'_>>> = Vec::with_capacity(scans.len());
    let mut runs: Vec<Vec<Scored>> = Vec::with_capacity(scans.len());
    for (at, scan) in scans.iter().enumerate() {
        if let Some(before) = at.checked_sub(1).and_then(|before| scans.get(before)) {
            belongs(at + 1, scans.first().unwrap_or(before).result, scan.result)?;
            if !series.shares_a_model(scan.result) {
                return Err(NotOneSeries::NoSharedModel { number: at + 1 });
            }
        }
        let home = series.answers(scan, at);
        let run: Vec<Scored> = home.iter().map(|home| home.scored).collect();
        found.extend(detector.push(&run));
        homes.push(home);
        runs.push(run);
    }
    let written = found.iter().enumerate().map(|(at, change)| {
        let since = |at: usize| found.get(at).map(|other| other.since);
        let before = at.checked_sub(1).and_then(since).unwrap_or_default();
        let between = before..since(at + 1).unwrap_or(homes.len());
        let mut written = written(change, scans);
        explain(&mut written, change.since, &between, &homes, scans, told);
        written
    });
    let changes = written.collect();
    Ok(History {
        runs: scans.len() as u32,
        level: series.level(scans, &runs, detector.since()),
        changes,
        notes: series.notes,
    })
}

/// Checks whether a scan measures the same thing as the first of its series.
fn belongs(number: usize, first: &ScanResult, scan: &ScanResult) -> Result<(), NotOneSeries> {
    let place = |result: &ScanResult| {
        let location = result.location.as_ref();
        location.map_or_else(|| "no place".to_owned(), |location| location.resolved.label())
    };
    // On a host of many owners the path tells them apart.
    let website = |result: &ScanResult| {
        let main = result.websites.first();
        main.map_or_else(|| result.domain.to_unicode(), |main| main.website.clone())
    };
    let real = |result: &ScanResult| if result.sandbox { "the sandbox" } else { "models" };
    let parts = [
        ("website", website(first), website(scan)),
        ("keyword", first.keyword.to_string(), scan.keyword.to_string()),
        ("place", place(first), place(scan)),
        (
            "language",
            first.method.language.clone(),
            scan.method.language.clone(),
        ),
        ("source of answers", real(first).to_owned(), real(scan).to_owned()),
    ];
    for (part, first, value) in parts {
        if first != value {
            return Err(NotOneSeries::Other { number, part, value });
        }
    }
    Ok(())
}

/// Numbers models and questions in a series, and remembers its last run.
#[derive(Default)]
struct Series {
    /// For each alias: its concrete model, where known, and the number of the two.
    models: BTreeMap<String, (Option<String>, usize)>,
    next: usize,
    questions: BTreeMap<String, usize>,
    method: Option<String>,
    /// Questions of the last run, and how many one model was asked.
    last: Option<(BTreeSet<usize>, usize)>,
    /// Answers by form since the last note about forms.
    forms: BTreeMap<AnswerForm, u32>,
    notes: Vec<HistoryNote>,
}

impl Series {
    fn shares_a_model(&self, scan: &ScanResult) -> bool {
        scan.models
            .iter()
            .any(|model| self.models.contains_key(model.model.as_str()))
    }

    /// Reads a scan's headline answers, and notes each part that differs from the last run.
    fn answers<'s>(&mut self, scan: &Side<'s>, run: usize) -> Vec<Home<'s>> {
        let mut differing = BTreeSet::new();
        let version = &scan.result.method.version;
        if self.method.as_ref().is_some_and(|method| method != version) {
            differing.insert(HistoryNoteKind::Method);
            for model in self.models.values_mut() {
                model.1 = self.next;
                self.next += 1;
            }
        }
        self.method = Some(version.clone());
        for model in scan.result.models.iter().filter(|model| !model.substituted) {
            let known = self
                .models
                .entry(model.model.as_str().to_owned())
                .or_insert_with(|| {
                    self.next += 1;
                    (None, self.next - 1)
                });
            let Some(resolved) = &model.resolved_model else {
                continue;
            };
            if known.0.as_ref().is_some_and(|before| before != resolved) {
                differing.insert(HistoryNoteKind::Model);
                known.1 = self.next;
                self.next += 1;
            }
            known.0 = Some(resolved.clone());
        }
        let mut homes = Vec::new();
        for (model, answer) in scan.result.headline_answers() {
            let (Some(hash), Some(score)) = (&answer.question_hash, answer.score) else {
                continue;
            };
            let Some(known) = self.models.get(model.model.as_str()) else {
                continue;
            };
            let next = self.questions.len();
            let scored = Scored {
                model: known.1,
                question: *self.questions.entry(hash.clone()).or_insert(next),
                score: score.rounded() / 100.0,
            };
            homes.push(Home {
                run,
                scored,
                model,
                answer,
            });
        }
        let questions: BTreeSet<usize> = homes.iter().map(|home| home.scored.question).collect();
        let count = scan
            .result
            .models
            .iter()
            .map(|model| model.answers.len())
            .max()
            .unwrap_or(0);
        if let Some((before, count_before)) = &self.last {
            if before.is_disjoint(&questions) && !questions.is_empty() {
                differing.insert(HistoryNoteKind::Set);
            }
            if *count_before != count {
                differing.insert(HistoryNoteKind::Count);
            }
        }
        self.last = Some((questions, count));
        if self.other_forms(&homes) {
            differing.insert(HistoryNoteKind::Form);
        }
        let note = |kind| HistoryNote { at: scan.id, kind };
        self.notes.extend(differing.into_iter().map(note));
        homes
    }

    /// Counts a run's forms, and returns whether a share moved: then the score may move without the answers' content, because
    /// each form is read with another error.
    fn other_forms(&mut self, homes: &[Home<'_>]) -> bool {
        let mut now: BTreeMap<AnswerForm, u32> = BTreeMap::new();
        for form in homes.iter().filter_map(|home| home.answer.form) {
            *now.entry(form).or_default() += 1;
        }
        let share = |of: &BTreeMap<AnswerForm, u32>, form| {
            let all: u32 = of.values().sum();
            f64::from(of.get(&form).copied().unwrap_or_default()) / f64::from(all)
        };
        // A few answers differ that much by chance.
        let enough = |of: &BTreeMap<AnswerForm, u32>| of.values().sum::<u32>() >= 9;
        let forms = [AnswerForm::List, AnswerForm::Table, AnswerForm::Prose];
        let moved = enough(&self.forms)
            && enough(&now)
            && forms
                .iter()
                .any(|form| (share(&now, *form) - share(&self.forms, *form)).abs() >= 0.3);
        if moved {
            self.forms.clear();
        }
        for (form, count) in now {
            *self.forms.entry(form).or_default() += count;
        }
        moved
    }

    /// The level since a run, over answers of the models as they are now.
    fn level(&self, scans: &[Side<'_>], runs: &[Vec<Scored>], since: usize) -> Option<Level> {
        let now: BTreeSet<usize> = self.models.values().map(|model| model.1).collect();
        let of_now = |run: &Vec<Scored>| -> Vec<Scored> {
            let answers = run.iter().filter(|answer| now.contains(&answer.model));
            answers.copied().collect()
        };
        let stretch = runs.iter().enumerate().skip(since);
        let stretch = stretch.map(|(at, run)| (at, of_now(run)));
        let mut stretch: Vec<(usize, Vec<Scored>)> = stretch.filter(|(_, run)| !run.is_empty()).collect();
        stretch.drain(..stretch.len().saturating_sub(LEVEL_RUNS));
        let first = stretch.first()?.0;
        let runs: Vec<Vec<Scored>> = stretch.into_iter().map(|(_, run)| run).collect();
        let range = level(&runs).filter(|_| runs.len() > 1)?;
        // Results by older methods know no error in reading.
        let last = scans.last()?.result;
        let language = last.reading_error.map(|_| last.method.language.as_str());
        let read = range.as_read(&runs.concat(), language);
        Some(Level {
            score: read.score,
            interval: read.interval,
            sampling_interval: read.sampling_interval,
            reading_error: read.reading_error,
            runs: runs.len() as u32,
            since: scans.get(first).and_then(|scan| scan.id),
        })
    }
}

/// A change in points.
fn written(change: &Change, scans: &[Side<'_>]) -> HistoryChange {
    let id = |at: usize| scans.get(at).and_then(|scan| scan.id);
    let points = |part: f64| (part * 1000.0).round() / 10.0 + 0.0;
    let few = change.cells < crate::score::statistics::FEWEST_CLUSTERS;
    HistoryChange {
        noticed_at: id(change.noticed),
        since: id(change.since),
        before: points(change.before),
        after: points(change.after),
        difference: points(change.after - change.before),
        interval: change
            .range
            .map(|(low, high)| Interval::of_differences(100.0 * low, 100.0 * high, few)),
        explanation: Explanation::default(),
        why: String::new(),
        causes: Vec::new(),
    }
}

#[cfg(test)]
mod tests;

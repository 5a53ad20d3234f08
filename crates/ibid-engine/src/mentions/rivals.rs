//! Competitors over the runs of a project.

use super::moves::{Lost, cited, lost};
use super::names::Names;
use super::{AnswerMentions, RunMentions};
use crate::score::interval::{Scored, of_answers};
use crate::slot::Numbering;
use ibid_model::{Interval, ScanId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The last runs over which competitors are ordered, and questions are won. Half of it sees few wins; twice as many
/// remember those of half a year ago.
const RECENT: usize = 12;
/// Answers of the recent runs that have to name a competitor who is not pinned: what one answer names may be an error.
const LEAST_ANSWERS: u32 = 2;
/// Competitors that are not pinned, at most.
const MOST_FOUND: usize = 20;

/// A competitor that people pinned or ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRival {
    /// Its name.
    pub name: String,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// Its websites.
    pub domains: Vec<String>,
    /// Whether it is left out.
    pub ignored: bool,
}

/// Competitors over the runs of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rivals {
    /// The pinned ones, then those that the recent answers name most.
    #[serde(skip)]
    pub rows: Vec<Rival>,
    /// Further names, each of one recent answer.
    pub rare: u32,
    /// The answers of the recent runs.
    pub answers: u32,
    /// The recent runs.
    pub runs: u32,
}

/// A competitor over the runs of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// Where it stands among the kept competitors, if people pinned it.
    pub kept: Option<usize>,
    /// The name that people gave it, otherwise the one that most answers use.
    pub name: String,
    /// The website that most answers give.
    pub domain: Option<String>,
    /// Recent answers that name it.
    pub named: u32,
    /// Its share of the answers in each run, the oldest first; runs without answers have none.
    pub points: Vec<RivalPoint>,
    /// Questions that it wins against the website.
    pub wins: Vec<Win>,
}

/// The share of the answers of a run that name a competitor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RivalPoint {
    /// The run.
    #[serde(rename = "scanId")]
    pub scan: ScanId,
    /// Answers that name it.
    #[serde(rename = "namedAnswers")]
    pub named: u32,
    /// Answers of the run.
    pub answers: u32,
    /// The mean of the shares of the models, 0..1.
    pub share: f64,
    /// Its 95 % range, 0..1.
    pub interval: Interval,
}

/// A question whose answers name a competitor rather than the website.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename = "RivalWin")]
pub struct Win {
    /// The question.
    pub question: String,
    /// Its recent answers.
    pub answers: u32,
    /// Those that name the competitor.
    #[serde(rename = "rivalAnswers")]
    pub rival: u32,
    /// Those that cite the website.
    #[serde(rename = "ownAnswers")]
    pub target: u32,
}

/// Counts the competitors of the runs, the oldest run first. Those that are ignored are left out.
#[must_use]
pub fn rivals(runs: &[(ScanId, RunMentions)], kept: &[KeptRival]) -> Rivals {
    let all: Vec<&RunMentions> = runs.iter().map(|(_, run)| run).collect();
    let names = Names::of(&all, kept);
    // Which competitors each answer names.
    let named: Vec<Vec<BTreeSet<usize>>> = all
        .iter()
        .map(|run| run.answers.iter().map(|answer| groups(&names, answer)).collect())
        .collect();
    let first = runs.len().saturating_sub(RECENT);
    let recent: Vec<(ScanId, &AnswerMentions)> = runs
        .iter()
        .skip(first)
        .flat_map(|(scan, run)| run.answers.iter().map(|answer| (*scan, answer)))
        .collect();
    let lost = lost(&recent, &names, kept);
    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    for group in named.iter().skip(first).flatten().flatten() {
        *counts.entry(*group).or_default() += 1;
    }
    let count = |group: usize| counts.get(&group).copied().unwrap_or_default();
    let mut shown: Vec<usize> = Vec::new();
    let mut rare = 0;
    for (group, one) in names.groups.iter().enumerate() {
        match one.kept.and_then(|at| kept.get(at)) {
            Some(rival) if rival.ignored => {}
            Some(_) => shown.push(group),
            None if count(group) >= LEAST_ANSWERS => shown.push(group),
            None => rare += u32::from(count(group) > 0),
        }
    }
    let is_pinned = |group: &usize| names.groups.get(*group).is_some_and(|one| one.kept.is_some());
    shown.sort_by_key(|group| (!is_pinned(group), Reverse(count(*group)), *group));
    let pinned = shown.iter().filter(|group| is_pinned(group)).count();
    shown.truncate(pinned + MOST_FOUND);
    let places: Vec<Vec<Scored>> = all.iter().map(|run| places(run)).collect();
    let rows = shown.into_iter().filter_map(|group| {
        let one = names.groups.get(group)?;
        let kept_name = one
            .kept
            .and_then(|at| kept.get(at))
            .map(|rival| rival.name.clone());
        let points = runs.iter().zip(&places).zip(&named);
        Some(Rival {
            kept: one.kept,
            wins: wins(&lost, kept_name.as_deref().unwrap_or(one.name())),
            name: kept_name.unwrap_or_else(|| one.name().to_owned()),
            domain: one.domain().cloned(),
            named: count(group),
            points: points
                .filter_map(|(((scan, _), places), named)| point(*scan, places, named, group))
                .collect(),
        })
    });
    Rivals {
        rows: rows.collect(),
        rare,
        answers: u32::try_from(recent.len()).unwrap_or(u32::MAX),
        runs: u32::try_from(runs.len() - first).unwrap_or(u32::MAX),
    }
}

fn groups(names: &Names<'_>, answer: &AnswerMentions) -> BTreeSet<usize> {
    answer
        .names
        .iter()
        .filter_map(|named| names.group(named))
        .collect()
}

/// Places a run's answers for the range, with the score 0.
fn places<'a>(run: &'a RunMentions) -> Vec<Scored> {
    let (mut models, mut questions) = (Numbering::default(), Numbering::default());
    let place = |answer: &'a AnswerMentions| Scored {
        model: models.of(answer.model.as_str()),
        question: questions.of(&answer.question),
        score: 0.0,
    };
    run.answers.iter().map(place).collect()
}

fn point(scan: ScanId, places: &[Scored], named: &[BTreeSet<usize>], group: usize) -> Option<RivalPoint> {
    let is_named: Vec<bool> = named.iter().map(|groups| groups.contains(&group)).collect();
    let scored = places.iter().zip(&is_named).map(|(place, is_named)| Scored {
        score: f64::from(u8::from(*is_named)),
        ..*place
    });
    let range = of_answers(&scored.collect::<Vec<_>>())?;
    Some(RivalPoint {
        scan,
        named: is_named.iter().filter(|is_named| **is_named).count() as u32,
        answers: places.len() as u32,
        share: range.mean,
        interval: Interval {
            low: range.low,
            high: range.high,
            level: 0.95,
            low_precision: range.low_precision,
        },
    })
}

fn wins(lost: &[Lost<'_>], rival: &str) -> Vec<Win> {
    let won = lost.iter().filter(|one| one.rival == rival);
    let won = won.map(|one| Win {
        question: one.question.to_owned(),
        answers: one.answers.len() as u32,
        rival: one.named,
        target: cited(&one.answers),
    });
    won.collect()
}

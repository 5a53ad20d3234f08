//! Tests of actions: what one compares, what it can see, and what the runs so far show.

use crate::clock::now_ms;
use crate::project_numbers::{side, sides};
use ibid_engine::history::{ActionVerdict, effect_in, kept_questions, visible};
use ibid_model::result::{HistoryNoteKind, ScanResult};
use ibid_model::{ProjectId, ScanId};
use ibid_store::{ActionRecord, Store, StoreError};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The fewest runs before an action: one alone may be an odd week.
pub(crate) const LEAST_BEFORE: u32 = 2;
/// The fewest touched questions, and controls, for which [`visible`] makes a promise.
const FEWEST_QUESTIONS: usize = 8;

/// What the test of an action compares. It is written when the action is done and never changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionTest {
    /// The words that name the touched questions in results.
    pub touched: BTreeSet<String>,
    /// Those of the controls.
    pub controls: BTreeSet<String>,
    /// The runs before it.
    pub before: Vec<ScanId>,
    /// What it could see, as it was promised.
    pub power: ActionPower,
}

/// What a test can see.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionPower {
    /// The touched questions that every run asks.
    pub touched: u32,
    /// The controls that every run asks.
    pub controls: u32,
    /// The models that are asked each.
    pub models: u32,
    /// The runs before the action.
    pub before: u32,
    /// The runs after it.
    pub after: u32,
    /// The smallest change that it sees in 8 of 10 cases, in points; `None` where nothing is promised.
    pub points: Option<f64>,
}

/// What the runs so far show of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionFinding {
    /// The runs before it that are compared.
    pub before: u32,
    /// The runs after it so far.
    pub after: u32,
    /// The touched questions and the controls that are compared.
    pub questions: (u32, u32),
    /// By how many points the touched questions and the controls changed, and how sure the difference is.
    pub effect: Option<EffectPoints>,
    /// The verdict; `None` before the last run of the test.
    pub verdict: Option<Verdict>,
    /// Why none can be told.
    pub reason: Option<Untold>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectPoints {
    /// By how much the touched questions changed.
    pub touched: f64,
    pub controls: f64,
    /// Where the 95 % range begins of the first less the second.
    pub low: f64,
    pub high: f64,
}

/// The verdict on an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The touched questions moved otherwise than the controls, by more than chance.
    Moved,
    /// They did not, and ten points would have been seen.
    NotSeen,
    /// Neither is sure.
    CannotTell,
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Untold {
    /// Too few runs between the agreement and the action.
    FewRunsBefore,
    /// Another model answers behind an alias.
    Model,
    /// The answers are read otherwise.
    Method,
    /// The questions are others.
    Set,
    /// Too few questions on a side.
    FewQuestions,
    /// The range is too wide for the runs.
    FewRuns,
}

impl EffectPoints {
    pub fn difference(&self) -> f64 {
        self.touched - self.controls
    }
}

/// Returns how small a change a test of these questions would see, by the project's last runs.
pub(crate) fn power(
    results: &[(ScanId, ScanResult)],
    touched: &BTreeSet<String>,
    others: &BTreeSet<String>,
    before: u32,
    after: u32,
) -> (ActionPower, BTreeSet<String>) {
    let kept = kept_questions(&sides(results));
    let controls = kept
        .keys()
        .filter(|word| !touched.contains(*word) && !others.contains(*word));
    let controls: BTreeSet<String> = controls.cloned().collect();
    let own = kept.keys().filter(|word| touched.contains(*word)).count();
    let rest = controls.len();
    let cells: usize = kept.values().sum();
    let models = (cells + kept.len() / 2).checked_div(kept.len());
    let models = models.unwrap_or_default();
    let seen = visible(own, rest, models, before as usize, after as usize);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let power = ActionPower {
        touched: count(own),
        controls: count(rest),
        models: count(models),
        before,
        after,
        // More than half of the scale is no promise.
        points: seen.filter(|seen| *seen <= 0.5).map(points),
    };
    (power, controls)
}

/// Judges the actions of a project that wait for runs, by its series.
pub(crate) fn judge_actions(
    store: &Store,
    project: ProjectId,
    results: &[(ScanId, ScanResult)],
) -> Result<(), StoreError> {
    for action in store.actions_to_judge(project)? {
        let Some((finding, is_over)) = finding(&action, results)? else {
            continue;
        };
        let text = serde_json::to_string(&finding).map_err(|_| StoreError::Damaged("finding"))?;
        if action.finding.as_deref() != Some(&text) || is_over {
            store.put_finding(&action, &text, is_over.then(now_ms))?;
        }
    }
    Ok(())
}

/// What the runs show of an action that is done, and whether its test has ended.
///
/// # Errors
/// [`StoreError::Damaged`] for a test that cannot be read.
pub(crate) fn finding(
    action: &ActionRecord,
    results: &[(ScanId, ScanResult)],
) -> Result<Option<(ActionFinding, bool)>, StoreError> {
    let (Some(test), Some(done_on)) = (test_of(action)?, &action.done_on) else {
        return Ok(None);
    };
    let (_, over) = day_of(done_on).ok_or(StoreError::Damaged("day"))?;
    let before = results.iter().filter(|(scan, _)| test.before.contains(scan));
    let later = results.iter().filter(|(_, result)| result.finished_at >= over);
    let runs: Vec<(ScanId, &ScanResult)> = before
        .chain(later.clone().take(action.runs as usize))
        .map(|(scan, result)| (*scan, result))
        .collect();
    let after = u32::try_from(later.count()).unwrap_or(u32::MAX).min(action.runs);
    let sides: Vec<_> = runs.iter().map(|(scan, result)| side(*scan, result)).collect();
    let number = runs.len().saturating_sub(after as usize);
    let found = effect_in(&sides, number, &test.touched, &test.controls);
    let is_over = after >= action.runs;
    let too_few = (number as u32) < LEAST_BEFORE;
    let judged = found.effect.map(|effect| effect.verdict).filter(|_| !too_few);
    let verdict = match judged {
        Some(ActionVerdict::Moved) => Verdict::Moved,
        Some(ActionVerdict::NotSeen) => Verdict::NotSeen,
        Some(ActionVerdict::CannotTell) | None => Verdict::CannotTell,
    };
    let broken = found.effect.is_none() && after > 0;
    let has = |kind| found.notes.contains(&kind);
    let reason = match verdict {
        Verdict::Moved | Verdict::NotSeen => None,
        Verdict::CannotTell if too_few => Some(Untold::FewRunsBefore),
        Verdict::CannotTell if broken && has(HistoryNoteKind::Model) => Some(Untold::Model),
        Verdict::CannotTell if broken && has(HistoryNoteKind::Method) => Some(Untold::Method),
        Verdict::CannotTell if broken && has(HistoryNoteKind::Set) => Some(Untold::Set),
        Verdict::CannotTell if found.questions.0.min(found.questions.1) < FEWEST_QUESTIONS => {
            Some(Untold::FewQuestions)
        }
        Verdict::CannotTell => Some(Untold::FewRuns),
    };
    // Without runs before it no later run helps.
    let ends = is_over || too_few;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let finding = ActionFinding {
        before: count(number),
        after,
        questions: (count(found.questions.0), count(found.questions.1)),
        effect: found.effect.map(|effect| EffectPoints {
            touched: points(effect.touched),
            controls: points(effect.controls),
            low: points(effect.range.0),
            high: points(effect.range.1),
        }),
        verdict: ends.then_some(verdict),
        reason: reason.filter(|reason| ends || *reason != Untold::FewRuns),
    };
    Ok(Some((finding, ends)))
}

/// What the test of an action compares, if it is done.
pub(crate) fn test_of(action: &ActionRecord) -> Result<Option<ActionTest>, StoreError> {
    let read = |text: &String| serde_json::from_str(text).map_err(|_| StoreError::Damaged("test"));
    action.test.as_ref().map(read).transpose()
}

/// What the runs so far show of an action, as it is stored.
pub(crate) fn finding_of(action: &ActionRecord) -> Result<Option<ActionFinding>, StoreError> {
    let read = |text: &String| serde_json::from_str(text).map_err(|_| StoreError::Damaged("finding"));
    action.finding.as_ref().map(read).transpose()
}

/// The start and the end of a day (UTC).
pub(crate) fn day_of(day: &str) -> Option<(Timestamp, Timestamp)> {
    let day: Date = day.parse().ok()?;
    let start = |day: Date| day.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    Some((start(day)?, start(day.checked_add(1.day()).ok()?)?))
}

fn points(part: f64) -> f64 {
    (part * 1000.0).round() / 10.0 + 0.0
}

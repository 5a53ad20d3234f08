//! An action for people: what its test can see, and what it shows, in sentences.

use crate::project_actions::{
    ActionFinding, ActionPower, EffectPoints, LEAST_BEFORE, Untold, Verdict, finding_of,
};
use crate::projects::conversions::at;
use ibid_store::{ActionRecord, ActionStatus, Millis, StoreError};
use serde_json::{Value, json};

/// A verdict stays in an overview for a quarter of a year.
const RECENT: Millis = 90 * 86_400_000;
/// What is shown before the first run.
const UNSEEN: &str = "Not seen yet: no run since.";

/// An action with its test.
#[derive(Clone, Debug)]
pub struct ActionView {
    pub record: ActionRecord,
    /// What its test can see; as it was promised, once it is done.
    pub power: ActionPower,
    /// Runs before it, so far.
    pub runs_before: u32,
    /// What the runs so far show, of one that is done.
    pub finding: Option<ActionFinding>,
    /// The questions that it is compared with, of one that is done.
    pub controls: Vec<String>,
    /// Pinned competitors on the same questions, of one that is done.
    pub rivals: Vec<RivalShare>,
    /// Why there are none.
    pub no_rivals: Option<&'static str>,
}

/// How often answers to the touched questions named a pinned competitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RivalShare {
    pub name: String,
    /// Answers that name it before the action, and all.
    pub before: (u32, u32),
    /// Those after it.
    pub after: (u32, u32),
}

/// An action on the page of its project.
#[derive(Clone, Debug)]
pub struct KeptAction {
    /// What is done.
    pub title: String,
    /// Such as `2026-11-30`.
    pub done_on: Option<String>,
    /// Its text in a trend.
    pub mark: String,
    /// What an overview shows of it: one under way, one that waits for runs, or one that was judged lately.
    pub state: Option<String>,
}

impl KeptAction {
    pub(super) fn of(record: &ActionRecord, now: Millis) -> Result<Self, StoreError> {
        let finding = finding_of(record)?;
        let is_old = record.judged_at.is_some_and(|at| now.saturating_sub(at) > RECENT);
        let state = match record.status {
            ActionStatus::Doing => Some("under way".to_owned()),
            ActionStatus::Open => Some("open".to_owned()),
            ActionStatus::Done if is_old => None,
            ActionStatus::Done => Some(finding.as_ref().map_or_else(|| UNSEEN.to_owned(), sentence)),
            ActionStatus::Dropped => None,
        };
        Ok(Self {
            title: record.title.clone(),
            done_on: record.done_on.clone(),
            mark: format!("Done: {}", record.title),
            state,
        })
    }
}

impl RivalShare {
    /// "Bolt Pipes 41 % before, 40 % since".
    pub fn sentence(&self) -> String {
        let share = |(named, answers): (u32, u32)| 100.0 * f64::from(named) / f64::from(answers.max(1));
        format!(
            "{} {:.0} % before, {:.0} % since",
            self.name,
            share(self.before),
            share(self.after)
        )
    }
}

impl ActionView {
    /// The verdict, once there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.finding.as_ref()?.verdict
    }

    /// "3 of 8 runs"; `None` for one that is not done.
    pub fn progress(&self) -> Option<String> {
        let done = self.record.status == ActionStatus::Done;
        let after = self.finding.as_ref().map_or(0, |finding| finding.after);
        done.then(|| format!("{after} of {} runs", self.record.runs))
    }

    /// What the test can see.
    pub fn promise(&self) -> String {
        let power = &self.power;
        if power.touched + power.controls == 0 {
            return "What it can see is stated after the first run.".to_owned();
        }
        let sides = format!(
            "{} of its questions and {} others are asked in every run",
            power.touched, power.controls
        );
        let is_done = self.record.status == ActionStatus::Done;
        let wait = match power.before.saturating_sub(self.runs_before) {
            0 => String::new(),
            _ if is_done => String::new(),
            1 => " Do it after one more run, to compare with.".to_owned(),
            more => format!(" Do it after {more} more runs, to compare with."),
        };
        match power.points {
            Some(points) => format!(
                "{sides}. With {} runs before and {} after, the test sees {points:+.0} points in 8 of 10 cases.{wait}",
                power.before, power.after
            ),
            None if power.before < LEAST_BEFORE => {
                format!("{sides}. Fewer than {LEAST_BEFORE} runs before it: the test promises nothing.")
            }
            None => format!("{sides}. From eight on either side, the test promises what it sees.{wait}"),
        }
    }

    /// What the runs show, in a sentence; `None` for one that is not done.
    pub fn sentence(&self) -> Option<String> {
        if self.record.status != ActionStatus::Done {
            return None;
        }
        Some(match &self.finding {
            Some(finding) => sentence(finding),
            None => UNSEEN.to_owned(),
        })
    }

    pub fn document(&self) -> Value {
        let record = &self.record;
        let finding = self.finding.as_ref();
        let effect = finding.and_then(|finding| finding.effect).map(|effect| {
            json!({
                "difference": tenth(effect.difference()),
                "interval": {"low": effect.low, "high": effect.high, "level": 0.95},
                "touched": effect.touched,
                "controls": effect.controls,
            })
        });
        let power = &self.power;
        let rivals = self.rivals.iter().map(|rival| {
            let side = |(named, answers): (u32, u32)| json!({"namedAnswers": named, "answers": answers});
            json!({"name": rival.name, "before": side(rival.before), "after": side(rival.after)})
        });
        json!({
            "actionId": record.id,
            "title": record.title,
            "page": record.page,
            "questions": record.questions,
            "who": record.person,
            "goal": record.goal,
            "status": record.status.as_str(),
            "createdAt": at(record.created_at),
            "agreedAt": at(record.agreed_at),
            "doneOn": record.done_on,
            "test": {
                "touchedQuestions": power.touched,
                "controlQuestions": power.controls,
                "models": power.models,
                "runsBefore": power.before,
                "runsAfter": power.after,
                "visiblePoints": power.points,
                "summary": self.promise(),
                "controls": self.controls,
            },
            "runsSoFar": finding.map(|finding| finding.after),
            "effect": effect,
            "verdict": finding.and_then(|finding| finding.verdict),
            "reason": finding.and_then(|finding| finding.reason),
            "judgedAt": record.judged_at.map(at),
            "summary": self.sentence(),
            "rivals": rivals.collect::<Vec<_>>(),
            "withoutRivals": self.no_rivals,
        })
    }
}

/// What came of an action whose test has ended, for a digest.
pub(crate) fn judged_in_words(record: &ActionRecord) -> Result<Option<String>, StoreError> {
    let finding = finding_of(record)?;
    Ok(finding.map(|finding| format!("Action “{}”: {}", record.title, sentence(&finding))))
}

/// What the runs show.
fn sentence(finding: &ActionFinding) -> String {
    let found = finding.effect.as_ref().map(against);
    match (finding.verdict, found) {
        (None, None) => "Not seen yet: too few runs since.".to_owned(),
        (None, Some(found)) => format!("Not seen yet. So far {found}."),
        (Some(Verdict::Moved), Some(found)) => format!("Moved: {found}."),
        (Some(Verdict::NotSeen), Some(found)) => {
            format!("Not seen: {found}. Ten points would have shown in 8 of 10 cases.")
        }
        (Some(_), found) => {
            let found = found.map(|found| format!(" So far {found}."));
            format!(
                "Cannot tell: {}.{}",
                finding.reason.map_or("too little to compare", Untold::words),
                found.unwrap_or_default()
            )
        }
    }
}

/// "+12 points against the other questions (+4 to +20)".
fn against(effect: &EffectPoints) -> String {
    format!(
        "{} points against the other questions ({} to {})",
        signed(effect.difference()),
        signed(effect.low),
        signed(effect.high)
    )
}

fn signed(points: f64) -> String {
    format!("{:+.0}", points.round() + 0.0).replace('-', "\u{2212}")
}

fn tenth(points: f64) -> f64 {
    (points * 10.0).round() / 10.0 + 0.0
}

impl Untold {
    const fn words(self) -> &'static str {
        match self {
            Self::FewRunsBefore => "fewer than two runs between the agreement and the day it was done",
            Self::Model => "other models answer since",
            Self::Method => "answers are read in a new way since",
            Self::Set => "the questions changed since",
            Self::FewQuestions => "too few questions are asked in every run",
            Self::FewRuns => "the answers differ too much from run to run",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(verdict: Option<Verdict>, reason: Option<Untold>, effect: bool) -> String {
        sentence(&ActionFinding {
            before: 4,
            after: 3,
            questions: (8, 24),
            effect: effect.then_some(EffectPoints {
                touched: 14.0,
                controls: 1.6,
                low: -4.2,
                high: 29.0,
            }),
            verdict,
            reason,
        })
    }

    #[test]
    fn each_verdict_is_a_sentence_with_its_range() {
        let all = [
            told(None, None, false),
            told(None, None, true),
            told(Some(Verdict::Moved), None, true),
            told(Some(Verdict::NotSeen), None, true),
            told(Some(Verdict::CannotTell), Some(Untold::FewQuestions), true),
            told(Some(Verdict::CannotTell), Some(Untold::Model), false),
        ];
        let so_far = "+12 points against the other questions (\u{2212}4 to +29).";
        let expected = [
            "Not seen yet: too few runs since.".to_owned(),
            format!("Not seen yet. So far {so_far}"),
            format!("Moved: {so_far}"),
            format!("Not seen: {so_far} Ten points would have shown in 8 of 10 cases."),
            format!("Cannot tell: too few questions are asked in every run. So far {so_far}"),
            "Cannot tell: other models answer since.".to_owned(),
        ];
        assert_eq!(all, expected);
    }
}

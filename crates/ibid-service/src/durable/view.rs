//! A queued scan as its owner sees it.

use crate::stored_scans::StoredScan;
use ibid_engine::plan::Plan;
use ibid_engine::{EndedCall, InterimReading, Progress};
use ibid_model::{ModelAlias, Ring};
use ibid_store::DurableRunView;
use serde::Deserialize;

#[derive(Clone, Debug)]
pub struct QueuedScan {
    /// Its state and its counts.
    pub run: DurableRunView,
    /// The calls that have ended, by their numbers.
    /// Empty in lists, and once the scan has ended.
    pub answers: Vec<QueuedAnswer>,
    /// Its result. `None` in lists, before the scan has ended, and for a scan without a result.
    pub result: Option<StoredScan>,
}

impl QueuedScan {
    /// A scan as lists show it, without answers and result.
    pub(super) const fn listed(run: DurableRunView) -> Self {
        Self {
            run,
            answers: Vec::new(),
            result: None,
        }
    }
}

/// A call of a queued scan that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedAnswer {
    pub call: u32,
    /// The position of the question in the plan.
    pub topic: usize,
    pub model: ModelAlias,
    /// The ring, for ring questions.
    pub ring: Option<Ring>,
    /// The market, for ring questions.
    pub market: Option<String>,
    pub answered: bool,
    /// What the answer alone says, or `None` for a call without a valid answer.
    pub interim: Option<InterimReading>,
}

impl QueuedAnswer {
    /// Reads a kept call. `None` if it is not in the plan.
    pub(super) fn read(plan: &Plan, outcome: &[u8]) -> Option<Self> {
        let head: Head = serde_json::from_slice(outcome).ok()?;
        let answered = matches!(head.answer, Outcome::Ok(_));
        Self::placed(plan, head.call, answered, head.interim)
    }

    /// Shows a call as it ends.
    /// `None` if it is not in the plan.
    pub(super) fn of(plan: &Plan, ended: &EndedCall) -> Option<Self> {
        Self::placed(plan, ended.call, ended.answer.is_ok(), ended.interim.clone())
    }

    /// The call as watchers see it, in a run of so many calls. Its feed counts it.
    pub(super) fn progress(self, total: usize) -> Progress {
        Progress {
            done: 0,
            total,
            topic: self.topic,
            model: self.model,
            ring: self.ring,
            market: self.market,
            answered: self.answered,
            interim: self.interim,
        }
    }

    fn placed(plan: &Plan, call: u32, answered: bool, interim: Option<InterimReading>) -> Option<Self> {
        let (topic, model) = plan.call(call)?;
        let question = plan.questions().get(topic)?;
        Some(Self {
            call,
            topic,
            model: plan.models().get(model)?.alias.clone(),
            ring: question.slot.ring(),
            market: plan.market(question.slot).map(|market| market.name.clone()),
            answered,
            interim,
        })
    }
}

/// A kept call without its answer.
#[derive(Deserialize)]
struct Head {
    call: u32,
    interim: Option<InterimReading>,
    answer: Outcome,
}

#[derive(Deserialize)]
enum Outcome {
    Ok(serde::de::IgnoredAny),
    Err(serde::de::IgnoredAny),
}

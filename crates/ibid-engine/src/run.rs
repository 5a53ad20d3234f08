//! The one async function of the engine: ask everything, then score.

use crate::aggregate;
use crate::ask::{Asking, CallOutcomes, EndedCall, Gathered, Progress, ask_all, ask_rest, look};
use crate::batches::{self, Next};
use crate::plan::Plan;
use crate::read::Target;
use crate::scanned::Scanned;
use ibid_model::result::Stopped;
use ibid_model::{ScanId, UsdMicros};
use ibid_provider::{ErrorScope, Provider, ProviderError, ProviderKey, Share};
use jiff::Timestamp;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Runs plans against a provider. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    provider: Arc<dyn Provider>,
    width: NonZeroUsize,
    interim_readings: bool,
    cost_cap: Option<UsdMicros>,
    time_limit: Option<Duration>,
    share: Share,
}

/// No question was answered, so there is no score.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("none of {questions} questions was answered: {cause}")]
pub struct NoAnswers {
    /// Questions planned.
    pub questions: usize,
    /// The failure that reaches farthest; among equals the most frequent. That of the key only if every call met it.
    pub cause: ProviderError,
}

impl Engine {
    /// An engine that makes at most `width` calls at a time.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>, width: NonZeroUsize) -> Self {
        Self {
            provider,
            width,
            interim_readings: false,
            cost_cap: None,
            time_limit: None,
            share: Share::default(),
        }
    }

    /// Reads every answer on arrival, so progress includes its reading.
    #[must_use]
    pub fn with_interim_readings(mut self, interim_readings: bool) -> Self {
        self.interim_readings = interim_readings;
        self
    }

    /// Limits the bill of each scan.
    /// Once it reaches the cap, no call begins, and the scan ends with its answers so far.
    #[must_use]
    pub fn with_cost_cap(mut self, cost_cap: Option<UsdMicros>) -> Self {
        self.cost_cap = cost_cap;
        self
    }

    /// Sets each scan's time limit, instead of its plan's.
    /// Models on the own machine need more time.
    #[must_use]
    pub fn with_time_limit(mut self, time_limit: Option<Duration>) -> Self {
        self.time_limit = time_limit;
        self
    }

    /// Sets the caller and run of the calls, which share the places for calls in flight with others.
    #[must_use]
    pub fn with_share(mut self, share: Share) -> Self {
        self.share = share;
        self
    }

    /// Asks every question of the plan and scores the answers.
    /// Calls `on` for every call that ends.
    ///
    /// Failed calls do not fail the scan: the answers are scored and the failures counted.
    /// Dropping the future stops all calls.
    /// The id seeds the intervals, so the same answers give the same intervals.
    ///
    /// Scoring runs on the polling thread.
    /// To keep that thread free for other futures, call [`Self::ask`].
    ///
    /// # Errors
    /// [`NoAnswers`] if no question was answered.
    pub async fn run(
        &self,
        id: ScanId,
        plan: &Plan,
        key: &ProviderKey,
        on: impl FnMut(Progress) + Send,
    ) -> Result<Scanned, NoAnswers> {
        Ok(self.ask(id, plan.clone(), key, on).await?.score())
    }

    /// Asks every question of the plan, like [`Self::run`], and leaves scoring to another thread.
    ///
    /// # Errors
    /// [`NoAnswers`] if no question was answered.
    pub async fn ask(
        &self,
        id: ScanId,
        plan: Plan,
        key: &ProviderKey,
        on: impl FnMut(Progress) + Send,
    ) -> Result<Asked, NoAnswers> {
        let started_at = Timestamp::now();
        let deadline = Instant::now() + self.time_limit.unwrap_or_else(|| plan.time_limit());
        let asking = self.asking(&plan, key, deadline);
        let next = |ended: &[EndedCall]| match plan.order().stop() {
            None => ended.is_empty().then(|| 0..plan.len()),
            Some(_) if Instant::now() >= deadline => None,
            Some(_) => match self.next_of(id, &plan, ended) {
                Next::Ask(calls) => Some(calls),
                Next::Stop(_) => None,
            },
        };
        let ended = ask_all(&plan, &asking, next, on).await;
        drop(asking);
        self.gather(id, plan, ended, (&ProviderError::Timeout, started_at))
    }

    /// Asks those calls in a part of a plan that have not ended before, and passes each to `keep` as it ends.
    /// A call holds its place until `keep` is done; then the next may begin.
    /// A scan whose calls are kept survives the end of its process; [`Self::gather`] makes its result.
    ///
    /// # Errors
    /// Passes on the first error that `keep` returns. Calls under way are then dropped.
    pub async fn ask_rest<F, E>(
        &self,
        plan: &Plan,
        key: &ProviderKey,
        rest: &Rest<'_>,
        keep: impl Fn(EndedCall) -> F + Send + Sync,
    ) -> Result<(), E>
    where
        F: Future<Output = Result<(), E>> + Send,
        E: Send,
    {
        let asking = self.asking(plan, key, rest.deadline);
        let has_ended = |call: usize| rest.ended.iter().any(|ended| ended.call as usize == call);
        let wanted = rest.calls.start as usize..plan.len().min(rest.calls.end as usize);
        let wanted = wanted.filter(|call| !has_ended(*call));
        ask_rest(plan, &asking, (wanted, rest.ended), rest.stop, keep).await
    }

    /// Makes a scan's answers from its ended calls, as [`Self::ask`] would have returned them.
    /// A missing call counts as failed with `missing`, or with the failure that ended the calls of its model.
    /// Of a plan that is asked in batches, the result has the calls that were made.
    ///
    /// # Errors
    /// [`NoAnswers`] if no question was answered.
    pub fn gather(
        &self,
        id: ScanId,
        plan: Plan,
        ended: impl IntoIterator<Item = EndedCall>,
        (missing, started_at): (&ProviderError, Timestamp),
    ) -> Result<Asked, NoAnswers> {
        let ended: Vec<EndedCall> = ended.into_iter().collect();
        let stopped = match self.next_of(id, &plan, &ended) {
            Next::Stop(reason) => reason,
            Next::Ask(_) if *missing == ProviderError::Timeout => Some(Stopped::Time),
            Next::Ask(_) => None,
        };
        self.joined(id, plan, ended, (missing, started_at, stopped))
    }

    /// As [`Self::gather`], with a known reason to ask no more.
    pub(crate) fn joined(
        &self,
        id: ScanId,
        plan: Plan,
        ended: Vec<EndedCall>,
        (missing, started_at, stopped): (&ProviderError, Timestamp, Option<Stopped>),
    ) -> Result<Asked, NoAnswers> {
        let estimate = plan.estimate();
        // A scan that asks in batches counts the cap among its reasons to stop.
        let cap = self.cost_cap.filter(|_| plan.order().stop().is_none());
        let (plan, ended) = batches::made(plan, ended);
        let mut gathered = Gathered::of(&plan);
        for call in ended {
            gathered.add(call, cap);
        }
        let (calls, spending) = gathered.finish(missing);
        let calls = answered(&plan, calls)?;
        let frame = aggregate::Frame {
            id,
            sandbox: self.provider.is_sandbox(),
            spending,
            stopped,
            estimate,
            started_at,
            // The clock may have been set back meanwhile.
            finished_at: Timestamp::now().max(started_at),
        };
        Ok(Asked { plan, calls, frame })
    }

    /// Limits what a plan may cost.
    pub(crate) fn most_cost(&self, plan: &Plan) -> Option<UsdMicros> {
        let budget = plan.order().stop().and_then(|rule| rule.budget);
        self.cost_cap.into_iter().chain(budget).min()
    }

    fn asking<'a>(&'a self, plan: &Plan, key: &'a ProviderKey, deadline: Instant) -> Asking<'a> {
        Asking {
            provider: &*self.provider,
            key,
            width: self.width,
            deadline,
            cost_cap: self.most_cost(plan),
            share: self.share,
            target: self.interim_readings.then(|| Target::of_order(plan.order())),
        }
    }
}

/// What is left to ask in a scan.
#[derive(Clone, Debug)]
pub struct Rest<'a> {
    /// Which calls belong to the part, by their numbers.
    pub calls: Range<u32>,
    /// Calls that have ended, including those in other parts of the scan.
    /// Their bills count against the cost cap, and models that failed for good are not asked again.
    pub ended: &'a [EndedCall],
    /// The time at which calls under way end without an answer.
    /// No call begins after it.
    pub deadline: Instant,
    /// Once cancelled, no call begins. Calls under way end and are kept.
    pub stop: &'a CancellationToken,
}

fn answered(plan: &Plan, calls: CallOutcomes) -> Result<CallOutcomes, NoAnswers> {
    let unfinished =
        || (!finished(plan, &calls).any(|finished| finished)).then_some(ProviderError::Unfinished);
    match nothing_answered(&calls).or_else(unfinished) {
        None => Ok(calls),
        Some(cause) => Err(NoAnswers {
            questions: plan.len(),
            cause,
        }),
    }
}

/// For each call, whether it has an answer that is finished.
fn finished(plan: &Plan, calls: &CallOutcomes) -> impl Iterator<Item = bool> {
    let target = Target::of_order(plan.order());
    plan.asked()
        .zip(calls.iter().flatten())
        .map(move |((question, _), call)| {
            call.as_ref().is_ok_and(|answer| {
                let reading = look(&target, answer, &plan.questions()[question]);
                reading.is_none_or(|reading| !reading.is_unfinished())
            })
        })
}

/// Answers that are not read yet.
pub struct Asked {
    plan: Plan,
    calls: CallOutcomes,
    frame: aggregate::Frame,
}

impl Asked {
    /// Whether every question that the scan was to ask has a finished answer.
    pub fn is_complete(&self) -> bool {
        self.frame.stopped != Some(Stopped::Time)
            && finished(&self.plan, &self.calls).all(|finished| finished)
    }

    /// Reads and scores them.
    /// This takes about 50 µs of CPU time an answer, without a pause.
    pub fn score(self) -> Scanned {
        aggregate::aggregate(&self.plan, self.calls, &self.frame)
    }
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("questions", &self.plan.len())
            .finish_non_exhaustive()
    }
}

/// The reason why no question was answered; `None` if there is an answer.
pub(crate) fn nothing_answered(calls: &CallOutcomes) -> Option<ProviderError> {
    let mut causes: Vec<(&ProviderError, usize)> = Vec::new();
    for call in calls.iter().flatten() {
        let Err(error) = call else { return None };
        match causes.iter_mut().find(|(known, _)| *known == error) {
            Some((_, count)) => *count += 1,
            None => causes.push((error, 1)),
        }
    }
    // A key that one model refused is not to blame where the others failed otherwise.
    if causes.iter().any(|(error, _)| error.scope() < ErrorScope::Key) {
        causes.retain(|(error, _)| error.scope() < ErrorScope::Key);
    }
    let farthest = causes
        .into_iter()
        .max_by_key(|(error, count)| (error.scope(), *count));
    Some(farthest.map_or(ProviderError::Unavailable, |(error, _)| error.clone()))
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

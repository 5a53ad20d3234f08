//! The one async function of the engine: ask everything, then score.

use crate::aggregate;
use crate::ask::{Asking, CallOutcomes, Progress, ask_all};
use crate::plan::Plan;
use crate::read::Target;
use crate::scanned::Scanned;
use ibid_model::{ScanId, UsdMicros};
use ibid_provider::{Provider, ProviderError, ProviderKey, Share};
use jiff::Timestamp;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::time::Instant;

/// Runs plans against a provider. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    provider: Arc<dyn Provider>,
    width: NonZeroUsize,
    interim_readings: bool,
    cost_cap: Option<UsdMicros>,
    share: Share,
}

/// No question was answered, so there is nothing to score.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("none of {questions} questions was answered: {cause}")]
pub struct NoAnswers {
    /// Questions planned.
    pub questions: usize,
    /// The failure that reaches farthest; among equals the most frequent.
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
            share: Share::default(),
        }
    }

    /// Reads every answer as it arrives, so that progress includes its reading.
    #[must_use]
    pub fn with_interim_readings(mut self, interim_readings: bool) -> Self {
        self.interim_readings = interim_readings;
        self
    }

    /// Bounds the bill of each scan: once it reaches the cap, no call begins, and the scan ends with what it has.
    #[must_use]
    pub fn with_cost_cap(mut self, cost_cap: Option<UsdMicros>) -> Self {
        self.cost_cap = cost_cap;
        self
    }

    /// Names the caller and run of the calls, which share places for calls in flight with others.
    #[must_use]
    pub fn with_share(mut self, share: Share) -> Self {
        self.share = share;
        self
    }

    /// Asks every question of the plan and scores the answers. `on` is called for every call that ends.
    ///
    /// Failed calls do not fail the scan: what was answered is scored, the rest is counted. Dropping the future
    /// stops all calls. The id seeds the intervals, so the same answers print the same intervals.
    ///
    /// Scoring happens on the thread that polls; who has other futures on it calls [`Self::ask`].
    ///
    /// # Errors
    /// [`NoAnswers`] when not a single question was answered.
    pub async fn run(
        &self,
        id: ScanId,
        plan: &Plan,
        key: &ProviderKey,
        on: impl FnMut(Progress) + Send,
    ) -> Result<Scanned, NoAnswers> {
        let (calls, frame) = self.answers(id, plan, key, on).await?;
        Ok(aggregate::aggregate(plan, calls, &frame))
    }

    /// Asks every question of the plan, like [`Self::run`], and leaves scoring to a thread that may take its time.
    ///
    /// # Errors
    /// [`NoAnswers`] when not a single question was answered.
    pub async fn ask(
        &self,
        id: ScanId,
        plan: Plan,
        key: &ProviderKey,
        on: impl FnMut(Progress) + Send,
    ) -> Result<Asked, NoAnswers> {
        let (calls, frame) = self.answers(id, &plan, key, on).await?;
        Ok(Asked { plan, calls, frame })
    }

    async fn answers(
        &self,
        id: ScanId,
        plan: &Plan,
        key: &ProviderKey,
        on: impl FnMut(Progress) + Send,
    ) -> Result<(CallOutcomes, aggregate::Frame), NoAnswers> {
        let started_at = Timestamp::now();
        let deadline = Instant::now() + plan.time_limit();
        let asking = Asking {
            provider: &*self.provider,
            key,
            width: self.width,
            deadline,
            cost_cap: self.cost_cap,
            share: self.share,
            target: self.interim_readings.then(|| Target::of_order(plan.order())),
        };
        let (calls, spending) = ask_all(plan, &asking, on).await;
        if let Some(cause) = nothing_answered(&calls) {
            return Err(NoAnswers {
                questions: plan.len(),
                cause,
            });
        }
        let frame = aggregate::Frame {
            id,
            sandbox: self.provider.is_sandbox(),
            spending,
            started_at,
            // The clock may have been set back meanwhile.
            finished_at: Timestamp::now().max(started_at),
        };
        Ok((calls, frame))
    }
}

/// Answers that are not read yet.
pub struct Asked {
    plan: Plan,
    calls: CallOutcomes,
    frame: aggregate::Frame,
}

impl Asked {
    /// Reads and scores them: some 50 µs of CPU time an answer, without a pause.
    #[must_use]
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

/// The reason that nothing was answered; `None` when something was.
fn nothing_answered(calls: &CallOutcomes) -> Option<ProviderError> {
    let mut causes: Vec<(&ProviderError, usize)> = Vec::new();
    for call in calls.iter().flatten() {
        let Err(error) = call else { return None };
        match causes.iter_mut().find(|(known, _)| *known == error) {
            Some((_, count)) => *count += 1,
            None => causes.push((error, 1)),
        }
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

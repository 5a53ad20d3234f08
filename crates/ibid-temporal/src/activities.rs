//! The steps of a run as activities.

use ibid_model::ScanId;
use ibid_service::engine::{StepCtx, StepEnd, StepRunner, after};
use ibid_store::{BegunStep, HeldStep, RunStep, WorkerId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// The shortest pause that the server takes.
const SHORTEST: Duration = Duration::from_millis(100);

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ShardInput {
    pub(crate) run: String,
    pub(crate) shard: u32,
}

/// The reason why a step is not done.
/// The server keeps the text.
#[derive(Debug, thiserror::Error)]
enum Undone {
    /// The step is repeated; the server chooses the pause.
    #[error("{0}")]
    Repeated(&'static str),
    /// The step is repeated after this pause.
    #[error("{0}")]
    Later(&'static str, Duration),
    /// The step is never repeated.
    #[error("{0}")]
    Impossible(&'static str),
}

impl Undone {
    fn failure(self) -> ApplicationFailure {
        let (pause, is_final) = match self {
            Self::Repeated(_) => (None, false),
            Self::Later(_, pause) => (Some(pause.max(SHORTEST)), false),
            Self::Impossible(_) => (None, true),
        };
        ApplicationFailure::builder(self)
            .maybe_next_retry_delay(pause)
            .non_retryable(is_final)
            .build()
    }

    fn into_error(self) -> ActivityError {
        self.failure().into()
    }
}

pub(crate) struct StepActivities {
    pub(crate) runner: StepRunner,
    pub(crate) worker: WorkerId,
    pub(crate) lease: Duration,
    /// Runs the steps.
    /// They must not block the worker's own thread.
    pub(crate) runtime: Handle,
}

#[activities]
impl StepActivities {
    #[activity]
    pub(crate) async fn plan(
        self: Arc<Self>,
        activity: ActivityContext,
        run: String,
    ) -> Result<Vec<u32>, ActivityError> {
        let run = parse(&run).map_err(Undone::into_error)?;
        let done = self.step(&activity, run, RunStep::Plan).await;
        done.map_err(Undone::into_error)?;
        let open = self.runner.db.call(move |store| store.open_shards(run)).await;
        open.map_err(|_| Undone::Repeated("store").into_error())
    }

    #[activity]
    pub(crate) async fn shard(
        self: Arc<Self>,
        activity: ActivityContext,
        input: ShardInput,
    ) -> Result<(), ActivityError> {
        let run = parse(&input.run).map_err(Undone::into_error)?;
        let done = self.step(&activity, run, RunStep::Shard(input.shard)).await;
        done.map_err(Undone::into_error)
    }

    #[activity]
    pub(crate) async fn aggregate(
        self: Arc<Self>,
        activity: ActivityContext,
        run: String,
    ) -> Result<(), ActivityError> {
        let run = parse(&run).map_err(Undone::into_error)?;
        let done = self.step(&activity, run, RunStep::Aggregate).await;
        done.map_err(Undone::into_error)
    }
}

/// Returns how often a step shows that it lives.
/// A busy worker may be late by more than half of its lease.
pub(crate) fn beat_interval(lease: Duration) -> Duration {
    lease / 5
}

fn parse(run: &str) -> Result<ScanId, Undone> {
    run.parse().map_err(|_| Undone::Impossible("run"))
}

impl StepActivities {
    /// Claims a step and carries it out.
    /// A finished step is left as it is.
    ///
    /// The server may give a step under way to a second worker.
    /// The lease in the store then decides.
    async fn step(&self, activity: &ActivityContext, run: ScanId, step: RunStep) -> Result<(), Undone> {
        let (worker, lease) = (self.worker, self.lease);
        let begun = self
            .runner
            .db
            .call(move |store| store.begin_step(worker, run, step, after(lease), after(Duration::ZERO)));
        let claimed = match begun.await.map_err(|_| Undone::Repeated("store"))? {
            BegunStep::Done => return Ok(()),
            BegunStep::Held(until) => {
                let left = u64::try_from(until.saturating_sub(after(Duration::ZERO))).unwrap_or(0);
                return Err(Undone::Later("held", Duration::from_millis(left)));
            }
            BegunStep::Claimed(claimed) => claimed,
        };
        let ctx = StepCtx {
            held: claimed.held,
            stop: self.runner.stop.child_token(),
            cancelled: claimed.cancelled,
            answered: Arc::default(),
        };
        let stop = ctx.stop.clone();
        let runner = self.runner.clone();
        let work = self.runtime.spawn(async move { runner.run(claimed, &ctx).await });
        let end = tokio::select! {
            end = work => end.map_err(|_| Undone::Repeated("panicked"))?,
            () = self.beat(activity, claimed.held, &stop) => StepEnd::Lost,
        };
        match end {
            StepEnd::Done => Ok(()),
            StepEnd::GivenBack(pause) => Err(Undone::Later("given_back", pause)),
            StepEnd::Lost => Err(Undone::Repeated("lost")),
        }
    }

    /// Reports to the server and the store that the step is under way.
    /// Stops a lost step, and the step of a cancelled run.
    async fn beat(&self, activity: &ActivityContext, held: HeldStep, stop: &CancellationToken) {
        let mut ticks = tokio::time::interval(beat_interval(self.lease));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if activity.record_heartbeat(()).await.is_err() {
                tracing::warn!(run.id = %held.run, "run.beat.failed");
            }
            let lease = self.lease;
            let renewed = self
                .runner
                .db
                .call(move |store| store.renew_steps(&[held], after(lease)));
            match renewed.await {
                Ok(kept) if kept.contains(&(held, false)) => {}
                // Lost steps end by themselves: the store refuses their writes.
                Ok(_) => stop.cancel(),
                Err(error) => tracing::warn!(%error, "run.lease.not_renewed"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(undone: Undone, text: &str, pause: Option<Duration>, is_final: bool) {
        let failure = undone.failure();
        assert_eq!(failure.source_error().to_string(), text);
        assert_eq!(failure.next_retry_delay(), pause);
        assert_eq!(failure.is_non_retryable(), is_final);
    }

    #[test]
    fn a_run_that_cannot_be_read_is_never_tried_again() {
        check(parse("run").unwrap_err(), "run", None, true);
    }

    #[test]
    fn a_held_step_is_tried_when_its_lease_ends() {
        let pause = Duration::from_secs(3);
        check(Undone::Later("held", pause), "held", Some(pause), false);
        check(
            Undone::Later("held", Duration::ZERO),
            "held",
            Some(SHORTEST),
            false,
        );
        check(Undone::Repeated("store"), "store", None, false);
    }
}

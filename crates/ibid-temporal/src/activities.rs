//! The steps of a run as activities.

use ibid_model::ScanId;
use ibid_runs::{StepCtx, StepEnd, StepRunner, after};
use ibid_store::{HeldStep, RunStep, WorkerId};
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

/// The input of a shard.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ShardInput {
    pub(crate) run: String,
    pub(crate) shard: u32,
}

/// The reason why a step is not done, and the pause before its next attempt. The server keeps the text.
#[derive(Debug, thiserror::Error)]
#[error("{code}")]
struct Undone {
    code: &'static str,
    pause: Option<Duration>,
}

impl Undone {
    const fn new(code: &'static str) -> Self {
        Self { code, pause: None }
    }

    fn into_failure(self) -> ActivityError {
        let pause = self.pause;
        ApplicationFailure::builder(self)
            .maybe_next_retry_delay(pause)
            .build()
            .into()
    }
}

/// The activities of a worker.
pub(crate) struct StepActivities {
    pub(crate) runner: StepRunner,
    pub(crate) worker: WorkerId,
    pub(crate) lease: Duration,
    /// The runtime of the steps. The worker has a thread of its own, which they must not hold up.
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
        let run = parse(&run).map_err(Undone::into_failure)?;
        let done = self.step(&activity, run, RunStep::Plan).await;
        done.map_err(Undone::into_failure)?;
        let open = self.runner.db.call(move |store| store.open_shards(run)).await;
        open.map_err(|_| Undone::new("store").into_failure())
    }

    #[activity]
    pub(crate) async fn shard(
        self: Arc<Self>,
        activity: ActivityContext,
        input: ShardInput,
    ) -> Result<(), ActivityError> {
        let run = parse(&input.run).map_err(Undone::into_failure)?;
        let done = self.step(&activity, run, RunStep::Shard(input.shard)).await;
        done.map_err(Undone::into_failure)
    }

    #[activity]
    pub(crate) async fn aggregate(
        self: Arc<Self>,
        activity: ActivityContext,
        run: String,
    ) -> Result<(), ActivityError> {
        let run = parse(&run).map_err(Undone::into_failure)?;
        let done = self.step(&activity, run, RunStep::Aggregate).await;
        done.map_err(Undone::into_failure)
    }
}

fn parse(run: &str) -> Result<ScanId, Undone> {
    run.parse().map_err(|_| Undone::new("run"))
}

impl StepActivities {
    /// Claims a step and carries it out. A step that is done is left as it is.
    async fn step(&self, activity: &ActivityContext, run: ScanId, step: RunStep) -> Result<(), Undone> {
        let (worker, lease) = (self.worker, self.lease);
        let claimed = self
            .runner
            .db
            .call(move |store| store.begin_step(worker, run, step, after(lease)));
        let Some(claimed) = claimed.await.map_err(|_| Undone::new("store"))? else {
            return Ok(());
        };
        let ctx = StepCtx {
            held: claimed.held,
            stop: self.runner.stop.child_token(),
            cancelled: claimed.cancelled,
        };
        let stop = ctx.stop.clone();
        let runner = self.runner.clone();
        let work = self.runtime.spawn(async move { runner.run(claimed, &ctx).await });
        let end = tokio::select! {
            end = work => end.map_err(|_| Undone::new("panicked"))?,
            () = self.beat(activity, claimed.held, &stop) => StepEnd::Lost,
        };
        match end {
            StepEnd::Done => Ok(()),
            StepEnd::GivenBack(pause) => Err(Undone {
                code: "given_back",
                pause: Some(pause.max(SHORTEST)),
            }),
            StepEnd::Lost => Err(Undone::new("lost")),
        }
    }

    /// Tells the server and the store that the step is under way, and stops it when it is lost or its run is cancelled.
    async fn beat(&self, activity: &ActivityContext, held: HeldStep, stop: &CancellationToken) {
        let mut ticks = tokio::time::interval(self.lease / 5);
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

//! One worker: slots that pull steps, a timer that renews leases, and a round that starts runs left behind.

use crate::embedded::EngineSettings;
use crate::port::{RunSteps, StepCtx, StepError};
use ibid_model::ScanId;
use ibid_store::{ClaimedStep, Db, HeldStep, RunStep, StoreError, WorkerId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The pause before the next attempt of a step that does not name one.
const PAUSE: Duration = Duration::from_secs(5);
/// The age of a run that was stored and not started, at which this worker starts it.
const UNSTARTED: Duration = Duration::from_secs(2);
/// Runs that one round starts.
const MOST_STARTED: u32 = 100;
/// The code of a run whose plan or aggregate ended its process every time.
const POISON: &str = "attempts_exhausted";

pub(crate) struct Worker {
    pub(crate) id: WorkerId,
    pub(crate) db: Db,
    pub(crate) steps: Arc<dyn RunSteps>,
    pub(crate) settings: EngineSettings,
    pub(crate) wake: Notify,
    /// Set when the process stops.
    pub(crate) stop: CancellationToken,
    /// The steps under way in this process.
    pub(crate) held: Mutex<HashMap<HeldStep, CancellationToken>>,
}

impl Worker {
    /// Claims and does one step after the other until the process stops.
    pub(crate) async fn pull(self: Arc<Self>) {
        while !self.stop.is_cancelled() {
            // Registered before the claim: work that comes meanwhile wakes this slot.
            let woken = self.wake.notified();
            match self.claim().await {
                Ok(Some(claimed)) => {
                    // There may be more: the next idle slot looks.
                    self.wake.notify_one();
                    self.work(claimed).await;
                }
                Ok(None) => self.idle(woken).await,
                Err(error) => {
                    tracing::warn!(%error, "run.claim.failed");
                    self.idle(woken).await;
                }
            }
        }
    }

    async fn idle(&self, woken: impl Future<Output = ()>) {
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = woken => {}
        }
    }

    /// Stops the steps of a run in this process. Other processes stop theirs when they renew their leases.
    pub(crate) fn stop_run(&self, run: ScanId) {
        for (held, stop) in &*self.lock() {
            if held.run == run {
                stop.cancel();
            }
        }
    }

    async fn claim(&self) -> Result<Option<ClaimedStep>, StoreError> {
        let (id, lease) = (self.id, self.settings.lease);
        self.db
            .call(move |store| store.claim_step(id, after(lease), now()))
            .await
    }

    async fn work(&self, claimed: ClaimedStep) {
        let held = claimed.held;
        let ctx = StepCtx {
            held,
            stop: self.stop.child_token(),
            cancelled: claimed.cancelled,
        };
        self.lock().insert(held, ctx.stop.clone());
        let ended = self.end(claimed, &ctx).await;
        self.lock().remove(&held);
        match ended {
            // This slot looks for the steps that it has queued.
            Ok(()) => {}
            Err(StepError::Lost) => {
                tracing::warn!(run.id = %held.run, step = ?held.step, "run.step.lost");
            }
            Err(StepError::Retry { code, after }) => {
                tracing::warn!(run.id = %held.run, step = ?held.step, code, "run.step.retry");
                self.give_back(held, after.unwrap_or(PAUSE), true).await;
            }
            // `end` has handled it.
            Err(StepError::Fatal { .. }) => {}
        }
    }

    /// Does a step and writes its end.
    async fn end(&self, claimed: ClaimedStep, ctx: &StepCtx) -> Result<(), StepError> {
        let held = claimed.held;
        let poison = claimed.attempts > self.settings.attempts;
        if poison {
            tracing::error!(run.id = %held.run, step = ?held.step, attempts = claimed.attempts, "run.step.poison");
        }
        let fail = async |code| {
            tracing::error!(run.id = %held.run, step = ?held.step, code, "run.step.failed");
            self.steps.fail(code, ctx.clone()).await
        };
        match held.step {
            RunStep::Plan if poison => fail(POISON).await,
            RunStep::Plan => match self.shards(ctx).await {
                Ok(shards) => Ok(self.db.call(move |store| store.finish_plan(held, shards)).await?),
                Err(StepError::Fatal { code }) => fail(code).await,
                Err(error) => Err(error),
            },
            RunStep::Shard(number) => {
                // A shard that fails for good leaves its calls without an outcome; the aggregate counts them as failed.
                let done = if poison || ctx.cancelled {
                    Ok(())
                } else {
                    match self.steps.shard(number, ctx.clone()).await {
                        Err(StepError::Fatal { code }) => {
                            tracing::error!(run.id = %held.run, step = ?held.step, code, "run.step.failed");
                            Ok(())
                        }
                        done => done,
                    }
                };
                if self.stop.is_cancelled() && done.is_ok() {
                    // The step may have ended early. The next worker finds out from what is stored.
                    self.give_back(held, Duration::ZERO, false).await;
                    return Ok(());
                }
                done?;
                Ok(self.db.call(move |store| store.finish_shard(held)).await?)
            }
            RunStep::Aggregate if poison => fail(POISON).await,
            RunStep::Aggregate => match self.steps.aggregate(ctx.clone()).await {
                Err(StepError::Fatal { code }) => fail(code).await,
                done => done,
            },
        }
    }

    async fn shards(&self, ctx: &StepCtx) -> Result<u32, StepError> {
        if ctx.cancelled {
            return Ok(0);
        }
        self.steps.plan(ctx.clone()).await
    }

    async fn give_back(&self, held: HeldStep, pause: Duration, counted: bool) {
        let given = self
            .db
            .call(move |store| store.return_step(held, after(pause), counted))
            .await;
        if let Err(error) = given {
            // Its lease ends by itself.
            tracing::warn!(run.id = %held.run, step = ?held.step, %error, "run.step.not_returned");
        }
    }

    /// Renews the leases of this process for ever, and stops steps that it has lost or whose run is cancelled.
    pub(crate) async fn renew(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(self.settings.lease / 3);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let held: Vec<HeldStep> = self.lock().keys().copied().collect();
            let (steps, lease) = (held.clone(), self.settings.lease);
            let renewed = self
                .db
                .call(move |store| store.renew_steps(&steps, after(lease)))
                .await;
            match renewed {
                Ok(kept) => {
                    for step in held.iter().filter(|step| !kept.contains(&(**step, false))) {
                        if let Some(stop) = self.lock().get(step) {
                            stop.cancel();
                        }
                    }
                }
                Err(error) => tracing::warn!(%error, "run.lease.not_renewed"),
            }
        }
    }

    /// Starts runs whose process ended between the commit of the run and its start, and erases expired keys.
    pub(crate) async fn reconcile(self: Arc<Self>) {
        while !self.stop.is_cancelled() {
            let started = self
                .db
                .call(|store| {
                    store.expire_run_secrets(now())?;
                    let old = now().saturating_sub(millis(UNSTARTED));
                    let mut started = 0;
                    for run in store.unstarted_runs(old, MOST_STARTED)? {
                        started += u32::from(store.start_run(run)?);
                    }
                    Ok(started)
                })
                .await;
            match started {
                Ok(0) => {}
                Ok(runs) => tracing::info!(runs, "run.started_late"),
                Err(error) => tracing::warn!(%error, "run.reconcile.failed"),
            }
            // One idle slot looks for work of other processes, and for steps that have become due.
            self.idle(tokio::time::sleep(self.settings.poll)).await;
            self.wake.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<HeldStep, CancellationToken>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn now() -> i64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn after(pause: Duration) -> i64 {
    now().saturating_add(millis(pause))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

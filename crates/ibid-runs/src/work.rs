//! One worker: a loop that claims steps, a timer that renews leases, and a round that starts runs left behind.

use crate::embedded::EngineSettings;
use crate::port::StepCtx;
use crate::runner::{StepRunner, after, millis, now};
use ibid_model::ScanId;
use ibid_store::{ClaimedStep, HeldStep, StoreError, WorkerId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The age of a run that was stored and not started, at which this worker starts it.
const UNSTARTED: Duration = Duration::from_secs(2);
/// Runs that one round starts.
const MOST_STARTED: u32 = 100;
pub(crate) struct Worker {
    pub(crate) id: WorkerId,
    pub(crate) runner: StepRunner,
    pub(crate) settings: EngineSettings,
    pub(crate) wake: Notify,
    /// The steps under way in this process.
    pub(crate) held: Mutex<HashMap<HeldStep, CancellationToken>>,
}

impl Worker {
    /// Claims steps for free slots and does them, until the process stops.
    pub(crate) async fn pull(self: Arc<Self>, tasks: TaskTracker) {
        let slots = Arc::new(Semaphore::new(self.settings.slots));
        while !self.runner.stop.is_cancelled() {
            // Only this loop takes slots, so those that are free now stay free.
            let free = tokio::select! {
                slot = slots.acquire() => slot.map_or(0, |_| slots.available_permits() + 1),
                () = self.runner.stop.cancelled() => return,
            };
            // Registered before the claim: work that comes meanwhile wakes this loop.
            let woken = self.wake.notified();
            let claimed = self.claim(free).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "run.claim.failed");
                Vec::new()
            });
            if claimed.is_empty() {
                self.idle(woken).await;
                continue;
            }
            for step in claimed {
                let (worker, slot) = (Arc::clone(&self), Arc::clone(&slots).acquire_owned().await);
                tasks.spawn(async move {
                    worker.work(step).await;
                    drop(slot);
                    // The step may have queued others.
                    worker.wake.notify_one();
                });
            }
        }
    }

    async fn idle(&self, woken: impl Future<Output = ()>) {
        tokio::select! {
            () = self.runner.stop.cancelled() => {}
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

    async fn claim(&self, most: usize) -> Result<Vec<ClaimedStep>, StoreError> {
        let (id, lease) = (self.id, self.settings.lease);
        self.runner
            .db
            .call(move |store| store.claim_steps(id, after(lease), now(), most))
            .await
    }

    async fn work(&self, claimed: ClaimedStep) {
        let held = claimed.held;
        let ctx = StepCtx {
            held,
            stop: self.runner.stop.child_token(),
            cancelled: claimed.cancelled,
        };
        self.lock().insert(held, ctx.stop.clone());
        // The loop looks for the steps that it has queued, so the end itself carries no information.
        let _ = self.runner.run(claimed, &ctx).await;
        self.lock().remove(&held);
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
                .runner
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
        while !self.runner.stop.is_cancelled() {
            let started = self
                .runner
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
            // The loop looks for work of other processes, and for steps that have become due.
            self.idle(tokio::time::sleep(self.settings.poll)).await;
            self.wake.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<HeldStep, CancellationToken>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! One worker.
//! It has a loop to claim steps and a timer to renew leases.
//! It also starts the runs left behind, periodically.

use super::embedded::EngineSettings;
use super::port::StepCtx;
use super::runner::{StepRunner, after};
use crate::clock::{millis, now_ms};
use ibid_model::ScanId;
use ibid_store::{ClaimedStep, HeldStep, RunStep, StepRoom, StoreError, WorkerId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Runs that have waited longer for their start are started here, because their process has ended.
const UNSTARTED: Duration = Duration::from_secs(2);
/// Runs that one round starts.
const MOST_STARTED: u32 = 100;
/// Most steps without calls at one time, in addition to the shards.
const SHORT_STEPS: usize = 16;

pub(crate) struct Worker {
    pub(crate) id: WorkerId,
    pub(crate) runner: StepRunner,
    pub(crate) settings: EngineSettings,
    pub(crate) wake: Notify,
    /// When this process began to work.
    pub(crate) since: Instant,
    /// The steps under way in this process.
    pub(crate) held: Mutex<HashMap<HeldStep, StepUnderWay>>,
}

pub(crate) struct StepUnderWay {
    stop: CancellationToken,
    room: Room,
    /// Whether no other step is claimed with it.
    alone: bool,
}

/// The room that a step takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// A slot for a shard.
    Slot,
    /// The slot is given back: the shard had no answer for too long.
    /// Its calls continue.
    Silent,
    /// The step makes no calls.
    Short,
}

impl Worker {
    /// Claims steps and does them, until the process stops.
    pub(crate) async fn pull(self: Arc<Self>, tasks: TaskTracker) {
        while !self.runner.stop.is_cancelled() {
            // Registered before the claim: work that comes meanwhile wakes this loop.
            let woken = self.wake.notified();
            let claimed = self.claim().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "run.claim.failed");
                Vec::new()
            });
            if claimed.is_empty() {
                self.idle(woken).await;
                continue;
            }
            for step in claimed {
                let ctx = self.hold(&step);
                tasks.spawn(Arc::clone(&self).work(step, ctx));
            }
        }
    }

    async fn idle(&self, woken: impl Future<Output = ()>) {
        tokio::select! {
            () = self.runner.stop.cancelled() => {}
            () = woken => {}
        }
    }

    /// Stops the steps of a run in this process.
    /// Other processes stop theirs when they renew their leases.
    pub(crate) fn stop_run(&self, run: ScanId) {
        for (held, under_way) in &*self.lock() {
            if held.run == run {
                under_way.stop.cancel();
            }
        }
    }

    async fn claim(&self) -> Result<Vec<ClaimedStep>, StoreError> {
        let (id, lease, room, db) = (self.id, self.settings.lease, self.room(), &self.runner.db);
        db.call(move |store| store.claim_steps(id, after(lease), now_ms(), room))
            .await
    }

    /// The room for further steps.
    fn room(&self) -> StepRoom {
        let held = self.lock();
        let count = |room| held.values().filter(|step| step.room == room).count();
        let slots = self.settings.slots + self.settings.spare_slots;
        let taken = count(Room::Slot);
        if held.values().any(|step| step.alone) {
            return StepRoom::of_any(0);
        }
        StepRoom {
            suspect: self.settings.attempts,
            proven: self.since.elapsed() >= self.settings.lease,
            idle: held.is_empty(),
            steps: (slots + SHORT_STEPS).saturating_sub(taken + count(Room::Short)),
            shards: slots.saturating_sub(taken),
            kept: self.settings.spare_slots,
        }
    }

    fn hold(&self, claimed: &ClaimedStep) -> StepCtx {
        let ctx = StepCtx {
            held: claimed.held,
            stop: self.runner.stop.child_token(),
            cancelled: claimed.cancelled,
            answered: Arc::default(),
        };
        let room = match claimed.held.step {
            RunStep::Shard(_) if !claimed.cancelled => Room::Slot,
            RunStep::Plan | RunStep::Aggregate | RunStep::Shard(_) => Room::Short,
        };
        let (stop, alone) = (ctx.stop.clone(), claimed.attempts > self.settings.attempts);
        self.lock()
            .insert(claimed.held, StepUnderWay { stop, room, alone });
        ctx
    }

    async fn work(self: Arc<Self>, claimed: ClaimedStep, ctx: StepCtx) {
        let mut end = std::pin::pin!(self.runner.run(claimed, &ctx));
        // The loop finds the queued steps itself, so the end carries no information.
        tokio::select! {
            _ = &mut end => {}
            () = self.falls_silent(&ctx) => {
                tracing::info!(run.id = %ctx.run(), step = ?ctx.held.step, "run.step.silent");
                self.wake.notify_one();
                let _ = end.await;
            }
        }
        self.lock().remove(&ctx.held);
        // The step may have queued others.
        self.wake.notify_one();
    }

    /// Waits until a shard had no answer for too long, and gives its slot back.
    async fn falls_silent(&self, ctx: &StepCtx) {
        loop {
            while tokio::time::timeout(self.settings.silence, ctx.answered.notified())
                .await
                .is_ok()
            {}
            if self.give_slot_back(ctx.held) {
                return;
            }
        }
    }

    /// Returns whether the step gives its slot back.
    /// At most as many shards as there are slots may be silent at one time.
    fn give_slot_back(&self, held: HeldStep) -> bool {
        let mut steps = self.lock();
        let silent = steps.values().filter(|step| step.room == Room::Silent).count();
        match steps.get_mut(&held) {
            Some(step) if step.room == Room::Slot && silent < self.settings.slots => {
                step.room = Room::Silent;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Renews the leases of this process for ever.
    /// Stops lost steps and the steps of cancelled runs.
    pub(crate) async fn renew(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(self.settings.lease / 3);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let held: Vec<HeldStep> = self.lock().keys().copied().collect();
            let (steps, lease, db) = (held.clone(), self.settings.lease, &self.runner.db);
            let renewed = db.call(move |store| store.renew_steps(&steps, after(lease)));
            match renewed.await {
                Ok(kept) => {
                    for step in held.iter().filter(|step| !kept.contains(&(**step, false))) {
                        if let Some(under_way) = self.lock().get(step) {
                            under_way.stop.cancel();
                        }
                    }
                }
                Err(error) => tracing::warn!(%error, "run.lease.not_renewed"),
            }
        }
    }

    /// Starts runs whose process ended between the commit of the run and its start.
    /// Erases expired keys.
    pub(crate) async fn reconcile(self: Arc<Self>) {
        while !self.runner.stop.is_cancelled() {
            let started = self.runner.db.call(|store| {
                store.expire_keys(now_ms())?;
                let old = now_ms().saturating_sub(millis(UNSTARTED));
                let mut started = 0;
                for run in store.unstarted_runs(old, MOST_STARTED)? {
                    started += u32::from(store.start_run(run)?);
                }
                Ok(started)
            });
            match started.await {
                Ok(0) => {}
                Ok(runs) => tracing::info!(runs, "run.started_late"),
                Err(error) => tracing::warn!(%error, "run.reconcile.failed"),
            }
            // The loop checks for work of other processes and for due steps.
            self.idle(tokio::time::sleep(self.settings.poll)).await;
            self.wake.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<HeldStep, StepUnderWay>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The embedded engine: workers that claim steps in the store.

use super::port::{EngineError, EngineView, RunEngine, RunFuture, RunSteps};
use super::runner::StepRunner;
use super::work::Worker;
use ibid_model::ScanId;
use ibid_store::{Db, WorkerId};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

#[derive(Clone, Copy, Debug)]
pub struct EngineSettings {
    /// Shards under way at one time in this process.
    pub slots: usize,
    /// Further shards, for tenants without a shard under way.
    pub spare_slots: usize,
    /// The time without an answer after which a shard gives its slot back.
    /// Its calls continue.
    pub silence: Duration,
    /// The time after which another worker takes a step over.
    /// Leases are renewed three times as often.
    pub lease: Duration,
    /// The interval at which an idle engine checks for other processes' work.
    pub poll: Duration,
    /// Lost attempts at a step without a stored call, after which it is done alone, in a process that has lived for a lease.
    /// If it is lost once more, its run ends. With half as many, a server that restarts often would end runs.
    pub attempts: u32,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            slots: 16,
            spare_slots: 2,
            silence: Duration::from_secs(60),
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            attempts: 3,
        }
    }
}

/// An engine on the store.
/// Several processes with one database share the work.
pub struct EmbeddedEngine {
    db: Db,
    worker: Arc<Worker>,
    tasks: TaskTracker,
}

impl EmbeddedEngine {
    /// Starts the workers of this process on `runtime`.
    pub fn start(db: Db, steps: Arc<dyn RunSteps>, settings: EngineSettings, runtime: &Handle) -> Self {
        let worker = Arc::new(Worker {
            id: WorkerId::random(),
            runner: StepRunner {
                db: db.clone(),
                steps,
                attempts: settings.attempts,
                stop: CancellationToken::new(),
            },
            settings,
            wake: Notify::new(),
            since: Instant::now(),
            held: Mutex::default(),
        });
        let engine = Self {
            db,
            worker: Arc::clone(&worker),
            tasks: TaskTracker::new(),
        };
        if settings.slots > 0 {
            let pull = Arc::clone(&worker).pull(engine.tasks.clone());
            engine.tasks.spawn_on(pull, runtime);
        }
        // Steps that still run at a stop keep their leases.
        // The renewal ends after the last of them.
        let tasks = engine.tasks.clone();
        let renewal = Arc::clone(&worker);
        runtime.spawn(async move {
            tokio::select! {
                () = tasks.wait() => {}
                () = renewal.renew() => {}
            }
        });
        engine.tasks.spawn_on(worker.reconcile(), runtime);
        engine
    }
}

impl RunEngine for EmbeddedEngine {
    fn start(&self, run: ScanId) -> RunFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            self.db.call(move |store| store.start_run(run)).await?;
            self.worker.wake.notify_one();
            Ok(())
        })
    }

    fn cancel(&self, run: ScanId) -> RunFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            self.db.call(move |store| store.cancel_run(run)).await?;
            self.worker.stop_run(run);
            self.worker.wake.notify_one();
            Ok(())
        })
    }

    fn stop(&self) -> RunFuture<'_, ()> {
        Box::pin(async move {
            self.worker.runner.stop.cancel();
            self.tasks.close();
            self.tasks.wait().await;
        })
    }

    fn known(&self, run: ScanId) -> RunFuture<'_, Result<EngineView, EngineError>> {
        Box::pin(async move {
            let found = self.db.call(move |store| store.durable_run(run)).await?;
            Ok(match found {
                None => EngineView::Unknown,
                Some(run) if run.ended_at.is_some() => EngineView::Closed,
                Some(_) => EngineView::Open,
            })
        })
    }
}

#[cfg(test)]
mod tests;

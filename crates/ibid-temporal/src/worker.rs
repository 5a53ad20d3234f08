//! The worker: polls the server for steps, on its own thread.

use crate::activities::{StepActivities, beat_interval};
use crate::engine::LOOK;
use crate::settings::{ConnectError, TemporalSettings};
use crate::workflow::RunWorkflow;
use ibid_service::engine::StepRunner;
use ibid_store::WorkerId;
use std::io;
use temporalio_sdk::runtime::worker_tuner::{FixedSizeSlotSupplier, TunerHolder};
use temporalio_sdk::{Runtime, Worker, WorkerOptions};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Starts the thread.
/// It ends when the runner stops and its steps have ended.
/// The end closes the channel.
pub(crate) fn start(
    settings: TemporalSettings,
    runner: StepRunner,
    runtime: Handle,
) -> io::Result<oneshot::Receiver<()>> {
    let (alive, ended) = oneshot::channel();
    std::thread::Builder::new()
        .name("temporal".to_owned())
        .spawn(move || {
            let _alive: oneshot::Sender<()> = alive;
            let own = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match own {
                Ok(own) => own.block_on(work(&settings, &runner, &runtime)),
                Err(error) => tracing::error!(%error, "temporal.worker.not_started"),
            }
        })?;
    Ok(ended)
}

async fn work(settings: &TemporalSettings, runner: &StepRunner, runtime: &Handle) {
    while !runner.stop.is_cancelled() {
        if let Err(error) = once(settings, runner, runtime).await {
            tracing::warn!(error = %error, "temporal.worker.failed");
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = runner.stop.cancelled() => {}
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum WorkError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// What the library says. It knows no secret.
    #[error("the worker ended: {0}")]
    Worker(String),
}

fn words(error: impl std::fmt::Display) -> WorkError {
    WorkError::Worker(error.to_string())
}

async fn once(settings: &TemporalSettings, runner: &StepRunner, runtime: &Handle) -> Result<(), WorkError> {
    let client = settings.connect().await?;
    let own = Runtime::from_current_tokio(Default::default()).map_err(words)?;
    let slots = || FixedSizeSlotSupplier::new(settings.slots);
    let tuner = TunerHolder::builder()
        .workflow_task_slot_supplier(slots())
        .activity_task_slot_supplier(slots())
        .local_activity_task_slot_supplier(slots())
        .nexus_task_slot_supplier(slots())
        .build();
    let activities = StepActivities {
        runner: runner.clone(),
        worker: WorkerId::random(),
        lease: settings.lease,
        runtime: runtime.clone(),
    };
    let options = WorkerOptions::new(settings.queue.clone())
        .tuner(tuner)
        // Without it the library sends a heartbeat after 0.8 of its timeout.
        // A busy worker misses that.
        .max_heartbeat_throttle_interval(beat_interval(settings.lease))
        .register_workflow::<RunWorkflow>()
        .map_err(words)?
        .register_activities(activities)
        .build();
    let mut worker = Worker::new(&own, client, options).map_err(words)?;
    let shut_down = worker.shutdown_handle();
    let mut running = std::pin::pin!(worker.run());
    tokio::select! {
        ended = &mut running => return ended.map_err(words),
        () = runner.stop.cancelled() => {}
    }
    shut_down();
    running.await.map_err(words)
}

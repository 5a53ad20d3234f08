//! The engine: starts a workflow for every open run.

use crate::settings::TemporalSettings;
use crate::worker;
use crate::workflow::{RunInput, RunWorkflow};
use ibid_model::ScanId;
use ibid_service::engine::{EngineError, EngineView, RunEngine, RunFuture, RunSteps, StepRunner, after};
use ibid_store::{Db, OpenRun};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use temporalio_client::errors::WorkflowStartError;
use temporalio_client::{
    Client, Priority, WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowStartOptions,
};
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The pause between two looks for runs that are not started, the age of those, and the pause after a worker that ended early.
pub(crate) const LOOK: Duration = Duration::from_secs(2);
/// Most runs of one look.
const MOST: u32 = 10_000;
/// How often workflows are started for open runs.
/// An existing workflow is left as it is.
/// A workflow lost by the server or ended by its operator begins anew.
/// It skips finished steps.
const AGAIN: Duration = Duration::from_secs(300);

/// An engine on a Temporal server.
pub struct TemporalEngine {
    relay: Arc<Relay>,
    tasks: TaskTracker,
    worker: Mutex<Option<oneshot::Receiver<()>>>,
}

struct Relay {
    runner: StepRunner,
    settings: TemporalSettings,
    wake: Notify,
}

impl TemporalEngine {
    /// Starts the relay of this process, and its worker unless it has no slots.
    /// The relay connects to the server in the background.
    /// It reconnects after each failure.
    pub fn start(db: Db, steps: Arc<dyn RunSteps>, settings: TemporalSettings, runtime: &Handle) -> Self {
        let relay = Arc::new(Relay {
            runner: StepRunner {
                db,
                steps,
                attempts: settings.attempts,
                stop: CancellationToken::new(),
            },
            wake: Notify::new(),
            settings,
        });
        let worker = (relay.settings.slots > 0)
            .then(|| worker::start(relay.settings.clone(), relay.runner.clone(), runtime.clone()));
        let worker = worker.transpose().unwrap_or_else(|error| {
            tracing::error!(%error, "temporal.worker.not_started");
            None
        });
        let tasks = TaskTracker::new();
        tasks.spawn_on(Arc::clone(&relay).run(), runtime);
        Self {
            relay,
            tasks,
            worker: Mutex::new(worker),
        }
    }
}

impl RunEngine for TemporalEngine {
    fn start(&self, run: ScanId) -> RunFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            self.relay
                .runner
                .db
                .call(move |store| store.start_run(run))
                .await?;
            self.relay.wake.notify_one();
            Ok(())
        })
    }

    fn cancel(&self, run: ScanId) -> RunFuture<'_, Result<(), EngineError>> {
        // Steps under way notice it at their next beat, later steps at their start.
        Box::pin(async move {
            self.relay
                .runner
                .db
                .call(move |store| store.cancel_run(run))
                .await?;
            Ok(())
        })
    }

    fn stop(&self) -> RunFuture<'_, ()> {
        Box::pin(async move {
            self.relay.runner.stop.cancel();
            self.tasks.close();
            self.tasks.wait().await;
            let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(ended) = worker {
                // The worker closes the channel without a message.
                let _ = ended.await;
            }
        })
    }

    fn known(&self, run: ScanId) -> RunFuture<'_, Result<EngineView, EngineError>> {
        Box::pin(async move {
            let found = self
                .relay
                .runner
                .db
                .call(move |store| store.durable_run(run))
                .await?;
            Ok(match found {
                None => EngineView::Unknown,
                Some(run) if run.ended_at.is_some() => EngineView::Closed,
                Some(_) => EngineView::Open,
            })
        })
    }
}

impl Relay {
    /// Starts a workflow for every open run, until the process stops.
    async fn run(self: Arc<Self>) {
        let (mut client, mut started) = (None, HashSet::new());
        let mut since = Instant::now();
        while !self.runner.stop.is_cancelled() {
            if since.elapsed() > AGAIN {
                started.clear();
                since = Instant::now();
            }
            if client.is_none() {
                client = match self.settings.connect().await {
                    Ok(connected) => Some(connected),
                    Err(error) => {
                        tracing::warn!(%error, "temporal.not_connected");
                        None
                    }
                };
            }
            if let Some(connected) = &client
                && let Err(error) = self.relay(connected, &mut started).await
            {
                tracing::warn!(%error, "temporal.relay.failed");
                client = None;
            }
            tokio::select! {
                () = self.runner.stop.cancelled() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Starts the workflows of open runs outside `started`.
    async fn relay(&self, client: &Client, started: &mut HashSet<ScanId>) -> Result<(), RelayError> {
        let open = self.runner.db.call(|store| {
            let now = after(Duration::ZERO);
            store.expire_keys(now)?;
            let age = i64::try_from(LOOK.as_millis()).unwrap_or(i64::MAX);
            for run in store.unstarted_runs(now.saturating_sub(age), MOST)? {
                store.start_run(run)?;
            }
            store.runs_under_way(MOST)
        });
        let open = open.await?;
        let known: HashSet<ScanId> = open.iter().map(|run| run.id).collect();
        started.retain(|id| known.contains(id));
        for run in open {
            if self.runner.stop.is_cancelled() {
                return Ok(());
            }
            if !started.contains(&run.id) {
                self.begin(client, &run).await?;
                started.insert(run.id);
            }
        }
        Ok(())
    }

    async fn begin(&self, client: &Client, run: &OpenRun) -> Result<(), RelayError> {
        let priority = Priority::builder()
            .priority_key(run.priority.into())
            .fairness_key(fairness_key(&run.tenant))
            .build();
        let options = WorkflowStartOptions::new(self.settings.queue.clone(), format!("run:{}", run.id))
            .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::UseExisting)
            .priority(priority)
            .build();
        let input = RunInput {
            run: run.id.to_string(),
            silence: u64::try_from(self.settings.lease.as_millis()).unwrap_or(u64::MAX),
        };
        match client.start_workflow(RunWorkflow::run, input, options).await {
            Ok(_) | Err(WorkflowStartError::AlreadyStarted { .. }) => Ok(()),
            Err(error) => Err(RelayError::Server(error.to_string())),
        }
    }
}

/// The name under which a tenant takes turns.
/// The server keeps it, so it is a digest.
fn fairness_key(tenant: &str) -> String {
    let digest = Sha256::digest(tenant.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error(transparent)]
    Store(#[from] ibid_store::StoreError),
    #[error("a workflow could not be started: {0}")]
    Server(String),
}

impl std::fmt::Debug for TemporalEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TemporalEngine(..)")
    }
}

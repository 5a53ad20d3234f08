//! Reads and stores the records of tasks.

use super::error::internal_error;
use super::limits::{Caller, TaskLimits};
use super::named_hosts::NamedHosts;
use super::notices::{Notices, PushTarget};
use super::task_registry::{SharedRecord, TaskRegistry, is_unpaid};
use crate::clock::now_ms;
use crate::paid::Sales;
use crate::runs::Runs;
use ibid_a2a::{CallError, TaskRecord, TaskStep};
use ibid_model::TaskId;
use ibid_store::{Store, StoreError, TaskRow};
use jiff::Timestamp;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Give up after this many lost compare-and-swaps.
const MOST_TRIES: u32 = 64;
/// Time between two clean-ups.
const CLEAN_EVERY: Duration = Duration::from_secs(60);

/// Reads and stores task records, and tells watchers what changed.
pub(crate) struct TaskKeeper {
    pub(super) registry: Arc<TaskRegistry>,
    pub(super) runs: Arc<Runs>,
    /// `None` if selling is off.
    pub(super) sales: Option<Arc<Sales>>,
    /// Whether push notifications are sent.
    notifies: bool,
    /// Hosts that callers named for them, to limit how many one caller may name.
    pub(super) hosts: NamedHosts,
    /// The last orphan that was looked at.
    pub(super) orphan: Mutex<Option<TaskId>>,
}

impl TaskKeeper {
    /// Starts keeping tasks, with a background task that ends orphaned tasks and deletes expired ones. The first round
    /// runs at start-up.
    pub(crate) fn start(
        limits: TaskLimits,
        runs: Arc<Runs>,
        sales: Option<Arc<Sales>>,
        notifies: bool,
    ) -> Arc<Self> {
        let period = match &sales {
            Some(sales) => sales.settings.timing.lease / 4,
            None => CLEAN_EVERY,
        };
        let keeper = Arc::new(Self {
            registry: Arc::new(TaskRegistry::new(limits)),
            runs: Arc::clone(&runs),
            sales,
            notifies,
            hosts: NamedHosts::default(),
            orphan: Mutex::default(),
        });
        let mut since_clean = CLEAN_EVERY;
        runs.repeat(&keeper, period, move |keeper| {
            let clean = since_clean >= CLEAN_EVERY;
            since_clean = period + if clean { Duration::ZERO } else { since_clean };
            async move {
                if clean {
                    keeper.delete_expired().await;
                }
                if let Err(error) = keeper.end_orphans().await {
                    tracing::warn!(error = crate::failure::chain(&error), "task.recover.failed");
                }
            }
        });
        keeper
    }

    pub(super) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, CallError> {
        self.runs.db.call(work).await.map_err(internal_error)
    }

    /// Reads a task, expired or not.
    pub(super) async fn task(&self, id: TaskId) -> Result<Option<SharedRecord>, CallError> {
        let document = self.in_store(move |store| store.task(id)).await?;
        let record = document.map(|json| TaskRecord::from_json(&json));
        Ok(record.transpose().map_err(internal_error)?.map(Arc::new))
    }

    /// Reads a task that has not expired.
    pub(super) async fn shown(&self, id: TaskId) -> Result<SharedRecord, CallError> {
        let record = self.task(id).await?.ok_or(CallError::TaskNotFound)?;
        record.shown(Timestamp::now())?;
        Ok(record)
    }

    /// Stores the first revision of a task, and notifies `push`.
    pub(super) async fn open(
        &self,
        record: TaskRecord,
        caller: Caller,
        push: Option<PushTarget>,
    ) -> Result<SharedRecord, CallError> {
        let document = record.to_json().map_err(internal_error)?;
        let bytes = document.len() as u64;
        let record = Arc::new(record);
        let opened = Arc::clone(&record);
        let stored = self.in_store(move |store| {
            let mut row = row(&opened, &document);
            let Some(push) = &push else {
                return store.open_task(&row, caller.as_bytes());
            };
            let notices = Notices::of(&opened);
            let (events, form) = (notices.events(), [push.form]);
            let webhook = push.webhook(&form, row.now);
            (row.webhook, row.events) = (Some(&webhook), &events);
            store.open_task(&row, caller.as_bytes())
        });
        stored.await?;
        self.registry.notify(&record);
        if let Some(quota) = self.registry.opened(caller, bytes, Instant::now()) {
            let db = &self.runs.db;
            let trimmed = db.call(move |store| store.trim_tasks(caller.as_bytes(), quota));
            match trimmed.await {
                Ok(0) => {}
                Ok(trimmed) => tracing::info!(trimmed, "task.unpaid.deleted"),
                // The new task stays; the next one trims again.
                Err(error) => {
                    tracing::warn!(error = crate::failure::chain(&error), "task.unpaid.not_deleted")
                }
            }
        }
        Ok(record)
    }

    /// Stores the next revision of a task.
    /// `None` if another writer was faster.
    pub(super) async fn swap(&self, next: TaskRecord) -> Result<Option<SharedRecord>, CallError> {
        let document = next.to_json().map_err(internal_error)?;
        let next = Arc::new(next);
        let (written, notifies) = (Arc::clone(&next), self.notifies);
        let swapped = self.in_store(move |store| {
            let mut row = row(&written, &document);
            if !notifies {
                return store.swap_task(&row);
            }
            let notices = Notices::of(&written);
            let events = notices.events();
            row.events = &events;
            store.swap_task(&row)
        });
        if !swapped.await? {
            return Ok(None);
        }
        self.registry.notify(&next);
        Ok(Some(next))
    }

    /// Takes a step of a run, against any other writers.
    /// `None` if the task is gone, or has gone on without this run.
    pub(super) async fn apply_step(
        &self,
        id: TaskId,
        step: TaskStep,
    ) -> Result<Option<SharedRecord>, CallError> {
        for _ in 0..MOST_TRIES {
            let Some(record) = self.task(id).await? else {
                return Ok(None);
            };
            let next = match record.advance(step.clone(), Timestamp::now()) {
                Ok(next) => next,
                // The run was given up, or another process has stored the same step.
                Err(illegal) => {
                    tracing::debug!(task = ?id.as_bytes()[..2], %illegal, "task.step.late");
                    return Ok(None);
                }
            };
            if let Some(next) = self.swap(next).await? {
                return Ok(Some(next));
            }
        }
        Err(internal_error(StoreError::Lost))
    }
}

fn row<'a>(record: &TaskRecord, document: &'a [u8]) -> TaskRow<'a> {
    TaskRow {
        id: record.id(),
        revision: record.revision(),
        run: record.task().run(),
        waits: is_unpaid(record.task()),
        expires: record.expires_at().as_millisecond(),
        now: now_ms(),
        document,
        webhook: None,
        events: &[],
    }
}

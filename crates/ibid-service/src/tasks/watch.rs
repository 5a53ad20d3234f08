//! A task under way, as it changes.

use super::keeper::TaskKeeper;
use super::task_registry::{Progress, SharedRecord, TaskNews, Watching};
use ibid_a2a::{CallError, Task};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The pause between two reads of a task with work in another process.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The same for a task with work in this process; a safety net for missed news.
const LOOK_SELDOM: Duration = Duration::from_secs(30);

/// Whether a blocking call need not wait: the task has ended, needs its client, or waits for a settlement, which may
/// take long.
pub(super) fn rests(task: &Task) -> bool {
    task.state().is_final() || task.awaits_settlement()
}

/// A task under way, as it changes.
pub(super) struct Watch {
    keeper: Arc<TaskKeeper>,
    record: SharedRecord,
    watching: Watching,
    progress: Option<Arc<Progress>>,
    looked: Instant,
}

pub(super) enum Change {
    /// A new revision was stored.
    Task,
    /// The work has made progress.
    Progress(Arc<Progress>),
}

impl Watch {
    /// Starts watching. Reads the task once more, because it may have changed before the watch began.
    pub(super) async fn new(keeper: &Arc<TaskKeeper>, record: SharedRecord) -> Result<Self, CallError> {
        let watching = Watching::new(&keeper.registry, record.id(), false);
        let record = keeper.task(record.id()).await?.unwrap_or(record);
        let record = keeper.registry.share(record);
        Ok(Self {
            keeper: Arc::clone(keeper),
            record,
            watching,
            progress: None,
            looked: Instant::now(),
        })
    }

    pub(super) const fn record(&self) -> &SharedRecord {
        &self.record
    }

    /// The task when it [`rests`], or when the time is up.
    pub(super) async fn rest(mut self, within: Duration) -> SharedRecord {
        let deadline = Instant::now() + within;
        while !rests(self.record.task()) {
            if tokio::time::timeout_at(deadline, self.next()).await.is_err() {
                break;
            }
        }
        self.record
    }

    pub(super) async fn next(&mut self) -> Change {
        loop {
            let every = match self.keeper.registry.is_driven(self.record.id()) {
                true => LOOK_SELDOM,
                false => LOOK_AGAIN,
            };
            let wait = (self.looked + every).saturating_duration_since(Instant::now());
            let change = match self.watching.next(wait).await {
                Some(live) => self.hear(live),
                None => self.look().await,
            };
            if let Some(change) = change {
                return change;
            }
        }
    }

    fn hear(&mut self, live: TaskNews) -> Option<Change> {
        if let Some(record) = live.record.filter(|new| new.revision() > self.record.revision()) {
            self.record = record;
            return Some(Change::Task);
        }
        let progress = live.progress?;
        let new = self
            .progress
            .as_ref()
            .is_none_or(|old| !Arc::ptr_eq(old, &progress));
        self.progress = Some(Arc::clone(&progress));
        new.then_some(Change::Progress(progress))
    }

    async fn look(&mut self) -> Option<Change> {
        self.looked = Instant::now();
        // A store that fails is asked again after the next pause.
        let record = self.keeper.task(self.record.id()).await.ok().flatten()?;
        let newer = record.revision() > self.record.revision();
        if newer {
            self.record = record;
        }
        newer.then_some(Change::Task)
    }
}

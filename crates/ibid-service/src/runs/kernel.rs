//! The kernel: the shared means of all runs.

use super::capacity::{Capacity, ReservedJob};
use super::counts::{Counts, CountsNow};
use super::watch::RunFeeds;
use crate::error::Error;
use crate::job::Job;
use crate::measurements::Measurements;
use crate::page::Pages;
use ibid_provider::Provider;
use ibid_store::{Db, Store, StoreError};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// What all runs share, such as the provider, the store and the runtimes.
pub(crate) struct Runs {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) db: Db,
    /// Most calls under way in one scan.
    pub(crate) width: NonZeroUsize,
    pub(crate) retain_answers: bool,
    pub(super) pages: Option<Pages>,
    runtime: Handle,
    /// The runtime on which answers are scored.
    pub(crate) scoring: Handle,
    tracker: TaskTracker,
    pub(crate) capacity: Arc<Capacity>,
    pub(crate) counts: Counts,
    /// Ended calls, by run, as far as this process works on the run or watches it.
    pub(crate) feeds: RunFeeds,
    pub(crate) measurements: Measurements,
    /// Bytes of results that wait for the store.
    pub(super) waiting: Arc<AtomicUsize>,
}

pub(crate) struct RunSettings {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) store: Arc<Store>,
    /// The runtime whose blocking threads the store uses, or `None` for that of the runs.
    pub(crate) storage: Option<Handle>,
    pub(crate) width: NonZeroUsize,
    pub(crate) most_audits: NonZeroUsize,
    pub(crate) retain_answers: bool,
    pub(crate) pages: Option<Pages>,
    pub(crate) runtime: Handle,
    pub(crate) scoring: Handle,
}

impl Runs {
    pub(crate) fn new(settings: RunSettings) -> Self {
        let measurements = Measurements::default();
        let db = Db::new(settings.store)
            .on(settings.storage)
            .observed(Arc::new(measurements.clone()));
        let most_questions = settings.width.get().saturating_mul(8);
        Self {
            provider: settings.provider,
            db,
            width: settings.width,
            retain_answers: settings.retain_answers,
            pages: settings.pages,
            runtime: settings.runtime,
            scoring: settings.scoring,
            tracker: TaskTracker::new(),
            capacity: Arc::new(Capacity::new(most_questions, settings.most_audits.get())),
            counts: Counts::default(),
            feeds: RunFeeds::default(),
            measurements,
            waiting: Arc::default(),
        }
    }

    /// Reads or writes in the store, on threads that may wait for it.
    pub(crate) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        Ok(self.db.call(work).await?)
    }

    /// Reserves capacity for a job.
    pub(crate) fn reserve(&self, job: Job) -> Result<ReservedJob, Error> {
        self.capacity.reserve(job)
    }

    /// Spawns a task that [`Self::drain`] waits for.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(self.tracker.track_future(task));
    }

    /// Calls `turn` now and then every `period`, until the last handle of `owner` is dropped.
    pub(crate) fn repeat<T, F>(
        &self,
        owner: &Arc<T>,
        period: Duration,
        mut turn: impl FnMut(Arc<T>) -> F + Send + 'static,
    ) where
        T: Send + Sync + 'static,
        F: Future<Output = ()> + Send,
    {
        let owner = Arc::downgrade(owner);
        self.runtime.spawn(async move {
            while let Some(owner) = owner.upgrade() {
                turn(owner).await;
                tokio::time::sleep(period).await;
            }
        });
    }

    /// Whether the service drains: it finishes open work and accepts no new work.
    pub(crate) fn is_draining(&self) -> bool {
        self.tracker.is_closed()
    }

    /// Waits until every task has ended, at most `within`.
    /// Returns how many are still open.
    pub(crate) async fn drain(&self, within: Duration) -> usize {
        self.tracker.close();
        // Open tasks are counted below, so the time-out itself carries no information.
        let _ = tokio::time::timeout(within, self.tracker.wait()).await;
        self.tracker.len()
    }

    /// Counts since the process started.
    pub(crate) fn counts(&self) -> CountsNow {
        self.counts
            .now(self.tracker.len(), self.capacity.open_questions())
    }

    /// Whether answers are invented.
    pub(crate) fn is_sandbox(&self) -> bool {
        self.provider.is_sandbox()
    }
}

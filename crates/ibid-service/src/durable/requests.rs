//! What callers do with queued scans.

use super::administration::{OpenScan, open_scans};
use super::document::RunOwner;
use super::queue::{LOOK, QueueFilter, QueueOrder};
use super::view::QueuedScan;
use crate::accounts::Admin;
use crate::clock::now_ms;
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::request_hash::{RepeatableRequest, Started};
use ibid_model::{BatchId, ScanId};
use ibid_store::OpenedRuns;

impl Scans {
    /// Queues a scan.
    /// It goes on in any process, also after this one ends.
    ///
    /// # Errors
    /// [`Error::QueueKeysUnavailable`]: the owner's key cannot be sealed; [`Error::WorkspaceDisabled`]: the operator has no
    /// key; [`Error::PlanTooExpensive`]; [`Error::TooMany`] when the owner's limit is used up or too many scans of the
    /// owner are open; [`Error::IdempotencyConflict`]; [`Error::Store`].
    pub async fn queue(
        &self,
        order: QueueOrder,
        once: Option<&RepeatableRequest>,
    ) -> Result<Started<ScanId>, Error> {
        self.queue.put(&order, once).await
    }

    /// Queues scans for one owner: the first of them, as many as the owner's limit leaves.
    ///
    /// # Errors
    /// As [`Self::queue`]. No scan is queued then.
    pub async fn queue_batch(
        &self,
        orders: &[QueueOrder],
        once: Option<&RepeatableRequest>,
    ) -> Result<Started<BatchId, BatchId>, Error> {
        let (batch, now) = (BatchId::random(), now_ms());
        let mut all = Vec::with_capacity(orders.len());
        for (position, order) in (0..).zip(orders) {
            let mut stored = self.queue.stored(ScanId::random(), order, now)?;
            stored.subject.batch = Some((batch, position));
            all.push(stored);
        }
        // The request's key names the batch.
        let once = once.map(|request| (request, ScanId::from_bytes(*batch.as_bytes())));
        match self.queue.open(all, once).await? {
            OpenedRuns::Opened => Ok(Started::New(batch)),
            OpenedRuns::Before(before) => Ok(Started::Replayed(BatchId::from_bytes(*before.as_bytes()))),
            OpenedRuns::Conflict => Err(Error::IdempotencyConflict),
        }
    }

    /// Returns a batch's scans, in the order in which they were asked for.
    pub async fn batch(&self, batch: BatchId) -> Result<Vec<ScanId>, Error> {
        Ok(self.db().call(move |store| store.batch_runs(batch)).await?)
    }

    /// Reads a queued scan, with the calls that have ended, or with its result.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan of another owner; [`Error::Store`].
    pub async fn queued(&self, owner: &RunOwner, id: ScanId) -> Result<QueuedScan, Error> {
        let run = self.queue.find(owner, id).await?;
        if run.ended_at.is_none() {
            let plan = match run.stored {
                0 => None,
                _ => self.queue.planned(&run).await?,
            };
            let mut scan = QueuedScan::listed(run);
            if let Some(plan) = plan {
                scan.answers = self.queue.answers(&scan.run, &plan).await?;
            }
            return Ok(scan);
        }
        let mut scan = QueuedScan::listed(run);
        match self.stored_scans.get(id, &owner.reader()).await {
            Ok(stored) => scan.result = Some(stored),
            Err(Error::NotFound) => {}
            Err(error) => return Err(error),
        }
        Ok(scan)
    }

    /// Waits until a queued scan has more ended calls than `done`, or has ended, and reads it.
    pub async fn queued_after(&self, owner: &RunOwner, id: ScanId, done: u32) -> Result<QueuedScan, Error> {
        let feed = self.runs.feeds.of(id);
        loop {
            // Registered before the look: a change in between is not missed.
            let mut changes = feed.changes();
            let run = self.queue.find(owner, id).await?;
            if run.ended_at.is_some() || run.stored > done {
                return self.queued(owner, id).await;
            }
            // Workers of other processes do not signal.
            let _ = tokio::time::timeout(LOOK, changes.changed()).await;
        }
    }

    /// Cancels a queued scan.
    /// No further call begins, and the answers so far are scored.
    /// An ended scan stays as it is.
    ///
    /// # Errors
    /// As [`Self::queued`]; [`Error::Overloaded`] when the engine cannot be reached.
    pub async fn cancel_queued(&self, owner: &RunOwner, id: ScanId) -> Result<QueuedScan, Error> {
        self.queue.find(owner, id).await?;
        self.queue.cancel(id).await?;
        self.queued(owner, id).await
    }

    /// Returns everybody's open scans, the oldest first, at most `most`.
    pub async fn open_scans(&self, _: &Admin, most: u32) -> Result<Vec<OpenScan>, Error> {
        Ok(self.db().call(move |store| open_scans(store, None, most)).await?)
    }

    /// Cancels a scan of any owner.
    /// An ended scan stays as it is.
    pub async fn cancel_open_scan(&self, _: &Admin, id: ScanId) -> Result<(), Error> {
        let found = self.db().call(move |store| store.durable_run(id)).await?;
        found.ok_or(Error::NotFound)?;
        self.queue.cancel(id).await
    }

    /// Lists at most `most` queued scans of an owner, the latest first, after the scan `after`.
    pub async fn list_queued(
        &self,
        owner: &RunOwner,
        filter: QueueFilter,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<QueuedScan>, Error> {
        let (db, tenant) = (self.db(), owner.tenant());
        let found =
            db.call(move |store| store.durable_runs(tenant.as_str(), &filter.as_filter(), after, most));
        Ok(found.await?.into_iter().map(QueuedScan::listed).collect())
    }
}

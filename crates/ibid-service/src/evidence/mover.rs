//! The background round that moves evidence to an evidence store, and deletes the objects of deleted scans.

use super::fault::EvidenceFault;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::failure::chain;
use crate::runs::Runs;
use bytes::Bytes;
use futures_util::future::join_all;
use ibid_evidence::EvidenceStore;
use ibid_store::{ClaimedEvidence, Millis};
use std::sync::Arc;
use std::time::Duration;

/// The time for which a process holds evidence, longer than a call of the evidence store.
/// After a failure it is also the wait before the next attempt.
const LEASE: Duration = Duration::from_secs(120);
/// Documents that this process moves at one time.
const AT_ONCE: u32 = 16;

/// Settings of the evidence store.
#[derive(Clone, Debug)]
pub struct EvidenceSettings {
    pub store: EvidenceStore,
    /// Time between two looks for evidence that has not moved.
    pub period: Duration,
}

impl EvidenceSettings {
    /// The usual settings: evidence moves within five seconds.
    pub const fn new(store: EvidenceStore) -> Self {
        Self {
            store,
            period: Duration::from_secs(5),
        }
    }
}

/// Moves evidence, as long as it lives.
pub(crate) struct EvidenceMover {
    store: EvidenceStore,
    runs: Arc<Runs>,
}

impl EvidenceMover {
    pub(super) const fn new(store: EvidenceStore, runs: Arc<Runs>) -> Self {
        Self { store, runs }
    }

    /// Starts moving, with a background round.
    pub(crate) fn start(settings: EvidenceSettings, runs: Arc<Runs>) -> Arc<Self> {
        let mover = Arc::new(Self::new(settings.store, Arc::clone(&runs)));
        runs.repeat(&mover, settings.period, |mover| async move {
            if let Err(error) = mover.move_all().await {
                tracing::warn!(error = chain(&error), "evidence.move.failed");
            }
            if let Err(error) = mover.delete_all().await {
                tracing::warn!(error = chain(&error), "evidence.delete.failed");
            }
        });
        mover
    }

    /// Moves the evidence in the database. Ends with the first batch in which a document fails to move:
    /// the others would wait for the same fault.
    pub(super) async fn move_all(&self) -> Result<(), Error> {
        while !self.runs.is_draining() {
            let now = now_ms();
            let until = now.saturating_add(millis(LEASE));
            let db = &self.runs.db;
            let claimed = db
                .call(move |store| store.claim_evidence(until, AT_ONCE, now))
                .await?;
            if claimed.is_empty() {
                break;
            }
            let moved = join_all(claimed.into_iter().map(|claimed| self.move_one(claimed, until))).await;
            moved.into_iter().collect::<Result<(), Error>>()?;
        }
        Ok(())
    }

    /// Writes the object, then erases the evidence in the database.
    pub(super) async fn move_one(&self, claimed: ClaimedEvidence, claim: Millis) -> Result<(), Error> {
        let ClaimedEvidence { scan, answers } = claimed;
        let document = Bytes::copy_from_slice(answers.as_bytes());
        let put = self.store.put(scan, document);
        put.await.map_err(EvidenceFault::Store)?;
        let (db, now) = (&self.runs.db, now_ms());
        if db
            .call(move |store| store.evidence_moved(scan, claim, now))
            .await?
        {
            tracing::debug!(scan.id = %scan, "evidence.moved");
        } else if db.call(move |store| store.scan(scan)).await?.is_none() {
            // The scan was deleted. Its object is deleted after the claim; if this process was paused for longer than
            // the claim, that was before the object was written.
            self.store.delete(scan).await.map_err(EvidenceFault::Store)?;
        }
        Ok(())
    }

    /// Deletes the objects of deleted scans.
    pub(super) async fn delete_all(&self) -> Result<(), Error> {
        while !self.runs.is_draining() {
            let (db, now) = (&self.runs.db, now_ms());
            let due = db
                .call(move |store| store.evidence_to_delete(AT_ONCE, now))
                .await?;
            if due.is_empty() {
                break;
            }
            for scan in due {
                self.store.delete(scan).await.map_err(EvidenceFault::Store)?;
                db.call(move |store| store.evidence_deleted(scan)).await?;
                tracing::debug!(scan.id = %scan, "evidence.deleted");
            }
        }
        Ok(())
    }
}

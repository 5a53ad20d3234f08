//! Storing a finished result, with patience: the calls behind it are paid.
//!
//! A failed write is repeated by the id of the scan. If the store does not take it soon, the result is handed out with
//! a warning, and writing goes on in the background.

use super::kernel::Runs;
use super::output::StoreStep;
use bytes::Bytes;
use ibid_model::ScanId;
use ibid_store::{NewScan, Origin, PackedAnswers, Store, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// Pauses between the attempts that a caller waits for.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// The longest wait of a caller for a store without an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause between later attempts.
const LATER: Duration = Duration::from_secs(5);
/// Later attempts: for an hour.
const LATER_ATTEMPTS: u32 = 720;
/// Most bytes of results that wait for the store.
const MOST_WAITING: usize = 64 << 20;

/// A finished scan to store.
pub(super) struct Record {
    pub(super) id: ScanId,
    pub(super) origin: Origin,
    pub(super) created_at: i64,
    pub(super) sandbox: bool,
    pub(super) method: String,
    pub(super) reply: Bytes,
    pub(super) answers: Option<PackedAnswers>,
    pub(super) step: StoreStep,
}

impl Record {
    /// Writes the record. On a repeated attempt, an existing record counts as written: the earlier commit succeeded
    /// without a reply.
    fn write(&self, store: &dyn Store, repeated: bool) -> Result<(), StoreError> {
        let scan = NewScan {
            id: self.id,
            origin: self.origin.clone(),
            created_at: self.created_at,
            sandbox: self.sandbox,
            method: &self.method,
            reply: &self.reply,
            answers: self.answers.clone(),
        };
        match (self.step)(store, &scan) {
            Err(error @ (StoreError::Exists | StoreError::Lost)) if repeated => match store.scan(self.id)? {
                Some(stored) if stored.reply == self.reply => Ok(()),
                Some(_) | None => Err(error),
            },
            written => written,
        }
    }
}

impl Runs {
    /// Writes a record, with two repeated attempts.
    ///
    /// # Errors
    /// The fault of the last attempt.
    pub(super) async fn store(&self, record: &Arc<Record>) -> Result<(), StoreError> {
        let mut pauses = PAUSES.into_iter();
        let mut attempt = 0;
        loop {
            let (written, repeated) = (Arc::clone(record), attempt > 0);
            let stored = self.db.call(move |store| written.write(store, repeated)).await;
            let Err(error) = stored else {
                if attempt > 0 {
                    tracing::info!(scan.id = %record.id, "scan.store.repeated");
                }
                return Ok(());
            };
            // The scan was ended by another process, which no repetition changes.
            let lost = attempt == 0 && matches!(error, StoreError::Lost);
            match pauses.next() {
                Some(pause) if !lost => tokio::time::sleep(pause).await,
                Some(_) | None => return Err(error),
            }
            attempt += 1;
        }
    }

    /// Writes a record, without another attempt.
    ///
    /// # Errors
    /// The fault of the write.
    pub(super) async fn store_once(&self, record: Record) -> Result<(), StoreError> {
        self.db.call(move |store| record.write(store, false)).await
    }

    /// Writes a record, and returns whether the store has it.
    /// If the store does not take it soon, writing goes on in the background; `held` is dropped when it has ended.
    ///
    /// # Errors
    /// [`StoreError::Lost`]: another process has ended the scan.
    pub(super) async fn store_or_retry_later(
        self: &Arc<Self>,
        record: Record,
        held: impl Send + Sync + 'static,
    ) -> Result<bool, StoreError> {
        let mut held = Some(held);
        let (sender, first) = oneshot::channel();
        let (runs, record) = (Arc::clone(self), Arc::new(record));
        self.spawn(async move {
            let stored = runs.store(&record).await;
            let is_repeated = match &stored {
                Ok(()) | Err(StoreError::Lost) => false,
                Err(error) => {
                    let source = std::error::Error::source(error).map(ToString::to_string);
                    tracing::error!(scan.id = %record.id, %error, source, "scan.not_stored");
                    true
                }
            };
            if !is_repeated {
                held = None;
            }
            // The caller may have lost its patience, or hung up.
            let _ = sender.send(stored);
            if is_repeated {
                runs.retry_in_background(&record).await;
            }
            drop(held);
        });
        match tokio::time::timeout(PATIENCE, first).await {
            Ok(Ok(Ok(()))) => Ok(true),
            Ok(Ok(Err(StoreError::Lost))) => Err(StoreError::Lost),
            Ok(Ok(Err(_)) | Err(_)) | Err(_) => Ok(false),
        }
    }

    /// Repeats a write for an hour, unless too many results wait already or the service drains.
    async fn retry_in_background(&self, record: &Arc<Record>) {
        let Some(_waiting) = Waiting::enter(&self.waiting, record.reply.len()) else {
            return;
        };
        for _ in 0..LATER_ATTEMPTS {
            if self.is_draining() {
                return;
            }
            tokio::time::sleep(LATER).await;
            let written = Arc::clone(record);
            if self
                .db
                .call(move |store| written.write(store, true))
                .await
                .is_ok()
            {
                tracing::info!(scan.id = %record.id, "scan.store.late");
                return;
            }
        }
        tracing::error!(scan.id = %record.id, "scan.store.given_up");
    }
}

/// The bytes of a result that waits for the store.
/// They count until this is dropped.
struct Waiting {
    bytes: usize,
    count: Arc<AtomicUsize>,
}

impl Waiting {
    fn enter(count: &Arc<AtomicUsize>, bytes: usize) -> Option<Self> {
        let waiting = Self {
            bytes,
            count: Arc::clone(count),
        };
        (count.fetch_add(bytes, Ordering::AcqRel) + bytes <= MOST_WAITING).then_some(waiting)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.count.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

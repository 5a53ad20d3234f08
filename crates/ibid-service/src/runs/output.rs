//! What a job made, and how it is stored: with patience, because the calls behind it are paid.
//!
//! A failed write is repeated by the id of the scan. If the store does not take it soon, the result is handed out with
//! a warning, and writing goes on in the background.

use super::kernel::Runs;
use super::run::{Finished, Output};
use crate::document::Document;
use crate::error::Error;
use bytes::Bytes;
use ibid_engine::Scanned;
use ibid_model::result::AuditReport;
use ibid_model::{Product, ScanId, ScanResult};
use ibid_store::{NewScan, Origin, PackedAnswers, Store, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// The write that stores a finished run.
/// It is repeated where it fails.
pub(crate) type StoreStep =
    Box<dyn Fn(&Store, &NewScan<'_>) -> Result<(), StoreError> + Send + Sync + 'static>;

/// What a job made, before it is stored.
pub(crate) struct JobOutput {
    document: Document,
    output: Output,
    /// The answers. Empty for an audit, and if the operator switches their storage off.
    evidence: Option<PackedAnswers>,
    created_at: i64,
    sandbox: bool,
    method: String,
}

/// A run as its record and its counts name it.
pub(crate) struct RunIdentity {
    pub(crate) id: ScanId,
    pub(crate) product: Product,
    pub(crate) origin: Origin,
}

impl JobOutput {
    /// Packs a scan, with the audit from the same purchase.
    pub(super) fn scan(
        id: ScanId,
        scanned: Scanned,
        report: Option<AuditReport>,
        retain_answers: bool,
    ) -> Result<Self, Error> {
        let Scanned { result, evidence } = scanned;
        let document = match &report {
            None => Document::write(id, &result)?,
            Some(report) => Document::write_full(id, &result, report)?,
        };
        let evidence = match retain_answers {
            true => Some(PackedAnswers::of(&serde_json::to_vec(&evidence)?)?),
            false => None,
        };
        let (created_at, sandbox) = (result.finished_at.as_second(), result.sandbox);
        let (method, result) = (result.method.version.clone(), Arc::new(result));
        let output = match report {
            None => Output::Scan(result),
            Some(report) => Output::Full(result, Arc::new(report)),
        };
        Ok(Self {
            document,
            output,
            evidence,
            created_at,
            sandbox,
            method,
        })
    }

    pub(crate) fn audit(id: ScanId, report: AuditReport, sandbox: bool) -> Result<Self, Error> {
        Ok(Self {
            document: Document::write_audit(id, &report)?,
            evidence: None,
            created_at: report.fetched_at.as_second(),
            sandbox,
            method: report.audit_version.clone(),
            output: Output::Audit(Arc::new(report)),
        })
    }

    /// The scan result in it, if there is one.
    pub(crate) fn scan_result(&self) -> Option<&ScanResult> {
        self.output.scan()
    }

    /// Whether at least two thirds of the planned questions were answered.
    /// Fewer are not sold.
    pub(crate) fn has_enough_answers(&self) -> bool {
        self.scan_result()
            .is_none_or(|scan| u64::from(scan.usage.answered) * 3 >= u64::from(scan.usage.questions) * 2)
    }

    /// Returns its page audit, if it is one alone.
    pub(crate) fn audit_report(&self) -> Option<&AuditReport> {
        match &self.output {
            Output::Audit(report) => Some(report),
            Output::Scan(_) | Output::Full(..) | Output::Stored => None,
        }
    }

    /// Stores the record with `step` and returns the finished result.
    /// If the store does not take it soon, the result carries a warning,
    /// and writing goes on; `held` is dropped when it has ended.
    ///
    /// # Errors
    /// [`StoreError::Lost`]: another process has ended the scan.
    pub(super) async fn store(
        self,
        runs: &Arc<Runs>,
        run: RunIdentity,
        step: StoreStep,
        held: impl Send + Sync + 'static,
    ) -> Result<Finished, Error> {
        let RunIdentity { id, product, origin } = run;
        let (record, mut finished) = self.into_record(id, origin, step)?;
        let stored = runs.store_or_retry_later(record, held).await;
        runs.counts.ended(product, stored.is_ok());
        finished.stored = stored?;
        Ok(finished)
    }

    /// Stores the record with `step` and returns the finished result.
    ///
    /// # Errors
    /// As the last attempt at `step`.
    /// The record is not stored then.
    pub(crate) async fn store_for_sale(
        self,
        runs: &Runs,
        run: RunIdentity,
        step: StoreStep,
    ) -> Result<Finished, Error> {
        let RunIdentity { id, product, origin } = run;
        let (record, finished) = self.into_record(id, origin, step)?;
        let stored = runs.store(&Arc::new(record)).await;
        runs.counts.ended(product, stored.is_ok());
        stored?;
        Ok(finished)
    }

    /// Stores the record with one attempt of `step`, and without counting it.
    ///
    /// # Errors
    /// As `step`. The record is not stored then.
    pub(crate) async fn store_once(
        self,
        runs: &Runs,
        id: ScanId,
        origin: Origin,
        step: StoreStep,
    ) -> Result<(), Error> {
        let (record, _) = self.into_record(id, origin, step)?;
        Ok(runs.store_once(record).await?)
    }

    fn into_record(
        mut self,
        id: ScanId,
        origin: Origin,
        step: StoreStep,
    ) -> Result<(Record, Finished), Error> {
        if let (Origin::V2(_), Output::Scan(result)) = (&origin, &self.output) {
            self.document = Document::write_queued(id, result)?;
        }
        let record = Record {
            id,
            origin,
            created_at: self.created_at,
            sandbox: self.sandbox,
            method: self.method,
            reply: self.document.bytes().clone(),
            answers: self.evidence,
            step,
        };
        let finished = Finished {
            id,
            document: self.document,
            output: self.output,
            settlement: None,
            stored: true,
        };
        Ok((record, finished))
    }
}

/// Pauses between the attempts that a caller waits for.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// How long a caller waits for a store that does not answer.
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
    fn write(&self, store: &Store, repeated: bool) -> Result<(), StoreError> {
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
    /// As the last attempt.
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
    /// As the write.
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
            let stored = self.db.call(move |store| written.write(store, true));
            if stored.await.is_ok() {
                tracing::info!(scan.id = %record.id, "scan.store.late");
                return;
            }
        }
        tracing::error!(scan.id = %record.id, "scan.store.given_up");
    }
}

/// Counts the bytes of a result that waits for the store, so that a long failure cannot fill the memory.
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

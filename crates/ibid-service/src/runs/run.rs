//! A job under way.

use super::watch::{RunEvent, RunFeed};
use crate::document::{Document, is_audit};
use crate::error::Error;
use crate::failure::chain;
use crate::job::Job;
use bytes::Bytes;
use futures_util::Stream;
use ibid_model::result::AuditReport;
use ibid_model::{ScanId, ScanResult, UsdMicros};
use ibid_store::StoreError;
use ibid_x402::SettleResponse;
use serde::Deserialize;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::DropGuard;

/// A job under way: wait for its end, or watch it.
///
/// A run with the caller's own key is cancelled when this is dropped.
/// Every other run continues.
#[derive(Debug)]
pub struct Run {
    id: ScanId,
    questions: usize,
    estimate: UsdMicros,
    feed: Arc<RunFeed>,
    /// Calls that were taken from the feed.
    seen: usize,
    end: oneshot::Receiver<Result<Finished, Error>>,
    _cancel: Option<DropGuard>,
}

/// A finished piece of work.
#[derive(Clone, Debug)]
pub struct Finished {
    pub id: ScanId,
    /// Its document, as every later GET returns it.
    pub document: Document,
    /// The result in parts.
    pub output: Output,
    /// The buyer's proof of the transfer, or `None` for runs that are not sold.
    pub settlement: Option<SettleResponse>,
    /// Whether the store has it.
    /// If not, the caller has to keep the document: it may not be found later.
    pub stored: bool,
}

/// The words for a caller whose result is not stored.
const NOT_STORED: &str =
    "The result could not be stored: keep this document, because it may not be found under its id later.";

impl Finished {
    /// A result that was released before, with the settlement that a buyer gets for it.
    pub(crate) fn sold(id: ScanId, reply: impl Into<Bytes>, settlement: SettleResponse) -> Self {
        Self {
            id,
            document: Document::stored(reply),
            output: Output::Stored,
            settlement: Some(settlement),
            stored: true,
        }
    }

    /// A stored result, read from its document.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for a document that this program cannot read.
    pub(crate) fn read(id: ScanId, reply: impl Into<Bytes>) -> Result<Self, StoreError> {
        let document = Document::stored(reply);
        Ok(Self {
            id,
            output: read_output(document.bytes())?,
            document,
            settlement: None,
            stored: true,
        })
    }

    /// The document with more text members before the result, and a warning if not stored.
    pub fn reply(&self, members: &[(&str, &str)]) -> Bytes {
        let mut members = members.to_vec();
        if !self.stored {
            members.push(("warning", NOT_STORED));
        }
        self.document.with_members(&members)
    }
}

/// A result in parts.
#[derive(Clone, Debug)]
pub enum Output {
    /// Of a scan or radius analysis.
    Scan(Arc<ScanResult>),
    /// Of a page audit.
    Audit(Arc<AuditReport>),
    /// Of a full bundle.
    Full(Arc<ScanResult>, Arc<AuditReport>),
    /// Of an earlier purchase: only its document is at hand.
    Stored,
}

impl Output {
    /// The scan in it, if it is at hand.
    pub fn scan(&self) -> Option<&ScanResult> {
        match self {
            Self::Scan(result) | Self::Full(result, _) => Some(result),
            Self::Audit(_) | Self::Stored => None,
        }
    }
}

impl Run {
    /// The id under which the result will be found.
    pub fn id(&self) -> ScanId {
        self.id
    }

    /// Calls planned.
    pub fn questions(&self) -> usize {
        self.questions
    }

    /// Their approximate cost at the provider.
    pub fn estimate(&self) -> UsdMicros {
        self.estimate
    }

    /// The same run, which continues when this is dropped.
    /// The caller can come back for its result.
    pub fn outliving_its_caller(mut self) -> Self {
        if let Some(guard) = self._cancel.take() {
            // The returned token would cancel the run if it were used; dropping it has no effect.
            let _ = guard.disarm();
        }
        self
    }

    /// A run that has ended before.
    pub(crate) fn ended(finished: Finished) -> Self {
        let (sender, end) = oneshot::channel();
        let id = finished.id;
        // The receiver is here.
        let _ = sender.send(Ok(finished));
        Self {
            id,
            questions: 0,
            estimate: UsdMicros::ZERO,
            feed: Arc::default(),
            seen: 0,
            end,
            _cancel: None,
        }
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// The reason why there is no result.
    pub async fn finish(self) -> Result<Finished, Error> {
        self.end.await.unwrap_or(Err(Error::Ended))
    }

    /// All events in order. The last is `Complete` or `Failed`.
    pub fn into_events(self) -> impl Stream<Item = RunEvent> {
        let last = |finished: Result<Finished, Error>| match finished {
            Ok(finished) => RunEvent::Complete(finished),
            Err(error) => RunEvent::Failed(error),
        };
        futures_util::stream::unfold((Some(self), None), move |(run, mut ended)| async move {
            let mut run = run?;
            if ended.is_none() {
                tokio::select! {
                    biased;
                    call = run.feed.next(run.seen) => {
                        run.seen += 1;
                        return Some((RunEvent::Call(call), (Some(run), None)));
                    }
                    finished = &mut run.end => ended = Some(finished.unwrap_or(Err(Error::Ended))),
                }
            }
            // Every call is shown before the end.
            if let Some(call) = run.feed.call(run.seen) {
                run.seen += 1;
                return Some((RunEvent::Call(call), (Some(run), ended)));
            }
            Some((last(ended?), (None, None)))
        })
    }

    /// Makes a run, and the sender of its end for its task.
    pub(crate) fn new(
        (id, feed): (ScanId, Arc<RunFeed>),
        job: &Job,
        cancel: Option<DropGuard>,
    ) -> (Self, oneshot::Sender<Result<Finished, Error>>) {
        let (sender, end) = oneshot::channel();
        let run = Self {
            id,
            questions: job.questions(),
            estimate: job.estimate(),
            feed,
            seen: 0,
            end,
            _cancel: cancel,
        };
        (run, sender)
    }

    /// The same run under the id of the joined purchase.
    pub(crate) fn joined(self, (id, feed): (ScanId, Arc<RunFeed>)) -> Self {
        Self { id, feed, ..self }
    }
}

/// Logs a failed run with all causes of its error.
pub(crate) fn log_failure(error: &Error) {
    tracing::warn!(error = chain(error), "run.failed");
}

/// Reads the results out of a stored document: a scan, a page audit or both.
pub(crate) fn read_output(document: &[u8]) -> Result<Output, StoreError> {
    #[derive(Deserialize)]
    struct Stored<T> {
        result: T,
        audit: Option<AuditReport>,
    }
    let damaged = |_| StoreError::Damaged("scan");
    if is_audit(document) {
        let stored: Stored<AuditReport> = serde_json::from_slice(document).map_err(damaged)?;
        return Ok(Output::Audit(Arc::new(stored.result)));
    }
    let Stored { result, audit } = serde_json::from_slice::<Stored<ScanResult>>(document).map_err(damaged)?;
    let result = Arc::new(result);
    Ok(match audit {
        None => Output::Scan(result),
        Some(audit) => Output::Full(result, Arc::new(audit)),
    })
}

//! A job under way.

use crate::{Document, Error, Job, chain};
use bytes::Bytes;
use futures_util::Stream;
use ibid_engine::Progress;
use ibid_model::result::AuditReport;
use ibid_model::{ScanId, ScanResult, UsdMicros};
use ibid_x402::SettleResponse;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
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
    progress: mpsc::UnboundedReceiver<Progress>,
    end: oneshot::Receiver<Result<Finished, Error>>,
    _cancel: Option<DropGuard>,
}

/// An event of a run.
#[derive(Debug)]
pub enum Event {
    /// One call has ended.
    Progress(Progress),
    /// The result is stored and released.
    Complete(Finished),
    /// There is no result.
    Failed(Error),
}

/// A finished piece of work.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its id.
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
    /// The document with more text members before the result, and a warning if not stored.
    #[must_use]
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
    #[must_use]
    pub fn scan(&self) -> Option<&ScanResult> {
        match self {
            Self::Scan(result) | Self::Full(result, _) => Some(result),
            Self::Audit(_) | Self::Stored => None,
        }
    }
}

impl Run {
    /// The id under which the result will be found.
    #[must_use]
    pub fn id(&self) -> ScanId {
        self.id
    }

    /// Calls planned.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.questions
    }

    /// Their approximate cost at the provider.
    #[must_use]
    pub fn estimate(&self) -> UsdMicros {
        self.estimate
    }

    /// The same run, which continues when this is dropped.
    /// The caller can come back for its result.
    #[must_use]
    pub fn outliving_its_caller(mut self) -> Self {
        if let Some(guard) = self._cancel.take() {
            // The returned token would cancel the run if it were used; dropping it has no effect.
            let _ = guard.disarm();
        }
        self
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// The reason why there is no result.
    pub async fn finish(self) -> Result<Finished, Error> {
        self.end.await.unwrap_or(Err(Error::Ended))
    }

    /// All events in order. The last is `Complete` or `Failed`.
    pub fn into_events(self) -> impl Stream<Item = Event> {
        futures_util::stream::unfold(Some(self), |run| async {
            let mut run = run?;
            if let Some(progress) = run.progress.recv().await {
                return Some((Event::Progress(progress), Some(run)));
            }
            let event = match run.finish().await {
                Ok(finished) => Event::Complete(finished),
                Err(error) => Event::Failed(error),
            };
            Some((event, None))
        })
    }
}

/// The end of a run that its task reports to.
pub(crate) struct Reporter {
    /// Receives every call that ends.
    pub(crate) progress: mpsc::UnboundedSender<Progress>,
    /// Receives the end.
    pub(crate) end: oneshot::Sender<Result<Finished, Error>>,
}

impl Run {
    /// Makes a run and the reporter of its task.
    pub(crate) fn new(id: ScanId, job: &Job, cancel: Option<DropGuard>) -> (Self, Reporter) {
        let (questions, estimate) = (job.questions(), job.estimate());
        let (progress_in, progress) = mpsc::unbounded_channel();
        let (end_in, end) = oneshot::channel();
        let run = Self {
            id,
            questions,
            estimate,
            progress,
            end,
            _cancel: cancel,
        };
        (
            run,
            Reporter {
                progress: progress_in,
                end: end_in,
            },
        )
    }

    /// The same run with the id of the joined purchase.
    pub(crate) fn named(mut self, id: ScanId) -> Self {
        self.id = id;
        self
    }
}

/// Logs a failed run with all causes of its error.
pub(crate) fn log_failure(error: &Error) {
    tracing::warn!(error = chain(error), "run.failed");
}

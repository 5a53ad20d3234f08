//! A job under way.

use crate::admit::Permit;
use crate::made::Made;
use crate::service::Inner;
use crate::{Document, Error, Job};
use futures_util::Stream;
use ibid_engine::{Engine, Progress};
use ibid_model::result::AuditReport;
use ibid_model::{ScanId, ScanResult, UsdMicros};
use ibid_x402::SettleResponse;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

/// A job under way: wait for its end, or watch it.
///
/// A run that spends the caller's own money is cancelled when this is dropped; every other one goes on.
#[derive(Debug)]
pub struct Run {
    id: ScanId,
    questions: usize,
    estimate: UsdMicros,
    progress: mpsc::UnboundedReceiver<Progress>,
    end: oneshot::Receiver<Result<Finished, Error>>,
    _cancel: Option<DropGuard>,
}

/// What a run says while it is watched.
#[derive(Debug)]
pub enum Event {
    /// One call has ended.
    Progress(Progress),
    /// The result is kept and released.
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
    /// What tells the buyer that the money has moved; nothing for runs that are not sold.
    pub settlement: Option<SettleResponse>,
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
    /// Of something bought before: only its document is at hand.
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

    /// What they will cost at the provider, about.
    #[must_use]
    pub fn estimate(&self) -> UsdMicros {
        self.estimate
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn finish(self) -> Result<Finished, Error> {
        self.end.await.unwrap_or(Err(Error::Ended))
    }

    /// Everything that happens, in order; the last event is `Complete` or `Failed`.
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

/// Both ends of a run: what the caller holds, and what the task reports to.
pub(crate) struct Reporter {
    /// Hears of every call that ends.
    pub(crate) progress: mpsc::UnboundedSender<Progress>,
    /// Hears of the end.
    pub(crate) end: oneshot::Sender<Result<Finished, Error>>,
}

impl Run {
    /// A run that a task will report to.
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

    /// The same run under the name that it turned out to have.
    pub(crate) fn named(mut self, id: ScanId) -> Self {
        self.id = id;
        self
    }
}

/// Starts a permitted job as a task of the service. Consumes the permit: a job starts once.
pub(crate) fn start(inner: &Arc<Inner>, permit: Permit) -> Run {
    let id = ScanId::random();
    let cancel = CancellationToken::new();
    let guard = permit.cancel_with_caller.then(|| cancel.clone().drop_guard());
    let (run, Reporter { progress, end }) = Run::new(id, &permit.job, guard);
    let span = tracing::info_span!("service.run", scan.id = %id, questions = run.questions);
    let worker = Arc::clone(inner);
    let task = async move {
        // A closed channel means that nobody watches.
        let on = |event: Progress| drop(progress.send(event));
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                tracing::info!("run cancelled: its caller is gone");
                Err(Error::Ended)
            }
            ended = work_and_keep(&worker, id, permit, on) => ended,
        };
        // The progress channel closes first, so a watcher sees every progress before the end.
        drop(progress);
        if let Err(error) = &ended {
            log_failure(error);
        }
        // Nobody may be waiting any more; the result is kept all the same.
        let _ = end.send(ended);
    };
    inner
        .runtime
        .spawn(inner.runs.track_future(task.instrument(span)));
    run
}

async fn work_and_keep(
    inner: &Inner,
    id: ScanId,
    permit: Permit,
    on: impl FnMut(Progress) + Send,
) -> Result<Finished, Error> {
    let origin = permit.origin.clone();
    let of_the_caller = permit.cancel_with_caller;
    let made = work(inner, id, permit, on).await;
    let made = made.map_err(|error| {
        if of_the_caller {
            error
        } else {
            error.of_the_operator()
        }
    })?;
    made.keep(inner, id, origin, |store, scan| store.put_scan(scan))
        .await
}

/// Does a permitted job. Nothing is kept yet.
pub(crate) async fn work(
    inner: &Inner,
    id: ScanId,
    permit: Permit,
    on: impl FnMut(Progress) + Send,
) -> Result<Made, Error> {
    let product = permit.job.product();
    inner.counts.started(&permit.job);
    let made = make(inner, id, permit, on).await;
    inner.counts.ended(product, made.is_ok());
    if let Some(result) = made.as_ref().ok().and_then(|made| made.output.scan()) {
        inner
            .counts
            .asked(result.usage.answered.into(), result.usage.failed.into());
    }
    made
}

async fn make(
    inner: &Inner,
    id: ScanId,
    permit: Permit,
    on: impl FnMut(Progress) + Send,
) -> Result<Made, Error> {
    let Permit {
        job,
        key,
        origin: _,
        cancel_with_caller: _,
        glimpses,
        held,
    } = permit;
    let engine = Engine::new(Arc::clone(&inner.provider), inner.width).with_glimpses(glimpses);
    let made = match (job, key) {
        (Job::Scan(plan) | Job::Radius(plan), Some(key)) => {
            let plan = inner.with_names(*plan).await;
            let asked = engine.ask(id, plan, &key, on).await?;
            inner.score(id, asked, None).await?
        }
        (Job::Audit(page), _) => Made::audit(id, inner.audit(&page).await?, inner.provider.is_sandbox())?,
        (Job::Full(plan, page), Some(key)) => {
            // The page first: without it there is nothing to sell, and the models cost money.
            let report = inner.audit(&page).await?;
            let plan = inner.with_names(*plan).await;
            let asked = engine.ask(id, plan, &key, on).await?;
            inner.score(id, asked, Some(report)).await?
        }
        // Nobody admits it.
        (Job::Scan(_) | Job::Radius(_) | Job::Full(..), None) => return Err(Error::ScansClosed),
    };
    drop(held);
    Ok(made)
}

pub(crate) fn log_failure(error: &Error) {
    let source = std::error::Error::source(error).map(ToString::to_string);
    tracing::warn!(error = %error, source, "run failed");
}

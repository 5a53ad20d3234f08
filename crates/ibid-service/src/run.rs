//! A job under way.

use crate::admit::Permit;
use crate::service::Inner;
use crate::{Document, Error, Job};
use futures_util::Stream;
use ibid_engine::{Engine, Progress, Scanned};
use ibid_model::{ScanId, UsdMicros};
use ibid_store::NewScan;
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

/// A finished scan.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its id.
    pub id: ScanId,
    /// Its document, as every later GET returns it.
    pub document: Document,
    /// The result in parts.
    pub result: Arc<ibid_model::ScanResult>,
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

/// Starts a permitted job as a task of the service. Consumes the permit: a job starts once.
pub(crate) fn start(inner: &Arc<Inner>, permit: Permit) -> Run {
    let id = ScanId::random();
    let Job::Scan(plan) = &permit.job;
    let (questions, estimate) = (plan.len(), plan.estimate());
    let (progress_in, progress) = mpsc::unbounded_channel();
    let (end_in, end) = oneshot::channel();
    let cancel = CancellationToken::new();
    let guard = permit.cancel_with_caller.then(|| cancel.clone().drop_guard());
    let span = tracing::info_span!("service.run", scan.id = %id, questions);
    let worker = Arc::clone(inner);
    let work = async move {
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                tracing::info!("run cancelled: its caller is gone");
                Err(Error::Ended)
            }
            ended = work(&worker, id, permit, &progress_in) => ended,
        };
        // The progress channel closes first, so a watcher sees every progress before the end.
        drop(progress_in);
        if let Err(error) = &ended {
            log_failure(error);
        }
        // Nobody may be waiting any more; the result is kept all the same.
        let _ = end_in.send(ended);
    };
    inner.runtime.spawn(inner.runs.track_future(work.instrument(span)));
    Run { id, questions, estimate, progress, end, _cancel: guard }
}

async fn work(
    inner: &Inner,
    id: ScanId,
    permit: Permit,
    progress: &mpsc::UnboundedSender<Progress>,
) -> Result<Finished, Error> {
    let Permit { job, key, origin, cancel_with_caller: _, held } = permit;
    let Job::Scan(plan) = job;
    let on = |event: Progress| {
        // A closed channel means that nobody watches.
        let _ = progress.send(event);
    };
    let scanned = Engine::new(Arc::clone(&inner.provider), inner.width).run(id, &plan, &key, on).await?;
    let finished = keep(inner, id, origin, scanned).await?;
    drop(held);
    let usage = finished.result.usage;
    tracing::info!(
        score = finished.result.overall_score.rounded(),
        answered = usage.answered,
        failed = usage.failed,
        "scan complete"
    );
    Ok(finished)
}

/// Writes the result and its evidence, in one transaction, before anybody sees it.
async fn keep(inner: &Inner, id: ScanId, origin: ibid_store::Origin, scanned: Scanned) -> Result<Finished, Error> {
    let Scanned { result, evidence } = scanned;
    let document = Document::write(id, &result)?;
    let result = Arc::new(result);
    let (bytes, kept, retain) = (document.bytes().clone(), Arc::clone(&result), inner.retain_answers);
    inner
        .db
        .call(move |store| {
            // Evidence is written here, on the blocking thread: it is the largest document of a scan.
            let answers = retain.then(|| serde_json::to_vec(&evidence)).transpose();
            let answers = answers.map_err(|_| ibid_store::StoreError::Damaged("evidence"))?;
            store.put_scan(&NewScan {
                id,
                origin,
                created_at: kept.finished_at.as_second(),
                sandbox: kept.sandbox,
                method: &kept.method.version,
                reply: &bytes,
                answers: answers.as_deref(),
            })
        })
        .await?;
    Ok(Finished { id, document, result })
}

fn log_failure(error: &Error) {
    let source = std::error::Error::source(error).map(ToString::to_string);
    tracing::warn!(error = %error, source, "run failed");
}

//! Starting a permitted job as a task.

use super::kernel::Runs;
use super::output::{JobOutput, StoreStep};
use super::permit::Permit;
use super::run::{Finished, Run, log_failure};
use super::watch::RunFeed;
use crate::error::Error;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// The parts of a run that depend on its payment.
pub(crate) trait RunHooks: Send + Sync + 'static {
    /// Returns the write that stores the output.
    ///
    /// # Errors
    /// An output of the wrong kind.
    fn store(&self, output: &JobOutput) -> Result<StoreStep, Error>;

    /// Notes a failure. Not called for a run that was cancelled.
    fn failed(&self, error: &Error) -> impl Future<Output = ()> + Send;
}

/// A run whose output goes to its caller only.
pub(crate) struct UnstoredRun;

impl RunHooks for UnstoredRun {
    fn store(&self, _output: &JobOutput) -> Result<StoreStep, Error> {
        Ok(Box::new(|_, _| Ok(())))
    }

    async fn failed(&self, _error: &Error) {}
}

/// A run that needs no bookkeeping.
struct PlainRun;

impl RunHooks for PlainRun {
    fn store(&self, _output: &JobOutput) -> Result<StoreStep, Error> {
        Ok(Box::new(|store, scan| store.put_scan(scan)))
    }

    async fn failed(&self, _error: &Error) {}
}

impl Runs {
    /// Starts a permitted job.
    pub(crate) fn start(self: &Arc<Self>, permit: Permit) -> Run {
        self.start_with(permit, CancellationToken::new(), PlainRun)
    }

    /// Starts a permitted job with hooks.
    /// It can be cancelled until it is stored.
    pub(crate) fn start_with(
        self: &Arc<Self>,
        permit: Permit,
        cancel: CancellationToken,
        hooks: impl RunHooks,
    ) -> Run {
        let guard = (!permit.outlives_caller).then(|| cancel.clone().drop_guard());
        let feed = self.feeds.of(permit.run);
        let (run, end) = Run::new((permit.run, Arc::clone(&feed)), &permit.job, guard);
        let span = tracing::info_span!("service.run", scan.id = %run.id(), questions = run.questions());
        let (runs, hooks) = (Arc::clone(self), Arc::new(hooks));
        let task = async move {
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    tracing::info!("run.cancelled");
                    Err(Error::Ended)
                }
                ended = runs.work_and_store(permit, &hooks, &feed) => ended,
            };
            if let Err(error) = &ended
                && !cancel.is_cancelled()
            {
                log_failure(error);
                hooks.failed(error).await;
            }
            drop(hooks);
            // The caller may have hung up; the result is still stored.
            let _ = end.send(ended);
        };
        self.spawn(task.instrument(span));
        run
    }

    async fn work_and_store(
        self: &Arc<Self>,
        permit: Permit,
        hooks: &Arc<impl RunHooks>,
        feed: &RunFeed,
    ) -> Result<Finished, Error> {
        let identity = permit.identity();
        let output = self.work(permit, |call| feed.add(call)).await?;
        let step = hooks.store(&output)?;
        output.store(self, identity, step, Arc::clone(hooks)).await
    }
}

//! Starting a permitted job as a task.

use super::kernel::Runs;
use super::permit::Permit;
use super::pinned::PinnedRun;
use super::run::{Finished, Run, log_failure};
use crate::error::Error;
use ibid_model::RunState;
use std::sync::Arc;
use tracing::Instrument;

impl Runs {
    /// Starts a permitted job in the run that was opened for it.
    /// It can be cancelled until it is stored.
    pub(crate) fn start(self: &Arc<Self>, permit: Permit, pinned: PinnedRun) -> Run {
        let guard = (!permit.outlives_caller).then(|| pinned.cancel.clone().drop_guard());
        let (run, end) = Run::new((pinned.id, Arc::clone(&pinned.feed)), &permit.job, guard);
        let span = tracing::info_span!("service.run", scan.id = %run.id(), questions = run.questions());
        let (runs, pinned) = (Arc::clone(self), Arc::new(pinned));
        let task = async move {
            let ended = tokio::select! {
                biased;
                () = pinned.cancel.cancelled() => {
                    tracing::info!("run.cancelled");
                    pinned.end(RunState::Cancelled, None).await;
                    Err(Error::Ended)
                }
                ended = runs.work_and_store(permit, &pinned) => ended,
            };
            if let Err(error) = &ended
                && !pinned.cancel.is_cancelled()
            {
                log_failure(error);
                pinned.end(RunState::Failed, Some(error)).await;
            }
            drop(pinned);
            // The caller may have hung up; the result is still stored.
            let _ = end.send(ended);
        };
        self.spawn(task.instrument(span));
        run
    }

    async fn work_and_store(
        self: &Arc<Self>,
        permit: Permit,
        pinned: &Arc<PinnedRun>,
    ) -> Result<Finished, Error> {
        let identity = permit.identity(pinned.id);
        let output = self
            .work((pinned.id, permit), |call| pinned.feed.add(call))
            .await?;
        let step = pinned.store(&output);
        output.store(self, identity, step, Arc::clone(pinned)).await
    }
}

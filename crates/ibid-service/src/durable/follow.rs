//! Follows a queued scan of an account to its end, for its page and for waiting callers.

use super::changes::Changes;
use super::view::QueuedAnswer;
use crate::runs::Runs;
use crate::runs::run::Reporter;
use crate::stored_scans::read_result;
use crate::workspace::{LiveRuns, Underway};
use crate::{Document, Error, Finished, Output, chain};
use ibid_engine::plan::Plan;
use ibid_engine::{NoAnswers, Progress};
use ibid_model::ScanId;
use ibid_provider::ProviderError;
use ibid_store::{DurableRunState, DurableRunView};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The pause between two looks at a scan that another process works on.
const LOOK: Duration = Duration::from_secs(1);

/// Follows queued scans of accounts.
#[derive(Clone)]
pub(crate) struct Follower {
    pub(super) runs: Arc<Runs>,
    pub(super) changes: Arc<Changes>,
    /// The scans of accounts that run in this process.
    pub(super) live: LiveRuns,
    /// Set when the process stops.
    pub(super) stopping: CancellationToken,
}

impl Follower {
    /// Shows the scan on its page in this process until it ends, with the calls that ended earlier.
    pub(super) fn adopt(&self, id: ScanId, plan: &Plan, ended: impl Iterator<Item = QueuedAnswer>) {
        if self.live.get(id).is_some() {
            return;
        }
        let underway = self.live.enter(id, plan);
        ended.for_each(|answer| underway.live.note(&answer));
        let follower = self.clone();
        self.runs.spawn(async move {
            follower.over(id).await;
            drop(underway);
        });
    }

    /// Reports the progress and the end of a scan.
    /// `held` is dropped after its end.
    pub(crate) fn report(
        &self,
        id: ScanId,
        underway: Underway,
        reporter: Reporter,
        held: impl Send + 'static,
    ) {
        let follower = self.clone();
        self.runs.spawn(async move {
            let Reporter { progress, end } = reporter;
            let live = &underway.live;
            let mut sent = 0;
            let mut over = std::pin::pin!(follower.over(id));
            let run = loop {
                tokio::select! {
                    biased;
                    Some(answer) = live.next(sent) => {
                        sent += 1;
                        // The channel is closed once the caller has hung up.
                        let _ = progress.send(answer.progress());
                    }
                    run = &mut over => break run,
                }
            };
            for answer in live.answers_after(sent) {
                let _ = progress.send(answer.progress());
            }
            // The progress channel closes first, so a watcher sees all progress before the end.
            drop(progress);
            let finished = match run {
                Some(run) => follower.finished(&run).await,
                None => Err(Error::Ended),
            };
            drop((underway, held));
            // The caller may have hung up; the result is still stored.
            let _ = end.send(finished);
        });
    }

    /// Waits for the end of a scan.
    /// `None` if the process stops first.
    async fn over(&self, id: ScanId) -> Option<DurableRunView> {
        let signal = self.changes.of(id);
        loop {
            // Registered before the look: a change in between is not missed.
            let changed = signal.notified();
            match self.runs.db.call(move |store| store.durable_run(id)).await {
                Ok(Some(run)) if run.ended_at.is_some() => return Some(run),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => tracing::warn!(scan.id = %id, error = chain(&error), "run.follow.failed"),
            }
            tokio::select! {
                // Workers of other processes do not signal.
                _ = tokio::time::timeout(LOOK, changed) => {}
                () = self.stopping.cancelled() => return None,
            }
        }
    }

    async fn finished(&self, run: &DurableRunView) -> Result<Finished, Error> {
        let id = run.id;
        if let Some(record) = self.runs.db.call(move |store| store.scan(id)).await? {
            let document = Document::stored(record.reply);
            let output = Output::Scan(Arc::new(read_result(document.bytes())?));
            return Ok(Finished {
                id,
                document,
                output,
                settlement: None,
                stored: true,
            });
        }
        let cause = run.error.as_deref().and_then(ProviderError::of_code);
        Err(match (run.state, cause) {
            (DurableRunState::Failed, Some(cause)) => Error::from(NoAnswers {
                questions: run.calls as usize,
                cause,
            })
            .of_the_operator(),
            _ => Error::Ended,
        })
    }
}

impl crate::LiveAnswer {
    /// The progress that a waiting caller sees.
    fn progress(&self) -> Progress {
        Progress {
            done: self.done as usize,
            total: self.total as usize,
            topic: self.topic,
            model: self.model.clone(),
            ring: self.ring,
            market: self.market.clone(),
            answered: self.cited.is_some(),
            interim: self
                .cited
                .zip(self.score)
                .map(|(cited, score)| ibid_engine::InterimReading {
                    cited,
                    score,
                    quote: self.quote.clone(),
                }),
        }
    }
}

//! Follows queued runs to their ends, in whichever process they are worked on.

use super::queue::{LOOK, Queue};
use crate::error::Error;
use crate::failure::chain;
use crate::runs::run::Finished;
use crate::runs::watch::RunFeed;
use ibid_audit::fetch::FetchError;
use ibid_engine::NoAnswers;
use ibid_model::{RunState, ScanId};
use ibid_provider::ProviderError;
use ibid_store::DurableRunView;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// The time after its deadline in which a worker ends a run.
const LATE: Duration = Duration::from_secs(60);
/// How the code begins for a run with too few answers to be sold; their number follows.
const TOO_FEW: &str = "too_few_answers ";

impl Queue {
    /// Waits for a run to end. Its feed gets the calls of all processes.
    /// `None` if the process stops first, the buyers are let go, or no worker ends the run after its deadline.
    pub(super) async fn end_of(
        &self,
        feed: &RunFeed,
        id: ScanId,
        deadline: Option<Timestamp>,
    ) -> Option<DurableRunView> {
        loop {
            // Registered before the look: a change in between is not missed.
            let mut changes = feed.changes();
            let let_go = self.let_go.notified();
            match self.runs.db.call(move |store| store.durable_run(id)).await {
                Ok(Some(run)) if run.ended_at.is_some() => return Some(run),
                Ok(Some(run)) => {
                    self.fill(feed, &run).await;
                    if deadline.is_some_and(|deadline| Timestamp::now() > deadline + LATE) {
                        return None;
                    }
                }
                Ok(None) => return None,
                Err(error) => tracing::warn!(scan.id = %id, error = chain(&error), "run.follow.failed"),
            }
            tokio::select! {
                // Workers of other processes do not signal.
                _ = tokio::time::timeout(LOOK, RunFeed::end(&mut changes)) => {}
                () = let_go, if deadline.is_some() => return None,
                () = self.stopping.cancelled() => return None,
            }
        }
    }

    /// Adds the stored calls of a run that its feed lacks.
    pub(crate) async fn fill(&self, feed: &RunFeed, run: &DurableRunView) {
        if run.stored as usize <= feed.done() {
            return;
        }
        if let Err(error) = self.try_to_fill(feed, run).await {
            tracing::warn!(scan.id = %run.id, error = chain(&error), "run.follow.failed");
        }
    }

    async fn try_to_fill(&self, feed: &RunFeed, run: &DurableRunView) -> Result<(), Error> {
        let plan = match feed.plan() {
            Some(plan) => Arc::clone(plan),
            None => match self.planned(run).await? {
                Some(plan) => Arc::new(plan),
                None => return Ok(()),
            },
        };
        feed.set_plan(&plan);
        for answer in self.answers(run, &plan).await? {
            feed.add(answer.progress(plan.len()));
        }
        Ok(())
    }

    /// Reports the end of an account's run. `held` is dropped after it.
    pub(crate) fn report(
        self: &Arc<Self>,
        (id, feed): (ScanId, Arc<RunFeed>),
        end: oneshot::Sender<Result<Finished, Error>>,
        held: impl Send + 'static,
    ) {
        let queue = Arc::clone(self);
        self.runs.spawn(async move {
            let finished = match queue.end_of(&feed, id, None).await {
                Some(run) => queue.finished(&run).await,
                None => Err(Error::Ended),
            };
            drop(held);
            // The caller may have hung up; the result is still stored.
            let _ = end.send(finished);
        });
    }

    async fn finished(&self, run: &DurableRunView) -> Result<Finished, Error> {
        let id = run.id;
        match self.runs.db.call(move |store| store.scan(id)).await? {
            Some(record) => Ok(Finished::read(id, record.reply)?),
            None => Err(failure_of(run.state, run.error.as_deref(), run.calls)),
        }
    }
}

/// Writes the code for a run with too few answers to be sold, such as `too_few_answers 3`.
pub(super) fn too_few(answered: u32) -> String {
    format!("{TOO_FEW}{answered}")
}

/// Writes the code for a run whose page was not fetched, with the reason as JSON, so that [`failure_of`] can read it.
pub(super) fn page_failed(error: &FetchError) -> String {
    let reason = serde_json::to_string(error).unwrap_or_default();
    format!("{} {reason}", error.code())
}

/// Says why a run with the operator's key ended without a result, from its code and its number of calls.
pub(crate) fn failure_of(state: RunState, code: Option<&str>, calls: u32) -> Error {
    let code = code.unwrap_or_default();
    let answered = code.strip_prefix(TOO_FEW).and_then(|count| count.parse().ok());
    let page = code
        .split_once(' ')
        .and_then(|(_, why)| serde_json::from_str(why).ok());
    if let (RunState::Failed, Some(page)) = (state, page) {
        return Error::Page(page);
    }
    match (state, ProviderError::of_code(code), answered) {
        (RunState::Failed, Some(cause), _) => Error::from(NoAnswers {
            questions: calls as usize,
            cause,
        })
        .of_the_operator(),
        (RunState::Failed, None, Some(answered)) => Error::TooFewAnswers {
            answered,
            questions: calls,
        },
        _ => Error::Ended,
    }
}

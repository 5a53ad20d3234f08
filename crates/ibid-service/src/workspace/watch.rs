//! Watching a scan, and stopping it.

use super::account_runs::AccountRuns;
use super::live::{Live, LiveAnswer, Standing};
use crate::Error;
use crate::clock::now_ms;
use crate::handle::scans::Scans;
use futures_util::Stream;
use ibid_model::{AccountId, ScanId};
use ibid_store::{EndedRun, RunEnd, RunRecord, RunState, StoreError};
use std::sync::Arc;
use std::time::Duration;

/// The pause between two looks at a scan in another process.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// An event of a watched scan.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    /// One call has ended.
    Answer(LiveAnswer),
    /// The scan is over. Nothing follows.
    Over(RunOver),
}

/// The end of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOver {
    /// It has a report.
    Complete,
    /// It failed.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl RunOver {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    fn of(state: &RunState) -> Option<Self> {
        match state {
            RunState::Running => None,
            RunState::Complete { .. } => Some(Self::Complete),
            RunState::Failed { .. } => Some(Self::Failed),
            RunState::Cancelled => Some(Self::Cancelled),
        }
    }
}

impl Scans {
    /// A scan of an account, with its progress if it is running.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Store`].
    pub async fn workspace_run(
        &self,
        account: AccountId,
        id: ScanId,
    ) -> Result<(RunRecord, Option<Standing>), Error> {
        // The live scan is looked up first: one that ends in between is then complete in the store.
        let live = self.account_runs.live.get(id);
        let record = self.account_runs.find(account, id).await?;
        let kept = match (&live, &record.state) {
            (None, RunState::Running) => self.account_runs.queue.kept_calls(id).await?,
            _ => 0,
        };
        let standing = match &record.state {
            RunState::Running => Some(live.map_or_else(
                || Standing {
                    done: record.done.max(kept),
                    total: record.questions,
                    models: Vec::new(),
                    rings: Vec::new(),
                },
                |live| live.standing(),
            )),
            RunState::Complete { .. } | RunState::Failed { .. } | RunState::Cancelled => None,
        };
        Ok((record, standing))
    }

    /// A scan's answers after the first `after` ones as they arrive, then its end.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Store`].
    pub async fn watch_run(
        &self,
        account: AccountId,
        id: ScanId,
        after: usize,
    ) -> Result<impl Stream<Item = Watched> + use<>, Error> {
        let live = self.account_runs.live.get(id);
        self.account_runs.find(account, id).await?;
        let watching = Watching {
            account_runs: Arc::clone(&self.account_runs),
            account,
            id,
            live,
            after,
        };
        Ok(futures_util::stream::unfold(Some(watching), |watching| async {
            let mut watching = watching?;
            match watching.next().await {
                Some(Watched::Answer(answer)) => Some((Watched::Answer(answer), Some(watching))),
                over => over.map(|over| (over, None)),
            }
        }))
    }

    /// Stops a running scan and scores its answers so far.
    /// Its credit is returned if no answer had arrived.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Store`], [`Error::Overloaded`]. An ended scan stays as it is.
    pub async fn stop_run(&self, account: AccountId, id: ScanId) -> Result<(), Error> {
        self.account_runs.find(account, id).await?;
        match self.account_runs.queue.cancel_open(id).await? {
            // Its aggregate scores what was answered, and ends it.
            Some(answered) if answered > 0 => Ok(()),
            Some(_) | None => self.end_run(account, id).await,
        }
    }

    /// Ends a running scan at once, without a result.
    /// Its credit is returned if no answer had arrived.
    ///
    /// # Errors
    /// As [`Self::stop_run`].
    pub(crate) async fn end_run(&self, account: AccountId, id: ScanId) -> Result<(), Error> {
        let live = self.account_runs.live.get(id);
        let record = self.account_runs.find(account, id).await?;
        let open = self.account_runs.queue.cancel_open(id).await?;
        let done = live
            .as_ref()
            .map_or(record.done, |live| live.done())
            .max(open.unwrap_or(0));
        let stopped = self.db().call(move |store| {
            let ended = EndedRun {
                end: RunEnd::Cancelled,
                done,
                give_back: done == 0,
            };
            store.end_run(id, &ended, now_ms())
        });
        match stopped.await {
            Ok(()) => {
                // Another process finds out when it renews its lease.
                if let Some(live) = live {
                    live.stop.cancel();
                }
                Ok(())
            }
            Err(StoreError::Lost) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

struct Watching {
    account_runs: Arc<AccountRuns>,
    account: AccountId,
    id: ScanId,
    live: Option<Arc<Live>>,
    after: usize,
}

impl Watching {
    async fn next(&mut self) -> Option<Watched> {
        if let Some(live) = &self.live {
            if let Some(answer) = live.next(self.after).await {
                self.after += 1;
                return Some(Watched::Answer(answer));
            }
            self.live = None;
        }
        loop {
            let record = self.account_runs.find(self.account, self.id).await;
            // A failing store ends the stream without an end event, and the browser reconnects.
            if let Some(over) = RunOver::of(&record.ok()?.state) {
                return Some(Watched::Over(over));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

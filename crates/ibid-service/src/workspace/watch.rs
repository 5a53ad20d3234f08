//! Watching a scan, and stopping it.

use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::Reader;
use crate::runs::watch::{RunEvent, RunFeed, RunProgress};
use futures_util::Stream;
use ibid_model::{AccountId, RunState, ScanId};
use ibid_store::RunRecord;
use std::sync::Arc;
use std::time::Duration;

/// The pause between two looks at a scan in another process.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

impl Scans {
    /// A scan of an account, with its progress if it is running.
    pub async fn workspace_run(
        &self,
        account: AccountId,
        id: ScanId,
    ) -> Result<(RunRecord, Option<RunProgress>), Error> {
        // The feed is looked up first: a run that ends in between is then complete in the store.
        let known = self.runs.feeds.get(id).and_then(|feed| feed.progress());
        let record = self.account_runs.find(account, id).await?;
        let progress = record.state.is_open().then(|| {
            known.unwrap_or_else(|| RunProgress {
                done: record.done,
                total: record.questions,
                ..RunProgress::default()
            })
        });
        Ok((record, progress))
    }

    /// A scan's calls after the first `after` ones as they end, then its end.
    pub async fn watch_run(
        &self,
        account: AccountId,
        id: ScanId,
        after: usize,
    ) -> Result<impl Stream<Item = RunEvent> + use<>, Error> {
        let feed = self.runs.feeds.of(id);
        self.account_runs.find(account, id).await?;
        let watching = Watching {
            scans: self.clone(),
            account,
            id,
            feed,
            after,
            looks: true,
        };
        Ok(futures_util::stream::unfold(Some(watching), |watching| async {
            let mut watching = watching?;
            match watching.next().await? {
                RunEvent::Call(call) => Some((RunEvent::Call(call), Some(watching))),
                end @ (RunEvent::Complete(_) | RunEvent::Failed(_) | RunEvent::Cancelled) => {
                    Some((end, None))
                }
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
        match self.queue.cancel_open(id).await? {
            // Its aggregate scores what was answered, and ends it.
            Some(answered) if answered > 0 => Ok(()),
            Some(_) | None => self.queue.end_now(id).await,
        }
    }
}

struct Watching {
    scans: Scans,
    account: AccountId,
    id: ScanId,
    feed: Arc<RunFeed>,
    after: usize,
    /// Whether the store may know more than the feed.
    looks: bool,
}

impl Watching {
    async fn next(&mut self) -> Option<RunEvent> {
        loop {
            // Registered before the look: a change in between is not missed.
            let mut changes = self.feed.changes();
            if let Some(call) = self.feed.call(self.after) {
                self.after += 1;
                return Some(RunEvent::Call(call));
            }
            if self.looks {
                // A failing store ends the stream without an end event, and the browser reconnects.
                if let Some(end) = self.look().await.ok()? {
                    return Some(end);
                }
                if self.feed.done() > self.after {
                    continue;
                }
            }
            let changed = tokio::time::timeout(LOOK_AGAIN, changes.changed()).await;
            // Workers of other processes do not signal.
            self.looks = changed.is_err() || *changes.borrow();
        }
    }

    /// Looks at the store: for the end, or for the calls of other processes.
    async fn look(&self) -> Result<Option<RunEvent>, Error> {
        let id = self.id;
        let record = self.scans.account_runs.find(self.account, id).await?;
        Ok(match record.state {
            RunState::Queued | RunState::Running => {
                if let Some(run) = self.scans.db().call(move |store| store.durable_run(id)).await? {
                    self.scans.queue.fill(&self.feed, &run).await;
                }
                None
            }
            _ if record.finished.is_some() => {
                let finished = self.scans.finished(id, &Reader::Account(self.account)).await?;
                Some(RunEvent::Complete(finished))
            }
            RunState::Cancelled => Some(RunEvent::Cancelled),
            RunState::Complete | RunState::Partial | RunState::Failed => Some(RunEvent::Failed(Error::Ended)),
        })
    }
}

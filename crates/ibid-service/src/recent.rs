//! The last scans of each service key's holder, seen by this process.
//!
//! A scan is listed from its start: a caller who no longer waits can still ask for its progress. The list is in memory:
//! a restart forgets it, and the stored documents stay.

use crate::error::Error;
use crate::idempotency::HeldKey;
use crate::job::{CallerId, Job};
use crate::runs::RunHooks;
use crate::runs::output::{JobOutput, StoreStep};
use crate::runs::watch::RunFeed;
use ibid_model::{Domain, Keyword, ProblemCode, RunState, ScanId, Score, UsdMicros};
use jiff::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// A scan of a holder of a service key.
#[derive(Clone, Debug)]
pub struct RecentScan {
    /// Its id.
    pub id: ScanId,
    /// The website.
    pub domain: Domain,
    /// The keyword.
    pub keyword: Keyword,
    /// The place as the caller wrote it.
    pub location: Option<String>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it last changed.
    pub changed_at: Timestamp,
    /// Its estimated cost at the provider.
    pub estimate: UsdMicros,
    /// Calls planned.
    pub calls: usize,
    /// Calls that have ended.
    pub done: usize,
    /// The overall score, once there is one.
    pub score: Option<Score>,
    /// The state of the scan. It begins as running, and never is partial.
    pub state: RunState,
    /// The reason of a failed scan, and a sentence about it.
    pub failure: Option<(ProblemCode, String)>,
}

/// Scans remembered for each caller.
const MOST: usize = 100;

#[derive(Debug)]
struct Entry {
    scan: RecentScan,
    feed: Arc<RunFeed>,
    cancel: CancellationToken,
}

impl Entry {
    fn now(&self) -> RecentScan {
        let mut scan = self.scan.clone();
        scan.done = self.feed.done();
        if scan.state.is_open() {
            scan.changed_at = self.feed.changed_at();
        }
        scan
    }
}

/// The last scans of each caller.
#[derive(Debug, Default)]
pub(crate) struct RecentScans {
    lists: Mutex<HashMap<CallerId, VecDeque<Entry>>>,
}

impl RecentScans {
    /// The scans of a caller, newest first.
    pub(crate) fn of(&self, caller: &CallerId) -> Vec<RecentScan> {
        let lists = self.lists();
        let list = lists.get(caller).into_iter().flatten();
        list.rev().map(Entry::now).collect()
    }

    /// One scan of a caller.
    pub(crate) fn find(&self, caller: &CallerId, id: ScanId) -> Option<RecentScan> {
        let lists = self.lists();
        let found = lists.get(caller)?.iter().find(|entry| entry.scan.id == id);
        found.map(Entry::now)
    }

    /// Stops a scan under way.
    /// Returns whether the caller has such a scan.
    pub(crate) fn stop(&self, caller: &CallerId, id: ScanId) -> bool {
        let lists = self.lists();
        let list = lists.get(caller).into_iter().flatten();
        let found = list.into_iter().find(|entry| entry.scan.id == id);
        found.inspect(|entry| entry.cancel.cancel()).is_some()
    }

    fn add(&self, caller: &CallerId, entry: Entry) {
        let mut lists = self.lists();
        let list = lists.entry(caller.clone()).or_default();
        list.push_back(entry);
        if list.len() > MOST {
            list.pop_front();
        }
    }

    fn change(&self, caller: &CallerId, id: ScanId, change: impl FnOnce(&mut Entry)) {
        let mut lists = self.lists();
        let mut list = lists.get_mut(caller).into_iter().flatten();
        if let Some(entry) = list.find(|entry| entry.scan.id == id) {
            change(entry);
            entry.scan.changed_at = Timestamp::now();
        }
    }

    /// The lists. Each change is one assignment, so a panicked holder's lock may be taken over.
    fn lists(&self) -> MutexGuard<'_, HashMap<CallerId, VecDeque<Entry>>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The run of a listed scan.
pub(crate) struct ListedRun {
    scans: Arc<RecentScans>,
    caller: CallerId,
    id: ScanId,
    /// The key of its request, held until the scan is stored.
    _key: Option<HeldKey>,
}

impl ListedRun {
    /// Lists a job as started, or returns `None` for a job without models.
    pub(crate) fn new(
        scans: &Arc<RecentScans>,
        caller: CallerId,
        job: &Job,
        (id, feed, cancel): (ScanId, Arc<RunFeed>, CancellationToken),
        key: Option<HeldKey>,
    ) -> Option<Self> {
        let order = job.plan()?.order();
        let now = Timestamp::now();
        let scan = RecentScan {
            id,
            domain: order.domain().clone(),
            keyword: order.keyword().clone(),
            location: order.location().map(|place| place.as_str().to_owned()),
            started_at: now,
            changed_at: now,
            estimate: job.estimate(),
            calls: job.questions(),
            done: 0,
            score: None,
            state: RunState::Running,
            failure: None,
        };
        scans.add(&caller, Entry { scan, feed, cancel });
        Some(Self {
            scans: Arc::clone(scans),
            caller,
            id,
            _key: key,
        })
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        self.scans.change(&self.caller, self.id, change);
    }
}

impl RunHooks for Option<ListedRun> {
    fn store(&self, output: &JobOutput) -> Result<StoreStep, Error> {
        if let Some(run) = self {
            let score = output.scan_result().map(|result| result.overall_score);
            run.change(|entry| entry.scan.score = score);
        }
        Ok(Box::new(|store, scan| store.put_scan(scan)))
    }

    async fn failed(&self, error: &Error) {
        if let Some(run) = self {
            let failure = Some((error.code(), error.to_string()));
            run.change(|entry| {
                entry.scan.state = RunState::Failed;
                entry.scan.failure = failure;
            });
        }
    }
}

impl Drop for ListedRun {
    /// The end of a run without failure: its result is stored, or its caller stopped it.
    fn drop(&mut self) {
        self.change(|entry| {
            if entry.scan.state.is_open() {
                let complete = entry.scan.score.is_some() && !entry.cancel.is_cancelled();
                entry.scan.state = match complete {
                    true => RunState::Complete,
                    false => RunState::Cancelled,
                };
            }
        });
    }
}

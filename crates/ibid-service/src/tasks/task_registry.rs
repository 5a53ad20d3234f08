//! Who drives and watches tasks in this process, and how much each caller has open.
//!
//! No answer depends on it: another process reads the same task from the store.

use super::error::unavailable;
use super::limits::{Caller, TaskLimits};
use ibid_a2a::{CallError, Task, TaskRecord, TaskState, UNPAID_LIFE};
use ibid_model::{ProblemCode, TaskId};
use ibid_store::TaskQuota;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Parts of a caller's quota. Its tasks are trimmed after each part.
const SHARES: u32 = 4;
/// The time for which a caller's tasks are counted: the life of an unpaid task.
const REMEMBERED: Duration = Duration::from_secs(UNPAID_LIFE.as_secs().unsigned_abs());
/// Callers whose tasks are counted.
const MOST_CALLERS: usize = 100_000;

/// Tasks that are driven or watched in this process, and counts of callers.
pub(super) struct TaskRegistry {
    live: Mutex<HashMap<TaskId, OpenTask>>,
    callers: Mutex<HashMap<Caller, CallerCounts>>,
    pub(super) limits: TaskLimits,
}

/// A task that this process drives or watches.
struct OpenTask {
    news: watch::Sender<TaskNews>,
    drivers: usize,
    watchers: usize,
}

#[derive(Clone, Default)]
pub(super) struct TaskNews {
    /// Its record, if it was stored since the first watch began.
    pub(super) record: Option<SharedRecord>,
    /// How far the work is.
    /// Later values replace earlier ones, so a slow reader misses some.
    pub(super) progress: Option<Arc<Progress>>,
}

pub(super) struct Progress {
    pub(super) value: Value,
    pub(super) at: Timestamp,
}

#[derive(Default)]
struct CallerCounts {
    opened: u32,
    bytes: u64,
    calls: u32,
    /// When the last task was opened.
    last: Option<Instant>,
}

impl TaskRegistry {
    pub(super) fn new(limits: TaskLimits) -> Self {
        Self {
            live: Mutex::default(),
            callers: Mutex::default(),
            limits,
        }
    }

    /// Tells watchers of a record that was stored.
    pub(super) fn notify(&self, record: &SharedRecord) {
        if let Some(open) = self.live().get(&record.id()) {
            open.news.send_if_modified(|live| {
                let newer = live
                    .record
                    .as_ref()
                    .is_none_or(|old| old.revision() < record.revision());
                if newer {
                    live.record = Some(Arc::clone(record));
                }
                newer
            });
        }
    }

    /// Returns the copy that other watchers hold if it is as new, so that all share one.
    pub(super) fn share(&self, record: SharedRecord) -> SharedRecord {
        let live = self.live();
        let Some(open) = live.get(&record.id()) else {
            return record;
        };
        let mut shared = record;
        open.news.send_if_modified(|live| match &live.record {
            Some(theirs) if theirs.revision() >= shared.revision() => {
                shared = Arc::clone(theirs);
                false
            }
            // The other watchers are notified now: `notify` compares revisions and would not notify them again.
            Some(_) | None => {
                live.record = Some(Arc::clone(&shared));
                true
            }
        });
        shared
    }

    /// Tells watchers of progress.
    pub(super) fn progress(&self, task: TaskId, value: Value) {
        let at = Timestamp::now();
        if let Some(open) = self.live().get(&task).filter(|open| open.watchers > 0) {
            open.news
                .send_modify(|live| live.progress = Some(Arc::new(Progress { value, at })));
        }
    }

    /// Whether this process drives a task.
    pub(super) fn is_driven(&self, task: TaskId) -> bool {
        self.live().get(&task).is_some_and(|open| open.drivers > 0)
    }

    /// Counts a task opened by a caller.
    /// After each part of the quota returns the quota to trim the caller's tasks to.
    pub(super) fn opened(&self, caller: Caller, bytes: u64, now: Instant) -> Option<TaskQuota> {
        let TaskQuota { tasks, bytes: most } = self.limits.per_caller;
        let mut callers = self.callers();
        let counts = callers.entry(caller).or_default();
        counts.last = Some(now);
        counts.opened += 1;
        counts.bytes += bytes;
        let full = counts.opened > tasks / SHARES || counts.bytes > most / u64::from(SHARES);
        full.then(|| {
            (counts.opened, counts.bytes) = (0, 0);
            TaskQuota {
                tasks: tasks - tasks / SHARES,
                bytes: most - most / u64::from(SHARES),
            }
        })
    }

    /// Forgets callers without open calls whose last task has expired by now.
    /// If there are too many, those with the fewest tasks are forgotten too: their tasks are far from the quota.
    pub(super) fn forget_callers(&self, now: Instant) {
        let mut callers = self.callers();
        let alive = |counts: &CallerCounts| {
            counts
                .last
                .is_some_and(|last| now.duration_since(last) < REMEMBERED)
        };
        callers.retain(|_, counts| counts.calls > 0 || alive(counts));
        for fewest in [1, 8, 64] {
            if callers.len() > MOST_CALLERS {
                callers.retain(|_, counts| counts.calls > 0 || counts.opened > fewest);
            }
        }
    }

    /// Both maps stay whole even if a holder of the lock panicked.
    fn live(&self) -> MutexGuard<'_, HashMap<TaskId, OpenTask>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn callers(&self) -> MutexGuard<'_, HashMap<Caller, CallerCounts>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, task: TaskId, driver: bool) -> watch::Receiver<TaskNews> {
        let mut live = self.live();
        let open = live.entry(task).or_insert_with(|| OpenTask {
            news: watch::Sender::new(TaskNews::default()),
            drivers: 0,
            watchers: 0,
        });
        if driver {
            open.drivers += 1;
        } else {
            open.watchers += 1;
        }
        open.news.subscribe()
    }

    fn leave(&self, task: TaskId, driver: bool) {
        let mut live = self.live();
        if let Some(open) = live.get_mut(&task) {
            if driver {
                open.drivers -= 1;
            } else {
                open.watchers -= 1;
            }
            if open.drivers + open.watchers == 0 {
                live.remove(&task);
            }
        }
    }
}

/// A watcher or the driver of a task, registered until this is dropped.
pub(super) struct Watching {
    registry: Arc<TaskRegistry>,
    task: TaskId,
    drives: bool,
    news: watch::Receiver<TaskNews>,
}

impl Watching {
    pub(super) fn new(registry: &Arc<TaskRegistry>, task: TaskId, drives: bool) -> Self {
        Self {
            registry: Arc::clone(registry),
            task,
            drives,
            news: registry.enter(task, drives),
        }
    }

    /// Waits for news, at most `within`.
    pub(super) async fn next(&mut self, within: Duration) -> Option<TaskNews> {
        match tokio::time::timeout(within, self.news.changed()).await {
            Ok(Ok(())) => Some(self.news.borrow_and_update().clone()),
            // The sender lives as long as the entry, which lives as long as this.
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.registry.leave(self.task, self.drives);
    }
}

/// An open stream or waiting call of a caller.
/// It is counted until this is dropped.
pub(super) struct OpenCall {
    registry: Arc<TaskRegistry>,
    caller: Caller,
}

impl OpenCall {
    pub(super) fn new(registry: &Arc<TaskRegistry>, caller: Caller) -> Result<Self, CallError> {
        let most = registry.limits.calls_per_caller;
        let mut callers = registry.callers();
        let counts = callers.entry(caller).or_default();
        if counts.calls >= most {
            return Err(unavailable(
                ProblemCode::RateLimited,
                Some(Duration::from_secs(10)),
            ));
        }
        counts.calls += 1;
        drop(callers);
        Ok(Self {
            registry: Arc::clone(registry),
            caller,
        })
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(counts) = self.registry.callers().get_mut(&self.caller) {
            counts.calls = counts.calls.saturating_sub(1);
        }
    }
}

/// A record that several readers share.
pub(super) type SharedRecord = Arc<TaskRecord>;

/// Whether a task is unpaid. The number of such tasks is limited.
pub(super) fn is_unpaid(task: &Task) -> bool {
    match task.state() {
        // A canceled task was never paid for.
        TaskState::Submitted | TaskState::InputRequired | TaskState::Canceled => true,
        TaskState::Working | TaskState::Completed | TaskState::Failed => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn tasks_of_a_caller_are_counted_over_time() {
        let registry = TaskRegistry::new(TaskLimits::default());
        let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
        let (begin, mut alive) = (Instant::now(), 0);
        // One task a second for 24 minutes, with a clean-up every minute.
        for second in 0..1_440 {
            let now = begin + Duration::from_secs(second);
            alive += 1;
            if let Some(quota) = registry.opened(caller, 100, now) {
                alive = alive.min(quota.tasks);
            }
            assert!(alive <= 1_000, "{alive} tasks after {second} s");
            if second % 60 == 0 {
                registry.forget_callers(now);
            }
        }
        assert!(alive > 700);
        registry.forget_callers(begin + Duration::from_secs(1_440) + REMEMBERED);
        assert!(registry.callers().is_empty());
    }
}

//! What this process knows of tasks beyond the store: who works on them, who watches, who opens how many.
//!
//! Nothing here is needed to answer: another process reads the same task from the store.

use super::cache::{Moment, TaskCache};
use super::opening::Openings;
use super::{Caller, Shared, TaskLimits};
use crate::service::Inner;
use crate::tasks::error::unavailable;
use ibid_a2a::{CallError, Unavailable};
use ibid_model::TaskId;
use ibid_store::Room;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Shares of a caller's room after which it is looked at again.
const SHARES: u32 = 4;

/// Tasks under way or watched, and callers.
pub(crate) struct TaskRoom {
    live: Mutex<HashMap<TaskId, Open>>,
    callers: Mutex<HashMap<Caller, Tally>>,
    pub(super) openings: Arc<Openings>,
    pub(super) cache: TaskCache,
    limits: TaskLimits,
}

/// A task that somebody here works on or watches.
struct Open {
    said: watch::Sender<Live>,
    drivers: usize,
    watchers: usize,
}

/// The latest about a task.
#[derive(Clone, Default)]
pub(super) struct Live {
    /// Its record, if it was written since somebody began to watch.
    pub(super) record: Option<Shared>,
    /// How far the work is. Later ones replace earlier ones: who reads slowly misses some.
    pub(super) progress: Option<Arc<Progress>>,
}

/// How far the work is.
pub(super) struct Progress {
    pub(super) value: Value,
    pub(super) at: Timestamp,
}

/// What one caller did lately.
#[derive(Default)]
struct Tally {
    opened: u32,
    bytes: u64,
    calls: u32,
}

impl TaskRoom {
    pub(crate) fn new(limits: TaskLimits) -> Self {
        Self {
            live: Mutex::default(),
            callers: Mutex::default(),
            openings: Arc::default(),
            cache: TaskCache::new(),
            limits,
        }
    }

    pub(super) const fn limits(&self) -> &TaskLimits {
        &self.limits
    }

    /// Tells watchers of a record that was written after `known`.
    pub(super) fn publish(&self, record: &Shared, known: Moment) {
        self.cache.put(record, None, known);
        self.tell(record);
    }

    /// Tells watchers of a record that is not worth keeping here: most new tasks are never asked for.
    pub(super) fn tell(&self, record: &Shared) {
        if let Some(open) = self.live().get(&record.id()) {
            open.said.send_if_modified(|live| {
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

    /// The same record as others who watch the task have, if theirs is as new: one copy serves all of them.
    pub(super) fn share(&self, record: Shared) -> Shared {
        let live = self.live();
        let Some(open) = live.get(&record.id()) else {
            return record;
        };
        let mut shared = record;
        open.said.send_if_modified(|live| match &live.record {
            Some(theirs) if theirs.revision() >= shared.revision() => {
                shared = Arc::clone(theirs);
                false
            }
            // The others are told: whoever has written it finds it here, and tells nobody.
            Some(_) | None => {
                live.record = Some(Arc::clone(&shared));
                true
            }
        });
        shared
    }

    /// Tells watchers how far the work is.
    pub(super) fn progress(&self, task: TaskId, value: Value) {
        let at = Timestamp::now();
        if let Some(open) = self.live().get(&task).filter(|open| open.watchers > 0) {
            open.said
                .send_modify(|live| live.progress = Some(Arc::new(Progress { value, at })));
        }
    }

    /// Whether this process works on a task.
    pub(super) fn is_driven(&self, task: TaskId) -> bool {
        self.live().get(&task).is_some_and(|open| open.drivers > 0)
    }

    /// Counts a task that a caller opened. Now and then tells how much room the caller has, to be trimmed to.
    pub(super) fn opened(&self, caller: Caller, bytes: u64) -> Option<Room> {
        let Room { tasks, bytes: most } = self.limits.per_caller;
        let mut callers = self.callers();
        let tally = callers.entry(caller).or_default();
        tally.opened += 1;
        tally.bytes += bytes;
        let full = tally.opened > tasks / SHARES || tally.bytes > most / u64::from(SHARES);
        full.then(|| {
            (tally.opened, tally.bytes) = (0, 0);
            Room {
                tasks: tasks - tasks / SHARES,
                bytes: most - most / u64::from(SHARES),
            }
        })
    }

    /// Forgets callers without open calls. What they opened since they were last looked at goes uncounted.
    pub(super) fn forget_callers(&self) {
        self.callers().retain(|_, tally| tally.calls > 0);
    }

    /// Both maps stay whole even if a holder of the lock panicked.
    fn live(&self) -> MutexGuard<'_, HashMap<TaskId, Open>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn callers(&self) -> MutexGuard<'_, HashMap<Caller, Tally>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, task: TaskId, driver: bool) -> watch::Receiver<Live> {
        let mut live = self.live();
        let open = live.entry(task).or_insert_with(|| Open {
            said: watch::Sender::new(Live::default()),
            drivers: 0,
            watchers: 0,
        });
        if driver {
            open.drivers += 1;
        } else {
            open.watchers += 1;
        }
        open.said.subscribe()
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

/// Somebody here works on a task, until this is dropped.
pub(super) struct Driving {
    inner: Arc<Inner>,
    task: TaskId,
}

impl Driving {
    pub(super) fn new(inner: &Arc<Inner>, task: TaskId) -> Self {
        // Nobody listens on this end.
        drop(inner.tasks.enter(task, true));
        Self {
            inner: Arc::clone(inner),
            task,
        }
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        self.inner.tasks.leave(self.task, true);
    }
}

/// Somebody watches a task, until this is dropped.
pub(super) struct Watching {
    inner: Arc<Inner>,
    task: TaskId,
    said: watch::Receiver<Live>,
}

impl Watching {
    pub(super) fn new(inner: &Arc<Inner>, task: TaskId) -> Self {
        Self {
            inner: Arc::clone(inner),
            task,
            said: inner.tasks.enter(task, false),
        }
    }

    /// What is said next, at most `within`.
    pub(super) async fn next(&mut self, within: Duration) -> Option<Live> {
        match tokio::time::timeout(within, self.said.changed()).await {
            Ok(Ok(())) => Some(self.said.borrow_and_update().clone()),
            // The sender lives as long as the entry, and that as long as this.
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.inner.tasks.leave(self.task, false);
    }
}

/// A stream or a waiting call of a caller, until this is dropped.
pub(super) struct OpenCall {
    inner: Arc<Inner>,
    caller: Caller,
}

impl OpenCall {
    pub(super) fn new(inner: &Arc<Inner>, caller: Caller) -> Result<Self, CallError> {
        let most = inner.tasks.limits.calls_per_caller;
        let mut callers = inner.tasks.callers();
        let tally = callers.entry(caller).or_default();
        if tally.calls >= most {
            return Err(unavailable(Unavailable::TooMany, Some(Duration::from_secs(10))));
        }
        tally.calls += 1;
        drop(callers);
        Ok(Self {
            inner: Arc::clone(inner),
            caller,
        })
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(tally) = self.inner.tasks.callers().get_mut(&self.caller) {
            tally.calls = tally.calls.saturating_sub(1);
        }
    }
}

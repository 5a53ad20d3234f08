//! Tasks that were read or written lately, with their answers.
//!
//! What this process writes is seen at once. What another process writes to a task that has not ended is seen after
//! [`FRESH`] at the latest; decisions are never taken from here, only `tasks/get` is answered.

use super::{Shared, waits};
use ibid_a2a::Body;
use ibid_model::TaskId;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a task that may change is believed to be as it was read.
const FRESH: Duration = Duration::from_millis(200);
/// Memory for answers.
const BYTES: u64 = 32 << 20;
/// Answers expected in it, for sizing its tables.
const ITEMS: usize = 8_192;

/// A task as it was read or written, and its whole answer once that was asked for.
#[derive(Clone)]
pub(super) struct Cached {
    pub(super) record: Shared,
    pub(super) answer: Option<Arc<Body>>,
    /// From when the record is.
    pub(super) known: Moment,
}

/// When something was known to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    at: Instant,
    /// How often tasks had been trimmed by then.
    trims: u64,
}

/// Tasks that were read or written lately.
pub(super) struct TaskCache {
    tasks: Cache<TaskId, Cached, BySize>,
    trims: AtomicU64,
}

#[derive(Clone)]
struct BySize;

impl Weighter<TaskId, Cached> for BySize {
    fn weight(&self, _id: &TaskId, cached: &Cached) -> u64 {
        // A record has about the size of its answer without the document; neither is measured exactly.
        let answer = cached.answer.as_ref().map_or(0, |answer| answer.weight());
        answer as u64 + 4_096
    }
}

impl TaskCache {
    pub(super) fn new() -> Self {
        Self {
            tasks: Cache::with_weighter(ITEMS, BYTES, BySize),
            trims: AtomicU64::new(0),
        }
    }

    /// Now. Take it before the store is asked: what changes meanwhile is later.
    pub(super) fn now(&self) -> Moment {
        Moment {
            at: Instant::now(),
            trims: self.trims.load(Ordering::Acquire),
        }
    }

    /// Some tasks that wait were trimmed from the store, and nobody knows which: none is believed to be there any
    /// more. Costs nothing however many are kept; they go as others come.
    pub(super) fn trimmed(&self) {
        self.trims.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn get(&self, id: TaskId) -> Option<Cached> {
        let cached = self.tasks.get(&id)?;
        let task = cached.record.task();
        // Somebody has paid for it, so it stays, and it has ended, so it stays as it is.
        let lasts = task.state().is_terminal() && !waits(task);
        let Moment { at, trims } = cached.known;
        let fresh = trims == self.trims.load(Ordering::Acquire) && at.elapsed() < FRESH;
        (lasts || fresh).then_some(cached)
    }

    /// Keeps a record that is `known` from the store as it was then; with its answer, if that was written. Never
    /// replaces a later revision.
    pub(super) fn put(&self, record: &Shared, answer: Option<Arc<Body>>, known: Moment) {
        let newer = self
            .tasks
            .get(&record.id())
            .is_some_and(|cached| cached.record.revision() > record.revision());
        if !newer {
            let cached = Cached {
                record: Arc::clone(record),
                answer,
                known,
            };
            self.tasks.insert(record.id(), cached);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use ibid_a2a::{Call, RpcRequest, Step, Task, TaskRecord};
    use ibid_model::ContextId;
    use jiff::Timestamp;

    /// A task that waits for its client.
    pub(in super::super) fn waiting() -> Shared {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user",
            "messageId":"m","parts":[{"kind":"text","text":"hello"}]}}}"#;
        let Ok(Call::Send(incoming)) = RpcRequest::parse(body).call else {
            panic!("a message")
        };
        let now = Timestamp::now();
        let task = Task::open(
            TaskId::random(),
            ContextId::random().into(),
            incoming.message,
            now,
        );
        let ask = Step::AskInput {
            wanted: None,
            payment_unused: false,
            sold: ibid_model::Assortment::Everything,
        };
        Arc::new(TaskRecord::first(task.advance(ask, now).unwrap()))
    }

    #[test]
    fn an_answer_makes_a_record_no_younger() {
        let (cache, record) = (TaskCache::new(), waiting());
        let known = cache.now();
        cache.put(&record, None, known);
        let cached = cache.get(record.id()).unwrap();
        assert_eq!(cached.known, known);
        let answer = Arc::new(Body::result(&"task"));
        cache.put(&record, Some(answer), cached.known);
        let cached = cache.get(record.id()).unwrap();
        assert!(cached.answer.is_some());
        assert_eq!(cached.known, known);
        let stale = Moment {
            at: known.at.checked_sub(FRESH).unwrap(),
            ..known
        };
        cache.put(&record, None, stale);
        assert!(cache.get(record.id()).is_none());
    }

    #[test]
    fn what_may_have_been_trimmed_is_asked_for_again() {
        let (cache, waits) = (TaskCache::new(), waiting());
        let canceled = Arc::new(waiting().advance(Step::Cancel, Timestamp::now()).unwrap());
        let before = cache.now();
        for record in [&waits, &canceled] {
            cache.put(record, None, cache.now());
            assert!(cache.get(record.id()).is_some());
        }
        cache.trimmed();
        assert!(cache.get(waits.id()).is_none());
        assert!(cache.get(canceled.id()).is_none());
        // Read before, kept after: it may have been trimmed in between.
        cache.put(&waits, None, before);
        assert!(cache.get(waits.id()).is_none());
        cache.put(&waits, None, cache.now());
        assert!(cache.get(waits.id()).is_some());
    }
}

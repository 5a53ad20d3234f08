//! Tasks that were read or written lately, with their answers.
//!
//! Writes of this process are visible at once. A write of another process to a task that has not ended is visible after
//! [`FRESH`] at the latest. Only `tasks/get` is answered from the cache; decisions are taken from the store.

use super::record::{SharedRecord, is_unpaid};
use ibid_a2a::AnswerBody;
use ibid_model::TaskId;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time for which a task that may change is answered from the cache.
const FRESH: Duration = Duration::from_millis(200);
/// Memory for answers.
const BYTES: u64 = 32 << 20;
/// Expected number of answers, for the size of the tables.
const ITEMS: usize = 8_192;

/// A task as it was read or written, and its whole answer once that was asked for.
#[derive(Clone)]
pub(super) struct Cached {
    pub(super) record: SharedRecord,
    pub(super) answer: Option<Arc<AnswerBody>>,
    /// The moment from which the record is.
    pub(super) known: Moment,
}

/// A moment, with the number of trims until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    at: Instant,
    /// The number of trims until then.
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

    /// The current moment. Take it before the store is asked, so that later changes count as later.
    pub(super) fn now(&self) -> Moment {
        Moment {
            at: Instant::now(),
            trims: self.trims.load(Ordering::Acquire),
        }
    }

    /// Notes that unknown unpaid tasks were deleted from the store: all cached unpaid tasks count as outdated. The cost
    /// does not depend on their number; new entries replace them.
    pub(super) fn trimmed(&self) {
        self.trims.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn get(&self, id: TaskId) -> Option<Cached> {
        let cached = self.tasks.get(&id)?;
        let task = cached.record.task();
        // A paid task is not trimmed, and an ended task does not change.
        let lasts = task.state().is_terminal() && !is_unpaid(task);
        let Moment { at, trims } = cached.known;
        let fresh = trims == self.trims.load(Ordering::Acquire) && at.elapsed() < FRESH;
        (lasts || fresh).then_some(cached)
    }

    /// Caches a record as it was at `known`, with its answer if that was written. Never replaces a later revision.
    pub(super) fn put(&self, record: &SharedRecord, answer: Option<Arc<AnswerBody>>, known: Moment) {
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
    use ibid_a2a::{Call, RpcRequest, Task, TaskRecord, TaskStep};
    use ibid_model::ContextId;
    use jiff::Timestamp;

    /// A task that waits for its client.
    pub(in super::super) fn waiting() -> SharedRecord {
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
        let ask = TaskStep::AskInput {
            wanted: None,
            payment_unused: false,
            sold: ibid_model::Offering::Everything,
        };
        Arc::new(TaskRecord::first(task.advance(ask, now).unwrap()))
    }

    #[test]
    fn an_answer_does_not_renew_a_record() {
        let (cache, record) = (TaskCache::new(), waiting());
        let known = cache.now();
        cache.put(&record, None, known);
        let cached = cache.get(record.id()).unwrap();
        assert_eq!(cached.known, known);
        let answer = Arc::new(AnswerBody::result(&"task"));
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
    fn unpaid_tasks_are_outdated_after_a_trim() {
        let (cache, waits) = (TaskCache::new(), waiting());
        let canceled = Arc::new(waiting().advance(TaskStep::Cancel, Timestamp::now()).unwrap());
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

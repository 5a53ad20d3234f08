//! Tasks that were read or written lately, with their answers.
//!
//! What this process writes is seen at once. What another process writes to a task that has not ended is seen after
//! [`FRESH`] at the latest; decisions are never taken from here, only `tasks/get` is answered.

use super::Shared;
use ibid_a2a::Body;
use ibid_model::TaskId;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
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
    read_at: Instant,
}

/// Tasks that were read or written lately.
pub(super) struct TaskCache(Cache<TaskId, Cached, BySize>);

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
        Self(Cache::with_weighter(ITEMS, BYTES, BySize))
    }

    /// Forgets everything: some of it was trimmed from the store, and nobody knows which.
    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) fn get(&self, id: TaskId) -> Option<Cached> {
        let cached = self.0.get(&id)?;
        let ended = cached.record.task().state().is_terminal();
        (ended || cached.read_at.elapsed() < FRESH).then_some(cached)
    }

    /// Keeps a record; with its answer, if that was written. Never replaces a later revision of the same moment.
    pub(super) fn put(&self, record: &Shared, answer: Option<Arc<Body>>) {
        let newer = self
            .0
            .get(&record.id())
            .is_some_and(|cached| cached.record.revision() > record.revision());
        if !newer {
            let cached = Cached {
                record: Arc::clone(record),
                answer,
                read_at: Instant::now(),
            };
            self.0.insert(record.id(), cached);
        }
    }
}

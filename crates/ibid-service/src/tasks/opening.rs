//! New tasks, written together.
//!
//! Opening a task is free, so crowds do it. Whoever comes while another is being written waits for the next
//! transaction, which takes all who have come since: one transaction and one change of threads for many tasks. In a
//! crowd the writer waits a moment for the next ones; who comes alone is written at once.

use super::batch::{Batch, Kept};
use super::error::broken;
use super::write::row;
use super::{Caller, Shared};
use ibid_store::{Store, TaskRow};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most tasks of one transaction: others want to write, too.
const MOST: usize = 256;

/// How long a writer in a crowd waits for more to come. A change of threads costs more than a row.
const GATHER: Duration = Duration::from_micros(250);

/// A task to be written.
pub(super) struct Opening {
    pub(super) record: Shared,
    pub(super) document: Vec<u8>,
    pub(super) caller: Caller,
}

/// Tasks of one transaction.
#[derive(Default)]
struct Gathered {
    openings: Vec<Opening>,
    batch: Batch,
}

/// Tasks that wait to be written.
#[derive(Default)]
pub(crate) struct Openings(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    queue: VecDeque<Gathered>,
    /// Whether somebody is writing, and will see what is queued.
    writing: bool,
}

impl Gathered {
    fn add(&mut self, opening: Opening) -> Kept {
        self.openings.push(opening);
        self.batch.wait()
    }

    /// One transaction.
    fn write(self, store: &dyn Store) {
        let Self { openings, batch } = self;
        let rows: Vec<(TaskRow<'_>, &[u8])> = openings
            .iter()
            .map(
                |Opening {
                     record,
                     document,
                     caller,
                 }| (row(record, document), &caller.as_bytes()[..]),
            )
            .collect();
        let written = store.open_tasks(&rows).map_err(broken);
        // Before anybody is woken: whoever lets go of a record last frees it, and that is cheaper where it was made.
        drop(rows);
        drop(openings);
        batch.end(written);
    }
}

impl Openings {
    /// Queues a task. True if the caller has to see to it that [`Self::write`] runs.
    pub(super) fn push(&self, opening: Opening) -> (Kept, bool) {
        let mut waiting = self.lock();
        let kept = match waiting.queue.back_mut() {
            Some(last) if last.openings.len() < MOST => last.add(opening),
            Some(_) | None => {
                let mut next = Gathered::default();
                let kept = next.add(opening);
                waiting.queue.push_back(next);
                kept
            }
        };
        (kept, !std::mem::replace(&mut waiting.writing, true))
    }

    /// Writes until nothing is queued.
    pub(super) fn write(&self, store: &dyn Store) {
        let _turn = Turn(self);
        let mut crowd = false;
        loop {
            if crowd {
                std::thread::sleep(GATHER);
            }
            let mut waiting = self.lock();
            let Some(next) = waiting.queue.pop_front() else {
                waiting.writing = false;
                return;
            };
            drop(waiting);
            crowd = next.openings.len() > 1;
            next.write(store);
        }
    }

    /// Nobody will write what is queued: whoever waits is told by the end of the batch.
    pub(super) fn give_up(&self) {
        let abandoned = std::mem::take(&mut *self.lock());
        drop(abandoned);
    }

    /// The queue stays whole even if a holder of the lock panicked.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A writer at work. If it panics, whoever waits is told, and the next task finds a new writer.
struct Turn<'a>(&'a Openings);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use ibid_a2a::{CallError, Message, Task, TaskRecord};
    use ibid_model::{ContextId, TaskId};
    use serde_json::json;
    use std::sync::Arc;

    fn opening() -> Opening {
        let message: Message = serde_json::from_value(
            json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hello"}]}),
        )
        .unwrap();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let task = Task::open(TaskId::random(), ContextId::random().into(), message, now);
        Opening {
            record: Arc::new(TaskRecord::first(task)),
            document: Vec::new(),
            caller: Caller::at(std::net::Ipv4Addr::LOCALHOST.into()),
        }
    }

    #[test]
    fn after_a_writer_that_panicked_somebody_else_writes() {
        let openings = Openings::default();
        let (kept, first) = openings.push(opening());
        assert!(first);
        let writer = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let _turn = Turn(&openings);
                panic!("a fault of the store");
            });
            writer.join()
        });
        assert!(writer.is_err());
        assert_eq!(kept.now_or_never(), Some(Err(CallError::Internal)));
        assert!(openings.push(opening()).1, "the next one has to write");
    }
}

//! New tasks, written together.
//!
//! Opening a task is free, so crowds do it. Whoever comes while another is being written waits for the next
//! transaction, which takes all who have come since: one transaction and one change of threads for many tasks. In a
//! crowd the writer waits a moment for the next ones; who comes alone is written at once.

use super::error::broken;
use super::write::row;
use super::{Caller, Shared};
use ibid_a2a::CallError;
use ibid_store::Store;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Most tasks of one transaction: others want to write, too.
const MOST: usize = 256;

/// How long a writer in a crowd waits for more to come. A change of threads costs more than a row.
const GATHER: Duration = Duration::from_micros(250);

/// A task to be written.
pub(super) struct Opening {
    record: Shared,
    document: Vec<u8>,
    caller: Caller,
    kept: oneshot::Sender<Result<(), CallError>>,
}

/// Tasks that wait to be written.
#[derive(Default)]
pub(crate) struct Openings(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    queue: Vec<Opening>,
    /// Whether somebody is writing, and will see what is queued.
    writing: bool,
}

impl Opening {
    pub(super) fn new(
        record: Shared,
        document: Vec<u8>,
        caller: Caller,
    ) -> (Self, oneshot::Receiver<Result<(), CallError>>) {
        let (kept_in, kept) = oneshot::channel();
        let opening = Self {
            record,
            document,
            caller,
            kept: kept_in,
        };
        (opening, kept)
    }
}

impl Openings {
    /// Queues a task. True if the caller has to see to it that [`Self::write`] runs.
    pub(super) fn push(&self, opening: Opening) -> bool {
        let mut waiting = self.lock();
        waiting.queue.push(opening);
        !std::mem::replace(&mut waiting.writing, true)
    }

    /// Writes until nothing is queued.
    pub(super) fn write(&self, store: &dyn Store) {
        let mut crowd = false;
        loop {
            if crowd {
                std::thread::sleep(GATHER);
            }
            let batch: Vec<Opening> = {
                let mut waiting = self.lock();
                let some = waiting.queue.len().min(MOST);
                let batch: Vec<Opening> = waiting.queue.drain(..some).collect();
                waiting.writing = !batch.is_empty();
                batch
            };
            if batch.is_empty() {
                return;
            }
            crowd = batch.len() > 1;
            let rows: Vec<_> = batch
                .iter()
                .map(|opening| {
                    (
                        row(&opening.record, &opening.document),
                        &opening.caller.as_bytes()[..],
                    )
                })
                .collect();
            let written = store.open_tasks(&rows).map_err(broken);
            for opening in batch {
                // Whoever asked may be gone.
                let _ = opening.kept.send(written.clone());
            }
        }
    }

    /// Nobody will write what is queued: whoever waits is told by the end of the channel.
    pub(super) fn give_up(&self) {
        *self.lock() = Waiting::default();
    }

    /// The queue stays whole even if a holder of the lock panicked.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Reading and writing records.

use super::batch::Kept;
use super::opening::Opening;
use super::{Caller, Shared, waits};
use crate::service::Inner;
use crate::service::now_ms;
use crate::tasks::error::broken;
use futures_util::future::{Either, select};
use ibid_a2a::{CallError, IllegalStep, Step, TaskRecord};
use ibid_model::TaskId;
use ibid_store::{StoreError, TaskRow};
use jiff::Timestamp;
use std::pin::pin;
use std::sync::Arc;

/// Writers of one task are few; who loses so often has met a crowd that agrees to quarrel.
const MOST_TRIES: u32 = 64;

impl Inner {
    /// The record of a task, expired or not.
    pub(super) async fn task(&self, id: TaskId) -> Result<Option<Shared>, CallError> {
        let document = self.db.call(move |store| store.task(id)).await.map_err(broken)?;
        let record = document.map(|json| TaskRecord::from_json(&json));
        Ok(record.transpose().map_err(broken)?.map(Arc::new))
    }

    /// Writes the first revision of a task.
    pub(super) async fn open(&self, record: TaskRecord, caller: Caller) -> Result<Shared, CallError> {
        let document = record.to_json().map_err(broken)?;
        let bytes = document.len() as u64;
        let record = Arc::new(record);
        let (kept, first) = self.tasks.openings.push(Opening {
            record: Arc::clone(&record),
            document,
            caller,
        });
        match first {
            true => self.write_openings(kept).await?,
            false => kept.await?,
        }
        self.tasks.tell(&record);
        if let Some(room) = self.tasks.opened(caller, bytes) {
            let trimmed = self
                .db
                .call(move |store| store.trim_tasks(caller.as_bytes(), room))
                .await;
            match trimmed {
                Ok(0) => {}
                Ok(trimmed) => {
                    self.tasks.cache.trimmed();
                    tracing::info!(trimmed, "unpaid tasks of a busy caller are forgotten");
                }
                // What was opened stays open; the next one tries again.
                Err(error) => tracing::warn!(%error, "unpaid tasks could not be trimmed"),
            }
        }
        Ok(record)
    }

    /// Sees to it that what is queued is written, and waits until our own is.
    async fn write_openings(&self, kept: Kept) -> Result<(), CallError> {
        let openings = Arc::clone(&self.tasks.openings);
        // Once it was polled it goes on to its end without us, writing for everybody who comes meanwhile.
        let writing = pin!(self.db.call(move |store| {
            openings.write(store);
            Ok(())
        }));
        match select(writing, kept).await {
            Either::Left((Ok(()), kept)) => kept.await,
            Either::Left((Err(error), _)) => {
                self.tasks.openings.give_up();
                Err(broken(error))
            }
            Either::Right((kept, _)) => kept,
        }
    }

    /// Writes the next revision of a task; `None` if another writer was faster.
    pub(super) async fn swap(&self, next: TaskRecord) -> Result<Option<Shared>, CallError> {
        let document = next.to_json().map_err(broken)?;
        let next = Arc::new(next);
        let (written, known) = (Arc::clone(&next), self.tasks.cache.now());
        let swapped = self
            .db
            .call(move |store| store.swap_task(&row(&written, &document)));
        Ok(match swapped.await.map_err(broken)? {
            true => {
                self.tasks.publish(&next, known);
                Some(next)
            }
            false => None,
        })
    }

    /// Takes a step that belongs to a run, whatever others write meanwhile. `None` if the task is gone, or has gone
    /// on without that run.
    pub(super) async fn take(&self, id: TaskId, step: Step) -> Result<Option<Shared>, CallError> {
        for _ in 0..MOST_TRIES {
            let Some(record) = self.task(id).await? else {
                return Ok(None);
            };
            let next = match record.advance(step.clone(), Timestamp::now()) {
                Ok(next) => next,
                Err(illegal) => {
                    log_late(id, illegal);
                    return Ok(None);
                }
            };
            if let Some(next) = self.swap(next).await? {
                return Ok(Some(next));
            }
        }
        Err(broken(StoreError::Lost))
    }
}

/// Which is no fault: the run was given up, or somebody else has written down the same.
fn log_late(id: TaskId, illegal: IllegalStep) {
    tracing::debug!(task = ?id.as_bytes()[..2], %illegal, "a step came late");
}

pub(super) fn row<'a>(record: &TaskRecord, document: &'a [u8]) -> TaskRow<'a> {
    TaskRow {
        id: record.id(),
        revision: record.revision(),
        run: record.task().run(),
        waits: waits(record.task()),
        expires: record.expires_at().as_millisecond(),
        now: now_ms(),
        document,
    }
}

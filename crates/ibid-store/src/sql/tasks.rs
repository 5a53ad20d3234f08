//! Tasks of the agent surface.
//!
//! A statement that deletes unpaid tasks contains their condition (`waits`) twice:
//! in the subquery that selects them, and next to it.
//! A task that is paid at that moment no longer meets the condition when the database checks it again under the lock of
//! the row, and stays.

use super::deliveries::insert_deliveries;
use super::webhooks::insert_webhook;
use super::{Backend, Durability, Executor, values};
use crate::columns::{self, signed};
use crate::purchase::Millis;
use crate::task::{OrphanedTask, TaskQuota, TaskRow};
use crate::{Store, StoreError};
use ibid_model::TaskId;

impl Store {
    /// Stores the first revision of a task, its subscription and its events.
    /// `caller` is the name of its caller, at most 64 bytes.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken, or the fault of the database.
    pub fn open_task(&self, task: &TaskRow<'_>, caller: &[u8]) -> Result<(), StoreError> {
        // A power cut may lose an unpaid task. Its client sends the message again.
        self.write(Durability::Relaxed, |db| insert(db, task, caller))
    }

    /// Replaces the revision before this one and stores the events of this one.
    /// Returns false if another revision is stored: another writer was faster.
    pub fn swap_task(&self, task: &TaskRow<'_>) -> Result<bool, StoreError> {
        let revision = signed(task.revision)?;
        // The payment is written first. A task that lags behind its payment is brought up to date later.
        let swapped = self.write(Durability::Process, |db| {
            let swapped = db.execute(
                "UPDATE task SET revision = ?1, run = ?2, waits = ?3, expires = ?4, changed_at = ?5, document = ?6
                 WHERE id = ?7 AND revision = ?8",
                values![
                    revision,
                    task.run,
                    task.waits,
                    task.expires,
                    task.now,
                    task.document,
                    task.id,
                    revision.saturating_sub(1),
                ],
            )?;
            if swapped == 1 {
                insert_deliveries(db, task.events, task.now)?;
            }
            Ok(swapped)
        })?;
        Ok(swapped == 1)
    }

    /// Returns the document of a task, also after it expired.
    pub fn task(&self, id: TaskId) -> Result<Option<Vec<u8>>, StoreError> {
        self.one("SELECT document FROM task WHERE id = ?1", values![id])
    }

    /// Returns at most `most` tasks whose run has ended, as its payment shows,
    /// and that were not changed since `before`: those after the id `after`, in ascending order.
    ///
    /// # Errors
    /// The fault of the database, or a damaged row.
    pub fn orphaned_tasks(
        &self,
        before: Millis,
        after: Option<TaskId>,
        most: u32,
    ) -> Result<Vec<OrphanedTask>, StoreError> {
        let rows = self.list::<(_, _, _, _, Option<_>)>(
            "SELECT task.id, task.run, payment.state, payment.key, receipt.document
             FROM task LEFT JOIN payment ON payment.run = task.run LEFT JOIN receipt ON receipt.key = payment.key
             WHERE task.run IS NOT NULL AND task.changed_at < ?1 AND coalesce(payment.changed_at, 0) < ?1
               AND coalesce(payment.state, 'freed') IN ('settled', 'delivered', 'refused', 'void', 'freed', 'proven')
               AND (task.id > ?2 OR ?2 IS NULL)
             ORDER BY task.id LIMIT ?3",
            values![before, after, most],
        )?;
        let orphans = rows.into_iter().map(|(task, run, state, key, receipt)| {
            let outcome = columns::run_outcome(state, key, receipt)?;
            Ok(OrphanedTask { task, run, outcome })
        });
        orphans.collect()
    }

    /// Deletes expired tasks, unpaid tasks of all callers beyond `quota`, those that expire first, and subscriptions to
    /// deleted tasks. Returns the number of deleted tasks.
    pub fn expire_tasks(&self, now: Millis, quota: TaskQuota) -> Result<u64, StoreError> {
        let bytes = signed(quota.bytes)?;
        // Most calls find no excess. A read does not keep other writers waiting.
        let (tasks, size) = self.only::<(u32, i64)>(
            "SELECT count(*), CAST(coalesce(sum(length(document)), 0) AS BIGINT) FROM task WHERE waits",
            &[],
        )?;
        let excess = tasks > quota.tasks || size > bytes;
        self.write(Durability::Relaxed, |db| {
            let expired = db.execute("DELETE FROM task WHERE run IS NULL AND expires <= ?1", values![now])?;
            let trimmed = match excess {
                false => 0,
                true => db.execute(
                "DELETE FROM task WHERE waits AND position IN (SELECT position FROM (
                     SELECT position, row_number() OVER newest AS place, sum(length(document)) OVER newest AS bytes
                     FROM task WHERE waits WINDOW newest AS (ORDER BY expires DESC, position DESC)) AS waiting
                 WHERE place > ?1 OR bytes > ?2)",
                values![quota.tasks, bytes],
                )?,
            };
            db.execute(
                "DELETE FROM webhook WHERE task IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM task WHERE task.id = webhook.task)",
                &[],
            )?;
            Ok(expired + trimmed)
        })
    }

    /// Deletes unpaid tasks of a caller beyond `quota`, those that expire first.
    /// Returns the number of deleted tasks.
    pub fn trim_tasks(&self, caller: &[u8], quota: TaskQuota) -> Result<u64, StoreError> {
        let bytes = signed(quota.bytes)?;
        self.execute(
            Durability::Relaxed,
            "DELETE FROM task WHERE waits AND position IN (SELECT position FROM (
                 SELECT position, row_number() OVER newest AS place, sum(length(document)) OVER newest AS bytes
                 FROM task WHERE waits AND caller = ?1 WINDOW newest AS (ORDER BY expires DESC, position DESC)) AS waiting
             WHERE place > ?2 OR bytes > ?3)",
            values![caller, quota.tasks, bytes],
        )
    }
}

fn insert(db: &mut dyn Executor, task: &TaskRow<'_>, caller: &[u8]) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO task (id, revision, run, waits, caller, expires, changed_at, document)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        values![
            task.id,
            signed(task.revision)?,
            task.run,
            task.waits,
            caller,
            task.expires,
            task.now,
            task.document,
        ],
    )?;
    if let Some(webhook) = task.webhook {
        insert_webhook(db, webhook, Some(task.id))?;
    }
    insert_deliveries(db, task.events, task.now)?;
    Ok(())
}

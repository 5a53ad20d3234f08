//! Tasks in SQLite.

use super::{Sqlite, is_taken};
use crate::StoreError;
use crate::columns::{self, signed};
use crate::purchase::Millis;
use crate::task::{Room, Stray, TaskRecords, TaskRow};
use ibid_model::{ScanId, TaskId};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

impl TaskRecords for Sqlite {
    fn open_tasks(&self, tasks: &[(TaskRow<'_>, &[u8])]) -> Result<(), StoreError> {
        // A power cut may take a task along that nobody has paid for; its client asks again.
        self.write_soon(|connection| {
            tasks
                .iter()
                .try_for_each(|(task, caller)| insert(connection, task, caller))
        })
    }

    fn swap_task(&self, task: &TaskRow<'_>) -> Result<bool, StoreError> {
        // What the payment has to survive is written by the purchase; a task that lags behind it is caught up.
        self.write_soon(|connection| {
            let before = signed(task.revision)?.saturating_sub(1);
            let swapped = connection
                .prepare_cached(
                    "UPDATE task SET revision = :revision, run = :run, waits = :waits, expires = :expires,
                                     changed_at = :now, document = :document
                     WHERE id = :id AND revision = :before",
                )?
                .execute(named_params! {
                    ":revision": signed(task.revision)?,
                    ":run": task.run.as_ref().map(ScanId::as_bytes),
                    ":waits": task.waits,
                    ":expires": task.expires,
                    ":now": task.now,
                    ":document": task.document,
                    ":id": task.id.as_bytes(),
                    ":before": before,
                })?;
            Ok(swapped == 1)
        })
    }

    fn task(&self, id: TaskId) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT document FROM task WHERE id = ?1")?
                .query_row(params![id.as_bytes()], |row| row.get(0))
                .optional()?)
        })
    }

    fn stray_tasks(&self, before: Millis, most: u32) -> Result<Vec<Stray>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT task.id, task.run, payment.state, payment.key, receipt.document
                 FROM task LEFT JOIN payment ON payment.run = task.run LEFT JOIN receipt ON receipt.key = payment.key
                 WHERE task.run IS NOT NULL AND task.changed_at < ?1 AND coalesce(payment.changed_at, 0) < ?1
                   AND coalesce(payment.state, 'freed') IN ('settled', 'delivered', 'refused', 'freed', 'proven')
                 LIMIT ?2",
            )?;
            let rows = statement.query_map(params![before, most], |row| Ok(stray(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    fn expire_tasks(&self, now: Millis, room: Room) -> Result<u64, StoreError> {
        self.write_soon(|connection| {
            let expired = connection
                .prepare_cached("DELETE FROM task WHERE run IS NULL AND expires <= ?1")?
                .execute(params![now])?;
            let (tasks, bytes): (i64, i64) = connection
                .prepare_cached("SELECT count(*), coalesce(sum(length(document)), 0) FROM task WHERE waits")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if tasks <= i64::from(room.tasks) && bytes <= signed(room.bytes)? {
                return Ok(expired as u64);
            }
            let trimmed = connection
                .prepare_cached(
                    "DELETE FROM task WHERE position IN (SELECT position FROM (
                         SELECT position, row_number() OVER newest AS place, sum(length(document)) OVER newest AS bytes
                         FROM task WHERE waits WINDOW newest AS (ORDER BY expires DESC, position DESC))
                     WHERE place > ?1 OR bytes > ?2)",
                )?
                .execute(params![room.tasks, signed(room.bytes)?])?;
            Ok((expired + trimmed) as u64)
        })
    }

    fn trim_tasks(&self, caller: &[u8], room: Room) -> Result<u64, StoreError> {
        self.write_soon(|connection| {
            let trimmed = connection
                .prepare_cached(
                    "DELETE FROM task WHERE position IN (SELECT position FROM (
                         SELECT position, row_number() OVER newest AS place, sum(length(document)) OVER newest AS bytes
                         FROM task WHERE waits AND caller = ?1 WINDOW newest AS (ORDER BY expires DESC, position DESC))
                     WHERE place > ?2 OR bytes > ?3)",
                )?
                .execute(params![caller, room.tasks, signed(room.bytes)?])?;
            Ok(trimmed as u64)
        })
    }
}

fn insert(connection: &Connection, task: &TaskRow<'_>, caller: &[u8]) -> Result<(), StoreError> {
    let done = connection
        .prepare_cached(
            "INSERT INTO task (id, revision, run, waits, caller, expires, changed_at, document)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            task.id.as_bytes(),
            signed(task.revision)?,
            task.run.as_ref().map(ScanId::as_bytes),
            task.waits,
            caller,
            task.expires,
            task.now,
            task.document
        ]);
    match done {
        Ok(_) => Ok(()),
        Err(error) if is_taken(&error) => Err(StoreError::Exists),
        Err(error) => Err(error.into()),
    }
}

fn stray(row: &Row<'_>) -> Result<Stray, StoreError> {
    let (task, run): ([u8; 16], [u8; 16]) = (row.get(0)?, row.get(1)?);
    let (state, key, receipt): (Option<String>, Option<String>, Option<String>) =
        (row.get(2)?, row.get(3)?, row.get(4)?);
    Ok(Stray {
        task: TaskId::from_bytes(task),
        run: ScanId::from_bytes(run),
        fate: columns::fate(state, key, receipt)?,
    })
}

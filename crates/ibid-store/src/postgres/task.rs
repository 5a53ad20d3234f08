//! Tasks in PostgreSQL.
//!
//! Whatever forgets tasks names in its own condition what they have to be, and not only in the question that finds
//! them: a task that is paid for in just that moment no longer meets it, and stays.

use super::link::{Link, column};
use super::scan::scan_id;
use super::{Postgres, uuid};
use crate::StoreError;
use crate::columns::{self, signed};
use crate::purchase::Millis;
use crate::task::{Room, Stray, TaskRecords, TaskRow};
use ibid_model::TaskId;
use postgres::Row;
use uuid::Uuid;

impl TaskRecords for Postgres {
    fn open_tasks(&self, tasks: &[(TaskRow<'_>, &[u8])]) -> Result<(), StoreError> {
        // A crash of the database may take a task along that nobody has paid for; its client asks again.
        self.write_soon(|link| {
            tasks
                .iter()
                .try_for_each(|(task, caller)| insert(link, task, caller))
        })
    }

    fn swap_task(&self, task: &TaskRow<'_>) -> Result<bool, StoreError> {
        let revision = signed(task.revision)?;
        let swapped = self.write(|link| {
            link.execute(
                "UPDATE task SET revision = $1, run = $2, waits = $3, expires = $4, changed_at = $5, document = $6
                 WHERE id = $7 AND revision = $8",
                &[
                    &revision,
                    &task.run.map(|run| uuid(run.as_bytes())),
                    &task.waits,
                    &task.expires,
                    &task.now,
                    &task.document,
                    &uuid(task.id.as_bytes()),
                    &revision.saturating_sub(1),
                ],
            )
        })?;
        Ok(swapped == 1)
    }

    fn task(&self, id: TaskId) -> Result<Option<Vec<u8>>, StoreError> {
        let found =
            self.read(|link| link.first("SELECT document FROM task WHERE id = $1", &[&uuid(id.as_bytes())]))?;
        found.map(|row| column(&row, 0)).transpose()
    }

    fn stray_tasks(&self, before: Millis, most: u32) -> Result<Vec<Stray>, StoreError> {
        let rows = self.read(|link| {
            link.all(
                "SELECT task.id, task.run, payment.state, payment.key, receipt.document
                 FROM task LEFT JOIN payment ON payment.run = task.run LEFT JOIN receipt ON receipt.key = payment.key
                 WHERE task.run IS NOT NULL AND task.changed_at < $1 AND coalesce(payment.changed_at, 0) < $1
                   AND coalesce(payment.state, 'freed') IN ('settled', 'delivered', 'refused', 'freed', 'proven')
                 LIMIT $2",
                &[&before, &i64::from(most)],
            )
        })?;
        rows.iter().map(stray).collect()
    }

    fn expire_tasks(&self, now: Millis, room: Room) -> Result<u64, StoreError> {
        let bytes = signed(room.bytes)?;
        self.write_soon(|link| {
            let expired = link.execute("DELETE FROM task WHERE run IS NULL AND expires <= $1", &[&now])?;
            let trimmed = link.execute(
                "DELETE FROM task WHERE waits AND position IN (SELECT position FROM (
                     SELECT position, row_number() OVER newest AS place, sum(octet_length(document)) OVER newest AS bytes
                     FROM task WHERE waits WINDOW newest AS (ORDER BY expires DESC, position DESC)) AS waiting
                 WHERE place > $1 OR bytes > $2)",
                &[&i64::from(room.tasks), &bytes],
            )?;
            Ok(expired + trimmed)
        })
    }

    fn trim_tasks(&self, caller: &[u8], room: Room) -> Result<u64, StoreError> {
        let bytes = signed(room.bytes)?;
        self.write_soon(|link| {
            link.execute(
                "DELETE FROM task WHERE waits AND position IN (SELECT position FROM (
                     SELECT position, row_number() OVER newest AS place, sum(octet_length(document)) OVER newest AS bytes
                     FROM task WHERE waits AND caller = $1 WINDOW newest AS (ORDER BY expires DESC, position DESC)) AS waiting
                 WHERE place > $2 OR bytes > $3)",
                &[&caller, &i64::from(room.tasks), &bytes],
            )
        })
    }
}

fn insert(link: &mut Link, task: &TaskRow<'_>, caller: &[u8]) -> Result<(), StoreError> {
    link.execute(
        "INSERT INTO task (id, revision, run, waits, caller, expires, changed_at, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &uuid(task.id.as_bytes()),
            &signed(task.revision)?,
            &task.run.map(|run| uuid(run.as_bytes())),
            &task.waits,
            &caller,
            &task.expires,
            &task.now,
            &task.document,
        ],
    )?;
    Ok(())
}

fn stray(row: &Row) -> Result<Stray, StoreError> {
    Ok(Stray {
        task: TaskId::from_bytes(column::<Uuid>(row, 0)?.into_bytes()),
        run: scan_id(row, 1)?,
        fate: columns::fate(column(row, 2)?, column(row, 3)?, column(row, 4)?)?,
    })
}

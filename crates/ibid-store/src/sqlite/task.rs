//! Tasks in SQLite.

use super::{Sqlite, is_taken};
use crate::StoreError;
use crate::columns::{self, signed};
use crate::purchase::Millis;
use crate::task::{Room, Stray, TaskRecords, TaskRow};
use ibid_model::{ScanId, TaskId};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, named_params, params};
use std::sync::LazyLock;

/// New tasks of one statement, where many come at once: to carry out a statement costs half as much as a row.
const TOGETHER: usize = 6;
const ONE_SQL: &str = "
    INSERT OR FAIL INTO task (id, revision, run, waits, caller, expires, changed_at, document)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
static TOGETHER_SQL: LazyLock<String> =
    LazyLock::new(|| ONE_SQL.to_owned() + &", (?, ?, ?, ?, ?, ?, ?, ?)".repeat(TOGETHER - 1));

impl TaskRecords for Sqlite {
    fn open_tasks(&self, tasks: &[(TaskRow<'_>, &[u8])]) -> Result<(), StoreError> {
        // A power cut may take a task along that nobody has paid for; its client asks again.
        self.write_soon(|connection| {
            let full = tasks.chunks_exact(TOGETHER);
            let rest = full.remainder();
            full.map(|tasks| insert(connection, &TOGETHER_SQL, tasks))
                .chain(rest.chunks(1).map(|task| insert(connection, ONE_SQL, task)))
                .collect()
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
        // Counted before anybody has to wait for it.
        let (waiting, most) = self.read(|connection| {
            let (tasks, bytes, first): (i64, i64, Option<Millis>) = connection
                .prepare_cached(
                    "SELECT count(*), coalesce(sum(length(document)), 0), min(expires) FROM task WHERE waits",
                )?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            let over = tasks > i64::from(room.tasks) || bytes > signed(room.bytes)?;
            Ok((first.is_some_and(|first| first <= now), over))
        })?;
        self.forget(|connection| {
            let mut gone = connection
                .prepare_cached("DELETE FROM task WHERE run IS NULL AND NOT waits AND expires <= ?1")?
                .execute(params![now])?;
            if waiting {
                gone += connection
                    .prepare_cached("DELETE FROM task WHERE waits AND expires <= ?1")?
                    .execute(params![now])?;
            }
            if most {
                gone += trim(connection, None, room)?;
            }
            Ok(gone as u64)
        })
    }

    fn trim_tasks(&self, caller: &[u8], room: Room) -> Result<u64, StoreError> {
        self.forget(|connection| Ok(trim(connection, Some(caller), room)? as u64))
    }
}

/// Forgets tasks that wait, of one caller or of all, those first which would expire first.
fn trim(connection: &Connection, caller: Option<&[u8]>, room: Room) -> Result<usize, StoreError> {
    let Some((expires, position)) = first_beyond(connection, caller, room)? else {
        return Ok(0);
    };
    // Where all callers are meant, `caller` says nothing, and the index is read as a whole.
    let mut statement = connection.prepare_cached(match caller {
        Some(_) => {
            "DELETE FROM task WHERE waits AND caller = ?1 AND (expires < ?2 OR (expires = ?2 AND position <= ?3))"
        }
        None => "DELETE FROM task WHERE waits AND ?1 IS NULL AND (expires < ?2 OR (expires = ?2 AND position <= ?3))",
    })?;
    Ok(statement.execute(params![caller, expires, position])?)
}

/// The newest task that there is no room for: when it expires, and where it stands.
fn first_beyond(
    connection: &Connection,
    caller: Option<&[u8]>,
    room: Room,
) -> Result<Option<(Millis, i64)>, StoreError> {
    let mut statement = connection.prepare_cached(match caller {
        Some(_) => {
            "SELECT expires, position, length(document) FROM task WHERE waits AND caller = ?1
             ORDER BY expires DESC, position DESC"
        }
        None => {
            "SELECT expires, position, length(document) FROM task WHERE waits AND ?1 IS NULL
             ORDER BY expires DESC, position DESC"
        }
    })?;
    let most = signed(room.bytes)?;
    let (mut tasks, mut bytes) = (0, 0);
    // Counted here: a window function of SQLite copies every row several times.
    let mut rows = statement.query(params![caller])?;
    while let Some(row) = rows.next()? {
        tasks += 1;
        bytes += row.get::<_, i64>(2)?;
        if tasks > room.tasks || bytes > most {
            return Ok(Some((row.get(0)?, row.get(1)?)));
        }
    }
    Ok(None)
}

/// Writes new tasks with a statement for as many. If it fails, some of them are left to be undone with the transaction:
/// for SQLite to be able to undo the statement alone, it would have to copy every page.
fn insert(connection: &Connection, sql: &str, tasks: &[(TaskRow<'_>, &[u8])]) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut place = 0;
    for (task, caller) in tasks {
        let values: [&dyn ToSql; 8] = [
            task.id.as_bytes(),
            &signed(task.revision)?,
            &task.run.as_ref().map(ScanId::as_bytes),
            &task.waits,
            caller,
            &task.expires,
            &task.now,
            &task.document,
        ];
        for value in values {
            place += 1;
            statement.raw_bind_parameter(place, value)?;
        }
    }
    match statement.raw_execute() {
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

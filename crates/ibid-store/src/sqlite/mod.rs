//! SQLite: one writer, several readers, write-ahead log.

mod accounts;
mod books;
mod migrate;
mod purchase;
mod task;
mod workspace;
mod writer;

use crate::pack::{Packed, unpack};
use crate::{NewScan, ScanRecord, Store, StoreError, columns};
use ibid_model::ScanId;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use writer::{Care, Writer};

/// How long a connection waits for another process's lock.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a reader waits for a free connection. A crowd on a busy machine overtakes some waiters again and again.
const TURN: Duration = Duration::from_secs(30);
/// Readers kept open. More do not help: reads are short.
const READERS: u32 = 8;

/// A store in one SQLite file.
pub struct Sqlite {
    /// The one writing connection of this process; others wait for the lock, not for SQLite's busy handler.
    writer: Mutex<Writer>,
    /// Reading connections; none for a database in memory, whose only connection is the writer.
    readers: Option<r2d2::Pool<Readers>>,
}

impl Sqlite {
    /// Opens or creates the file and brings its schema up to date.
    ///
    /// # Errors
    /// No right to read and write the file or its folder, a damaged file, or a schema of a newer program.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut writer = Connection::open(path)?;
        writer.busy_timeout(PATIENCE)?;
        writer.pragma_update(None, "journal_mode", "wal")?;
        prepare(&writer)?;
        migrate::run(&mut writer)?;
        let readers = r2d2::Pool::builder()
            .max_size(READERS)
            .min_idle(Some(1))
            .connection_timeout(TURN)
            .build(Readers(path.to_owned()))?;
        Ok(Self {
            writer: Mutex::new(Writer::new(writer)),
            readers: Some(readers),
        })
    }

    /// A database that ends with the process: the sandbox of this port.
    ///
    /// # Errors
    /// SQLite cannot allocate it.
    pub fn in_memory() -> Result<Self, StoreError> {
        let mut writer = Connection::open_in_memory()?;
        prepare(&writer)?;
        migrate::run(&mut writer)?;
        Ok(Self {
            writer: Mutex::new(Writer::new(writer)),
            readers: None,
        })
    }

    /// Makes every later write fail, as on a read-only file system. For fault tests.
    ///
    /// # Errors
    /// The fault of the database.
    #[cfg(feature = "conformance")]
    pub fn refuse_writes(&self) -> Result<(), StoreError> {
        Ok(self
            .writer()
            .connection()
            .pragma_update(None, "query_only", true)?)
    }

    /// Makes every later call fail, as with a damaged file. For fault tests.
    ///
    /// # Errors
    /// The fault of the database.
    #[cfg(feature = "conformance")]
    pub fn ruin(&self) -> Result<(), StoreError> {
        let ruin = "PRAGMA foreign_keys = off; DROP TABLE scan; DROP TABLE payment; DROP TABLE account; DROP TABLE schema_version";
        Ok(self.writer().connection().execute_batch(ruin)?)
    }

    /// The writing connection. A panic of another holder rolled its transaction back, so the lock may be taken over.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match &self.readers {
            Some(pool) => work(&*pool.get()?),
            None => work(self.writer().connection()),
        }
    }

    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.writer().transaction(Care::Durable, work)
    }

    /// A write that survives the end of the process, but perhaps not a power cut. It does not wait for the disk; the
    /// next [`Self::write`] takes it along.
    fn write_soon<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.writer().transaction(Care::Soon, work)
    }

    /// As [`Self::write_soon`], to delete what holds no secret.
    fn forget<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.writer().transaction(Care::Forget, work)
    }
}

/// Settings of every connection. `synchronous=FULL`: what was answered must survive a power cut.
fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is erased is overwritten: there are signed payments among it.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Opens reading connections for the pool.
struct Readers(std::path::PathBuf);

impl r2d2::ManageConnection for Readers {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> Result<Connection, rusqlite::Error> {
        let connection = Connection::open(&self.0)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }

    fn is_valid(&self, connection: &mut Connection) -> Result<(), rusqlite::Error> {
        connection.execute_batch("")
    }

    fn has_broken(&self, _connection: &mut Connection) -> bool {
        false
    }
}

impl Store for Sqlite {
    fn put_scan(&self, scan: &NewScan<'_>) -> Result<(), StoreError> {
        self.write(|connection| insert_scan(connection, scan, true))
    }

    fn scan(&self, id: ScanId) -> Result<Option<ScanRecord>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT origin, owner, created_at, sandbox, method, reply FROM scan WHERE id = ?1 AND released",
                )?
                .query_row(params![id.as_bytes()], |row| Ok(read_scan(row)))
                .optional()?
                .transpose()
        })
    }

    fn answers(&self, id: ScanId) -> Result<Option<Vec<u8>>, StoreError> {
        let packed: Option<Option<Vec<u8>>> = self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT answers FROM scan WHERE id = ?1 AND released")?
                .query_row(params![id.as_bytes()], |row| row.get(0))
                .optional()?)
        })?;
        packed.flatten().map(|packed| unpack(&packed)).transpose()
    }

    fn scans_of_other_methods(
        &self,
        method: &str,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<ScanId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM scan WHERE method <> ?1 AND released AND answers IS NOT NULL
                 AND (?2 IS NULL OR id > ?2) ORDER BY id LIMIT ?3",
            )?;
            let after = after.map(|id| *id.as_bytes());
            let ids = statement.query_map(params![method, after, most], |row| row.get::<_, [u8; 16]>(0))?;
            Ok(ids
                .map(|id| id.map(ScanId::from_bytes))
                .collect::<Result<_, _>>()?)
        })
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            Ok(connection.query_row("SELECT count(*) FROM schema_version", [], |_| Ok(()))?)
        })?;
        // An immediate transaction needs the write lock, and so a writable database.
        self.write(|_| Ok(()))
    }
}

/// Writes a scan; one that is not released is found by nobody.
fn insert_scan(connection: &Connection, scan: &NewScan<'_>, released: bool) -> Result<(), StoreError> {
    let (origin, owner) = columns::write_origin(&scan.origin);
    let done = connection
        .prepare_cached(
            "INSERT INTO scan (id, origin, owner, created_at, sandbox, method, reply, answers, released)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            scan.id.as_bytes(),
            origin,
            owner,
            scan.created_at,
            scan.sandbox,
            scan.method,
            scan.reply,
            scan.answers.as_ref().map(Packed::as_bytes),
            released
        ]);
    match done {
        Ok(_) => Ok(()),
        Err(error) if is_taken(&error) => Err(StoreError::Exists),
        Err(error) => Err(error.into()),
    }
}

fn is_taken(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
        && error.sqlite_error().is_some_and(|e| {
            matches!(
                e.extended_code,
                rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY | rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
            )
        })
}

fn read_scan(row: &Row<'_>) -> Result<ScanRecord, StoreError> {
    let (kind, owner): (String, Option<String>) = (row.get(0)?, row.get(1)?);
    Ok(ScanRecord {
        origin: columns::read_origin(&kind, owner).ok_or(StoreError::Damaged("origin"))?,
        created_at: row.get(2)?,
        sandbox: row.get(3)?,
        method: row.get(4)?,
        reply: row.get(5)?,
    })
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sqlite(..)")
    }
}

#[cfg(test)]
mod tests;

//! SQLite: one writer, several readers, write-ahead log.

mod copy;
mod migrate;

use crate::sql::{Backend, Durability, Executor, Lock, Row, Value, Work};
use crate::{Connections, StoreError};
pub(crate) use copy::inspect;
pub use copy::{backup_sqlite, restore_sqlite};
use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, ToSql, ffi, params_from_iter};
use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time a connection waits for the lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Reading connections. Reads are short, so more do not help.
const READERS: u32 = 8;

/// A store in one SQLite file.
pub struct Sqlite {
    /// The one writing connection of this process.
    /// Writers wait for the mutex, not for SQLite's busy handler.
    writer: Mutex<Writer>,
    /// Reading connections; `None` for a database in memory, whose only connection is the writer.
    readers: Option<r2d2::Pool<Readers>>,
}

impl Sqlite {
    /// Opens or creates the file and brings its schema up to date.
    ///
    /// # Errors
    /// No right to read and write the file or its folder, a damaged file, or a schema of a newer program.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        create_private(path);
        let mut writer = Connection::open(path)?;
        writer.busy_timeout(BUSY_TIMEOUT)?;
        writer.pragma_update(None, "journal_mode", "wal")?;
        prepare(&writer)?;
        migrate::run(&mut writer)?;
        let readers = r2d2::Pool::builder()
            .max_size(READERS)
            .min_idle(Some(1))
            .build(Readers(path.to_owned()))?;
        Ok(Self {
            writer: Mutex::new(Writer::new(writer)),
            readers: Some(readers),
        })
    }

    /// Opens a database that ends with the process: the sandbox of this port.
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
    #[cfg(feature = "conformance")]
    pub fn refuse_writes(&self) -> Result<(), StoreError> {
        Ok(self
            .writer()
            .connection()
            .pragma_update(None, "query_only", true)?)
    }

    /// Ends the fault of [`Self::refuse_writes`]. For fault tests.
    #[cfg(feature = "conformance")]
    pub fn accept_writes(&self) -> Result<(), StoreError> {
        Ok(self
            .writer()
            .connection()
            .pragma_update(None, "query_only", false)?)
    }

    /// Makes every later call fail, as with a damaged file. For fault tests.
    #[cfg(feature = "conformance")]
    pub fn ruin(&self) -> Result<(), StoreError> {
        let ruin = "PRAGMA foreign_keys = off; DROP TABLE scan; DROP TABLE readiness; DROP TABLE payment; DROP TABLE account; DROP TABLE migration";
        Ok(self.writer().connection().execute_batch(ruin)?)
    }

    /// Returns the writing connection.
    /// A panic of an earlier holder rolled its transaction back, so a poisoned mutex is taken over.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_connection<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match &self.readers {
            Some(pool) => work(&*pool.get()?),
            None => work(self.writer().connection()),
        }
    }

    /// Runs one durable transaction on the writing connection.
    #[cfg(feature = "postgres")]
    pub(crate) fn write_connection<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.writer().transaction(true, work)
    }
}

impl Backend for Sqlite {
    fn read<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        self.read_connection(|mut connection| work(&mut connection))
    }

    fn snapshot<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        self.read_connection(|connection| {
            let transaction = connection.unchecked_transaction()?;
            let value = work(&mut &*transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    fn write<T: Send>(&self, durability: Durability, work: impl Work<T>) -> Result<T, StoreError> {
        let waits_for_disk = match durability {
            Durability::Disk => true,
            Durability::Process | Durability::Relaxed => false,
        };
        self.writer()
            .transaction(waits_for_disk, |mut connection| work(&mut connection))
    }

    /// Runs the write once: the outcome of a commit in this process is never unknown.
    fn write_idempotent<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        self.write(Durability::Process, work)
    }

    /// Writes the log back into the file and empties it.
    /// A reader that is in the way keeps the rest until the next time.
    fn empty_logs(&self) -> Result<(), StoreError> {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        Ok(self.writer().connection().query_row(sql, [], |_| Ok(()))?)
    }

    fn pool(&self) -> Connections {
        let readers = self.readers.as_ref().map(r2d2::Pool::state);
        let (open, idle) = readers.map_or((0, 0), |state| (state.connections, state.idle_connections));
        // The writing connection is busy while a call holds it.
        let writer_idle = u32::from(self.writer.try_lock().is_ok());
        Connections {
            open: open + 1,
            idle: idle + writer_idle,
        }
    }
}

/// Creates a missing file for its owner alone. SQLite gives the files of its log the same rights.
fn create_private(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // The file may exist. SQLite reports every other fault in its own words when it opens the file.
    let _ = options.open(path);
}

/// Applies the settings of the writing connection.
fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Deleted content is overwritten: signed payments are among it.
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
        connection.busy_timeout(BUSY_TIMEOUT)?;
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

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sqlite(..)")
    }
}

/// Writes for the whole process.
pub(super) struct Writer {
    connection: Connection,
    /// Whether `synchronous` is `full` now.
    /// Setting it costs as much as a small write, so it is set when it changes.
    waits_for_disk: bool,
}

impl Writer {
    /// Takes over a connection whose commits wait for the disk.
    pub(super) const fn new(connection: Connection) -> Self {
        Self {
            connection,
            waits_for_disk: true,
        }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs one transaction, which is undone if `work` fails.
    ///
    /// A commit that does not wait for the disk survives the end of the process.
    /// The next commit that waits for the disk writes it too.
    pub(super) fn transaction<T>(
        &mut self,
        waits_for_disk: bool,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.waits_for_disk != waits_for_disk {
            let level = if waits_for_disk { "full" } else { "normal" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.waits_for_disk = waits_for_disk;
        }
        let open = OpenTransaction::begin(&self.connection)?;
        let value = work(&self.connection)?;
        open.commit()?;
        Ok(value)
    }
}

/// A transaction that is undone unless it is committed.
/// Its statements are kept prepared, which the library's own transactions do not do.
struct OpenTransaction<'c> {
    connection: &'c Connection,
    committed: bool,
}

impl<'c> OpenTransaction<'c> {
    /// Immediate: a transaction that will write takes the lock at once, so it never fails half way as busy.
    fn begin(connection: &'c Connection) -> Result<Self, StoreError> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self {
            connection,
            committed: false,
        })
    }

    fn commit(mut self) -> Result<(), StoreError> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        // After some faults SQLite undoes the transaction by itself.
        if !self.committed && !self.connection.is_autocommit() {
            // If this fails too, the next transaction cannot begin and returns that error.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

impl Executor for &Connection {
    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let mut statement = self.prepare_cached(sql)?;
        let changed = statement.execute(params_from_iter(values)).map_err(unique)?;
        Ok(changed as u64)
    }

    /// Ignores the lock: a writing transaction has the whole file to itself.
    fn for_each(
        &mut self,
        sql: &'static str,
        _lock: Lock,
        values: &[Value<'_>],
        read: &mut dyn FnMut(Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement: CachedStatement<'_> = self.prepare_cached(sql)?;
        let columns: Arc<[String]> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query(params_from_iter(values)).map_err(unique)?;
        while let Some(row) = rows.next().map_err(unique)? {
            let values = (0..columns.len()).map(|at| from_sqlite(row.get(at)?));
            read(Row::new(
                Arc::clone(&columns),
                values.collect::<Result<_, StoreError>>()?,
            ))?;
        }
        Ok(())
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Bool(truth) => ValueRef::Integer((*truth).into()),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Id(id) => ValueRef::Blob(id),
        }))
    }
}

fn from_sqlite(value: Owned) -> Result<Value<'static>, StoreError> {
    match value {
        Owned::Null => Ok(Value::Null),
        Owned::Integer(number) => Ok(Value::Integer(number)),
        Owned::Text(text) => Ok(Value::Text(Cow::Owned(text))),
        Owned::Blob(bytes) => Ok(Value::Bytes(Cow::Owned(bytes))),
        // No table has a column of this type.
        Owned::Real(_) => Err(StoreError::Damaged("column")),
    }
}

/// Gives the violation of a unique key its own error.
fn unique(error: rusqlite::Error) -> StoreError {
    let taken = error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
        && error.sqlite_error().is_some_and(|error| {
            matches!(
                error.extended_code,
                ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE
            )
        });
    if taken { StoreError::Exists } else { error.into() }
}

#[cfg(test)]
mod tests;

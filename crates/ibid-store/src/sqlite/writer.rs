//! The one writing connection, and its transactions.

use crate::StoreError;
use rusqlite::Connection;

/// The writing connection of a process.
pub(super) struct Writer {
    connection: Connection,
    /// Whether its commits wait for the disk. Told to SQLite only when it changes: that costs as much as a small
    /// write.
    durable: bool,
}

impl Writer {
    /// Takes over a connection whose commits wait for the disk.
    pub(super) const fn new(connection: Connection) -> Self {
        Self {
            connection,
            durable: true,
        }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// One transaction: all of `work` or nothing. A `durable` one waits for the disk; another survives the end of
    /// the process, but perhaps not a power cut, and the next durable one takes it along.
    pub(super) fn transaction<T>(
        &mut self,
        durable: bool,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.durable != durable {
            let level = if durable { "full" } else { "normal" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.durable = durable;
        }
        let open = Open::begin(&self.connection)?;
        let value = work(&self.connection)?;
        open.commit()?;
        Ok(value)
    }
}

/// A transaction that is undone unless it is committed. Its statements are kept prepared, which the library's own
/// transactions do not do.
struct Open<'c> {
    connection: &'c Connection,
    committed: bool,
}

impl<'c> Open<'c> {
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

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // Some faults make SQLite undo the transaction by itself.
        if !self.committed && !self.connection.is_autocommit() {
            // If that fails, too, the next transaction cannot begin and says so.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

//! The one writing connection, and its transactions.

use crate::StoreError;
use rusqlite::Connection;

/// The writing connection of a process.
pub(super) struct Writer {
    connection: Connection,
    /// The current value of `synchronous`.
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

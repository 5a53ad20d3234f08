//! The one writing connection, and its transactions.

use crate::StoreError;
use rusqlite::Connection;

/// What a transaction is for, which says how careful it has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// What was answered: it waits for the disk.
    Durable,
    /// What may be lost: it survives the end of the process, but perhaps not a power cut, and the next durable one
    /// takes it along.
    Soon,
    /// As [`Self::Soon`], to delete what holds no secret: pages that become free are not overwritten, which takes
    /// as long as writing them did.
    Forget,
}

/// The writing connection of a process.
pub(super) struct Writer {
    connection: Connection,
    /// What SQLite was told last. Told only when it changes: that costs as much as a small write.
    durable: bool,
    erases: bool,
}

impl Writer {
    /// Takes over a connection whose commits wait for the disk, and which overwrites what it deletes.
    pub(super) const fn new(connection: Connection) -> Self {
        Self {
            connection,
            durable: true,
            erases: true,
        }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// One transaction: all of `work` or nothing.
    pub(super) fn transaction<T>(
        &mut self,
        care: Care,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (durable, erases) = (care == Care::Durable, care != Care::Forget);
        if self.durable != durable {
            let level = if durable { "full" } else { "normal" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.durable = durable;
        }
        if self.erases != erases {
            let level = if erases { "on" } else { "fast" };
            self.connection.pragma_update(None, "secure_delete", level)?;
            self.erases = erases;
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

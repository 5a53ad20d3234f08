//! Every statement, written once for both databases.
//!
//! [`Store`](crate::Store) has its methods here. A [`Backend`] is a database with its transactions, and an [`Executor`] is one connection to it.
//! Statements are plain SQL for both SQLite and PostgreSQL.
//! Placeholders are `?1`, `?2`, ... A parameter that may be NULL comes first in a comparison with a column,
//! which gives PostgreSQL its type (`id > ?2 OR ?2 IS NULL`).
//!
//! Connections, transactions, locks, migrations and error codes differ. They stay in the adapters.

mod accounts;
mod answer_imports;
mod callers;
mod deliveries;
mod destinations;
mod durable_runs;
mod evidence;
mod feeds;
mod found_runs;
mod idempotency;
mod identities;
mod invitations;
mod ledger;
mod own_files;
mod payments;
mod pinned_runs;
mod project_actions;
mod project_archives;
mod project_parts;
mod project_runs;
mod projects;
mod question_sets;
mod report_brands;
mod report_snapshots;
mod runs;
mod scans;
mod schedules;
mod seals;
mod second_factors;
mod sign_ins;
mod tasks;
mod value;
mod webhooks;

#[cfg(all(feature = "sqlite", feature = "postgres"))]
pub(crate) use ledger::read_books;
pub(crate) use value::{Row, Value, values};

use crate::{Connections, Database, Store, StoreError};
use serde::de::DeserializeOwned;

/// A database that runs transactions.
///
/// `work` may be called more than once: PostgreSQL repeats a transaction that lost against another one.
pub(crate) trait Backend: Send + Sync + 'static {
    /// Runs queries. Each sees what was committed before it began.
    fn read<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError>;

    /// Runs queries that all see the same moment.
    fn snapshot<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError>;

    /// Runs `work` in one read-write transaction, which is undone if `work` fails.
    fn write<T: Send>(&self, durability: Durability, work: impl Work<T>) -> Result<T, StoreError>;

    /// Empties logs of changes that may still hold erased data.
    fn empty_logs(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Runs a write that has the same effect when it is repeated.
    /// It is repeated once if the outcome of its commit is unknown.
    fn write_idempotent<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError>;

    fn pool(&self) -> Connections;

    /// Runs one query, as [`Query::list`] does in a transaction.
    fn list<T: DeserializeOwned + Send>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<T>, StoreError> {
        self.read(|db| db.list(sql, values))
    }

    /// Runs one query, as [`Query::one`] does in a transaction.
    fn one<T: DeserializeOwned + Send>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<T>, StoreError> {
        self.read(|db| db.one(sql, values))
    }

    /// Runs one query, as [`Query::only`] does in a transaction.
    fn only<T: DeserializeOwned + Send>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<T, StoreError> {
        self.read(|db| db.only(sql, values))
    }

    /// Runs one query, as [`Executor::rows`] does in a transaction.
    fn rows(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        self.read(|db| db.rows(sql, values))
    }

    /// Runs one query, as [`Executor::first`] does in a transaction.
    fn first(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        self.read(|db| db.first(sql, values))
    }

    /// Runs one query, as [`Executor::has`] does in a transaction.
    fn has(&self, sql: &'static str, values: &[Value<'_>]) -> Result<bool, StoreError> {
        self.read(|db| db.has(sql, values))
    }

    /// Runs one statement in a transaction, and returns how many rows it changed.
    fn execute(
        &self,
        durability: Durability,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        self.write(durability, |db| db.execute(sql, values))
    }
}

/// Calls a method of the database that a store has.
macro_rules! of_database {
    ($store:ident . $method:ident ( $($argument:expr),* )) => {
        match &$store.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(sqlite) => sqlite.$method($($argument),*),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.$method($($argument),*),
        }
    };
}

impl Backend for Store {
    fn read<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        of_database!(self.read(work))
    }

    fn snapshot<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        of_database!(self.snapshot(work))
    }

    fn write<T: Send>(&self, durability: Durability, work: impl Work<T>) -> Result<T, StoreError> {
        of_database!(self.write(durability, work))
    }

    fn empty_logs(&self) -> Result<(), StoreError> {
        of_database!(self.empty_logs())
    }

    fn write_idempotent<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        of_database!(self.write_idempotent(work))
    }

    fn pool(&self) -> Connections {
        of_database!(self.pool())
    }
}

/// What runs in one transaction.
pub(crate) trait Work<T>: Fn(&mut dyn Executor) -> Result<T, StoreError> + Sync {}

impl<T, F: Fn(&mut dyn Executor) -> Result<T, StoreError> + Sync> Work<T> for F {}

/// The events that a committed write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// A power cut on the machine of the database. The commit waits for the disk.
    Disk,
    /// Every event that this process survives.
    /// SQLite runs inside the process and need not wait for the disk;
    /// a PostgreSQL server can crash alone, so its commit waits.
    Process,
    /// This process ends.
    /// The write may be lost with the machine of the database: it is repeated, or its loss does no harm.
    Relaxed,
}

/// The lock that a query takes on the rows it returns, until its transaction ends.
///
/// SQLite has one writer at a time and needs no row locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lock {
    None,
    /// Waits for other transactions, then keeps them from changing the row.
    Row,
    /// As [`Lock::Row`], without the rows that another transaction has locked.
    SkipLocked,
}

/// A connection inside a transaction or a read.
pub(crate) trait Executor {
    /// Runs a statement and returns the number of rows it changed.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when a unique key is taken; otherwise the fault of the database.
    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64, StoreError>;

    /// Runs a query and passes its rows to `read`, one at a time.
    ///
    /// # Errors
    /// As [`Self::execute`], or the error of `read`.
    fn for_each(
        &mut self,
        sql: &'static str,
        lock: Lock,
        values: &[Value<'_>],
        read: &mut dyn FnMut(Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    fn rows(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        self.locked_rows(sql, Lock::None, values)
    }

    fn locked_rows(
        &mut self,
        sql: &'static str,
        lock: Lock,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        self.for_each(sql, lock, values, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Returns the first row of a query, if it has one.
    fn first(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// Whether a query has a row.
    fn has(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<bool, StoreError> {
        Ok(!self.rows(sql, values)?.is_empty())
    }

    /// Locks the rows of a query, and returns whether there is one.
    fn lock(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<bool, StoreError> {
        Ok(!self.locked_rows(sql, Lock::Row, values)?.is_empty())
    }

    /// Runs a statement whose number of changed rows says nothing.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), StoreError> {
        self.execute(sql, values).map(drop)
    }
}

/// Queries whose rows are read as [`Row::read`] does.
pub(crate) trait Query: Executor {
    fn list<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<T>, StoreError> {
        self.locked(sql, Lock::None, values)
    }

    /// Locks the rows that it returns.
    fn locked<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        lock: Lock,
        values: &[Value<'_>],
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.locked_rows(sql, lock, values)?;
        rows.into_iter().map(Row::read).collect()
    }

    /// Returns the first row of a query, if it has one.
    fn one<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<T>, StoreError> {
        self.first(sql, values)?.map(Row::read).transpose()
    }

    /// As [`Self::one`], and locks the row.
    fn locked_one<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<T>, StoreError> {
        let rows = self.locked_rows(sql, Lock::Row, values)?;
        rows.into_iter().next().map(Row::read).transpose()
    }

    /// Returns the row of a query that always has one.
    ///
    /// # Errors
    /// As [`Executor::execute`], or [`StoreError::Damaged`] without a row.
    fn only<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<T, StoreError> {
        self.one(sql, values)?.ok_or(StoreError::Damaged("row"))
    }
}

impl<E: Executor + ?Sized> Query for E {}

/// Notes a change of no project in an organisation, for tests of bounds.
#[cfg(test)]
pub(crate) fn note_of_any(
    store: &Store,
    organisation: ibid_model::OrganisationId,
    actor: &str,
    change: crate::ProjectChange<'_>,
) -> Result<(), StoreError> {
    store.write(Durability::Process, |db| {
        projects::note(db, organisation, None, actor, change)
    })
}

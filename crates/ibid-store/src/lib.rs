#![doc = include_str!("../README.md")]
//!
//! Port of ibid: keep and find.
//!
//! [`Store`] is the port, synchronous on purpose: its drivers block, and one [`Db`] moves every call off the
//! async threads. [`Sqlite`] is the adapter for one machine; [`Sqlite::in_memory`] is the sandbox beside it;
//! [`Postgres`] is the adapter for several processes on several machines.
//! Feature `conformance` has the one suite that every adapter must pass.
//!
//! In the walk of a scan this crate writes once, at the end. In the walk of a payment every step is a write, and
//! [`PaymentState`] says which steps there are. Tasks are documents that change by compare and swap. It refuses to know what a result means, and no provider key or
//! bearer key appears in any of its signatures. What a settlement needs is kept as bytes that it does not read, and
//! erased when it is of no use.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod columns;
#[cfg(feature = "conformance")]
pub mod conformance;
mod db;
mod error;
mod pack;
#[cfg(feature = "postgres")]
mod postgres;
mod purchase;
mod record;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod task;
mod url;
mod workspace;

#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use self::postgres::copy;
#[cfg(feature = "postgres")]
pub use self::postgres::{Postgres, PostgresFault};
pub use db::Db;
pub use error::StoreError;
pub use pack::Packed;
pub use purchase::{
    Account, Admittance, Books, Entry, Expired, Lease, Millis, PaymentState, Purchases, Receipts, Settled,
    Sight, Sold, Step, Unsettled, Visit, Visited,
};
pub use record::{NewScan, Origin, ScanRecord};
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;
pub use task::{Fate, Room, Stray, TaskRecords, TaskRow};
pub use url::{PostgresUrl, StoreUrl, StoreUrlError};
pub use workspace::{
    AccountAction, AccountRecord, Accounts, EndedRun, FinishedRun, FoundRuns, LogEntry, Movement,
    MovementKind, NewAccount, NewRun, NewSession, RunEnd, RunQuery, RunRecord, RunState, RunSummary,
    SessionRecord, TagRecord, Workspace,
};

use ibid_model::ScanId;
use std::sync::Arc;

/// Keeps and finds. Every method is one transaction.
pub trait Store: Purchases + TaskRecords + Accounts + Workspace {
    /// Keeps a finished scan, visible at once and whole.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database, and nothing is kept.
    fn put_scan(&self, scan: &NewScan<'_>) -> Result<(), StoreError>;

    /// The scan with this id, whatever its origin.
    ///
    /// # Errors
    /// The fault of the database.
    fn scan(&self, id: ScanId) -> Result<Option<ScanRecord>, StoreError>;

    /// The evidence of a scan, uncompressed; `None` when the scan is unknown or its evidence was not kept.
    ///
    /// # Errors
    /// The fault of the database, or evidence that cannot be read back.
    fn answers(&self, id: ScanId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Scans with answers that another version of the method has scored, ids ascending, at most `most`, beyond
    /// `after`.
    ///
    /// # Errors
    /// The fault of the database.
    fn scans_of_other_methods(
        &self,
        method: &str,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<ScanId>, StoreError>;

    /// Checks that the store can be read and written.
    ///
    /// # Errors
    /// The fault of the database.
    fn ping(&self) -> Result<(), StoreError>;
}

/// Opens the store that the address names and brings its schema up to date.
///
/// Blocks. Call it in a synchronous `main`, before the runtime exists, and drop the last handle after it.
///
/// # Errors
/// No such database, no right to write it, a schema of a newer program, or an adapter that is not compiled in.
pub fn open(url: &StoreUrl) -> Result<Arc<dyn Store>, StoreError> {
    match url {
        #[cfg(feature = "sqlite")]
        StoreUrl::Sqlite(path) => Ok(Arc::new(Sqlite::open(path)?)),
        #[cfg(feature = "sqlite")]
        StoreUrl::Memory => Ok(Arc::new(Sqlite::in_memory()?)),
        #[cfg(not(feature = "sqlite"))]
        StoreUrl::Sqlite(_) | StoreUrl::Memory => Err(StoreError::NotCompiledIn("sqlite")),
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(url) => Ok(Arc::new(Postgres::open(url)?)),
        #[cfg(not(feature = "postgres"))]
        StoreUrl::Postgres(_) => Err(StoreError::NotCompiledIn("postgres")),
    }
}

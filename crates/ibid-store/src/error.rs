//! What can go wrong while keeping and finding.

/// What can go wrong while keeping and finding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The id is taken.
    #[error("a record with this id exists")]
    Exists,
    /// Somebody else has taken the payment or the scan over, or it does not stand where it should.
    #[error("the record is in other hands")]
    Lost,
    /// The account has no credit for it.
    #[error("the account has too few credits")]
    NoCredit,
    /// The database is newer than this program.
    #[error("the database has schema {found}, this program knows {known}")]
    NewerSchema {
        /// Schema of the database.
        found: i64,
        /// Newest schema this program knows.
        known: i64,
    },
    /// A record that cannot be read back.
    #[error("a stored {0} is damaged")]
    Damaged(&'static str),
    /// The adapter is not compiled in.
    #[error("support for {0} is not compiled in")]
    NotCompiledIn(&'static str),
    /// The blocking task ended early, at shutdown.
    #[error("the store is shutting down")]
    Closed,
    /// Compressing or decompressing evidence failed.
    #[error("evidence cannot be packed or unpacked")]
    Packing(#[source] std::io::Error),
    /// The database refused.
    #[cfg(feature = "sqlite")]
    #[error("the database refused")]
    Sqlite(#[from] rusqlite::Error),
    /// The database refused, or could not be reached.
    #[cfg(feature = "postgres")]
    #[error("the database refused")]
    Postgres(#[from] crate::PostgresFault),
    /// No connection was free in time.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    #[error("no database connection was free in time")]
    Pool(#[from] r2d2::Error),
}

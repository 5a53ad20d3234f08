//! Errors of a store.

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The id is taken.
    #[error("a record with this id exists")]
    Exists,
    /// Another process has taken over the payment or the scan, or its state does not allow the change.
    #[error("another process has taken over the payment or scan, or its state has changed")]
    Lost,
    /// The account has too few credits.
    #[error("the account has too few credits")]
    NoCredit,
    /// The account is the only admin who can sign in.
    #[error("the account is the last admin: make another one first")]
    LastAdmin,
    /// The scan would exceed the budget of its account.
    #[error("the budget of the account has {left} millionths of a dollar left this month")]
    OverBudget {
        /// What the month has left, in millionths of a dollar.
        left: u64,
    },
    /// A build from before the first release created the database. Its schema is not supported.
    #[error(
        "the database was created by a development build from before the first release and cannot be opened: \
         configure a new database"
    )]
    DevelopmentSchema,
    /// A program from before version 0.1.0 made the schema, and only version 0.1.0 brings it forward.
    #[error(
        "the database has schema version {found}, and this program supports versions from {oldest}: start ibid-server \
         0.1.0 (commit 69d211a) on it once, then this program"
    )]
    OlderSchema {
        found: i64,
        /// The oldest schema version that this program supports.
        oldest: i64,
    },
    /// A newer program has migrated the database.
    #[error(
        "the database has schema version {found}, and this program supports versions up to {known}: use a newer program"
    )]
    NewerSchema {
        found: i64,
        /// The newest schema version that this program supports.
        known: i64,
    },
    /// A database with tables of another program.
    #[error("the file is a database of another program: name one of ibid")]
    Foreign,
    /// Another process has the database open.
    #[error("another process has the database open: stop the server first")]
    InUse,
    /// A file of the database cannot be read or written.
    #[error("a file of the database cannot be read or written")]
    File(#[from] std::io::Error),
    /// A record that cannot be read back.
    #[error("a stored {0} cannot be read: restore the database from a backup")]
    Damaged(&'static str),
    /// As many were made as there may be in a day.
    #[error("there were too many {0} today")]
    DailyBound(&'static str),
    /// The system has no random bytes.
    #[error("the system has no random bytes")]
    NoEntropy,
    /// The adapter is not compiled in.
    #[error("support for {0} is not compiled in")]
    NotCompiledIn(&'static str),
    /// The blocking task ended early, at shutdown.
    #[error("the store is shutting down")]
    Closed,
    /// Compressing or decompressing evidence failed.
    #[error("evidence cannot be compressed or decompressed")]
    Packing(#[source] std::io::Error),
    #[cfg(feature = "sqlite")]
    #[error("the database returned an error")]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL returned an error, or could not be reached.
    #[cfg(feature = "postgres")]
    #[error("the database returned an error")]
    Postgres(#[from] crate::fault::PostgresFault),
    /// No connection was free in time.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    #[error("no database connection was free in time")]
    Pool(#[from] r2d2::Error),
}

impl StoreError {
    /// Whether the database cannot be reached or takes no writes now: its disk is full, it is away,
    /// or every connection is busy.
    /// The same call may succeed later.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Closed => true,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(error) => {
                use rusqlite::ErrorCode as C;
                matches!(
                    error.sqlite_error_code(),
                    Some(C::DiskFull | C::ReadOnly | C::DatabaseBusy | C::SystemIoFailure)
                )
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(fault) => fault.is_unavailable(),
            #[cfg(any(feature = "sqlite", feature = "postgres"))]
            Self::Pool(_) => true,
            _ => false,
        }
    }

    /// Whether the database failed, as opposed to a refusal that the caller asked for.
    pub const fn is_fault(&self) -> bool {
        !matches!(
            self,
            Self::Exists
                | Self::Lost
                | Self::NoCredit
                | Self::LastAdmin
                | Self::OverBudget { .. }
                | Self::DailyBound(_)
        )
    }
}

//! A look at a database that neither creates nor changes it.

use crate::{Millis, StoreError, StoreUrl};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inspection {
    /// There is no file. The server creates it at its start.
    Missing,
    Found {
        /// Its schema, such as 47; 0 for an empty database.
        /// The server migrates an older one at its start.
        version: i64,
        /// The newest version that this program supports.
        known: i64,
        /// What the clock at the database server shows; `None` for a file.
        now: Option<Millis>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRestored {
    /// Size in bytes.
    pub bytes: u64,
    /// Where the replaced file is now, such as `ibid.db.before-restore-1764412800000`; `None` if there was no file.
    pub replaced: Option<PathBuf>,
}

/// Checks the database that the address names, without creating or changing it.
///
/// # Errors
/// The database cannot be reached, is damaged, cannot be written, or has a schema that this program does not support.
pub fn inspect(url: &StoreUrl) -> Result<Inspection, StoreError> {
    match url {
        #[cfg(feature = "sqlite")]
        StoreUrl::Sqlite(path) => crate::sqlite::inspect(path),
        #[cfg(not(feature = "sqlite"))]
        StoreUrl::Sqlite(_) => Err(StoreError::NotCompiledIn("sqlite")),
        StoreUrl::Memory => Ok(Inspection::Missing),
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(url) => crate::Postgres::inspect(url),
        #[cfg(not(feature = "postgres"))]
        StoreUrl::Postgres(_) => Err(StoreError::NotCompiledIn("postgres")),
    }
}

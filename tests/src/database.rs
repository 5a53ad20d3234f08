//! The databases of test servers: SQLite, or PostgreSQL where `IBID_TEST_POSTGRES` names a server (`.ci/with-postgres`
//! starts one).

use ibid_store::conformance::postgres::{self, VARIABLE, empty_schema};
use ibid_store::{Store, StoreUrl};
use std::sync::Arc;
use tempfile::TempDir;

/// A database that outlives the processes on it, new and empty.
pub struct Database {
    /// The folder of a SQLite file; nothing is in it if the database is somewhere else.
    folder: TempDir,
    url: String,
}

impl Database {
    /// One of the kind that this run of the tests is about.
    #[must_use]
    pub fn fresh() -> Self {
        if is_postgres() {
            Self::postgres()
        } else {
            Self::file()
        }
    }

    /// A SQLite file.
    #[must_use]
    pub fn file() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("ibid.db").display());
        Self { folder, url }
    }

    /// One in PostgreSQL.
    ///
    /// # Panics
    /// `IBID_TEST_POSTGRES` names no server.
    #[must_use]
    pub fn postgres() -> Self {
        Self {
            url: empty_schema().expect("IBID_TEST_POSTGRES names a server"),
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// The value of `DATABASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether a text is in any row of it; of a file, also in what is left of rows and in the log of its changes.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        if !self.url.starts_with("sqlite:") {
            return postgres::holds(&self.url, text);
        }
        let files = std::fs::read_dir(self.folder.path()).expect("a folder");
        files.into_iter().any(|file| {
            // A log that goes away in between holds nothing.
            let bytes = std::fs::read(file.expect("a file").path()).unwrap_or_default();
            bytes.windows(text.len()).any(|part| part == text.as_bytes())
        })
    }

    /// Opens it, as every process does for itself.
    #[must_use]
    pub fn open(&self) -> Arc<Store> {
        open(&self.url)
    }
}

/// A store that is deleted with the test.
#[must_use]
pub fn passing() -> Arc<Store> {
    if is_postgres() {
        open(&empty_schema().expect("PostgreSQL is there"))
    } else {
        Arc::new(Store::in_memory().expect("a database in memory"))
    }
}

fn is_postgres() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

fn open(url: &str) -> Arc<Store> {
    let url: StoreUrl = url.parse().expect("an address");
    Arc::new(Store::open(&url).expect("the database opens"))
}

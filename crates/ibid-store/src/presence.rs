//! Detects whether another process serves the same SQLite file.

use crate::{Store, StoreError, StoreUrl};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Says that a process serves, for as long as it is kept.
/// It ends with the process, however that ends.
#[derive(Debug)]
pub struct Presence {
    _file: Option<File>,
    freed: u64,
}

impl Presence {
    /// Announces that this process serves a database.
    /// If no other process serves the SQLite file, ends the leases of earlier processes.
    /// Call it before this process claims steps.
    ///
    /// Every serving process has a shared lock on a file next to the database.
    /// A process that gets an exclusive lock on it for a moment is the only one.
    /// Other databases have no such file: leases there end by time.
    ///
    /// # Errors
    /// The file cannot be made or locked, or the fault of the database.
    pub fn announce(url: &StoreUrl, store: &Store) -> Result<Self, StoreError> {
        let StoreUrl::Sqlite(path) = url else {
            return Ok(Self {
                _file: None,
                freed: 0,
            });
        };
        let file = open(path)?;
        let freed = match file.try_lock() {
            Ok(()) => {
                let freed = store.free_steps()?;
                file.unlock()?;
                freed
            }
            Err(TryLockError::WouldBlock) => 0,
            Err(TryLockError::Error(error)) => return Err(error.into()),
        };
        // A process that starts at this moment finds no step of this one.
        file.lock_shared()?;
        Ok(Self {
            _file: Some(file),
            freed,
        })
    }

    /// Returns how many leases this process ended.
    pub const fn freed(&self) -> u64 {
        self.freed
    }
}

/// Opens the file that serving processes lock. It stays empty.
fn open(database: &Path) -> std::io::Result<File> {
    let mut name = OsString::from(database);
    name.push("-serving");
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(name)
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::{NewDurableRun, RunSubject, StepRoom, WorkerId};
    use ibid_model::ScanId;

    #[test]
    fn only_a_process_that_is_alone_ends_leases() {
        let folder = std::env::temp_dir().join(ScanId::random().to_string());
        std::fs::create_dir(&folder).unwrap();
        let url: StoreUrl = format!("sqlite:{}", folder.join("a.db").display())
            .parse()
            .unwrap();
        let store = Store::open(&url).unwrap();
        let id = ScanId::random();
        let run = NewDurableRun {
            id,
            tenant: "api",
            priority: 3,
            document: b"{}",
            plan: None,
            calls: 1,
            created_at: 1,
            secret: None,
            subject: &RunSubject::default(),
        };
        store.open_run(&run).unwrap();
        store.start_run(id).unwrap();
        let claim = || {
            store
                .claim_steps(WorkerId::random(), i64::MAX, 2, StepRoom::of_any(1))
                .unwrap()
                .pop()
        };
        let freed = || Presence::announce(&url, &store).unwrap();
        let first = freed();
        assert!(claim().is_some());
        let second = freed();
        // The first process works on.
        assert_eq!((first.freed(), second.freed()), (0, 0));
        assert!(claim().is_none());
        drop(first);
        assert_eq!(freed().freed(), 0);
        drop(second);
        assert_eq!(freed().freed(), 1);
        assert!(claim().is_some());
        drop(store);
        std::fs::remove_dir_all(folder).unwrap();
    }
}

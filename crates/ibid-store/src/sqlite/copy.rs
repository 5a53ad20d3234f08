//! Copies of a SQLite file: backup, restore, and a read-only check.

use super::{BUSY_TIMEOUT, migrate};
use crate::migrations::{SQLITE, latest};
use crate::{FileRestored, Inspection, Millis, StoreError};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What SQLite appends to a database's name for the files that it keeps next to it.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Writes a complete copy of the SQLite file at `from` to the new file `to`, also while servers use it.
/// Returns the size of the copy in bytes.
///
/// # Errors
/// `from` is no intact database of this program, `to` exists, or a file cannot be read or written.
pub fn backup_sqlite(from: &Path, to: &Path) -> Result<u64, StoreError> {
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    source.busy_timeout(BUSY_TIMEOUT)?;
    version(&source)?;
    copy(&source, to)
}

/// Replaces the database `to` with a copy of the backup `from`.
/// The replaced files stay in the same directory under a new name.
///
/// # Errors
/// `from` is no intact database of this program, a server uses `to`, or a file cannot be read or written.
pub fn restore_sqlite(from: &Path, to: &Path, now: Millis) -> Result<FileRestored, StoreError> {
    let backup = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    intact(&backup)?;
    // The lock is held until the files have changed places.
    let _lock = lock(to)?;
    let prepared = with_suffix(to, ".restoring");
    remove(&prepared)?;
    let bytes = copy(&backup, &prepared)?;
    let suffix = format!(".before-restore-{now}");
    for beside in BESIDE {
        set_aside(&with_suffix(to, beside), &suffix)?;
    }
    let replaced = set_aside(to, &suffix)?;
    fs::rename(&prepared, to)?;
    sync_folder(to)?;
    Ok(FileRestored { bytes, replaced })
}

/// Checks the file without changing it.
///
/// # Errors
/// The file is damaged, cannot be written, or has a schema that this program does not support.
pub(crate) fn inspect(path: &Path) -> Result<Inspection, StoreError> {
    if !path.try_exists()? {
        return Ok(Inspection::Missing);
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    intact(&connection)?;
    // Taking the write lock shows that the file can be written.
    connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?;
    Ok(Inspection::Found {
        version: version(&connection)?,
        known: latest(&SQLITE),
        now: None,
    })
}

/// Returns the version of the schema, 0 for an empty database.
fn version(connection: &Connection) -> Result<i64, StoreError> {
    let found = migrate::version(connection)?;
    let any = "SELECT EXISTS (SELECT 1 FROM sqlite_schema)";
    if found == 0 && connection.query_row(any, [], |row| row.get(0))? {
        return Err(StoreError::Foreign);
    }
    Ok(found)
}

/// Checks every page of a database and its schema.
fn intact(connection: &Connection) -> Result<(), StoreError> {
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(StoreError::Damaged("database"));
    }
    version(connection).map(drop)
}

/// Copies a database to a new file that only its owner can read, and checks the copy.
fn copy(source: &Connection, to: &Path) -> Result<u64, StoreError> {
    let name = to.to_str().ok_or_else(|| {
        let why = "the name of the copy is not UTF-8";
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(to)?;
    let copied = (|| {
        // SQLite accepts an existing file that is empty.
        source.execute("VACUUM INTO ?1", [name])?;
        intact(&Connection::open_with_flags(
            to,
            OpenFlags::SQLITE_OPEN_READ_ONLY,
        )?)?;
        file.sync_all()?;
        sync_folder(to)?;
        Ok(file.metadata()?.len())
    })();
    if copied.is_err() {
        // The first fault is reported. A file that cannot be removed is not worth a second one.
        let _ = fs::remove_file(to);
    }
    copied
}

/// Takes the only lock of a database and empties its log.
/// `None` where there is no database that could be locked.
fn lock(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !path.try_exists()? {
        return Ok(None);
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Leaving the write-ahead log is refused as long as another connection is open.
    let locked = connection
        .query_row("PRAGMA journal_mode = delete", [], |row| row.get::<_, String>(0))
        .and_then(|_| connection.execute_batch("BEGIN EXCLUSIVE"));
    match locked {
        Ok(()) => Ok(Some(connection)),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Err(StoreError::InUse),
            // A damaged file is a reason to restore.
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Ok(None),
            _ => Err(error.into()),
        },
    }
}

/// Renames a file. Returns its new name, or `None` where there was no file.
fn set_aside(path: &Path, suffix: &str) -> io::Result<Option<PathBuf>> {
    let aside = with_suffix(path, suffix);
    match fs::rename(path, &aside) {
        Ok(()) => Ok(Some(aside)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until the disk has the names in the folder of a file.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if cfg!(unix) {
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyName, Store, StoreUrl};
    use std::thread;
    use std::time::Instant;

    /// Adds a named key, which is the smallest row to recognise.
    fn mark(store: &Store, name: &str) {
        let hash = [name.as_bytes()[0]; 32];
        let name: KeyName = name.parse().unwrap();
        store.add_service_key(&name, &hash, 1).unwrap();
    }

    fn marks(path: &Path) -> Vec<String> {
        let store = Store::in_file(path).unwrap();
        let keys = store.service_keys().unwrap();
        keys.iter().map(|key| key.name.to_string()).collect()
    }

    #[test]
    fn a_backup_of_a_database_in_use_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (database, backup) = (folder.path().join("ibid.db"), folder.path().join("copy.db"));
        let store = Store::in_file(&database).unwrap();
        mark(&store, "first");
        assert!(backup_sqlite(&database, &backup).unwrap() > 0);
        assert!(matches!(
            backup_sqlite(&database, &backup),
            Err(StoreError::File(error)) if error.kind() == io::ErrorKind::AlreadyExists
        ));
        mark(&store, "second");
        // The running store keeps its file.
        assert!(matches!(
            restore_sqlite(&backup, &database, 7),
            Err(StoreError::InUse)
        ));
        assert_eq!(store.service_keys().unwrap().len(), 2);
        assert!(store.accounts().unwrap().is_empty() && store.ping(7).is_ok());
        drop(store);
        // A connection that the pool was opening in the background closes a moment after the store.
        let patience = Instant::now() + BUSY_TIMEOUT;
        let restored = loop {
            match restore_sqlite(&backup, &database, 7) {
                Err(StoreError::InUse) if Instant::now() < patience => thread::yield_now(),
                done => break done.unwrap(),
            }
        };
        assert_eq!(marks(&database), ["first"]);
        assert_eq!(marks(&restored.replaced.unwrap()), ["first", "second"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&database).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_damaged_database_is_replaced_and_a_damaged_backup_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (database, backup) = (folder.path().join("ibid.db"), folder.path().join("copy.db"));
        mark(&Store::in_file(&database).unwrap(), "first");
        backup_sqlite(&database, &backup).unwrap();
        fs::write(&database, vec![7; 8192]).unwrap();
        assert!(inspect(&database).is_err());
        restore_sqlite(&backup, &database, 7).unwrap();
        assert_eq!(marks(&database), ["first"]);
        let other = Connection::open(folder.path().join("other.db")).unwrap();
        other.execute_batch("CREATE TABLE things (name TEXT)").unwrap();
        assert!(matches!(
            restore_sqlite(&folder.path().join("other.db"), &database, 8),
            Err(StoreError::Foreign)
        ));
        let bytes = fs::read(&backup).unwrap();
        fs::write(&backup, &bytes[..bytes.len() / 2]).unwrap();
        assert!(restore_sqlite(&backup, &database, 8).is_err());
        assert_eq!(marks(&database), ["first"]);
    }

    #[test]
    fn an_inspection_creates_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("ibid.db");
        let url = StoreUrl::Sqlite(database.clone());
        assert_eq!(crate::inspect(&url).unwrap(), Inspection::Missing);
        assert!(!database.exists());
        drop(Store::in_file(&database).unwrap());
        let found = Inspection::Found {
            version: latest(&SQLITE),
            known: latest(&SQLITE),
            now: None,
        };
        assert_eq!(crate::inspect(&url).unwrap(), found);
    }
}

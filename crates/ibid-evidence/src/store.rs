//! Objects in a directory or a bucket.

use crate::EvidenceAddress;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use ibid_model::ScanId;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error as ObjectError, ObjectStore, ObjectStoreExt as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

/// The longest time for one call with all its attempts.
const LIMIT: Duration = Duration::from_secs(30);
/// Size limit for a document, in bytes.
///
/// Evidence of a large scan has a few hundred kilobytes.
const MOST_BYTES: u64 = 64 << 20;

/// Documents of evidence outside the database, one for each scan.
///
/// Cheap to clone.
#[derive(Clone)]
pub struct EvidenceStore {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Where the objects are; `None` for a bucket.
    directory: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// The directory does not exist.
    ///
    /// It is not created, because it may be an unmounted volume.
    #[error("the directory {} does not exist: create it, or mount it", .0.display())]
    NoDirectory(PathBuf),
    /// The adapter is not compiled in.
    #[error("this program was built without its feature `object-store`, which {0} needs")]
    NotCompiledIn(EvidenceAddress),
    /// The store cannot be used as it is configured.
    #[error("the evidence store cannot be configured")]
    Configuration(#[source] ObjectError),
    /// The store gave no answer in time.
    #[error("the evidence store gave no answer within {} seconds", LIMIT.as_secs())]
    TimedOut,
    /// A document of this many bytes, which is too large.
    #[error("the evidence has {0} bytes, and an evidence store takes at most {MOST_BYTES}")]
    TooLarge(u64),
    #[error("a call of the evidence store failed")]
    Failed(#[source] ObjectError),
}

impl EvidenceStore {
    /// Opens the store at an address.
    /// No call is made.
    ///
    /// # Errors
    /// The directory does not exist, the bucket cannot be configured, or the adapter is not compiled in.
    pub fn open(address: &EvidenceAddress) -> Result<Self, EvidenceError> {
        match address {
            EvidenceAddress::Directory(path) => {
                if !path.is_dir() {
                    return Err(EvidenceError::NoDirectory(path.clone()));
                }
                let directory = LocalFileSystem::new_with_prefix(path)
                    .map_err(EvidenceError::Configuration)?
                    // The database forgets its copy afterwards.
                    .with_fsync(true);
                Ok(Self {
                    directory: Some(path.clone()),
                    ..Self::over(Arc::new(directory), Path::default())
                })
            }
            #[cfg(feature = "s3")]
            EvidenceAddress::S3 { bucket, prefix } => {
                let prefix =
                    Path::parse(prefix).map_err(|error| EvidenceError::Configuration(error.into()))?;
                Ok(Self::over(crate::s3::open(bucket)?, prefix))
            }
            #[cfg(not(feature = "s3"))]
            EvidenceAddress::S3 { .. } => Err(EvidenceError::NotCompiledIn(address.clone())),
        }
    }

    /// Makes a store that ends with the process: the sandbox of this crate.
    pub fn in_memory() -> Self {
        Self::over(Arc::new(InMemory::new()), Path::default())
    }

    fn over(objects: Arc<dyn ObjectStore>, prefix: Path) -> Self {
        Self {
            objects,
            prefix,
            directory: None,
        }
    }

    /// Stores the document of a scan.
    ///
    /// Replaces an existing document and deletes the files of an interrupted call.
    ///
    /// # Errors
    /// [`EvidenceError::TooLarge`], [`EvidenceError::TimedOut`], [`EvidenceError::Failed`].
    /// The document may be stored or not.
    pub async fn put(&self, scan: ScanId, document: Bytes) -> Result<(), EvidenceError> {
        let bytes = document.len() as u64;
        if bytes > MOST_BYTES {
            return Err(EvidenceError::TooLarge(bytes));
        }
        let path = self.path(scan);
        if let Some(directory) = self.directory.clone() {
            within(on_disk(directory, path.clone(), make_private_folder)).await?;
        }
        within(self.objects.put(&path, document.into())).await?;
        if let Some(directory) = self.directory.clone() {
            within(on_disk(directory, path.clone(), make_private)).await?;
        }
        self.delete_unfinished(path).await
    }

    /// Reads the document of a scan.
    /// Returns `None` if the store has no document for it.
    pub async fn get(&self, scan: ScanId) -> Result<Option<Bytes>, EvidenceError> {
        let path = self.path(scan);
        let read = within(async {
            let found = self.objects.get(&path).await?;
            match found.meta.size {
                bytes if bytes > MOST_BYTES => Ok(Err(EvidenceError::TooLarge(bytes))),
                _ => found.bytes().await.map(Ok),
            }
        });
        match read.await {
            Ok(read) => read.map(Some),
            Err(EvidenceError::Failed(ObjectError::NotFound { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the document of a scan, if there is one.
    ///
    /// No call of [`Self::put`] for this scan may be in progress.
    pub async fn delete(&self, scan: ScanId) -> Result<(), EvidenceError> {
        let path = self.path(scan);
        match within(self.objects.delete(&path)).await {
            Ok(()) | Err(EvidenceError::Failed(ObjectError::NotFound { .. })) => {}
            Err(error) => return Err(error),
        }
        self.delete_unfinished(path).await
    }

    /// Deletes unfinished files of processes that were killed during a write to a directory.
    async fn delete_unfinished(&self, object: Path) -> Result<(), EvidenceError> {
        match self.directory.clone() {
            Some(directory) => within(on_disk(directory, object, delete_unfinished)).await,
            None => Ok(()),
        }
    }

    /// Checks that the store can be reached and listed, without a write.
    pub async fn check(&self) -> Result<(), EvidenceError> {
        let mut listed = self.objects.list(Some(&self.prefix));
        within(listed.try_next()).await?;
        Ok(())
    }

    /// Names an object, for example `ab/ab12….json.zst`.
    ///
    /// The first folder keeps directories small.
    fn path(&self, scan: ScanId) -> Path {
        let id = scan.to_string();
        let folder: String = id.chars().take(2).collect();
        self.prefix.clone().join(folder).join(format!("{id}.json.zst"))
    }
}

impl fmt::Debug for EvidenceStore {
    /// Leaves the adapter out: that of a bucket has keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EvidenceStore(..)")
    }
}

/// Waits for a call, at most [`LIMIT`].
async fn within<T>(call: impl Future<Output = Result<T, ObjectError>>) -> Result<T, EvidenceError> {
    match tokio::time::timeout(LIMIT, call).await {
        Ok(done) => done.map_err(EvidenceError::Failed),
        Err(_) => Err(EvidenceError::TimedOut),
    }
}

/// Runs work on the file of an object on a thread that may block.
///
/// A missing directory is an error: it may be an unmounted volume that still has the object.
async fn on_disk(
    directory: PathBuf,
    object: Path,
    work: impl FnOnce(PathBuf) -> io::Result<()> + Send + 'static,
) -> Result<(), ObjectError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the directory adapter of object_store does the same, and the mover bounds the calls"
    )]
    let done = tokio::task::spawn_blocking(move || {
        std::fs::metadata(&directory)?;
        work(directory.join(object.as_ref()))
    });
    done.await
        .map_err(|source| ObjectError::JoinError { source })?
        .map_err(|error| ObjectError::Generic {
            store: "directory",
            source: error.into(),
        })
}

/// Creates the folder of an object with access for its owner only.
///
/// Other users then reach no file in it, even during a write.
fn make_private_folder(object: PathBuf) -> io::Result<()> {
    let Some(folder) = object.parent() else {
        return Ok(());
    };
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    set_mode(folder, 0o700)
}

/// Restricts the file of an object to its owner.
/// A copy outside the folder may keep these rights.
fn make_private(object: PathBuf) -> io::Result<()> {
    set_mode(&object, 0o600)
}

#[cfg(unix)]
fn set_mode(path: &std::path::Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let now = std::fs::metadata(path)?.permissions();
    if now.mode() & 0o777 == mode {
        return Ok(());
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &std::path::Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Deletes the unfinished files of an object.
///
/// `object_store` writes an object to the file `<object>#1`, `<object>#2` and so on, then renames it.
/// It does not list these files.
fn delete_unfinished(object: PathBuf) -> io::Result<()> {
    for number in 1_u32.. {
        let mut file = object.clone().into_os_string();
        file.push(format!("#{number}"));
        match std::fs::remove_file(file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

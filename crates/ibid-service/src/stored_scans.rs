//! Stored scans, and a cache of those that were read last.

use crate::error::Error;
use crate::evidence::{Evidence, EvidenceMover, EvidenceSettings};
use crate::job::Reader;
use crate::runs::Runs;
use bytes::Bytes;
use ibid_engine::score::METHOD_VERSION;
use ibid_model::{ScanId, ScanResult};
use ibid_store::{Db, Origin, StoreError};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Deserialize;
use std::sync::Arc;

/// A scan as it was released.
#[derive(Clone, Debug)]
pub struct StoredScan {
    pub document: Bytes,
    /// Which version of the method scored it.
    pub method: String,
}

impl StoredScan {
    /// Whether the method has changed since.
    pub fn is_outdated(&self) -> bool {
        self.method != METHOD_VERSION
    }
}

/// Reads stored scans for readers with access.
/// A document never changes, and only those of accounts are ever deleted,
/// so a copy of another one is as good as the row.
pub(crate) struct StoredScans {
    db: Db,
    pub(crate) evidence: Evidence,
    /// Moves evidence as long as the service lives.
    /// `None` if the database keeps it.
    _mover: Option<Arc<EvidenceMover>>,
    cache: Cache<ScanId, (Origin, StoredScan), BySize>,
}

/// Memory of the cache.
const CACHE_BYTES: u64 = 64 << 20;
/// How many documents the cache expects, which sizes its tables.
const CACHE_ITEMS: usize = 4_096;

#[derive(Clone)]
struct BySize;

impl Weighter<ScanId, (Origin, StoredScan)> for BySize {
    fn weight(&self, _id: &ScanId, (_, stored): &(Origin, StoredScan)) -> u64 {
        stored.document.len() as u64 + 128
    }
}

impl StoredScans {
    pub(crate) fn new(runs: &Arc<Runs>, evidence: Option<EvidenceSettings>) -> Self {
        let store = evidence.as_ref().map(|settings| settings.store.clone());
        Self {
            db: runs.db.clone(),
            evidence: Evidence::new(runs.db.clone(), store),
            _mover: evidence.map(|settings| EvidenceMover::start(settings, Arc::clone(runs))),
            cache: Cache::with_weighter(CACHE_ITEMS, CACHE_BYTES, BySize),
        }
    }

    /// Reads a scan.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan of another surface; [`Error::Store`].
    pub(crate) async fn get(&self, id: ScanId, reader: &Reader) -> Result<StoredScan, Error> {
        if let Some((origin, stored)) = self.cache.get(&id) {
            return reader.may_read(&origin).then_some(stored).ok_or(Error::NotFound);
        }
        let record = self.db.call(move |store| store.scan(id)).await?;
        let record = record.ok_or(Error::NotFound)?;
        let stored = StoredScan {
            document: record.reply.into(),
            method: record.method,
        };
        let visible = reader.may_read(&record.origin);
        // Scans of accounts can be deleted, also by another process, so the row is read each time.
        if !matches!(record.origin, Origin::Workspace(_)) {
            self.cache.insert(id, (record.origin, stored.clone()));
        }
        if visible { Ok(stored) } else { Err(Error::NotFound) }
    }

    /// Reads the evidence of a scan.
    ///
    /// # Errors
    /// As [`Self::get`]; [`Error::NotFound`] also when answers were not stored; [`Error::Evidence`].
    pub(crate) async fn evidence(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        self.get(id, reader).await?;
        Ok(self.evidence.read(id).await?.ok_or(Error::NotFound)?.into())
    }
}

/// Reads the result out of a stored document.
pub(crate) fn read_result(document: &[u8]) -> Result<ScanResult, StoreError> {
    #[derive(Deserialize)]
    struct Stored {
        result: ScanResult,
    }
    let stored = serde_json::from_slice::<Stored>(document);
    Ok(stored.map_err(|_| StoreError::Damaged("scan"))?.result)
}

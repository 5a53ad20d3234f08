//! A kept scan, read and scored again with the method of today.
//!
//! Nothing is written: what was released stays as it is. The answers are the same, so the new numbers can be made at
//! any time, and always with the newest method.

use crate::service::Service;
use crate::{Document, Error, Reader};
use bytes::Bytes;
use ibid_engine::Evidence;
use ibid_engine::rescore::rescore;
use ibid_engine::score::METHOD_VERSION;
use ibid_model::{ScanId, ScanResult};
use ibid_store::{ScanRecord, Store, StoreError};
use serde::Deserialize;

/// A scan as it was released.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its document, byte for byte.
    pub document: Bytes,
    /// The version of the method that scored it.
    pub method: String,
}

impl Stored {
    /// Whether the method has changed since.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.method != METHOD_VERSION
    }
}

/// What of a document is a result.
#[derive(Deserialize)]
struct Kept {
    result: ScanResult,
}

/// Old and new numbers of one scan.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescored {
    /// The scan as it was released.
    pub old: ScanResult,
    /// The scan as it is scored today, with the old numbers in it.
    pub new: ScanResult,
    /// The answers as they are read today.
    pub evidence: Evidence,
}

impl Rescored {
    /// The document that the scan would have if it were scored today.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn document(&self, id: ScanId) -> Result<Bytes, Error> {
        Ok(Document::write(id, &self.new)?.bytes().clone())
    }
}

impl Service {
    /// A scan as it would be if it were scored today.
    ///
    /// # Errors
    /// As [`Service::answers`]; [`Error::NotFound`] as well when result and answers cannot be read again.
    pub async fn rescored(&self, id: ScanId, reader: &Reader) -> Result<Rescored, Error> {
        let reader = reader.clone();
        // Reading a hundred answers takes its time: it stays on the thread that reads the rows.
        let found = self.db().call(move |store| match store.scan(id)? {
            Some(record) if reader.may_read(&record.origin) => again(store, id, &record),
            Some(_) | None => Ok(None),
        });
        found.await?.ok_or(Error::NotFound)
    }
}

/// Scores one kept scan again; `None` when it is no scan, its answers were not kept, or they do not belong to it.
///
/// Blocks.
///
/// # Errors
/// The fault of the store, or a record that cannot be read back.
pub fn rescore_kept(store: &dyn Store, id: ScanId) -> Result<Option<Rescored>, StoreError> {
    match store.scan(id)? {
        Some(record) => again(store, id, &record),
        None => Ok(None),
    }
}

fn again(store: &dyn Store, id: ScanId, record: &ScanRecord) -> Result<Option<Rescored>, StoreError> {
    let Some(answers) = store.answers(id)? else {
        return Ok(None);
    };
    let kept: Kept = serde_json::from_slice(&record.reply).map_err(|_| StoreError::Damaged("scan"))?;
    let evidence: Evidence = serde_json::from_slice(&answers).map_err(|_| StoreError::Damaged("evidence"))?;
    let again = match rescore(&kept.result, &evidence) {
        Ok(scanned) => scanned,
        Err(error) => {
            tracing::warn!(scan.id = %id, %error, "a kept scan cannot be scored again");
            return Ok(None);
        }
    };
    Ok(Some(Rescored {
        old: kept.result,
        new: again.result,
        evidence: again.evidence,
    }))
}

//! What is kept of a scan, for those who may read it; what was read lately comes from memory.

use super::Service;
use crate::{Error, Reader, Stored};
use bytes::Bytes;
use ibid_model::ScanId;
use ibid_store::Origin;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Documents that were read lately, with who may read them.
pub(crate) type Documents = Cache<ScanId, (Origin, Stored), BySize>;

/// Memory for documents that were read lately.
const CACHE_BYTES: u64 = 64 << 20;
/// Documents expected in it, for sizing its tables.
const CACHE_ITEMS: usize = 4_096;

#[derive(Clone)]
pub(crate) struct BySize;

impl Weighter<ScanId, (Origin, Stored)> for BySize {
    fn weight(&self, _id: &ScanId, (_, stored): &(Origin, Stored)) -> u64 {
        stored.document.len() as u64 + 128
    }
}

/// An empty cache.
pub(crate) fn documents() -> Documents {
    Cache::with_weighter(CACHE_ITEMS, CACHE_BYTES, BySize)
}

impl Service {
    /// The document of a scan.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan of another surface; [`Error::Store`].
    pub async fn scan(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        Ok(self.stored(id, reader).await?.document)
    }

    /// The document of a scan, and the version of the method that scored it.
    ///
    /// # Errors
    /// As [`Self::scan`].
    pub async fn stored(&self, id: ScanId, reader: &Reader) -> Result<Stored, Error> {
        if let Some((origin, stored)) = self.inner.documents.get(&id) {
            return if reader.may_read(&origin) {
                Ok(stored)
            } else {
                Err(Error::NotFound)
            };
        }
        let record = self
            .inner
            .db
            .call(move |store| store.scan(id))
            .await?
            .ok_or(Error::NotFound)?;
        let stored = Stored {
            document: record.reply.into(),
            method: record.method,
        };
        let shown = reader.may_read(&record.origin);
        self.inner.documents.insert(id, (record.origin, stored.clone()));
        if shown { Ok(stored) } else { Err(Error::NotFound) }
    }

    /// The evidence of a scan, as a JSON document.
    ///
    /// # Errors
    /// As [`Self::scan`]; [`Error::NotFound`] as well when answers were not kept.
    pub async fn answers(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        let reader = reader.clone();
        let found = self.inner.db.call(move |store| match store.scan(id)? {
            Some(record) if reader.may_read(&record.origin) => store.answers(id),
            Some(_) | None => Ok(None),
        });
        Ok(found.await?.ok_or(Error::NotFound)?.into())
    }
}

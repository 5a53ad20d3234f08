//! Two kept scans against each other.

use crate::service::Service;
use crate::{Error, Reader};
use ibid_engine::compare::{Side, compare};
use ibid_model::result::Comparison;
use ibid_model::{ScanId, ScanResult};
use ibid_store::{Store, StoreError};
use serde::Deserialize;

/// What of a document is compared.
#[derive(Deserialize)]
struct Kept {
    result: ScanResult,
}

impl Service {
    /// How the second scan differs from the first.
    ///
    /// # Errors
    /// [`Error::NotFound`] when either is unknown, or not for this reader; [`Error::Store`].
    pub async fn compare_kept(
        &self,
        first: ScanId,
        second: ScanId,
        reader: &Reader,
    ) -> Result<Comparison, Error> {
        let reader = reader.clone();
        // Permutations take their time: they stay on the thread that reads the rows.
        let compared = self.db().call(move |store| {
            let (Some(before), Some(after)) = (find(store, first, &reader)?, find(store, second, &reader)?)
            else {
                return Ok(None);
            };
            let side = |id, result| Side { id: Some(id), result };
            Ok(Some(compare(side(first, &before), side(second, &after))))
        });
        compared.await?.ok_or(Error::NotFound)
    }
}

/// The result of a scan that the reader may see.
fn find(store: &dyn Store, id: ScanId, reader: &Reader) -> Result<Option<ScanResult>, StoreError> {
    let Some(record) = store.scan(id)?.filter(|record| reader.may_read(&record.origin)) else {
        return Ok(None);
    };
    let kept: Kept = serde_json::from_slice(&record.reply).map_err(|_| StoreError::Damaged("scan"))?;
    Ok(Some(kept.result))
}

//! Reading evidence.

use super::fault::EvidenceFault;
use crate::error::Error;
use ibid_evidence::EvidenceStore;
use ibid_model::ScanId;
use ibid_store::{Db, PackedAnswers};

/// Reads evidence from the place where it is. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub(crate) db: Db,
    store: Option<EvidenceStore>,
}

impl Evidence {
    /// Reads from a database, and from an evidence store if there is one.
    pub const fn new(db: Db, store: Option<EvidenceStore>) -> Self {
        Self { db, store }
    }

    /// Returns the evidence of a scan, uncompressed.
    /// `None` for an unknown scan, or one without stored evidence.
    ///
    /// # Errors
    /// [`Error::Store`]; [`Error::Evidence`] where only an evidence store has it, and it cannot be read there.
    pub async fn read(&self, id: ScanId) -> Result<Option<Vec<u8>>, Error> {
        if let Some(answers) = self.db.call(move |store| store.answers(id)).await? {
            return Ok(Some(answers));
        }
        // In this order: evidence that moves between the two calls is found by the second one.
        if !self.db.call(move |store| store.is_evidence_moved(id)).await? {
            return Ok(None);
        }
        let store = self.store.as_ref().ok_or(EvidenceFault::NotConfigured)?;
        let object = store.get(id).await.map_err(EvidenceFault::Store)?;
        let packed = PackedAnswers::packed(object.ok_or(EvidenceFault::Missing)?.into());
        // Large evidence takes long to unpack, so a blocking thread does it.
        Ok(Some(self.db.call(move |_| packed.unpack()).await?))
    }
}

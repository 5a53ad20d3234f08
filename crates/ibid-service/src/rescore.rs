//! Reads and scores a stored scan again with the current method.
//!
//! The store does not change: the released document stays as it is. The answers are stored, so the new numbers can be
//! computed at any time.

use crate::document::Document;
use crate::error::Error;
use crate::evidence::Evidence;
use crate::failure::chain;
use crate::handle::scans::Scans;
use crate::job::Reader;
use crate::stored_scans::read_result;
use bytes::Bytes;
use ibid_engine as engine;
use ibid_engine::rescore::rescore;
use ibid_model::{ScanId, ScanResult};
use ibid_store::{ScanRecord, StoreError};

/// Old and new numbers of one scan.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescored {
    /// The scan as it was released.
    pub old: ScanResult,
    /// The scan with today's score and the old numbers.
    pub new: ScanResult,
    /// The answers with today's reading.
    pub evidence: engine::Evidence,
}

impl Rescored {
    /// Writes the scan with today's score as a document.
    pub fn document(&self, id: ScanId) -> Result<Bytes, Error> {
        Ok(Document::write(id, &self.new)?.bytes().clone())
    }

    /// Writes a queued scan with today's score as a document.
    pub fn queued_document(&self, id: ScanId) -> Result<Bytes, Error> {
        Ok(Document::write_queued(id, &self.new)?.bytes().clone())
    }
}

impl Scans {
    /// A scan with today's score.
    ///
    /// # Errors
    /// As [`Scans::answers`]; [`Error::NotFound`] also when result and answers cannot be read again.
    pub async fn rescored(&self, id: ScanId, reader: &Reader) -> Result<Rescored, Error> {
        self.stored(id, reader).await?;
        let rescored = rescore_kept(&self.stored_scans.evidence, id).await?;
        rescored.ok_or(Error::NotFound)
    }
}

/// Scores one stored scan again.
/// `None` if it is no scan, or its answers are not stored or belong to another scan.
///
/// # Errors
/// [`Error::Store`], also for an unreadable record; [`Error::Evidence`].
pub async fn rescore_kept(evidence: &Evidence, id: ScanId) -> Result<Option<Rescored>, Error> {
    let Some(answers) = evidence.read(id).await? else {
        return Ok(None);
    };
    // Reading a hundred answers takes long, so a blocking thread of the store does it.
    let scored = evidence.db.call(move |store| match store.scan(id)? {
        Some(record) => again(id, &record, &answers),
        None => Ok(None),
    });
    Ok(scored.await?)
}

fn again(id: ScanId, record: &ScanRecord, answers: &[u8]) -> Result<Option<Rescored>, StoreError> {
    let old = read_result(&record.reply)?;
    let evidence: engine::Evidence =
        serde_json::from_slice(answers).map_err(|_| StoreError::Damaged("evidence"))?;
    let again = match rescore(&old, &evidence) {
        Ok(scanned) => scanned,
        Err(error) => {
            tracing::warn!(scan.id = %id, error = chain(&error), "scan.rescore.failed");
            return Ok(None);
        }
    };
    Ok(Some(Rescored {
        old,
        new: again.result,
        evidence: again.evidence,
    }))
}

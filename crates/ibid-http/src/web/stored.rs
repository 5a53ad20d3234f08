//! A finished scan for pages, parsed from its stored documents.

use crate::problem::ApiError;
use ibid_model::{ScanId, ScanResult};
use ibid_service::{Error, Reader, Service, StoredScan, chain};
use ibid_web::EvidenceView;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Rows that a page of a list has.
pub(super) const A_PAGE: u32 = 20;

pub(crate) struct Stored {
    pub(crate) result: ScanResult,
    /// The evidence; `None` where it was not stored, and in a report where it cannot be read at the moment.
    pub(crate) evidence: Option<EvidenceView>,
    /// Whether another version of the method has scored it.
    pub(crate) outdated: bool,
}

#[derive(Deserialize)]
struct Reply {
    result: ScanResult,
}

impl Stored {
    /// Loads a scan that the reader may read.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Store`]; [`Error::Evidence`]; [`Error::Unwritable`] for a document that this program
    /// cannot read.
    pub(crate) async fn find(service: &Service, id: ScanId, reader: &Reader) -> Result<Self, ApiError> {
        let stored = service.scans.stored(id, reader).await?;
        let evidence = find_evidence(service, id, reader).await?;
        Self::read(&stored, evidence)
    }

    /// Loads a scan for its report, which has no answers where the evidence store cannot be read.
    ///
    /// # Errors
    /// As [`Self::find`], without [`Error::Evidence`].
    pub(crate) async fn for_report(service: &Service, id: ScanId, reader: &Reader) -> Result<Self, ApiError> {
        let stored = service.scans.stored(id, reader).await?;
        let evidence = match find_evidence(service, id, reader).await {
            Err(error @ Error::Evidence(_)) => {
                tracing::warn!(scan.id = %id, error = chain(&error), "evidence.unavailable");
                None
            }
            found => found?,
        };
        Self::read(&stored, evidence)
    }

    fn read(stored: &StoredScan, evidence: Option<EvidenceView>) -> Result<Self, ApiError> {
        let Reply { result } = serde_json::from_slice(&stored.document).map_err(Error::from)?;
        Ok(Self {
            result,
            evidence,
            outdated: stored.is_outdated(),
        })
    }

    /// Loads only the result of a scan that the reader may read.
    pub(crate) async fn result(
        service: &Service,
        id: ScanId,
        reader: &Reader,
    ) -> Result<ScanResult, ApiError> {
        let stored = service.scans.stored(id, reader).await?;
        let Reply { result } = serde_json::from_slice(&stored.document).map_err(Error::from)?;
        Ok(result)
    }

    /// Loads a scan and scores it with the current method.
    ///
    /// # Errors
    /// As [`Self::find`], and [`Error::NotFound`] if its answers were not stored.
    pub(crate) async fn again(service: &Service, id: ScanId, reader: &Reader) -> Result<Self, ApiError> {
        let rescored = service.scans.rescored(id, reader).await?;
        let evidence = serde_json::to_value(&rescored.evidence).map_err(Error::from)?;
        Ok(Self {
            evidence: Some(EvidenceView::read(&evidence)),
            result: rescored.new,
            outdated: false,
        })
    }
}

/// Reads the result in a document that has its id as `member`. A document of another kind is not found.
pub(super) fn result_of<T: DeserializeOwned>(document: &[u8], member: &str) -> Result<T, ApiError> {
    let mut members: Map<String, Value> = serde_json::from_slice(document).map_err(Error::from)?;
    if !members.contains_key(member) {
        return Err(Error::NotFound.into());
    }
    let result = members.remove("result").unwrap_or_default();
    Ok(serde_json::from_value(result).map_err(Error::from)?)
}

/// Parses the id of a scan. A malformed id is answered like an unknown one.
pub(crate) fn parse_id(id: &str) -> Result<ScanId, ApiError> {
    id.parse().map_err(|_| Error::NotFound.into())
}

/// Returns the evidence that the reader may read; `None` where it was not stored.
async fn find_evidence(
    service: &Service,
    id: ScanId,
    reader: &Reader,
) -> Result<Option<EvidenceView>, Error> {
    match service.scans.answers(id, reader).await {
        Ok(answers) => {
            let document: Value = serde_json::from_slice(&answers)?;
            Ok(Some(EvidenceView::read(&document)))
        }
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

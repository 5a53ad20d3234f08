//! Faults of evidence that is not in the database.

use ibid_evidence::EvidenceError;

/// A fault of evidence that was moved to an evidence store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceFault {
    /// This process has no evidence store.
    #[error("the evidence was moved to an evidence store, and this process has none: set EVIDENCE_STORE")]
    NotConfigured,
    /// The evidence store has no object for the id of the scan.
    #[error(
        "the evidence was moved to the evidence store, which does not have it: restore the object, or check EVIDENCE_STORE"
    )]
    Missing,
    /// The evidence store failed.
    #[error(transparent)]
    Store(#[from] EvidenceError),
}

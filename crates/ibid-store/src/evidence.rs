//! Port for moving evidence out of the database, to an object store.
//!
//! Evidence is written with its scan, in one transaction.
//! If the operator has an object store, it moves there later: a process claims it,
//! writes the object, and then erases it here.
//! Until the last step the database has it, so no failure loses it.
//! A claim also records a possible object: a scan deleted after a claim leaves a row, and its object is deleted.

use crate::{Millis, PackedAnswers, StoreError};
use ibid_model::ScanId;

/// Evidence on its way to an object store.
pub trait EvidenceMoves {
    /// Claims the evidence of at most `most` released scans, which no process holds at `now`, until `until`.
    /// Evidence without an earlier claim comes first.
    fn claim_evidence(
        &self,
        until: Millis,
        most: u32,
        now: Millis,
    ) -> Result<Vec<ClaimedEvidence>, StoreError>;

    /// Erases the evidence of a scan, which the object store has now, and ends the claim that lasts until `claim`.
    /// Returns false where the scan was deleted meanwhile, or another process has claimed it.
    fn evidence_moved(&self, scan: ScanId, claim: Millis, now: Millis) -> Result<bool, StoreError>;

    /// Whether the object store alone has the evidence of a released scan.
    fn is_evidence_moved(&self, scan: ScanId) -> Result<bool, StoreError>;

    /// Returns deleted scans whose objects no process can be writing at `now`: at most `most`.
    fn evidence_to_delete(&self, most: u32, now: Millis) -> Result<Vec<ScanId>, StoreError>;

    /// Forgets a deleted scan whose object is deleted, too.
    fn evidence_deleted(&self, scan: ScanId) -> Result<(), StoreError>;
}

/// Evidence that a process may write to the object store.
#[derive(Clone, Debug)]
pub struct ClaimedEvidence {
    pub scan: ScanId,
    pub answers: PackedAnswers,
}

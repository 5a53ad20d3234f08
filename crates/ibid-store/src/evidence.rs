//! Port for moving evidence out of the database, to an object store.
//!
//! Evidence is written with its scan, in one transaction.
//! If the operator has an object store, it moves there later: a process claims it,
//! writes the object, and then erases it here.
//! Until the last step the database has it, so no failure loses it.
//! A claim also records a possible object: a scan deleted after a claim leaves a row, and its object is deleted.

use crate::PackedAnswers;
use ibid_model::ScanId;

/// Evidence that a process may write to the object store.
#[derive(Clone, Debug)]
pub struct ClaimedEvidence {
    pub scan: ScanId,
    pub answers: PackedAnswers,
}

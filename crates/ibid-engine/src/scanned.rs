//! What a scan leaves behind.

use crate::evidence::Evidence;
use ibid_model::ScanResult;

/// A finished scan: the result, and everything it was read from.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// The result document.
    pub result: ScanResult,
    /// Questions, answers and readings.
    pub evidence: Evidence,
}

//! Requests that callers may repeat without a second scan.

use crate::purchase::Millis;
use ibid_model::ScanId;

/// A request with an idempotency key, and the scan that it would begin.
#[derive(Clone, Copy, Debug)]
pub struct KeyedRequest<'a> {
    /// The caller. Keys of different callers are independent.
    pub caller: &'a str,
    /// The SHA-256 of the key.
    pub key: [u8; 32],
    pub request: [u8; 32],
    pub scan: ScanId,
    /// The time at which the key is forgotten.
    pub expires: Millis,
}

/// What an idempotency key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyedOutcome {
    /// There is none: the key is new, or its scan has ended without a result. The scan of the request may begin.
    Free,
    /// An equal request has begun this scan, which is under way.
    Running(ScanId),
    /// An equal request has begun this scan, which has its result.
    Finished(ScanId),
    /// The key belongs to another request.
    Conflict,
}

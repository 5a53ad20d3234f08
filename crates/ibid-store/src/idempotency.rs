//! Requests that callers may repeat without a second scan.

use crate::StoreError;
use crate::purchase::Millis;
use ibid_model::ScanId;

/// A request with an idempotency key, and the scan that it would begin.
#[derive(Clone, Copy, Debug)]
pub struct KeyedRequest<'a> {
    /// The caller. Keys of different callers are independent.
    pub caller: &'a str,
    /// The SHA-256 of the key.
    pub key: [u8; 32],
    /// The hash of the request.
    pub request: [u8; 32],
    /// The scan.
    pub scan: ScanId,
    /// The time up to which the scan counts as under way, unless its lease is renewed.
    pub lease_until: Millis,
    /// The time at which the key is forgotten.
    pub expires: Millis,
}

/// The outcome of a request with an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyedOutcome {
    /// The scan of the request may begin.
    Begin,
    /// An equal request has begun this scan, which is under way.
    Running(ScanId),
    /// An equal request has begun this scan, which has its result.
    Finished(ScanId),
    /// The key belongs to another request.
    Conflict,
}

/// Stores idempotency keys. Every method is one transaction.
pub trait Idempotency: Send + Sync + 'static {
    /// Claims a key for a request. The scan of a lost process gives way to that of the request.
    ///
    /// # Errors
    /// The fault of the database.
    fn claim_key(&self, request: &KeyedRequest<'_>, now: Millis) -> Result<KeyedOutcome, StoreError>;

    /// Renews the leases of scans under way, and forgets keys that have expired.
    ///
    /// # Errors
    /// The fault of the database.
    fn renew_keys(&self, scans: &[ScanId], until: Millis, now: Millis) -> Result<(), StoreError>;

    /// Frees the key of a scan that has ended without a result. The key of a stored scan stays.
    ///
    /// # Errors
    /// The fault of the database.
    fn free_key(&self, scan: ScanId) -> Result<(), StoreError>;
}

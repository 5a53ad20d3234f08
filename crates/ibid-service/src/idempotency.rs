//! Requests that callers may repeat: an equal request with the same key gets the scan of the first.

use crate::clock::millis;
use crate::job::CallerId;
use crate::request_hash::RequestHash;
use ibid_model::ScanId;
use ibid_store::KeyedRequest;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Time for which a key is remembered.
const KEPT: Duration = Duration::from_secs(24 * 3_600);

/// A request that its caller may repeat.
#[derive(Clone, Debug)]
pub struct RepeatableRequest {
    caller: CallerId,
    key: [u8; 32],
    request: RequestHash,
}

impl RepeatableRequest {
    /// A request of a caller with an idempotency key.
    #[must_use]
    pub fn new(caller: CallerId, key: &str, request: RequestHash) -> Self {
        Self {
            caller,
            key: Sha256::digest(key.as_bytes()).into(),
            request,
        }
    }

    /// The request as the store keeps it, for the scan that it would begin.
    pub(crate) fn keyed(&self, scan: ScanId, now: i64) -> KeyedRequest<'_> {
        KeyedRequest {
            caller: self.caller.as_str(),
            key: self.key,
            request: *self.request.as_bytes(),
            scan,
            expires: now.saturating_add(millis(KEPT)),
        }
    }
}

/// The outcome of a request that its caller may repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started<T, R = ScanId> {
    /// It is the first.
    New(T),
    /// An equal request with the same key began this before.
    Replayed(R),
}

impl<T> Started<T, T> {
    /// The id.
    pub fn id(self) -> T {
        match self {
            Self::New(id) | Self::Replayed(id) => id,
        }
    }
}

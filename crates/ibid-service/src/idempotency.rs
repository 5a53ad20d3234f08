//! Requests that callers may repeat: an equal request with the same key gets the scan of the first.

use crate::caller_limits::{CallerLimits, LEASE};
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::failure::chain;
use crate::job::CallerId;
use crate::request_hash::RequestHash;
use crate::runs::Runs;
use ibid_model::ScanId;
use ibid_store::{KeyedOutcome, KeyedRequest, StoreError};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time for which a key is remembered.
const KEPT: Duration = Duration::from_secs(24 * 3_600);
/// The first pause of a request that waits for an equal one.
/// It doubles up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// The time after which a caller may try again after a failed look-up of its key.
const RETRY: Duration = Duration::from_secs(5);

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
            lease_until: now.saturating_add(millis(LEASE)),
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

/// The keys of scans under way in this process.
pub(crate) struct IdempotencyKeys {
    open: Mutex<HashSet<ScanId>>,
    runs: Arc<Runs>,
}

/// The key of a scan under way.
/// When it is dropped without a stored result, the key is free again.
pub(crate) struct HeldKey {
    keys: Arc<IdempotencyKeys>,
    pub(crate) scan: ScanId,
    /// Whether its row may have been written.
    is_claimed: bool,
}

impl IdempotencyKeys {
    /// Starts a background task that renews the keys and the counts of scans under way, and forgets expired keys.
    pub(crate) fn start_service(runs: Arc<Runs>, limits: Arc<CallerLimits>) -> Arc<Self> {
        let keys = Arc::new(Self {
            open: Mutex::default(),
            runs: Arc::clone(&runs),
        });
        runs.repeat(&keys, LEASE / 4, move |keys| {
            let limits = Arc::clone(&limits);
            async move {
                if let Err(error) = limits.renew().await {
                    tracing::warn!(error = chain(&error), "limits.renew.failed");
                }
                if let Err(error) = keys.renew().await {
                    tracing::warn!(%error, "idempotency.renew.failed");
                }
            }
        });
        keys
    }

    /// Claims the key of a request; waits while an equal request is under way.
    pub(crate) async fn claim(self: &Arc<Self>, request: &RepeatableRequest) -> Result<Claim, Error> {
        let mut pause = FIRST_PAUSE;
        loop {
            let scan = ScanId::random();
            // Registered before its row is written: the row must never lack a process that renews its lease.
            self.open().insert(scan);
            let mut held = HeldKey {
                keys: Arc::clone(self),
                scan,
                is_claimed: true,
            };
            let claimed = self.try_claim(request, scan).await.map_err(|error| {
                tracing::warn!(%error, "idempotency.not_claimed");
                Error::Overloaded { retry_after: RETRY }
            })?;
            held.is_claimed = claimed == KeyedOutcome::Begin;
            match claimed {
                KeyedOutcome::Begin => return Ok(Claim::Begin(held)),
                KeyedOutcome::Finished(scan) => return Ok(Claim::Finished(scan)),
                KeyedOutcome::Conflict => return Err(Error::IdempotencyConflict),
                KeyedOutcome::Running(_) => drop(held),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    async fn try_claim(&self, request: &RepeatableRequest, scan: ScanId) -> Result<KeyedOutcome, StoreError> {
        let request = request.clone();
        let claimed = self.runs.db.call(move |store| {
            let now = now_ms();
            store.claim_key(&request.keyed(scan, now), now)
        });
        claimed.await
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let open: Vec<_> = self.open().iter().copied().collect();
        let now = now_ms();
        let until = now.saturating_add(millis(LEASE));
        let renewed = self
            .runs
            .db
            .call(move |store| store.renew_keys(&open, until, now));
        renewed.await
    }

    fn open(&self) -> MutexGuard<'_, HashSet<ScanId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to the claim of a key: begin, or take the scan of an equal request.
pub(crate) enum Claim {
    Begin(HeldKey),
    Finished(ScanId),
}

impl Drop for HeldKey {
    fn drop(&mut self) {
        let (keys, scan) = (Arc::clone(&self.keys), self.scan);
        keys.open().remove(&scan);
        if !self.is_claimed {
            return;
        }
        let db = keys.runs.db.clone();
        keys.runs.spawn(async move {
            if let Err(error) = db.call(move |store| store.free_key(scan)).await {
                // The lease ends it.
                tracing::warn!(%error, "idempotency.free.failed");
            }
        });
    }
}

//! Named keys of the v1 API: made and revoked by the operator, stored as digests.

use crate::accounts::random_text;
use crate::error::Error;
use crate::job::CallerId;
use ibid_store::{ServiceKeyRecord, Store, StoreError};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How every key starts, so that programs that look for leaked secrets find it.
pub(crate) const PREFIX: &str = "ibid_";
/// Random bytes of a key.
const BYTES: usize = 32;
/// The time for which the store's keys are believed.
/// After it, every process refuses a revoked key.
const FRESH: Duration = Duration::from_secs(2);

/// A new service key.
/// It has no `Debug`; [`ServiceKey::reveal`] is for the terminal of the operator.
pub struct ServiceKey(String);

impl ServiceKey {
    /// Makes a key.
    pub fn random() -> Result<Self, Error> {
        Ok(Self(format!("{PREFIX}{}", random_text::<BYTES>()?)))
    }

    /// The key itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The digest to store.
    /// The key has as many random bits as the digest, which rules out a search for it.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

/// Whether a caller may go on: it holds a key that is not revoked, or no named key. A name is never given to another
/// key.
pub(crate) fn may_continue(store: &Store, caller: &CallerId) -> Result<bool, StoreError> {
    let Some(name) = caller.key_name() else {
        return Ok(true);
    };
    let holds = |key: &ServiceKeyRecord| key.revoked_at.is_none() && key.name.as_str() == name;
    Ok(store.service_keys()?.iter().any(holds))
}

/// Who holds a valid key, by the key's digest.
pub(crate) type Holders = Arc<HashMap<[u8; 32], CallerId>>;

/// The store's keys, as of at most [`FRESH`] ago, so that a flood of wrong keys costs no queries.
#[derive(Debug, Default)]
pub(crate) struct KeyRing(Mutex<Option<(Instant, Holders)>>);

impl KeyRing {
    fn loaded(&self) -> MutexGuard<'_, Option<(Instant, Holders)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the known keys. If they are old, the caller that gets `true` reads them again,
    /// and the others do not wait for it.
    pub(crate) fn known(&self, now: Instant) -> (Option<Holders>, bool) {
        match &mut *self.loaded() {
            Some((at, holders)) => {
                let old = now.duration_since(*at) >= FRESH;
                if old {
                    *at = now;
                }
                (Some(Arc::clone(holders)), old)
            }
            None => (None, true),
        }
    }

    pub(crate) fn put(&self, now: Instant, holders: &Holders) {
        *self.loaded() = Some((now, Arc::clone(holders)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_long_and_random() {
        let key = ServiceKey::random().unwrap();
        assert!(key.reveal().starts_with("ibid_") && key.reveal().len() == 48);
        assert_ne!(ServiceKey::random().unwrap().hash(), key.hash());
    }

    #[test]
    fn one_caller_reads_old_keys_again() {
        let (ring, now) = (KeyRing::default(), Instant::now());
        assert!(ring.known(now).1);
        ring.put(now, &Holders::default());
        assert!(!ring.known(now).1);
        let later = now + FRESH;
        assert!(ring.known(later).1 && !ring.known(later).1);
    }
}

//! Finds the holders of named keys.

use crate::accounts::Accounts;
use crate::error::Error;
use crate::failure::chain;
use crate::job::CallerId;
use crate::service_keys::{Holders, PREFIX};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Instant;

impl Accounts {
    /// Finds who holds a named key. `None` for an unknown or revoked key.
    ///
    /// # Errors
    /// [`Error::Store`] when the keys have not been read since the start.
    /// Later the last keys that were read apply.
    pub async fn key_holder(&self, key: &[u8]) -> Result<Option<CallerId>, Error> {
        if !key.starts_with(PREFIX.as_bytes()) {
            return Ok(None);
        }
        let hash: [u8; 32] = Sha256::digest(key).into();
        let (known, reads) = self.keys.known(Instant::now());
        let holders = match (known, reads) {
            (Some(holders), false) => holders,
            (known, _) => match (self.read_keys().await, known) {
                (Ok(holders), _) => holders,
                (Err(error), Some(holders)) => {
                    tracing::warn!(error = chain(&error), "service_keys.not_read");
                    holders
                }
                (Err(error), None) => return Err(error),
            },
        };
        Ok(holders.get(&hash).cloned())
    }

    async fn read_keys(&self) -> Result<Holders, Error> {
        let keys = self.db().call(|store| store.service_keys()).await?;
        let valid = keys.into_iter().filter(|key| key.revoked_at.is_none());
        let holders = Arc::new(valid.map(|key| (key.hash, CallerId::of_key(&key.name))).collect());
        self.keys.put(Instant::now(), &holders);
        Ok(holders)
    }
}

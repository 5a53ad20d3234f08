//! Whether the store takes writes.

use crate::clock::now_ms;
use crate::failure::chain;
use ibid_store::Db;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The time for which a check is used again: the check is public, and each one writes.
const FRESH: Duration = Duration::from_secs(1);
/// The longest wait for the store. A supervisor asks again before long.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(crate) struct Readiness {
    latest: Mutex<Option<(Instant, StoreReadiness)>>,
}

/// What a check found about the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreReadiness {
    /// Why a row could not be written and read, if so.
    /// For the operator alone.
    pub fault: Option<String>,
    /// How long the check took.
    pub took: Duration,
}

impl Readiness {
    pub(crate) async fn check(&self, db: &Db) -> StoreReadiness {
        let mut latest = self.latest.lock().await;
        if let Some((at, readiness)) = &*latest
            && at.elapsed() < FRESH
        {
            return readiness.clone();
        }
        let begun = Instant::now();
        let now = now_ms();
        let checked = tokio::time::timeout(PATIENCE, db.call(move |store| store.ping(now))).await;
        let readiness = StoreReadiness {
            fault: match checked {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(chain(&error)),
                Err(_) => Some(format!(
                    "the store did not answer within {} s",
                    PATIENCE.as_secs()
                )),
            },
            took: begun.elapsed(),
        };
        *latest = Some((Instant::now(), readiness.clone()));
        readiness
    }
}

//! Memory for long sitemaps, shared by all audits.

use super::FetchFailure;
use super::site::TEXT_BYTES;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Bytes of longer files that may be in memory at one time.
const CLAIMED: usize = 48 << 20;
/// The longest wait for a claim.
///
/// Each file before it has its own time limit.
const PATIENCE: Duration = Duration::from_secs(15);

/// A memory pool.
///
/// A file claims its size limit.
/// Clones share the pool.
#[derive(Clone, Debug)]
pub(super) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CLAIMED >> 10)))
    }
}

impl Room {
    /// Whether a file of this length needs a claim.
    pub(super) fn is_long(&self, length: usize) -> bool {
        length > TEXT_BYTES
    }

    /// Claims memory for at most so many bytes, in order of arrival.
    ///
    /// # Errors
    ///
    /// [`FetchFailure::Busy`] if other files keep it for too long.
    pub(super) async fn claim(&self, most: usize) -> Result<OwnedSemaphorePermit, FetchFailure> {
        let permits = u32::try_from(most >> 10).unwrap_or(u32::MAX);
        let claim = Arc::clone(&self.0).acquire_many_owned(permits);
        match timeout(PATIENCE, claim).await {
            Ok(Ok(claim)) => Ok(claim),
            // The semaphore is never closed.
            Ok(Err(_)) => Err(FetchFailure::Internal),
            Err(_) => Err(FetchFailure::Busy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn claims_stay_within_the_memory_and_end_when_they_are_dropped() {
        let room = Room::default();
        assert!(!room.is_long(TEXT_BYTES) && room.is_long(TEXT_BYTES + 1));
        let mut held = Vec::new();
        for _ in 0..CLAIMED / (10 << 20) {
            held.push(room.claim(10 << 20).await.expect("room"));
        }
        assert_eq!(
            room.claim(10 << 20).await.expect_err("no room"),
            FetchFailure::Busy
        );
        held.pop();
        assert!(room.claim(10 << 20).await.is_ok());
        drop(held);
        assert_eq!(room.0.available_permits(), CLAIMED >> 10);
    }
}

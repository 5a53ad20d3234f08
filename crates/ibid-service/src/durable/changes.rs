//! Wakes those in this process who wait for a queued scan.

use ibid_model::ScanId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::Notify;

/// The scans that are waited for in this process.
#[derive(Default)]
pub(super) struct Changes(Mutex<HashMap<ScanId, Weak<Notify>>>);

impl Changes {
    /// The signal of a scan, for as long as it is held.
    pub(super) fn of(&self, id: ScanId) -> Arc<Notify> {
        let mut waited = self.waited();
        if let Some(known) = waited.get(&id).and_then(Weak::upgrade) {
            return known;
        }
        waited.retain(|_, signal| signal.strong_count() > 0);
        let signal = Arc::default();
        waited.insert(id, Arc::downgrade(&signal));
        signal
    }

    /// Wakes those who wait for a scan.
    pub(super) fn tell(&self, id: ScanId) {
        if let Some(signal) = self.waited().get(&id).and_then(Weak::upgrade) {
            signal.notify_waiters();
        }
    }

    fn waited(&self) -> MutexGuard<'_, HashMap<ScanId, Weak<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

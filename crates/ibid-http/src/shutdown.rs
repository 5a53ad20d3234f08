//! Stopping has two steps: first load balancers learn of it, then requests end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// How far a server is stopping. Cheap to clone; clones share it.
#[derive(Clone, Debug)]
pub struct Shutdown {
    announced: Arc<AtomicBool>,
    stopping: Arc<watch::Sender<bool>>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self {
            announced: Arc::default(),
            stopping: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl Shutdown {
    /// Makes `/readyz` answer 503. Requests are served as before.
    pub fn announce(&self) {
        self.announced.store(true, Ordering::Release);
    }

    /// Ends requests whose body has not arrived yet.
    pub fn stop(&self) {
        self.announce();
        self.stopping.send_replace(true);
    }

    /// Whether the end is announced.
    pub fn is_announced(&self) -> bool {
        self.announced.load(Ordering::Acquire)
    }

    /// Waits for [`Self::stop`].
    pub(crate) async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives as long as this handle.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}

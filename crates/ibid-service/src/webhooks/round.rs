//! The background round that claims due deliveries.

use super::settings::WebhookSettings;
use crate::RunKeys;
use crate::clock::{millis, now_ms};
use crate::runs::Runs;
use ibid_store::{StoreError, WebhookKind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Time for which a process holds a delivery: longer than an attempt takes.
const LEASE: Duration = Duration::from_secs(60);
/// Time between two clean-ups.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);
/// Time for which deliveries are kept after their end.
const KEEP: Duration = Duration::from_secs(30 * 86_400);

/// Sends events to subscriptions.
pub(crate) struct WebhookSender {
    pub(super) settings: WebhookSettings,
    pub(super) runs: Arc<Runs>,
    /// The keys that seal the secrets of agents.
    pub(super) keys: Option<Arc<RunKeys>>,
    /// One permit for each message that may be under way. Agents are anonymous and have places of their own, so that slow
    /// receivers of theirs keep no messages of callers waiting.
    places: [(WebhookKind, Arc<Semaphore>); 2],
    pruned: Mutex<Option<Instant>>,
}

impl WebhookSender {
    /// Starts sending, with a background round.
    pub(crate) fn start(settings: WebhookSettings, keys: Option<Arc<RunKeys>>, runs: Arc<Runs>) -> Arc<Self> {
        let period = settings.period;
        let sender = Arc::new(Self {
            places: [WebhookKind::Standard, WebhookKind::Task]
                .map(|kind| (kind, Arc::new(Semaphore::new(settings.at_once)))),
            settings,
            keys,
            runs: Arc::clone(&runs),
            pruned: Mutex::default(),
        });
        runs.repeat(&sender, period, |sender| async move {
            if let Err(error) = sender.round().await {
                tracing::warn!(error = crate::chain(&error), "webhook.round.failed");
            }
        });
        sender
    }

    /// Sends as many due deliveries as there are free places.
    async fn round(self: &Arc<Self>) -> Result<(), StoreError> {
        self.prune().await?;
        for (kind, places) in &self.places {
            self.claim(*kind, places).await?;
        }
        Ok(())
    }

    async fn claim(self: &Arc<Self>, kind: WebhookKind, places: &Arc<Semaphore>) -> Result<(), StoreError> {
        loop {
            let free = u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
            if free == 0 || self.runs.is_draining() {
                return Ok(());
            }
            let now = now_ms();
            let until = now.saturating_add(millis(LEASE));
            let claimed = self
                .runs
                .db
                .call(move |store| store.claim_deliveries(kind, free, until, now))
                .await?;
            if claimed.is_empty() {
                return Ok(());
            }
            for delivery in claimed {
                // Only this round takes places, so there is one.
                let Ok(place) = Arc::clone(places).try_acquire_owned() else {
                    return Ok(());
                };
                let sender = Arc::clone(self);
                self.runs.spawn(async move {
                    sender.deliver(delivery).await;
                    drop(place);
                });
            }
        }
    }

    /// Deletes old deliveries once an hour.
    async fn prune(&self) -> Result<(), StoreError> {
        {
            let mut pruned = self.pruned.lock().unwrap_or_else(PoisonError::into_inner);
            if pruned.is_some_and(|at| at.elapsed() < PRUNE_EVERY) {
                return Ok(());
            }
            *pruned = Some(Instant::now());
        }
        let before = now_ms().saturating_sub(millis(KEEP));
        let deleted = self
            .runs
            .db
            .call(move |store| store.prune_deliveries(before))
            .await?;
        if deleted > 0 {
            tracing::info!(deleted, "webhook.deliveries.pruned");
        }
        Ok(())
    }
}

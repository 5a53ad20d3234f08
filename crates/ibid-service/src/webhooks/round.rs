//! The background rounds that claim due deliveries.

use super::hosts::Hosts;
use super::places::Places;
use super::settings::WebhookSettings;
use crate::clock::{millis, now_ms};
use crate::limits::Limits;
use crate::pictures::Pictures;
use crate::runs::Runs;
use ibid_store::{DueWebhook, RunKeys, StoreError, WebhookKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time for which a process holds a delivery, longer than an attempt.
const LEASE: Duration = Duration::from_secs(60);
/// Time between two clean-ups.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);
/// Time for which deliveries are kept after their end.
const KEEP: Duration = Duration::from_secs(30 * 86_400);
/// Due subscriptions that are served at one time. Others follow them.
const SERVED: u32 = 64;
/// Messages by which a caller may test its subscriptions, or an organisation its destinations, in an hour and at once.
const TESTS: (u32, u32) = (60, 5);

/// Sends events to subscriptions.
pub(crate) struct WebhookSender {
    pub(crate) settings: WebhookSettings,
    pub(crate) runs: Arc<Runs>,
    /// Draws the reports of digests.
    pub(crate) pictures: Arc<Pictures>,
    /// The keys that seal the secrets of agents.
    pub(super) keys: Option<Arc<RunKeys>>,
    pub(crate) tests: Limits,
    /// Where agents' notifications go, to spare hosts that do not take them.
    pub(super) hosts: Hosts,
}

impl WebhookSender {
    /// Starts sending, with background rounds. Agents are anonymous and have separate places,
    /// so their slow receivers do not delay callers' messages.
    pub(crate) fn start(
        settings: WebhookSettings,
        keys: Option<Arc<RunKeys>>,
        runs: Arc<Runs>,
        pictures: Arc<Pictures>,
    ) -> Arc<Self> {
        let (period, at_once) = (settings.period, settings.at_once);
        let (per_hour, tests_at_once) = TESTS;
        let hosts = Hosts::new(settings.waits.first().copied().unwrap_or(period));
        let sender = Arc::new(Self {
            settings,
            keys,
            runs: Arc::clone(&runs),
            pictures,
            tests: Limits::of(per_hour, tests_at_once),
            hosts,
        });
        for kind in [WebhookKind::Standard, WebhookKind::Task] {
            let places = Places::new(at_once);
            runs.repeat(&sender, period, move |sender| {
                let places = Arc::clone(&places);
                async move { report(sender.round(kind, &places).await) }
            });
        }
        if sender.settings.people.is_some() {
            let places = Places::new(at_once);
            runs.repeat(&sender, period, move |sender| {
                let places = Arc::clone(&places);
                async move {
                    for kind in WebhookKind::OF_PEOPLE {
                        report(sender.round(kind, &places).await);
                    }
                }
            });
        }
        runs.repeat(&sender, PRUNE_EVERY, |sender| async move {
            report(sender.prune().await)
        });
        sender
    }

    /// Sends what is due, until there is no more.
    async fn round(self: &Arc<Self>, kind: WebhookKind, places: &Arc<Places>) -> Result<(), StoreError> {
        let mut after = None;
        while !self.runs.is_draining() {
            let db = &self.runs.db;
            let due = db.call(move |store| store.due_webhooks(kind, after, SERVED, now_ms()));
            let due = due.await?;
            if due.is_empty() && after.is_none() {
                return Ok(());
            }
            after = due.last().map(|webhook| webhook.id);
            self.serve(due, places).await?;
        }
        Ok(())
    }

    /// Sends the due deliveries of these subscriptions, until the next look for others.
    async fn serve(
        self: &Arc<Self>,
        mut due: Vec<DueWebhook>,
        places: &Arc<Places>,
    ) -> Result<(), StoreError> {
        let begun = Instant::now();
        while !due.is_empty() && begun.elapsed() < self.settings.period && !self.runs.is_draining() {
            let wanted = places.share(&due);
            if wanted.is_empty() {
                places
                    .freed(self.settings.period.saturating_sub(begun.elapsed()))
                    .await;
                continue;
            }
            let now = now_ms();
            let until = now.saturating_add(millis(LEASE));
            let (asked, db) = (wanted.clone(), &self.runs.db);
            let claimed = db.call(move |store| store.claim_deliveries(&asked, until, now));
            let claimed = claimed.await?;
            for (webhook, most) in wanted {
                let Some(at) = due.iter().position(|other| other.id == webhook) else {
                    continue;
                };
                let own = claimed.iter().filter(|delivery| delivery.webhook == webhook);
                let mut count = 0;
                for delivery in own {
                    count += 1;
                    let (sender, delivery) = (Arc::clone(self), delivery.clone());
                    let place = places.take(due[at].clone());
                    self.runs.spawn(async move {
                        sender.deliver(delivery).await;
                        drop(place);
                    });
                }
                if count < most {
                    due.swap_remove(at);
                }
            }
        }
        Ok(())
    }

    /// Deletes old deliveries.
    async fn prune(&self) -> Result<(), StoreError> {
        let before = now_ms().saturating_sub(millis(KEEP));
        let db = &self.runs.db;
        let deleted = db.call(move |store| store.prune_deliveries(before)).await?;
        if deleted > 0 {
            tracing::info!(deleted, "webhook.deliveries.pruned");
        }
        Ok(())
    }
}

fn report(outcome: Result<(), StoreError>) {
    if let Err(error) = outcome {
        tracing::warn!(error = crate::failure::chain(&error), "webhook.round.failed");
    }
}

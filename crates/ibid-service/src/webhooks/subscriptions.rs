//! The calls about subscriptions.

use super::message::EventMessage;
use super::round::WebhookSender;
use super::secret::SigningSecret;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::job::CallerId;
use crate::webhooks::Hooks;
use ibid_model::{DeliveryId, FaultCode, WebhookEdit, WebhookEvent, WebhookId, WebhookOrder};
use ibid_store::{
    DeliveryAttempt, DeliveryRecord, NewWebhook, Redelivery, WebhookChange, WebhookKind, WebhookRecord,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Most subscriptions of a caller.
const MOST: u32 = 20;
/// Time for which the secret before a rotation stays valid.
const OVERLAP: Duration = Duration::from_secs(24 * 3_600);

/// A new subscription, or one with a new secret.
#[derive(Debug)]
pub struct NewSubscription {
    pub webhook: WebhookRecord,
    /// Its secret, which is shown once.
    pub secret: SigningSecret,
}

impl WebhookSender {
    /// Returns the address in its usual form.
    fn judged(&self, url: &str) -> Result<String, Error> {
        self.judge(url)
            .map(|target| target.url().to_string())
            .map_err(|error| Error::fault("/url", FaultCode::Invalid, format!("url: {error}")))
    }
}

impl Hooks {
    /// Makes a subscription from `url`, `events` and `name`.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for an address that is refused and for one subscription too many;
    /// [`Error::WebhooksUnavailable`]; [`Error::NoEntropy`]; [`Error::Store`].
    pub async fn add(&self, caller: &CallerId, body: &Map<String, Value>) -> Result<NewSubscription, Error> {
        let sender = self.webhook_sender()?;
        let order = WebhookOrder::read(body)?;
        let url = sender.judged(&order.url)?;
        let (id, secret) = (WebhookId::random(), SigningSecret::random()?);
        let (owner, stored) = (caller.as_str().to_owned(), secret.stored().clone());
        let added = self.in_store(move |store| {
            let events: Vec<_> = order.events.iter().map(|event| event.name()).collect();
            let webhook = NewWebhook {
                id,
                owner: &owner,
                kind: WebhookKind::Standard,
                url: &url,
                events: &events,
                name: order.name.as_str(),
                secret: &stored,
                created_at: now_ms(),
            };
            store.add_webhook(&webhook, MOST)
        });
        if !added.await? {
            let message = format!("a caller has at most {MOST} webhooks");
            return Err(Error::fault("", FaultCode::OutOfRange, message));
        }
        let webhook = self.get(caller, id).await?;
        Ok(NewSubscription { webhook, secret })
    }

    /// Returns a caller's subscriptions, the oldest first.
    pub async fn all(&self, caller: &CallerId) -> Result<Vec<WebhookRecord>, Error> {
        self.webhook_sender()?;
        let owner = caller.as_str().to_owned();
        self.in_store(move |store| store.webhooks(&owner)).await
    }

    pub async fn get(&self, caller: &CallerId, id: WebhookId) -> Result<WebhookRecord, Error> {
        self.webhook_sender()?;
        let owner = caller.as_str().to_owned();
        let found = self.in_store(move |store| store.webhook(&owner, id)).await?;
        found.ok_or(Error::WebhookNotFound)
    }

    /// Changes `url`, `events`, `name` or `enabled` of a subscription.
    pub async fn edit(
        &self,
        caller: &CallerId,
        id: WebhookId,
        body: &Map<String, Value>,
    ) -> Result<WebhookRecord, Error> {
        let sender = self.webhook_sender()?;
        let edit = WebhookEdit::read(body)?;
        let url = edit.url.as_deref().map(|url| sender.judged(url)).transpose()?;
        let owner = caller.as_str().to_owned();
        let changed = self.in_store(move |store| {
            let events = edit
                .events
                .as_ref()
                .map(|events| events.iter().map(|event| event.name()));
            let events: Option<Vec<_>> = events.map(Iterator::collect);
            let change = WebhookChange {
                url: url.as_deref(),
                events: events.as_deref(),
                name: edit.name.as_ref().map(|name| name.as_str()),
                enabled: edit.enabled,
            };
            store.change_webhook(&owner, id, change, now_ms())
        });
        changed.await?.ok_or(Error::WebhookNotFound)
    }

    /// Gives a subscription a new secret.
    /// The old one stays valid for a day: messages have both signatures.
    pub async fn rotate(&self, caller: &CallerId, id: WebhookId) -> Result<NewSubscription, Error> {
        self.webhook_sender()?;
        let secret = SigningSecret::random()?;
        let (owner, stored) = (caller.as_str().to_owned(), secret.stored().clone());
        let until = now_ms().saturating_add(millis(OVERLAP));
        let rotated = self.in_store(move |store| store.rotate_webhook(&owner, id, &stored, until));
        rotated.await?.then_some(()).ok_or(Error::WebhookNotFound)?;
        let webhook = self.get(caller, id).await?;
        Ok(NewSubscription { webhook, secret })
    }

    /// Deletes a subscription with its deliveries.
    pub async fn delete(&self, caller: &CallerId, id: WebhookId) -> Result<(), Error> {
        self.webhook_sender()?;
        let owner = caller.as_str().to_owned();
        let deleted = self.in_store(move |store| store.delete_webhook(&owner, id));
        deleted.await?.then_some(()).ok_or(Error::WebhookNotFound)
    }

    /// Sends a message to a subscription to try it.
    pub async fn test(&self, caller: &CallerId, id: WebhookId) -> Result<DeliveryRecord, Error> {
        self.get(caller, id).await?;
        let _counted = self.webhook_sender()?.tests.start(caller, Instant::now())?;
        let (owner, now) = (caller.as_str().to_owned(), now_ms());
        let at = Timestamp::from_millisecond(now).unwrap_or_default();
        // Tests have no common subject, so each has a random name.
        let subject = DeliveryId::random().to_string();
        let data = json!({"webhookId": id});
        let message = EventMessage::new(WebhookEvent::WebhookTest, subject, at, &data);
        let put = self.in_store(move |store| store.put_deliveries(&[message.to(&owner, Some(id))], now));
        let delivery = put.await?.first().copied().ok_or(Error::WebhookDisabled)?;
        Ok(self.delivery(caller, id, delivery).await?.0)
    }

    /// A subscription's deliveries, the newest first: at most `most`, after the delivery `after`.
    pub async fn deliveries(
        &self,
        caller: &CallerId,
        id: WebhookId,
        after: Option<DeliveryId>,
        most: u32,
    ) -> Result<Vec<DeliveryRecord>, Error> {
        self.get(caller, id).await?;
        self.in_store(move |store| store.deliveries(id, after, most))
            .await
    }

    /// A delivery with its attempts, the oldest first.
    ///
    /// # Errors
    /// As [`Self::get`]; [`Error::WebhookNotFound`] also for an unknown delivery.
    pub async fn delivery(
        &self,
        caller: &CallerId,
        id: WebhookId,
        delivery: DeliveryId,
    ) -> Result<(DeliveryRecord, Vec<DeliveryAttempt>), Error> {
        self.get(caller, id).await?;
        let found = self.in_store(move |store| store.delivery(id, delivery)).await?;
        found.ok_or(Error::WebhookNotFound)
    }

    /// Sends a delivery again, under its id.
    pub async fn redeliver(
        &self,
        caller: &CallerId,
        id: WebhookId,
        delivery: DeliveryId,
    ) -> Result<DeliveryRecord, Error> {
        self.get(caller, id).await?;
        let queued = self.in_store(move |store| store.redeliver(id, delivery, now_ms()));
        match queued.await? {
            Redelivery::Queued => Ok(self.delivery(caller, id, delivery).await?.0),
            Redelivery::Disabled => Err(Error::WebhookDisabled),
            Redelivery::Unknown => Err(Error::WebhookNotFound),
        }
    }
}

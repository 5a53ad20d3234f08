//! The secrets that agents want back in their notifications, sealed in the store for their subscription.

use super::round::WebhookSender;
use crate::error::Error;
use ibid_a2a::PushSecrets;
use ibid_audit::fetch::{FetchError, FetchFailure, FetchTarget};
use ibid_model::WebhookId;
use ibid_store::{ClaimedDelivery, WebhookSecret};

impl WebhookSender {
    /// Judges an address. The target has it in its usual form.
    ///
    /// # Errors
    /// The address is refused.
    pub(crate) fn judge(&self, url: &str) -> Result<FetchTarget, FetchError> {
        self.settings.messenger.judge(url)
    }

    /// Seals the secrets of a subscription to a task.
    /// Without secrets the result is empty.
    pub(crate) fn seal_secrets(&self, id: WebhookId, secrets: &PushSecrets) -> Result<WebhookSecret, Error> {
        if secrets.is_empty() {
            return Ok(WebhookSecret::new(Vec::new()));
        }
        self.seal(id, &serde_json::to_vec(secrets)?)
    }

    /// Opens the secrets of a subscription to a task.
    pub(super) fn open_secrets(&self, claimed: &ClaimedDelivery) -> Result<PushSecrets, FetchError> {
        let stored = claimed.secrets.first().map_or(&[][..], WebhookSecret::reveal);
        if stored.is_empty() {
            return Ok(PushSecrets::default());
        }
        let opened = self.open_bytes(claimed.webhook, stored);
        let opened = opened.and_then(|opened| serde_json::from_slice(&opened).ok());
        opened.ok_or_else(|| {
            tracing::warn!(webhook = %claimed.webhook, "webhook.secret.unreadable");
            FetchError::Failed(FetchFailure::Internal)
        })
    }

    /// Seals a subscription's secret, such as the address where a chat program takes messages.
    pub(crate) fn seal(&self, id: WebhookId, secret: &[u8]) -> Result<WebhookSecret, Error> {
        let keys = self.keys.as_ref().ok_or(Error::QueueKeysUnavailable)?;
        let sealed = keys.seal_named(id.as_bytes(), secret);
        Ok(WebhookSecret::new(sealed.ok_or(Error::NoEntropy)?))
    }

    /// Opens the address of a chat program.
    pub(crate) fn open_address(&self, id: WebhookId, stored: &[u8]) -> Option<String> {
        String::from_utf8(self.open_bytes(id, stored)?).ok()
    }

    fn open_bytes(&self, id: WebhookId, stored: &[u8]) -> Option<Vec<u8>> {
        self.keys.as_ref()?.open_named(id.as_bytes(), stored)
    }
}

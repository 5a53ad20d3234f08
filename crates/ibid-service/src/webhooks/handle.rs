//! What surfaces hold to work with webhooks.

use super::WebhookSender;
use crate::error::Error;
use crate::runs::Runs;
use ibid_store::{Store, StoreError};
use std::sync::Arc;

/// Subscriptions to webhooks. Cheap to clone.
#[derive(Clone)]
pub struct Hooks {
    pub(crate) runs: Arc<Runs>,
    /// `None` when no webhooks are sent.
    pub(crate) sender: Option<Arc<WebhookSender>>,
}

impl Hooks {
    /// Whether webhooks and push notifications are sent.
    pub const fn notifies(&self) -> bool {
        self.sender.is_some()
    }

    pub(crate) fn webhook_sender(&self) -> Result<&Arc<WebhookSender>, Error> {
        self.sender.as_ref().ok_or(Error::WebhooksUnavailable)
    }

    pub(crate) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        self.runs.in_store(work).await
    }
}

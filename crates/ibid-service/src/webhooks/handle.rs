//! The handle of webhooks.

use super::WebhookSender;
use crate::error::Error;
use crate::runs::Runs;
use ibid_store::Db;
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

    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }
}

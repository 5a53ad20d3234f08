//! Settings of the sender.

use ibid_audit::fetch::Messenger;
use std::time::Duration;

/// Settings of webhooks.
#[derive(Clone, Debug)]
pub struct WebhookSettings {
    /// The client that sends messages.
    pub messenger: Messenger,
    /// The waits between the attempts of a delivery.
    /// After the last one it has failed.
    pub waits: Vec<Duration>,
    /// The time of failures without a success after which a subscription is disabled.
    pub disable_after: Duration,
    /// Time between two looks for due deliveries.
    pub period: Duration,
    /// The most messages of callers, and the most notifications of agents, under way in this process.
    pub at_once: usize,
}

impl WebhookSettings {
    /// The usual settings: ten attempts over a day, and five days of failures.
    #[must_use]
    pub fn new(messenger: Messenger) -> Self {
        let minutes = [1, 5, 30, 120, 300, 300, 300, 360].map(|minutes| Duration::from_secs(minutes * 60));
        Self {
            messenger,
            waits: std::iter::once(Duration::from_secs(5)).chain(minutes).collect(),
            disable_after: Duration::from_secs(5 * 86_400),
            period: Duration::from_secs(1),
            at_once: 64,
        }
    }
}

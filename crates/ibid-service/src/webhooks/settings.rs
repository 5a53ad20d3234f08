//! Settings of the sender.

use ibid_audit::fetch::Messenger;
use ibid_news::Mailer;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Settings of messages to people.
#[derive(Clone)]
pub struct PeopleSettings {
    /// What links begin with.
    pub base_url: Url,
    /// Sends mail; `None` where there is no mail server.
    pub mailer: Option<Arc<dyn Mailer>>,
}

#[derive(Clone)]
pub struct WebhookSettings {
    /// The client that sends messages.
    pub messenger: Messenger,
    /// The waits between the attempts of a delivery.
    /// After the last one it has failed.
    pub waits: Vec<Duration>,
    /// A subscription is disabled after so long without a success.
    pub disable_after: Duration,
    /// Time between two looks for due deliveries.
    pub period: Duration,
    /// Most of callers' messages under way in this process, and as many notifications to agents.
    pub at_once: usize,
    /// Messages to people; `None` where only programs get messages.
    pub people: Option<PeopleSettings>,
}

impl WebhookSettings {
    /// The usual settings: ten attempts over a day, and five days of failures.
    pub fn new(messenger: Messenger) -> Self {
        let minutes = [1, 5, 30, 120, 300, 300, 300, 360].map(|minutes| Duration::from_secs(minutes * 60));
        Self {
            messenger,
            waits: std::iter::once(Duration::from_secs(5)).chain(minutes).collect(),
            disable_after: Duration::from_secs(5 * 86_400),
            period: Duration::from_secs(1),
            at_once: 64,
            people: None,
        }
    }

    /// Sends messages to people, too.
    pub fn with_people(mut self, people: PeopleSettings) -> Self {
        self.people = Some(people);
        self
    }
}

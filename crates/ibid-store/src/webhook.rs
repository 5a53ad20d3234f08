//! Webhooks: subscriptions to events, and the events on their way to them.
//!
//! A delivery is one event for one subscription.
//! A process claims it with a lease for one attempt.
//! Every claim raises its epoch, and the write of the attempt names the epoch:
//! a process that lost its claim gets [`StoreError::Lost`].

use crate::purchase::Millis;
use ibid_model::{DeliveryId, WebhookId};
use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum WebhookKind {
    /// A subscription of a caller, with signed messages.
    Standard,
    /// An agent's subscription to one of its tasks.
    Task,
    Mail,
    Slack,
    Discord,
    /// A channel of Microsoft Teams.
    Teams,
}

/// Signs messages, or comes back to an agent with its notifications.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(Vec<u8>);

impl WebhookKind {
    /// The kinds that people read.
    pub const OF_PEOPLE: [Self; 4] = [Self::Mail, Self::Slack, Self::Discord, Self::Teams];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl WebhookSecret {
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WebhookSecret(..)")
    }
}

/// A subscription to store.
#[derive(Clone, Copy, Debug)]
pub struct NewWebhook<'a> {
    pub id: WebhookId,
    /// The caller whose events it gets.
    pub owner: &'a str,
    pub kind: WebhookKind,
    /// The address that events are sent to.
    pub url: &'a str,
    /// Names of events, such as `run.completed`; empty for all.
    pub events: &'a [&'a str],
    /// The name that its owner gave it; may be empty.
    pub name: &'a str,
    pub secret: &'a WebhookSecret,
    pub created_at: Millis,
}

/// A stored subscription, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WebhookRecord {
    pub id: WebhookId,
    /// The caller whose events it gets.
    pub owner: String,
    pub kind: WebhookKind,
    /// The address that events are sent to.
    pub url: String,
    /// Names of events, such as `run.completed`; empty for all.
    #[serde(skip)]
    pub events: Vec<String>,
    /// The name that its owner gave it.
    pub name: String,
    pub created_at: Millis,
    /// The time up to which the secret before the last rotation is valid.
    pub before_until: Option<Millis>,
    /// Set by the first failure after a success.
    pub failing_since: Option<Millis>,
    /// The time from which deliveries stop, and the reason.
    #[serde(skip)]
    pub disabled: Option<(Millis, WebhookDisabled)>,
}

/// The reason why a subscription gets no events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum WebhookDisabled {
    /// Its owner switched it off.
    Owner,
    /// Every attempt of some days failed.
    Failing,
    /// Its server reported it as gone.
    Gone,
    /// Its reader wants no more messages.
    Unsubscribed,
}

impl WebhookDisabled {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A change of a subscription. `None` leaves a part as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebhookChange<'a> {
    /// The address that events are sent to.
    pub url: Option<&'a str>,
    /// Names of events, such as `run.completed`; empty for all.
    pub events: Option<&'a [&'a str]>,
    pub name: Option<&'a str>,
    /// Whether it gets events.
    pub enabled: Option<bool>,
}

/// An event to deliver to subscriptions of its owner.
#[derive(Clone, Copy, Debug)]
pub struct NewDelivery<'a> {
    /// The caller whose subscriptions get it.
    pub owner: &'a str,
    /// The one subscription that gets it, even if it lists other events; `None` for all that list the event.
    pub only: Option<WebhookId>,
    pub event: &'a str,
    /// The thing that the event is about. A subscription gets an event about it once.
    pub subject: &'a str,
    pub payload: &'a [u8],
}

/// A message that takes in others of its subscription.
pub struct Summary<'a> {
    pub event: &'a str,
    /// Its subject: messages of one subscription and subject are one.
    pub subject: &'a str,
    /// The time at which it is sent.
    pub due: Millis,
    /// Makes its body from the one before.
    pub join: &'a (dyn Fn(Option<&[u8]>) -> Vec<u8> + Sync),
}

impl std::fmt::Debug for Summary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Summary({})", self.subject)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskWebhookPut {
    Stored,
    /// There is no such task.
    NoTask,
    /// The task has as many as it may have.
    TooMany,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// An attempt is due, now or later.
    Waiting,
    Delivered,
    /// No further attempt is made.
    Failed,
}

impl DeliveryState {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DeliveryRecord {
    /// Its id, the same for every attempt.
    pub id: DeliveryId,
    pub event: String,
    pub payload: Vec<u8>,
    pub state: DeliveryState,
    pub created_at: Millis,
    /// When the next attempt is due, if there is one.
    pub next_attempt: Option<Millis>,
    /// Attempts so far.
    pub attempts: u32,
    /// The last answer's HTTP status, such as 503.
    pub last_status: Option<u32>,
    pub last_error: Option<String>,
    pub ended_at: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DeliveryAttempt {
    pub at: Millis,
    /// Its length in milliseconds.
    pub took: u32,
    /// The answer's HTTP status, if one came.
    pub status: Option<u32>,
    /// What went wrong, as a code; `None` for an attempt that succeeded.
    pub error: Option<String>,
}

/// A subscription with a delivery that is due.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DueWebhook {
    pub id: WebhookId,
    /// The caller whose events it gets.
    pub owner: String,
}

/// A delivery that this process holds for one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldDelivery {
    pub id: DeliveryId,
    /// The claim under which it is held.
    pub epoch: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    pub held: HeldDelivery,
    pub webhook: WebhookId,
    pub kind: WebhookKind,
    pub url: String,
    pub event: String,
    /// The valid secrets, the newest first.
    pub secrets: Vec<WebhookSecret>,
    pub payload: Vec<u8>,
    /// Attempts before this one since the delivery was queued.
    pub tries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The message was taken.
    Delivered,
    /// Another attempt follows at this time.
    Retry(Millis),
    /// No further attempt is made.
    Failed,
    /// The server wants no messages any more: the subscription is disabled.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redelivery {
    /// The delivery is due.
    Queued,
    /// The subscription is disabled.
    Disabled,
    /// There is no such delivery.
    Unknown,
}

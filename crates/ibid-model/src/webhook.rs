//! Subscriptions to events: the names of events, and the requests to make or change a subscription.

use crate::contract::field::URL;
use crate::contract::webhook::{ENABLED, EVENTS, WEBHOOK_NAME};
use crate::fault::Faults;
use crate::object_reader::ObjectReader;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::str::FromStr;

/// An event that subscriptions receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WebhookEvent {
    /// A scan has ended with a result.
    RunCompleted,
    /// A scan has ended without a result.
    RunFailed,
    /// A scan was cancelled by its caller.
    RunCancelled,
    /// A schedule has started a scan.
    ScheduleFired,
    /// A scheduled scan differs from the one before, or a schedule has failed repeatedly.
    AlertRaised,
    /// Another subscription of the caller was disabled.
    WebhookDisabled,
    /// The caller asked for a message to try the subscription. No subscription lists it.
    WebhookTest,
    /// A project's score changed. For a project's destinations.
    ChangeNoticed,
    /// Four fifths of a project's monthly budget are spent, or all. For a project's destinations.
    BudgetReached,
    /// A question lost its answers. For a project's destinations.
    QuestionLost,
    /// A day's alerts beyond those that a destination gets one by one. For destinations.
    NewsSummary,
    /// What happened in a week or a month. For destinations.
    NewsDigest,
    /// Asks whoever reads an address to confirm it. For destinations.
    NewsConfirm,
}

impl WebhookEvent {
    /// The events that a subscription may list.
    pub const LISTED: [Self; 6] = [
        Self::RunCompleted,
        Self::RunFailed,
        Self::RunCancelled,
        Self::ScheduleFired,
        Self::AlertRaised,
        Self::WebhookDisabled,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RunCompleted => "run.completed",
            Self::RunFailed => "run.failed",
            Self::RunCancelled => "run.cancelled",
            Self::ScheduleFired => "schedule.fired",
            Self::AlertRaised => "alert.raised",
            Self::WebhookDisabled => "webhook.disabled",
            Self::WebhookTest => "webhook.test",
            Self::ChangeNoticed => "change.noticed",
            Self::BudgetReached => "budget.reached",
            Self::QuestionLost => "question.lost",
            Self::NewsSummary => "news.summary",
            Self::NewsDigest => "news.digest",
            Self::NewsConfirm => "news.confirm",
        }
    }
}

impl Serialize for WebhookEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A name that no subscription may list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of {}", WebhookEvent::LISTED.map(WebhookEvent::name).join(", "))]
pub struct UnknownEvent;

impl FromStr for WebhookEvent {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        let known = Self::LISTED.into_iter().find(|event| event.name() == text);
        known.ok_or(UnknownEvent)
    }
}

/// The name that a caller gives a subscription: up to 100 characters. May be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookName(String);

impl WebhookName {
    /// Most characters.
    pub const MAX_CHARS: usize = 100;

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is no name of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("takes at most 100 characters")]
pub struct BadWebhookName;

impl FromStr for WebhookName {
    type Err = BadWebhookName;

    fn from_str(text: &str) -> Result<Self, BadWebhookName> {
        let text = text.trim();
        if text.chars().count() > Self::MAX_CHARS {
            return Err(BadWebhookName);
        }
        Ok(Self(text.to_owned()))
    }
}

/// A subscription to make. The address is not judged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookOrder {
    /// The address that events are sent to.
    pub url: String,
    /// Its events; empty for all.
    pub events: Vec<WebhookEvent>,
    /// Its name.
    pub name: WebhookName,
}

impl WebhookOrder {
    /// Reads `url`, `events` and `name`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(body);
        let url = fields.required_text(&URL);
        let events = fields.texts(&EVENTS).unwrap_or_default();
        let name = fields.text(&WEBHOOK_NAME).unwrap_or_default();
        fields.finish(url.map(|url| Self { url, events, name }))
    }
}

/// A change of a subscription. An absent member leaves a part as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookEdit {
    /// The address that events are sent to, not judged yet.
    pub url: Option<String>,
    /// Its events; an empty list for all.
    pub events: Option<Vec<WebhookEvent>>,
    /// Its name.
    pub name: Option<WebhookName>,
    /// Whether it gets events.
    pub enabled: Option<bool>,
}

impl WebhookEdit {
    /// Reads `url`, `events`, `name` and `enabled`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(body);
        let edit = Self {
            url: fields.text(&URL),
            events: fields.texts(&EVENTS),
            name: fields.text(&WEBHOOK_NAME),
            enabled: fields.flag(&ENABLED),
        };
        fields.finish(Some(edit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(body: &Value) -> Vec<String> {
        let Err(faults) = WebhookOrder::read(body.as_object().unwrap()) else {
            return Vec::new();
        };
        faults.iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn orders_are_read_with_every_fault() {
        let order = json!({"url": "https://example.com/", "events": ["run.failed", "alert.raised"], "name": " shop "});
        let order = WebhookOrder::read(order.as_object().unwrap()).unwrap();
        assert_eq!(order.events, [WebhookEvent::RunFailed, WebhookEvent::AlertRaised]);
        assert_eq!(order.name.as_str(), "shop");
        assert_eq!(faults(&json!({})), ["/url"]);
        let wrong = json!({"url": 7, "events": ["run.failed", "webhook.test"], "name": "x".repeat(101)});
        assert_eq!(faults(&wrong), ["/url", "/events/1", "/name"]);
    }

    #[test]
    fn names_of_events_are_read_back() {
        for event in WebhookEvent::LISTED {
            assert_eq!(event.name().parse(), Ok(event));
        }
    }
}

//! The events of schedules.

use crate::webhooks::EventMessage;
use ibid_model::{AlertId, ScanId, WebhookEvent};
use jiff::Timestamp;
use serde_json::Value;

/// A schedule has started a scan.
pub(super) fn fired(scan: ScanId, at: Timestamp, data: &Value) -> EventMessage {
    EventMessage::new(WebhookEvent::ScheduleFired, scan.to_string(), at, data)
}

/// An alert was raised.
pub(super) fn raised(alert: AlertId, at: Timestamp, data: &Value) -> EventMessage {
    EventMessage::new(WebhookEvent::AlertRaised, alert.to_string(), at, data)
}

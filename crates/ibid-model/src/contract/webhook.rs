//! What a subscription to events takes, and its JSON Schemas.
//!
//! ```
//! use ibid_model::Catalog;
//! use ibid_model::contract::webhook::webhook_body;
//!
//! let schema = webhook_body(&Catalog::builtin());
//! assert_eq!(schema["required"], serde_json::json!(["url"]));
//! ```

use super::field::{Field, Shape, URL, body};
use crate::catalog::Catalog;
use crate::order::ScanForm;
use crate::webhook::{WebhookEvent, WebhookName};
use serde_json::{Value, json};

/// Which events are sent.
pub const EVENTS: Field = Field::new(
    "events",
    Shape::Texts {
        least: 0,
        most: WebhookEvent::LISTED.len(),
        each: 32,
    },
)
.about("The events that are sent; absent or empty for all.");

/// What people call a subscription.
pub const WEBHOOK_NAME: Field = Field::text("name")
    .chars(0, WebhookName::MAX_CHARS)
    .about("A name for people.");

/// Whether a subscription gets events.
pub const ENABLED: Field = Field::new("enabled", Shape::Flag)
    .about("Whether events are sent. Switching a subscription on forgets its failures.");

/// Writes the JSON Schema that `POST /api/v2/webhooks` takes.
#[must_use]
pub fn webhook_body(catalog: &Catalog) -> Value {
    schema(&[&URL], &[&URL, &EVENTS, &WEBHOOK_NAME], catalog)
}

/// Writes the JSON Schema that `PATCH /api/v2/webhooks/{id}` takes.
#[must_use]
pub fn webhook_edit_body(catalog: &Catalog) -> Value {
    schema(&[], &[&URL, &EVENTS, &WEBHOOK_NAME, &ENABLED], catalog)
}

fn schema(required: &[&Field], fields: &[&Field], catalog: &Catalog) -> Value {
    let form = (ScanForm::Byok, true);
    let mut schema = body(required.iter().copied(), fields.iter().copied(), form, catalog);
    schema["properties"]["url"]["description"] =
        json!("The https address that messages are sent to. Private addresses are refused.");
    let events = &mut schema["properties"]["events"];
    events["items"] = json!({"type": "string", "enum": WebhookEvent::LISTED.map(WebhookEvent::name)});
    schema
}

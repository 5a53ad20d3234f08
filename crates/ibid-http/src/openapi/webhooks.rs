//! Messages that projects send to programs, as webhooks of the document.

use ibid_service::NewsEvent;
use schemars::generate::Contract;
use serde_json::{Value, json};

/// The section `webhooks`.
pub(super) fn webhooks() -> Value {
    let text = || json!({"type": "string"});
    let failed = json!({"type": "object", "required": ["scanId", "status", "domain", "keyword", "error"], "properties": {
        "scanId": text(), "status": {"const": "failed"}, "domain": text(), "keyword": text(), "tag": {"type": ["string", "null"]},
        "scheduleId": {"type": ["string", "null"]}, "error": {"type": ["string", "null"]},
        "summary": {"type": ["object", "null"]}, "links": {"type": "object"},
    }});
    let failed = json!({"description": "A run of a project ended without a result",
        "properties": {"type": {"const": "run.failed"}, "data": failed}});
    let events = super::schemas::generator(Contract::Deserialize).root_schema_for::<NewsEvent>();
    let events = events
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    events.chain([&failed]).map(message).collect()
}

/// Makes the entry for an event, whose schema has `type`, `data` and a description.
fn message(event: &Value) -> (String, Value) {
    let name = event["properties"]["type"]["const"].as_str().unwrap_or_default();
    let (of, happened) = name.split_once('.').unwrap_or_default();
    let (first, rest) = happened.split_at_checked(1).unwrap_or_default();
    let id = format!("{of}{}{rest}", first.to_uppercase());
    let header =
        |name: &str| json!({"name": name, "in": "header", "required": true, "schema": {"type": "string"}});
    let message = json!({"post": {
        "operationId": id,
        "summary": event["description"],
        "description": "Signed as Standard Webhooks say; a message may come more than once, always with the same `webhook-id`.",
        "tags": ["v2"],
        "security": [],
        "parameters": [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["type", "timestamp", "data"], "properties": {
                "type": {"const": name}, "timestamp": {"type": "string", "format": "date-time"},
                "data": event["properties"]["data"]}}}}},
        "responses": {"2XX": {"description": "Taken. Any other answer is a failure, and the message is sent again."}}
    }});
    (name.to_owned(), message)
}

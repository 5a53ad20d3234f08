//! The messages that programs of projects get, as webhooks of the document.

use serde_json::{Value, json};

/// The section `webhooks`.
pub(super) fn webhooks() -> Value {
    let text = || json!({"type": "string"});
    json!({
        "change.noticed": message(
            ("change.noticed", "changeNoticed", "The score of a project changed"),
            &json!({"$ref": "#/components/schemas/RaisedAlert"}),
        ),
        "question.lost": message(
            ("question.lost", "questionLost", "A question of a project lost its answers in three runs in a row"),
            &json!({"$ref": "#/components/schemas/LostQuestion"}),
        ),
        "run.failed": message(
            ("run.failed", "runFailed", "A run of a project ended without a result"),
            &json!({"type": "object", "required": ["scanId", "status", "domain", "keyword", "error"], "properties": {
                "scanId": text(), "status": {"const": "failed"}, "domain": text(), "keyword": text(), "tag": {"type": ["string", "null"]},
                "scheduleId": {"type": ["string", "null"]}, "error": {"type": ["string", "null"]},
                "summary": {"type": ["object", "null"]}, "links": {"type": "object"},
            }}),
        ),
        "budget.reached": message(
            ("budget.reached", "budgetReached", "80 or 100 percent of the budget of the month of a project are spent"),
            &json!({"$ref": "#/components/schemas/ReachedBudget"}),
        ),
    })
}

fn message((name, id, summary): (&str, &str, &str), data: &Value) -> Value {
    let header =
        |name: &str| json!({"name": name, "in": "header", "required": true, "schema": {"type": "string"}});
    json!({"post": {
        "operationId": id,
        "summary": summary,
        "description": "Signed as Standard Webhooks say; a message may come more than once, always with the same `webhook-id`.",
        "tags": ["v2"],
        "security": [],
        "parameters": [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["type", "timestamp", "data"], "properties": {
                "type": {"const": name}, "timestamp": {"type": "string", "format": "date-time"},
                "data": data}}}}},
        "responses": {"2XX": {"description": "Taken. Any other answer is a failure, and the message is sent again."}}
    }})
}

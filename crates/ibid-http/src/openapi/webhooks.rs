//! The messages that programs of projects get, as webhooks of the document.

use serde_json::{Value, json};

/// The section `webhooks`.
pub(super) fn webhooks() -> Value {
    let text = || json!({"type": "string"});
    let share = || {
        json!({"type": "object", "required": ["citedAnswers", "answers"],
            "properties": {"citedAnswers": {"type": "integer"}, "answers": {"type": "integer"}}})
    };
    let question = || json!({"question": text(), "before": share(), "since": share()});
    json!({
        "change.noticed": message(
            ("change.noticed", "changeNoticed", "The score of a project changed"),
            &["alertId", "scheduleId", "name", "kind", "summary", "changes", "questions", "scanId"],
            &json!({
                "alertId": text(), "scheduleId": text(), "projectId": text(), "name": text(), "kind": {"const": "changed"},
                "summary": text(), "nextStep": {"type": ["string", "null"]},
                "changes": {"type": "array", "items": {"type": "object"}},
                "questions": {"type": "array", "items": {"type": "object", "required": ["question", "before", "since"],
                    "properties": question()}},
                "scanId": text(), "previousScanId": {"type": ["string", "null"]}, "dueAt": text(), "links": {"type": "object"},
            }),
        ),
        "question.lost": message(
            ("question.lost", "questionLost", "A question of a project lost its answers in three runs in a row"),
            &["projectId", "name", "scanId", "question", "before", "since"],
            &json!({"projectId": text(), "name": text(), "scanId": text(), "question": text(), "before": share(), "since": share()}),
        ),
        "run.failed": message(
            ("run.failed", "runFailed", "A run of a project ended without a result"),
            &["scanId", "status", "domain", "keyword", "error"],
            &json!({
                "scanId": text(), "status": {"const": "failed"}, "domain": text(), "keyword": text(), "tag": {"type": ["string", "null"]},
                "scheduleId": {"type": ["string", "null"]}, "error": {"type": ["string", "null"]},
                "summary": {"type": ["object", "null"]}, "links": {"type": "object"},
            }),
        ),
        "budget.reached": message(
            ("budget.reached", "budgetReached", "80 or 100 percent of the budget of the month of a project are spent"),
            &["projectId", "name", "percent", "spentUsd", "budgetUsd"],
            &json!({
                "projectId": text(), "name": text(), "percent": {"enum": [80, 100]}, "spentUsd": {"type": "number"},
                "budgetUsd": {"type": "number"},
            }),
        ),
    })
}

fn message((name, id, summary): (&str, &str, &str), required: &[&str], data: &Value) -> Value {
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
                "data": {"type": "object", "required": required, "properties": data}}}}}},
        "responses": {"2XX": {"description": "Taken. Any other answer is a failure, and the message is sent again."}}
    }})
}

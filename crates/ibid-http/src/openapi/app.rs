//! The paths of the workspace that take and give JSON.

use super::v1::{problem, reference};
use serde_json::{Value, json};

/// Every such path.
pub(super) fn paths() -> Value {
    let own_site =
        "Takes a request of this site: `Sec-Fetch-Site: same-origin`, or `Origin` equal to the base address.";
    json!({
        "/api/app/scan": {"post": {
            "operationId": "runWorkspaceScan",
            "tags": ["app"],
            "summary": "Run a scan for a credit of the account",
            "description": format!(
                "The scan goes on when the connection is closed, and is then found in the history. With \
                 `Accept: text/event-stream` the answer is a stream: `progress` for every answer, with `cited` and `score`, \
                 then `scan_complete`. {own_site}"
            ),
            "security": [{"session": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": reference("PaidScanRequest")}}},
            "responses": {
                "200": {"description": "The finished scan", "content": {
                    "application/json": {"schema": reference("StoredScan")},
                    "text/event-stream": {"schema": {"type": "string"}}
                }},
                "400": problem("Parameters missing or invalid, or the plan too large or too expensive; nothing was spent"),
                "401": problem("Nobody is signed in"),
                "402": problem("No credit is left"),
                "403": problem("Sent from another site"),
                "413": problem("Body over 64 KiB"),
                "415": problem("Body not JSON"),
                "500": problem("Failure inside the service, or no model answered; the credit was given back"),
                "503": problem("The operator has set no provider key, or overloaded")
            }
        }},
        "/api/app/plan": {"post": {
            "operationId": "planWorkspaceScan",
            "tags": ["app"],
            "summary": "What a scan would ask and cost; asks nobody and takes nothing",
            "description": format!("Answers 200 for a faulty request too, with what is wrong in `errors`. {own_site}"),
            "security": [{"session": []}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object"}}}},
            "responses": {
                "200": {"description": "The plan", "content": {"application/json": {"schema": reference("WorkspacePlan")}}},
                "400": problem("The body is no JSON object"),
                "401": problem("Nobody is signed in"),
                "403": problem("Sent from another site"),
                "413": problem("Body over 64 KiB"),
                "415": problem("Body not JSON")
            }
        }}
    })
}

/// What a plan says.
pub(super) fn plan_schema() -> Value {
    let text_or_null = |description: &str| json!({"type": ["string", "null"], "description": description});
    json!({
        "type": "object",
        "required": ["errors", "questions", "estimatedCost", "note", "place"],
        "properties": {
            "errors": {"type": "array", "description": "Every fault of the request.", "items": {
                "type": "object",
                "required": ["field", "code", "message"],
                "properties": {
                    "field": {"type": "string", "description": "JSON pointer; empty for the whole."},
                    "code": {"type": "string"},
                    "message": {"type": "string"}
                }
            }},
            "questions": {"type": ["integer", "null"], "description": "Questions to be asked; null while the request is faulty."},
            "estimatedCost": text_or_null("What the models will cost, in words: `$0.12`."),
            "note": {"type": "string", "description": "A sentence for the reader of a form."},
            "place": {
                "type": ["object", "null"],
                "description": "What `location` is taken for.",
                "required": ["label"],
                "properties": {"label": {"type": "string"}}
            }
        }
    })
}

/// How the session is shown.
pub(super) fn session_scheme(cookie: &str) -> Value {
    json!({"type": "apiKey", "in": "cookie", "name": cookie, "description": "The session of the workspace, from `/sign-in`."})
}

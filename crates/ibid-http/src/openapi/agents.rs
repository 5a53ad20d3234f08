//! What agents find and call: the card and the JSON-RPC endpoint. Messages and tasks are described by A2A itself.

use super::v1::problem;
use ibid_a2a::CARD_PATHS;
use serde_json::{Map, Value, json};

/// Every path that is served.
pub(super) fn paths() -> Value {
    let mut paths = Map::new();
    for (path, id, versions) in [
        (CARD_PATHS[0], "readAgentCard", "0.2"),
        (CARD_PATHS[1], "readAgentCard03", "0.3 and later"),
    ] {
        let card = json!({"get": {
            "operationId": id,
            "tags": ["a2a"],
            "summary": format!("The agent card, where clients of A2A {versions} look for it"),
            "responses": {"200": {"description": "The card", "content": {"application/json": {"schema": {"type": "object"}}}}}
        }});
        paths.insert(path.to_owned(), card);
    }
    paths.insert("/api/a2a/jsonrpc".to_owned(), jsonrpc());
    Value::Object(paths)
}

fn jsonrpc() -> Value {
    let header = |name: &str, about: &str| json!({"name": name, "in": "header", "required": false, "schema": {"type": "string"}, "description": about});
    let answer = json!({
        "type": "object",
        "required": ["jsonrpc", "id"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "number", "null"]},
            "result": {"type": "object", "description": "A task, or an event of a stream."},
            "error": {"type": "object", "required": ["code", "message"], "properties": {
                "code": {"type": "integer"}, "message": {"type": "string"}, "data": {"type": "object"}}}
        }
    });
    let call = json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "number", "null"]},
            "method": {"type": "string", "enum": ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"]},
            "params": {"type": "object"}
        }
    });
    json!({"post": {
        "operationId": "callAgent",
        "tags": ["a2a"],
        "summary": "Agent-to-agent protocol (A2A) 0.2.5, 0.2.6 and 0.3 over JSON-RPC",
        "description": "Skills scan, radius, audit, full and my-receipts; paid in the metadata of messages (a2a-x402 v0.1) or \
            in a payment header. Errors of JSON-RPC come with status 200.",
        "parameters": [
            header("X-PAYMENT", "Payment of version 1: base64 of a JSON object."),
            header("PAYMENT-SIGNATURE", "Payment of version 2: base64 of a JSON object."),
            header("X-A2A-Extensions", "Extensions that the client activates; the payment extension is echoed.")
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": call}}},
        "responses": {
            "200": {"description": "The answer; for message/stream and tasks/resubscribe a stream of answers", "content": {
                "application/json": {"schema": answer}, "text/event-stream": {"schema": {"type": "string"}}}},
            "413": problem("Body too large"),
            "415": problem("Body not JSON")
        }
    }})
}

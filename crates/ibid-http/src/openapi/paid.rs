//! The paid paths.

use super::v1::{problem, reference};
use serde_json::{Map, Value, json};

/// Every paid path that is served.
pub(super) fn paths() -> Value {
    let sold = [
        Sold {
            path: "scan",
            id: "buyScan",
            summary: "Buy a scan",
            body: "PaidScanRequest",
            reply: "StoredScan",
        },
        Sold {
            path: "radius",
            id: "buyRadius",
            summary: "Buy a radius analysis",
            body: "RadiusRequest",
            reply: "StoredScan",
        },
        Sold {
            path: "audit",
            id: "buyAudit",
            summary: "Buy a page audit",
            body: "AuditRequest",
            reply: "AuditReply",
        },
        Sold {
            path: "full",
            id: "buyFull",
            summary: "Buy scan, radius and audit in one",
            body: "FullRequest",
            reply: "FullReply",
        },
    ];
    let mut paths: Map<String, Value> = sold
        .iter()
        .map(|sold| {
            let ok = json!({
                "description": "The finished work",
                "headers": {"PAYMENT-RESPONSE": settlement(), "X-PAYMENT-RESPONSE": settlement()},
                "content": {"application/json": {"schema": reference(sold.reply)}}
            });
            (format!("/api/a2a/{}", sold.path), operation(sold, ok))
        })
        .collect();
    let watch = Sold {
        path: "watch",
        id: "watchScan",
        summary: "Buy a scan and watch it",
        body: "PaidScanRequest",
        reply: "",
    };
    let stream = json!({
        "description": "Server-Sent Events: `progress` for every answer, then `scan_complete` and `payment_settled`",
        "content": {"text/event-stream": {"schema": {"type": "string"}}}
    });
    paths.insert("/api/a2a/watch".to_owned(), operation(&watch, stream));
    let receipts = Sold {
        path: "my-receipts",
        id: "listReceipts",
        summary: "List your own purchases; the payment proves the wallet and is never settled",
        body: "ReceiptsRequest",
        reply: "ReceiptPage",
    };
    let page = json!({
        "description": "Receipts, the latest first",
        "content": {"application/json": {"schema": reference(receipts.reply)}}
    });
    paths.insert("/api/a2a/my-receipts".to_owned(), operation(&receipts, page));
    paths.insert(
        "/api/a2a/scan/{id}".to_owned(),
        json!({"get": {
            "operationId": "readBought",
            "tags": ["a2a"],
            "summary": "Read what was bought; the id is the capability",
            "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
            "responses": {
                "200": {"description": "The document", "content": {"application/json": {"schema": {"anyOf": [reference("FullReply"), reference("StoredScan")]}}}},
                "404": problem("Nothing was bought under this id"),
                "500": problem("Failure inside the service")
            }
        }}),
    );
    Value::Object(paths)
}

struct Sold {
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    body: &'static str,
    reply: &'static str,
}

fn operation(sold: &Sold, ok: Value) -> Value {
    let header = |name: &str, version: u8| {
        let description = format!("Payment of version {version}: base64 of a JSON object.");
        json!({"name": name, "in": "header", "required": false, "schema": {"type": "string", "maxLength": 16_384},
               "description": description})
    };
    json!({"post": {
        "operationId": sold.id,
        "tags": ["a2a"],
        "summary": sold.summary,
        "parameters": [header("X-PAYMENT", 1), header("PAYMENT-SIGNATURE", 2)],
        "requestBody": {"required": false, "content": {"application/json": {"schema": reference(sold.body)}}},
        "responses": {
            "200": ok,
            "400": problem("Order or payment malformed, or the plan too large or too expensive; nothing was spent"),
            "402": {
                "description": "A payment is due, or the one sent is refused: `error` says why",
                "headers": {"PAYMENT-REQUIRED": {"schema": {"type": "string"}, "description": "The offer of version 2."}},
                "content": {"application/json": {"schema": reference("PaymentRequired")}}
            },
            "413": problem("Body too large"),
            "415": problem("Body not JSON"),
            "500": problem("Failure inside the service, or no model answered; nothing was charged"),
            "502": problem("No verdict of the facilitator. Send the same payment again; do not sign a new one"),
            "503": problem("Nothing is sold here, or overloaded")
        }
    }})
}

fn settlement() -> Value {
    json!({"schema": {"type": "string"}, "description": "Base64 of a Settlement."})
}

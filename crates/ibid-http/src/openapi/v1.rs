//! The paths.

use serde_json::{Map, Value, json};

/// Every path that is served.
pub(super) fn paths() -> Value {
    json!({
        "/api/v1/scan": {"post": {
            "operationId": "createScan",
            "tags": ["v1"],
            "summary": "Run a scan and wait for its result",
            "description": "Closing the connection cancels the scan: its calls are paid with your key.",
            "security": [{"bearer": []}],
            "parameters": [{
                "name": "X-Router-Key", "in": "header", "required": false, "schema": {"type": "string", "maxLength": 512},
                "description": "Your key at the model provider. Used for this scan only, never stored or returned."
            }],
            "requestBody": {"required": true, "content": {"application/json": {"schema": reference("ScanRequest")}}},
            "responses": responses("ScanReply", "The finished scan", &["400", "401", "413", "415", "429", "500", "503"])
        }},
        "/api/v1/scan/{id}": {"get": {
            "operationId": "readScan",
            "tags": ["v1"],
            "summary": "Read a finished scan",
            "security": [{"bearer": []}],
            "parameters": [id()],
            "responses": responses("StoredScan", "The scan", &["401", "404", "500"])
        }},
        "/api/v1/scan/{id}/answers": {"get": {
            "operationId": "readAnswers",
            "tags": ["v1"],
            "summary": "Read the evidence of a scan",
            "security": [{"bearer": []}],
            "parameters": [id()],
            "responses": responses("Evidence", "Every question, answer and reading", &["401", "404", "500"])
        }},
        "/api/v1/scan/{id}/rescored": {"get": {
            "operationId": "readRescoredScan",
            "tags": ["v1"],
            "summary": "Read a finished scan as it is scored today",
            "description": "The answers of the scan read and scored with the current method; the numbers that were released are in `method.previous`. When the method has changed since, reading the scan gives a `Link` with rel `latest-version` to this path and the header `X-Method-Outdated` with the old version.",
            "security": [{"bearer": []}],
            "parameters": [id()],
            "responses": responses("StoredScan", "The scan with its new numbers", &["401", "404", "500"])
        }},
        "/api/v1/scan/{id}/compare/{other}": {"get": {
            "operationId": "compareScans",
            "tags": ["v1"],
            "summary": "Compare two finished scans",
            "description": "How the second scan differs from the first: changed, within noise, or not comparable.",
            "security": [{"bearer": []}],
            "parameters": [id(), {
                "name": "other", "in": "path", "required": true, "schema": {"type": "string"},
                "description": "The `scanId` of the second scan."
            }],
            "responses": responses("Comparison", "The comparison", &["401", "404", "500"])
        }},
        "/api/v1/models": {"get": {
            "operationId": "listModels",
            "tags": ["v1"],
            "summary": "List the model aliases",
            "responses": responses("Models", "The alias table, in order", &[])
        }},
        "/openapi.json": {"get": {
            "operationId": "readOpenApi",
            "tags": ["operations"],
            "summary": "This document",
            "responses": {"200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}}
        }},
        "/healthz": {"get": {
            "operationId": "readHealth",
            "tags": ["operations"],
            "summary": "The process runs",
            "responses": {"200": text("It does")}
        }},
        "/readyz": {"get": {
            "operationId": "readReadiness",
            "tags": ["operations"],
            "summary": "The store can be read and written, and the router answered lately",
            "responses": {"200": text("It can"), "503": problem("It cannot, or the router was silent for five minutes")}
        }}
    })
}

fn id() -> Value {
    json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}, "description": "The `scanId`."})
}

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn header(description: &str) -> Value {
    json!({"description": description, "schema": {"type": "string"}})
}

fn text(description: &str) -> Value {
    json!({"description": description, "content": {"text/plain": {"schema": {"type": "string"}}}})
}

pub(super) fn problem(description: &str) -> Value {
    json!({"description": description, "content": {"application/problem+json": {"schema": reference("Problem")}}})
}

/// 200 with a schema, and the listed problems.
fn responses(schema: &str, description: &str, problems: &[&str]) -> Value {
    let mut responses = Map::new();
    let mut ok =
        json!({"description": description, "content": {"application/json": {"schema": reference(schema)}}});
    match schema {
        "ScanReply" => {
            ok["headers"] = json!({
                "RateLimit": header("What is left of the hour. Absent where nothing is counted."),
                "RateLimit-Policy": header("Scans an hour, and scans at once.")
            });
        }
        "StoredScan" => {
            ok["headers"] = json!({
                "X-Method-Outdated": header("The version of the method that scored it, if that is no longer the current one."),
                "Link": header("Then: where the scan is as scored today.")
            });
        }
        _ => {}
    }
    responses.insert("200".into(), ok);
    for status in problems {
        let description = match *status {
            "400" => "Parameters missing or invalid; every fault is listed",
            "401" => "Bearer key missing or invalid",
            "404" => "No such scan on this surface",
            "413" => "Body over 64 KiB",
            "415" => "Body not JSON",
            "429" => "Limit used up; only when limits are enforced",
            "503" => "Overloaded; come back after Retry-After",
            _ => "Failure inside the service, or no model answered",
        };
        let mut problem = problem(description);
        match *status {
            "401" => problem["headers"] = json!({"WWW-Authenticate": header("`Bearer`")}),
            "429" => {
                problem["headers"] = json!({
                    "Retry-After": header("Seconds until it is worth coming back."),
                    "RateLimit": header("What is left of the hour."),
                    "RateLimit-Policy": header("Scans an hour, and scans at once.")
                });
            }
            "503" => {
                problem["headers"] = json!({"Retry-After": header("Seconds until it is worth coming back.")});
            }
            _ => {}
        }
        responses.insert((*status).into(), problem);
    }
    Value::Object(responses)
}

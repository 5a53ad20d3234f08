//! An OpenAPI document like the one of the service.

use serde_json::{Value, json};

pub(crate) fn document() -> Value {
    let schema = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let problem = |description: &str| json!({"description": description, "content": {"application/problem+json": {"schema": schema("Problem")}}});
    let ok = |name: &str, description: &str| json!({"description": description, "content": {"application/json": {"schema": schema(name)}}});
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}, "description": "The `scanId`."});
    json!({
        "openapi": "3.1.0",
        "info": {"title": "ibid", "summary": "Measures whether, how prominently and how far around a place AI answers cite a website.",
                 "description": "Scans are synchronous and paid by the caller's own provider key. Errors are RFC 9457 problem documents with a stable `code`.", "version": "0.1.0"},
        "tags": [{"name": "v1", "description": "Bearer-authenticated REST API"}, {"name": "operations", "description": "For the operator of the service"}],
        "paths": {
            "/api/v1/scan": {"post": {"tags": ["v1"], "summary": "Run a scan and wait for its result", "description": "Closing the connection cancels the scan: its calls are paid with your key.",
                "security": [{"bearer": []}], "parameters": [{"name": "X-Router-Key", "in": "header", "required": false, "schema": {"type": "string", "maxLength": 512}, "description": "Your key at the model provider. Used for this scan only, never stored or returned."}],
                "requestBody": {"content": {"application/json": {"schema": schema("ScanRequest")}}},
                "responses": {"200": ok("ScanReply", "The finished scan"), "400": problem("Parameters missing or invalid; every fault is listed"), "401": problem("Bearer key missing or invalid"), "429": problem("Limit used up; only when limits are enforced"), "503": problem("Overloaded; come back after Retry-After")}}},
            "/api/v1/scan/{id}": {"get": {"tags": ["v1"], "summary": "Read a finished scan", "security": [{"bearer": []}], "parameters": [id], "responses": {"200": ok("ScanReply", "The scan"), "404": problem("No such scan on this surface")}}},
            "/api/v1/models": {"get": {"tags": ["v1"], "summary": "List the model aliases", "responses": {"200": ok("Models", "The alias table, in order")}}},
            "/healthz": {"get": {"tags": ["operations"], "summary": "The process runs", "responses": {"200": {"description": "It does", "content": {"text/plain": {"schema": {"type": "string"}}}}}}}
        },
        "components": {"schemas": {
            "Interval": {"type": "object", "description": "A 95 % interval around a score (0..100) or a rate (0..1).", "required": ["low", "high"], "properties": {"low": {"type": "number", "description": "Lower end."}, "high": {"type": "number", "description": "Upper end."}, "lowPrecision": {"type": "boolean", "description": "Fewer than ten questions: the interval is wide, and its bounds are approximate."}}},
            "Models": {"type": "object", "properties": {"byok": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "description": "The alias, usable in `models`."}, "costPerQuery": {"type": "number", "description": "Estimated cost per question, in US dollars."}}}}}},
            "Problem": {"type": "object", "description": "An RFC 9457 problem document.", "required": ["type", "code"], "properties": {"type": {"type": "string", "format": "uri-reference"}, "code": {"type": "string", "description": "Stable snake_case word."}}},
            "Prominence": {"description": "How prominently an answer cites the target, from not at all to first choice.", "oneOf": [{"type": "string", "const": "none", "description": "No evidence of the target."}, {"type": "string", "const": "mentioned", "description": "Named or linked, but not as a recommendation."}, {"type": "string", "const": "secondary", "description": "Recommended, after others."}, {"type": "string", "const": "primary", "description": "The first or the explicit top recommendation."}]},
            "ScanReply": {"type": "object", "required": ["scanId", "status", "result"], "properties": {"scanId": {"type": "string", "format": "uuid"}, "status": {"type": "string", "const": "complete"}, "cost": {"type": "string", "description": "What the scan cost, in a sentence."}, "result": {"type": "object", "required": ["overallScore"], "properties": {"overallScore": {"type": "number", "description": "Mean of the model scores, 0..100."}, "interval": {"anyOf": [schema("Interval"), {"type": "null"}]}, "models": {"type": "array", "items": {"type": "object", "properties": {"prominence": schema("Prominence")}}}}}}},
            "ScanRequest": {"type": "object", "required": ["domain", "keyword"], "properties": {
                "domain": {"type": "string", "description": "Website domain to check. A pasted address is fine.", "examples": ["example.com"]},
                "keyword": {"type": "string", "minLength": 1, "maxLength": 200, "examples": ["plumber"]},
                "location": {"type": "string", "maxLength": 200, "description": "City, country. Without it no ring is scanned.", "examples": ["Valencia, Spain"]},
                "routerApiKey": {"type": "string", "deprecated": true, "description": "Legacy transport of the provider key. Send the header `X-Router-Key` instead."},
                "rings": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 5}, "default": [1, 2], "description": "Rings around the place: 1 is up to 25 km, then 50, 100, 250, 500."},
                "questionsPerModel": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3, "description": "Core recommendation questions per model."}}}
        }}
    })
}

//! Example requests.

use super::operation::resolve;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Returns a `curl` command for an operation.
pub(super) fn curl(document: &Value, base_url: &str, path: &str, method: &str, operation: &Value) -> String {
    let mut command = String::from("curl");
    let path = path.replace("{id}", "11111111-2222-4333-8444-555555555555");
    if method != "get" && method != "post" {
        let _ = write!(command, " -X {}", method.to_uppercase());
    }
    let _ = write!(command, " {base_url}{path}");
    let mut lines = Vec::new();
    if operation
        .get("security")
        .and_then(Value::as_array)
        .is_some_and(|schemes| !schemes.is_empty())
    {
        lines.push("-H \"Authorization: Bearer $SERVICE_API_KEY\"".to_owned());
    }
    let parameters = operation
        .get("parameters")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if parameters
        .iter()
        .any(|parameter| parameter.get("name").and_then(Value::as_str) == Some("X-Router-Key"))
    {
        lines.push("-H \"X-Router-Key: $ROUTER_API_KEY\"".to_owned());
    }
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    if let Some(schema) = body {
        lines.push("-H 'Content-Type: application/json'".to_owned());
        let body = sample(document, schema).to_string().replace('\'', "");
        lines.push(format!("-d '{body}'"));
    }
    for line in lines {
        let _ = write!(command, " \\\n  {line}");
    }
    command
}

/// Returns a small body of the required members and those that have an example.
fn sample(document: &Value, schema: &Value) -> Value {
    let schema = resolve(document, schema);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return json!({});
    };
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let mut body = Map::new();
    for (name, property) in properties {
        let example = property
            .pointer("/examples/0")
            .or_else(|| property.get("example"));
        if required.iter().any(|word| word.as_str() == Some(name)) {
            body.insert(name.clone(), example.cloned().unwrap_or_else(|| json!("…")));
        } else if let Some(example) = example.filter(|_| name == "location" || name == "url") {
            body.insert(name.clone(), example.clone());
        }
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_the_keys_and_a_body() {
        let document = json!({"components": {"schemas": {"Ask": {"required": ["domain", "keyword"], "properties": {
            "domain": {"examples": ["example.com"]}, "keyword": {}, "location": {"examples": ["Valencia, Spain"]}, "tier": {"examples": ["byok"]}}}}}});
        let operation = json!({"security": [{"bearer": []}], "parameters": [{"name": "X-Router-Key"}],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ask"}}}}});
        let curl = curl(
            &document,
            "https://ibid.example",
            "/api/v1/scan",
            "post",
            &operation,
        );
        assert_eq!(
            curl,
            "curl https://ibid.example/api/v1/scan \\\n  -H \"Authorization: Bearer $SERVICE_API_KEY\" \\\n  -H \"X-Router-Key: $ROUTER_API_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"domain\":\"example.com\",\"keyword\":\"…\",\"location\":\"Valencia, Spain\"}'"
        );
    }
}

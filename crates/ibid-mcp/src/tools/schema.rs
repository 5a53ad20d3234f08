//! The schemas of arguments. Orders have the schema of the REST API, rendered from the same rows.

use ibid_model::Catalog;
use ibid_model::contract::Field;
use ibid_model::contract::field::{ROUTER_API_KEY, TIER, byok_body, check_body, fields_body};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a type.
pub(super) fn of<T: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = object(Value::from(schema));
    schema.remove("title");
    // Tools take objects, also a type without any field.
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

/// Takes out what hosts refuse: formats such as `uint32`, which JSON Schema does not know, and unions, of which the first
/// kind that is not null stays. The server takes all kinds.
pub(super) fn make_plain(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if matches!(members.get("format"), Some(Value::String(format)) if format.starts_with("uint")) {
                members.remove("format");
            }
            if let Some(Value::Array(kinds)) = members.get_mut("type")
                && let Some(kind) = kinds.iter().find(|kind| **kind != "null").cloned()
            {
                members.insert("type".to_owned(), kind);
            }
            for union in ["anyOf", "oneOf"] {
                let Some(Value::Array(kinds)) = members.remove(union) else {
                    continue;
                };
                let words: Vec<Value> = kinds
                    .iter()
                    .filter_map(|kind| kind.get("const").cloned())
                    .collect();
                if !words.is_empty() {
                    members.insert("enum".to_owned(), words.into());
                } else if let Some(Value::Object(kind)) =
                    kinds.into_iter().find(|kind| kind["type"] != "null")
                {
                    members.extend(kind);
                }
            }
            members.values_mut().for_each(make_plain);
        }
        Value::Array(parts) => parts.iter_mut().for_each(make_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The arguments of a scan: the body of `POST /api/v1/scan` without the members that are no part of the order.
pub(super) fn order(catalog: &Catalog) -> Map<String, Value> {
    let mut body = object(byok_body(catalog));
    if let Some(Value::Object(fields)) = body.get_mut("properties") {
        for field in [&ROUTER_API_KEY, &TIER] {
            fields.remove(field.name);
        }
    }
    body
}

/// The arguments of a check of questions, in short: a client that has called `propose_questions` knows the members of a question.
pub(super) fn check(catalog: &Catalog) -> Map<String, Value> {
    let mut body = object(check_body(catalog));
    if let Some(Value::Object(fields)) = body.get_mut("properties") {
        for field in fields.values_mut().filter_map(Value::as_object_mut) {
            field.remove("description");
        }
        fields["questions"]["items"] = json!({"description": "A text or an object"});
    }
    body
}

/// The arguments of a tool with these fields.
pub(super) fn fields(fields: &[&Field]) -> Map<String, Value> {
    object(fields_body(fields))
}

/// The same arguments with those of a run.
pub(super) fn with_run_options(mut order: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(fields)) = order.get_mut("properties") {
        fields.insert(
            "maxCostUsd".to_owned(),
            json!({"type": "number", "exclusiveMinimum": 0, "default": super::run::USUAL_LIMIT_USD,
                "description": "The most that the models may cost, in US dollars. Above it the user is asked first."}),
        );
        fields.insert(
            "waitSeconds".to_owned(),
            json!({"type": "integer", "minimum": 0, "maximum": super::run::MAX_WAIT, "default": super::run::USUAL_WAIT,
                "description": "Seconds to wait for the result. After that the answer has the id of the running scan."}),
        );
    }
    order
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

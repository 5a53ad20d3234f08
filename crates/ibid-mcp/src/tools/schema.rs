//! Schemas of arguments. Orders have the REST API's schema, rendered from the same rows.

use ibid_model::Catalog;
use ibid_model::contract::Field;
use ibid_model::contract::field::{
    DOMAIN, KEYWORD, LOCATION, MODELS, QUESTIONS, QUESTIONS_PER_MODEL, RINGS, check_body, fields_body,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub(super) fn of<T: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let mut schema = object(settings.into_generator().into_root_schema_for::<T>().into());
    schema.remove("description");
    // Tools take objects, also a type without any field.
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

/// Leaves the types of members and a sentence about each. Hosts refuse references, unions and formats that JSON Schema
/// does not know, and pass the list to their models, so it is short. The server takes all kinds of a union, checks every
/// bound, and says what is wrong.
pub(super) fn make_plain(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(mut kinds)) = schema.remove("anyOf").or_else(|| schema.remove("oneOf")) {
        kinds.retain(|kind| kind["type"] != "null");
        let words: Vec<Value> = kinds
            .iter()
            .filter_map(|kind| kind.get("const").cloned())
            .collect();
        if !words.is_empty() {
            schema.insert("enum".to_owned(), words.into());
        } else if let [Value::Object(only)] = &mut *kinds {
            schema.append(only);
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| *kind != "null");
        let only = kinds.pop().filter(|_| kinds.is_empty());
        schema.remove("type");
        schema.extend(only.map(|kind| ("type".to_owned(), kind)));
    }
    schema.retain(|word, _| {
        matches!(
            word.as_str(),
            "type" | "items" | "properties" | "required" | "enum" | "description"
        )
    });
    if let Some(Value::String(text)) = schema.get_mut("description")
        && let Some(end) = text.find(". ")
    {
        text.truncate(end);
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        make_plain(items);
    }
    if let Some(Value::Object(members)) = schema.get_mut("properties") {
        members
            .values_mut()
            .filter_map(Value::as_object_mut)
            .for_each(make_plain);
    }
}

/// Returns the usual arguments of a scan, which takes all members of `POST /api/v1/scan` that are part of the order.
pub(super) fn order() -> Map<String, Value> {
    let usual = [
        &DOMAIN,
        &KEYWORD,
        &LOCATION,
        &MODELS,
        &RINGS,
        &QUESTIONS_PER_MODEL,
        &QUESTIONS,
    ];
    let mut order = fields(&usual);
    order.insert("required".to_owned(), json!([DOMAIN.name, KEYWORD.name]));
    order
}

/// Returns the arguments of a check in short, because a client that has called `propose_questions` knows a question's members.
pub(super) fn check(catalog: &Catalog) -> Map<String, Value> {
    let mut body = object(check_body(catalog));
    names_only(&mut body);
    body
}

/// Takes the sentences about the members of a body out.
fn names_only(body: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    let fields = body.get_mut("properties")?.as_object_mut()?;
    for field in fields.values_mut().filter_map(Value::as_object_mut) {
        field.remove("description");
    }
    Some(fields)
}

/// Returns arguments with these fields.
pub(super) fn fields(fields: &[&Field]) -> Map<String, Value> {
    object(fields_body(fields))
}

/// The same arguments with those of a run, in short: `plan_scan` has sentences about them.
pub(super) fn with_run_options(mut order: Map<String, Value>) -> Map<String, Value> {
    if let Some(fields) = names_only(&mut order) {
        fields.insert(
            "maxCostUsd".to_owned(),
            json!({"type": "number", "description":
                format!("US dollars that the models may cost, default {}", super::run::USUAL_LIMIT_USD)}),
        );
        fields.insert(
            "waitSeconds".to_owned(),
            json!({"type": "integer", "description":
                format!("Seconds to wait, default {}", super::run::USUAL_WAIT)}),
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

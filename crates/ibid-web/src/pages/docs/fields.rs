//! Schemas as lists of fields.

use super::{inline, link_of, text};
use crate::chart::Markup;
use serde_json::Value;

/// Maximum depth of nested fields.
const DEEPEST: u8 = 3;
/// Maximum number of fields in one list.
const MOST: usize = 200;

pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) link: Option<Link>,
    pub(super) required: bool,
    pub(super) deprecated: bool,
    pub(super) description: Markup,
    pub(super) limits: String,
    pub(super) depth: u8,
}

/// A link to a named schema on the page.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) href: String,
    pub(super) name: String,
}

/// Lists the fields of an object, each with the fields of a nested object below it.
pub(super) fn of(schema: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    add(&mut fields, schema, 0);
    fields
}

fn add(fields: &mut Vec<Field>, schema: &Value, depth: u8) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let is_required = |name: &str| required.iter().any(|word| word.as_str() == Some(name));
    // Required fields come first, deprecated fields last.
    let mut properties: Vec<_> = properties.iter().collect();
    properties.sort_by_key(|(name, property)| {
        let deprecated = property
            .get("deprecated")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        (deprecated, !is_required(name))
    });
    for (name, property) in properties {
        if fields.len() >= MOST {
            return;
        }
        fields.push(field(name, property, is_required(name), depth));
        if depth < DEEPEST {
            add(fields, property, depth + 1);
            if let Some(items) = property.get("items") {
                add(fields, items, depth + 1);
            }
        }
    }
}

/// One field of any origin.
pub(super) fn field(name: &str, schema: &Value, required: bool, depth: u8) -> Field {
    let (kind, link) = kind(schema);
    Field {
        name: name.to_owned(),
        kind,
        link,
        required,
        deprecated: schema.get("deprecated").and_then(Value::as_bool).unwrap_or(false),
        description: inline(&text(schema.get("description"))),
        limits: limits(schema),
        depth,
    }
}

/// Describes the values of a schema, with the named schema that it refers to.
pub(super) fn kind(schema: &Value) -> (String, Option<Link>) {
    kind_at(schema, 0)
}

fn kind_at(schema: &Value, depth: u8) -> (String, Option<Link>) {
    if depth > DEEPEST {
        return ("value".to_owned(), None);
    }
    if let Some(link) = link_of(schema) {
        return (String::new(), Some(link));
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        let Some(choices) = schema.get(word).and_then(Value::as_array) else {
            continue;
        };
        let kinds: Vec<_> = choices
            .iter()
            .take(6)
            .map(|choice| kind_at(choice, depth + 1))
            .collect();
        let link = kinds.iter().find_map(|(_, link)| link.clone());
        let mut words: Vec<String> = kinds
            .into_iter()
            .map(|(kind, _)| kind)
            .filter(|kind| !kind.is_empty())
            .collect();
        words.dedup();
        let joined = words.join(" or ");
        return (
            if link.is_some() && !joined.is_empty() {
                format!("{joined} or")
            } else {
                joined
            },
            link,
        );
    }
    if schema.get("const").is_some() {
        return ("constant".to_owned(), None);
    }
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["value"],
    };
    if names.contains(&"array") {
        let (kind, link) = schema
            .get("items")
            .map_or_else(|| ("value".to_owned(), None), |items| kind_at(items, depth + 1));
        let or_null = if names.contains(&"null") { "null or " } else { "" };
        return (format!("{or_null}array of {kind}").trim_end().to_owned(), link);
    }
    let mut kind = names.join(" or ");
    if let Some(format) = schema
        .get("format")
        .and_then(Value::as_str)
        .filter(|_| names.contains(&"string"))
    {
        kind = format!("{kind}, {format}");
    }
    (kind, None)
}

/// Describes the bounds, the default and the values of a field.
fn limits(schema: &Value) -> String {
    let number = |name: &str| {
        schema
            .get(name)
            .filter(|value| value.is_number())
            .map(Value::to_string)
    };
    let mut limits = Vec::new();
    match (number("minimum"), number("maximum")) {
        (Some(low), Some(high)) => limits.push(format!("{low} to {high}")),
        (Some(low), None) => limits.push(format!("at least {low}")),
        (None, Some(high)) => limits.push(format!("at most {high}")),
        (None, None) => {}
    }
    limits.extend(number("maxLength").map(|most| format!("at most {most} characters")));
    limits.extend(
        number("minItems")
            .filter(|least| least != "0")
            .map(|least| format!("at least {least}")),
    );
    limits.extend(number("maxItems").map(|most| format!("at most {most} elements")));
    if let Some(constant) = schema.get("const") {
        limits.push(format!("always {constant}"));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        limits.push(
            values
                .iter()
                .take(12)
                .map(Value::to_string)
                .collect::<Vec<_>>()
                .join(" | "),
        );
    }
    if let Some(items) = schema.get("items")
        && let (Some(low), Some(high)) = (items.get("minimum"), items.get("maximum"))
    {
        limits.push(format!("each {low} to {high}"));
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        limits.push(format!("default {}", default.to_string().replace(',', ", ")));
    }
    limits.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value, expected: (&str, Option<&str>, &str)) {
        let field = field("x", schema, false, 0);
        let link = field.link.as_ref().map(|link| link.name.as_str());
        assert_eq!(
            (field.kind.as_str(), link, field.limits.as_str()),
            expected,
            "{schema}"
        );
    }

    #[test]
    fn schemas_are_described_in_words() {
        check(
            &json!({"type": "integer", "minimum": 1, "maximum": 10, "default": 3}),
            ("integer", None, "1 to 10 · default 3"),
        );
        check(&json!({"type": ["string", "null"]}), ("string or null", None, ""));
        check(
            &json!({"type": "string", "format": "uuid"}),
            ("string, uuid", None, ""),
        );
        check(
            &json!({"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]}),
            ("null or", Some("A"), ""),
        );
        check(
            &json!({"type": "array", "items": {"$ref": "#/components/schemas/A"}}),
            ("array of", Some("A"), ""),
        );
        check(
            &json!({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 5}, "default": [1, 2]}),
            ("array of integer", None, "each 1 to 5 · default [1, 2]"),
        );
        check(
            &json!({"const": "complete"}),
            ("constant", None, "always \"complete\""),
        );
        check(&json!(true), ("value", None, ""));
    }

    #[test]
    fn nested_fields_stand_below_their_parent() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}}}});
        let fields: Vec<_> = of(&schema)
            .into_iter()
            .map(|field| (field.name, field.depth, field.required))
            .collect();
        assert_eq!(fields, [("a".to_owned(), 0, true), ("b".to_owned(), 1, false)]);
    }
}

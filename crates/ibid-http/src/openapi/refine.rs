//! Writes schemas as generators and linters understand them.
//!
//! The contract's rows and the derived schemas stay as they are, because agents, offers and tools render them too.

use serde_json::{Map, Value, json};

/// Writes enumerations of words as one `enum`.
/// Leaves out defaults of results, because old documents may lack such a member.
pub(super) fn plain(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for part in members.values_mut() {
                plain(part);
            }
            // The registry has `int32` and `int64` only.
            if matches!(members.get("format"), Some(Value::String(format)) if format.starts_with("uint")) {
                members.remove("format");
            }
            // A property may have the name `default`, so only a member next to a type is a default.
            if members.contains_key("type") || members.contains_key("$ref") {
                members.remove("default");
            }
            if let Some((words, meanings)) = words_of(members.get("oneOf")) {
                members.remove("oneOf");
                members.insert("type".to_owned(), json!("string"));
                members.insert("enum".to_owned(), json!(words));
                explain(members, &meanings);
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the words of alternatives, with a sentence for each word that has a description.
fn words_of(alternatives: Option<&Value>) -> Option<(Vec<Value>, String)> {
    let (mut words, mut meanings) = (Vec::new(), Vec::new());
    for alternative in alternatives?.as_array()? {
        match (alternative.get("const"), alternative.get("enum")) {
            (Some(word @ Value::String(text)), None) => {
                words.push(word.clone());
                if let Some(about) = alternative["description"].as_str() {
                    meanings.push(format!("`{text}`: {about}"));
                }
            }
            (None, Some(Value::Array(more))) if alternative["type"] == "string" => words.extend(more.clone()),
            _ => return None,
        }
    }
    Some((words, meanings.join(" ")))
}

/// Completes the schema of a request.
/// Optional members accept `null`, texts are not empty, and descriptions state the defaults.
/// Client generators treat a member with a `default` as always present.
pub(super) fn request(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(fields) = schema["properties"].as_object_mut() else {
        return;
    };
    for (name, field) in fields {
        let Some(members) = field.as_object_mut() else {
            continue;
        };
        fill(members, name);
        if let Some(default) = members.remove("default") {
            explain(members, &format!("Default: `{default}`."));
        }
        if !required.contains(&json!(name)) {
            if let Some(kind) = members.get("type").filter(|kind| kind.is_string()).cloned() {
                members.insert("type".to_owned(), json!([kind, "null"]));
            }
            if let Some(Value::Array(words)) = members.get_mut("enum") {
                words.push(Value::Null);
            }
            explain(members, "`null` counts as absent.");
        }
    }
}

/// Requires texts to be non-empty, except the source of a page.
fn fill(members: &mut Map<String, Value>, name: &str) {
    if members.get("type") == Some(&json!("string")) && name != "html" && !members.contains_key("enum") {
        members.entry("minLength").or_insert(json!(1));
    }
    if let Some(Value::Object(items)) = members.get_mut("items") {
        fill(items, "");
    }
}

fn explain(members: &mut Map<String, Value>, more: &str) {
    if more.is_empty() {
        return;
    }
    let about = members.get("description").and_then(Value::as_str);
    let text = match about {
        Some(about) => format!("{about} {more}"),
        None => more.to_owned(),
    };
    members.insert("description".to_owned(), json!(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_one_enum() {
        let mut schema = json!({"description": "A class.", "oneOf": [
            {"type": "string", "const": "a", "description": "First."}, {"type": "string", "enum": ["b", "c"]}]});
        plain(&mut schema);
        let expected =
            json!({"description": "A class. `a`: First.", "type": "string", "enum": ["a", "b", "c"]});
        assert_eq!(schema, expected);
        let mut other = json!({"oneOf": [{"type": "string", "const": "a"}, {"type": "integer"}]});
        let before = other.clone();
        plain(&mut other);
        assert_eq!(other, before);
    }

    #[test]
    fn optional_members_take_null_and_have_no_default() {
        let mut schema = json!({"type": "object", "required": ["domain"], "properties": {
            "domain": {"type": "string"}, "count": {"type": "integer", "default": 3, "description": "A count."},
            "tier": {"type": "string", "enum": ["byok"], "default": "byok"}}});
        request(&mut schema);
        assert_eq!(
            schema["properties"],
            json!({
                "domain": {"type": "string", "minLength": 1},
                "count": {"type": ["integer", "null"], "description": "A count. Default: `3`. `null` counts as absent."},
                "tier": {"type": ["string", "null"], "enum": ["byok", null],
                    "description": "Default: `\"byok\"`. `null` counts as absent."}
            })
        );
    }
}

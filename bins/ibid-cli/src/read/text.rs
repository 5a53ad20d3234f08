//! The text in what a router or a tracker logged: a string, the parts of a message, a message, a whole completion.

use serde_json::Value;
use std::borrow::Cow;

/// Most levels that are looked into.
const DEEPEST: usize = 8;

/// Members that hold the text, or what holds it.
const HOLDERS: [&str; 8] = [
    "choices",
    "candidates",
    "output",
    "message",
    "content",
    "parts",
    "text",
    "answer",
];

/// Returns the text of an answer, or `None` if there is no text.
pub(super) fn of(value: &Value) -> Option<Cow<'_, str>> {
    let mut texts = Vec::new();
    collect(value, 0, &mut texts);
    match texts.as_slice() {
        [] => None,
        [one] => Some(Cow::Borrowed(one)),
        several => Some(Cow::Owned(several.join("\n"))),
    }
}

/// The question: a text, or the last message of the user.
pub(super) fn asked(value: &Value) -> Option<Cow<'_, str>> {
    let messages = value.as_array().or_else(|| value.get("messages")?.as_array());
    let user = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
    let last = messages.and_then(|messages| messages.iter().rev().find(user));
    of(last.unwrap_or(value))
}

fn collect<'a>(value: &'a Value, depth: usize, texts: &mut Vec<&'a str>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, depth + 1, texts)),
        // Reasoning is not part of the answer.
        Value::Object(object) => {
            let kind = object.get("type").and_then(Value::as_str);
            if !matches!(kind, Some("reasoning" | "thinking" | "tool_use" | "tool_result")) {
                let held = HOLDERS.iter().find_map(|name| object.get(*name));
                held.into_iter().for_each(|held| collect(held, depth + 1, texts));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

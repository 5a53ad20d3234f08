//! What is not kept: signed payments, keys, files, long texts.
//!
//! Whoever knows a task's id can read its history, so nothing that moves money or opens a door may stand there.
//! A history is a log for people. Taking out too much harms nobody; what runs is kept apart.

use crate::limits::{MAX_KEPT_MESSAGE, MAX_KEPT_TEXT};
use crate::message::{Message, Part};
use crate::payment::PAYLOAD;
use crate::request::json_object;
use serde_json::{Map, Value, json};

/// Members that are removed wherever they stand, in any spelling of the letters' case.
const REMOVED: &[&str] = &[
    PAYLOAD,
    "x-payment",
    "payment-signature",
    "x-router-key",
    "routerapikey",
    "x-api-key",
    "signature",
];
const GONE: &str = "(removed)";

/// The message as a history keeps it, without the task and the conversation that it names: they are those of the history.
pub(crate) fn for_history(message: &Message) -> Message {
    let parts = message.parts.iter().map(|part| match part {
        Part::Text { text, metadata } => Part::Text {
            text: kept_text(text),
            metadata: kept(metadata),
        },
        Part::Data { data, metadata } => Part::Data {
            data: kept(data),
            metadata: kept(metadata),
        },
    });
    let mut scrubbed = Message {
        message_id: message.message_id.clone(),
        role: message.role,
        parts: parts.collect(),
        task_id: None,
        context_id: None,
        reference_task_ids: message.reference_task_ids.clone(),
        extensions: message.extensions.clone(),
        metadata: kept(&message.metadata),
    };
    if scrubbed.weight() > MAX_KEPT_MESSAGE {
        scrubbed.parts = vec![Part::text(format!(
            "(a message of about {} bytes, not kept)",
            message.weight()
        ))];
        scrubbed.metadata = Map::new();
        scrubbed.reference_task_ids = Vec::new();
        scrubbed.extensions = Vec::new();
    }
    scrubbed
}

fn kept_text(text: &str) -> String {
    match json_object(text) {
        Some(members) => cut(&Value::Object(kept(&members)).to_string()),
        None => cut(&mask(text)),
    }
}

fn kept(members: &Map<String, Value>) -> Map<String, Value> {
    let kept = members.iter().filter(|(name, _)| !is_removed(name));
    kept.map(|(name, value)| (cut(&mask(name)), kept_value(value)))
        .collect()
}

fn kept_value(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => json!(kept_text(text)),
        Value::Array(elements) => elements.iter().map(kept_value).collect(),
        Value::Object(members) => Value::Object(kept(members)),
    }
}

fn is_removed(name: &str) -> bool {
    REMOVED.iter().any(|removed| name.eq_ignore_ascii_case(removed))
}

/// Replaces runs of letters that look like signatures, encoded payments or keys.
fn mask(text: &str) -> String {
    let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    // Shorter than the shortest secret, so nothing can be in it.
    if text.len() < 20 {
        return text.to_owned();
    }
    let mut masked = String::with_capacity(text.len().min(MAX_KEPT_TEXT));
    let mut rest = text;
    // What lies behind the cut is dropped anyway.
    while !rest.is_empty() && masked.len() <= MAX_KEPT_TEXT {
        let run = rest.find(|c| !in_run(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(run);
        masked.push_str(if is_secret(word) { GONE } else { word });
        let gap = after.find(in_run).unwrap_or(after.len());
        masked.push_str(&after[..gap]);
        rest = &after[gap..];
    }
    masked
}

fn is_secret(word: &str) -> bool {
    // 64 digits are a nonce, a hash or a private key, 130 a signature: none belongs into a client's message.
    let hex = word.strip_prefix("0x").unwrap_or(word);
    let digits = hex.len() >= 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    // The base64 of `{"`, as payment headers and bearer tokens begin.
    let encoded = word.len() >= 60 && word.starts_with("eyJ");
    let key = word.len() >= 20 && word.starts_with("sk-");
    digits || encoded || key
}

/// Shortens a text, telling how long it was.
fn cut(text: &str) -> String {
    if text.len() <= MAX_KEPT_TEXT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_KEPT_TEXT);
    format!("{}… (cut)", &text[..end])
}

#[cfg(test)]
mod tests;

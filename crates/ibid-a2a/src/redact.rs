//! Redaction of histories: signed payments, keys and long texts are removed.
//!
//! A caller who knows the id of a task can read its history, so the history must hold no payment and no key.
//! It is a log for people.
//! The request that runs is stored elsewhere, so removing too much does no harm.

use crate::limits::{MAX_KEPT_MESSAGE, MAX_KEPT_TEXT};
use crate::message::{Message, Part};
use crate::payment::PAYLOAD;
use crate::request::json_object;
use serde_json::{Map, Value};

/// Members that are removed at every depth, in upper or lower case.
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
/// No secret has fewer bytes.
const SHORTEST_SECRET: usize = 20;

/// Returns the message in the form of a history.
/// It has no ids, because the task and the conversation are those of the history.
pub(crate) fn for_history(mut message: Message) -> Message {
    let weight = message.weight();
    (message.task_id, message.context_id) = (None, None);
    for part in &mut message.parts {
        match part {
            Part::Text { text, metadata } => {
                keep_text(text);
                keep(metadata);
            }
            Part::Data { data, metadata } => {
                keep(data);
                keep(metadata);
            }
        }
    }
    keep(&mut message.metadata);
    if message.weight() > MAX_KEPT_MESSAGE {
        message.parts = vec![Part::text(format!(
            "(a message of about {weight} bytes, not kept)"
        ))];
        message.metadata = Map::new();
        message.reference_task_ids = Vec::new();
        message.extensions = Vec::new();
    }
    message
}

fn keep_text(text: &mut String) {
    if let Some(mut members) = json_object(text) {
        keep(&mut members);
        *text = Value::Object(members).to_string();
        cut(text);
    } else {
        mask(text);
        cut(text);
    }
}

fn keep(members: &mut Map<String, Value>) {
    members.retain(|name, _| !is_removed(name));
    if members.keys().any(|name| name.len() >= SHORTEST_SECRET) {
        let named = std::mem::take(members).into_iter();
        members.extend(named.map(|(mut name, value)| {
            mask(&mut name);
            cut(&mut name);
            (name, value)
        }));
    }
    members.values_mut().for_each(keep_value);
}

fn keep_value(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => keep_text(text),
        Value::Array(elements) => elements.iter_mut().for_each(keep_value),
        Value::Object(members) => keep(members),
    }
}

fn is_removed(name: &str) -> bool {
    REMOVED.iter().any(|removed| name.eq_ignore_ascii_case(removed))
}

/// Replaces words that look like signatures, encoded payments or keys.
fn mask(text: &mut String) {
    let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    if text.len() < SHORTEST_SECRET {
        return;
    }
    let mut masked = String::with_capacity(text.len().min(MAX_KEPT_TEXT));
    let mut rest = text.as_str();
    // Text behind the cut is dropped later.
    while !rest.is_empty() && masked.len() <= MAX_KEPT_TEXT {
        let run = rest.find(|c| !in_run(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(run);
        masked.push_str(if is_secret(word) { GONE } else { word });
        let gap = after.find(in_run).unwrap_or(after.len());
        masked.push_str(&after[..gap]);
        rest = &after[gap..];
    }
    *text = masked;
}

fn is_secret(word: &str) -> bool {
    // 64 digits are a nonce, a hash or a private key, 130 a signature.
    let hex = word.strip_prefix("0x").unwrap_or(word);
    let digits = hex.len() >= 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Base64 for `{"`, as payment headers and bearer tokens begin.
    let encoded = word.len() >= 60 && word.starts_with("eyJ");
    let key = word.len() >= SHORTEST_SECRET && word.starts_with("sk-");
    digits || encoded || key
}

/// Shortens a text, telling how long it was.
fn cut(text: &mut String) {
    if text.len() > MAX_KEPT_TEXT {
        text.truncate(text.floor_char_boundary(MAX_KEPT_TEXT));
        text.push_str("… (cut)");
        text.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests;

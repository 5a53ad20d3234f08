//! From the bytes of a response to an answer.

mod chat;
mod parts;
mod vendor;

#[cfg(test)]
#[path = "chat_tests.rs"]
mod chat_tests;
#[cfg(test)]
mod vendor_tests;

use super::complaint::Complaint;
use super::dialect::Dialect;
use super::retrieval::Asked;
use super::sse;
use super::verdict::{Again, Failure, Outcome, outcome_of_error};
use crate::error::ProviderError;
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

/// Largest error that is read, in bytes.
/// A longer one is judged by its status.
const LARGEST_ERROR: usize = 64 * 1024;

/// A response, read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply<'a> {
    pub(super) dialect: Dialect,
    /// The expectations of its request.
    pub(super) asked: Asked,
    pub(super) status: u16,
    /// The waiting time that the headers ask for.
    pub(super) hint: Option<Duration>,
    pub(super) body: &'a [u8],
}

impl Reply<'_> {
    /// Judges the response.
    pub(super) fn outcome(&self) -> Outcome {
        let text = first_line_on(self.body);
        if !(200..300).contains(&self.status) {
            let complaint = text.map(complaint_in).unwrap_or_default();
            return outcome_of_error(self.status, &complaint, self.hint);
        }
        let Some(text) = text else {
            return unreadable();
        };
        match self.dialect {
            Dialect::OpenAiResponses => self.vendor(text, vendor::responses),
            Dialect::Anthropic => self.vendor(text, vendor::messages),
            Dialect::Gemini => self.vendor(text, vendor::generated),
            Dialect::Auto
            | Dialect::OpenRouter
            | Dialect::OpenAi
            | Dialect::Perplexity
            | Dialect::LiteLlm => {
                if !sse::is_stream(text) {
                    return self.chat(text);
                }
                // The request asks for no stream, but some targets send one.
                match sse::joined(text) {
                    Some(joined) => self.chat(&joined),
                    None => unreadable(),
                }
            }
        }
    }
}

/// Returns the body as text, without a byte order mark and leading blanks.
fn first_line_on(body: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?;
    Some(text.trim_start_matches('\u{feff}').trim_start())
}

/// Reads an error body: `{"error": ..}`, a batch of it, or the error object itself.
fn complaint_in(text: &str) -> Complaint {
    let body: Value = parse(text, LARGEST_ERROR).unwrap_or_default();
    let body = match &body {
        Value::Array(batch) => batch.first().unwrap_or(&Value::Null),
        other => other,
    };
    match body.get("error") {
        Some(error) if !error.is_null() => Complaint::read(error),
        _ => Complaint::read(body),
    }
}

fn unreadable() -> Outcome {
    Outcome::Failed(Failure::plain(ProviderError::Unreadable, Again::Once).unhealthy())
}

/// Whether an error member has content, unlike `{}`, `""` and `false`.
fn says_something(error: &RawValue) -> bool {
    !matches!(error.get(), "{}" | "\"\"" | "false" | "[]" | "0")
}

/// Parses a value of at most `LARGEST_ERROR` bytes.
/// Other values become `null`.
fn small(raw: &RawValue) -> Value {
    parse(raw.get(), LARGEST_ERROR).unwrap_or_default()
}

fn parse(text: &str, most: usize) -> Option<Value> {
    if text.len() > most {
        return None;
    }
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

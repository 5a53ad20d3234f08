//! From the bytes of a response to an answer. Everything is optional, nothing is trusted.
//!
//! Only the members that are needed are parsed; the rest, however large or deep, is skipped in place.

use super::complaint::Complaint;
use super::sse;
use super::usage;
use super::verdict::{Again, Failure, Outcome, fail, judge, refusal};
use crate::annotations;
use crate::completion::Completion;
use crate::error::ProviderError;
use ibid_model::Finish;
use ibid_model::result::Retrieval;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

/// Longest text kept of an answer, in bytes.
const LONGEST_TEXT: usize = 256 * 1024;
/// Largest error that is looked into, in bytes. A longer one is judged by its status.
const LARGEST_ERROR: usize = 64 * 1024;
/// Most of a whole list of sources that is parsed, in bytes: excerpts of pages may come with them.
const LARGEST_SOURCES: usize = 1024 * 1024;

/// A response, read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply<'a> {
    pub(super) status: u16,
    /// The waiting time that the headers ask for.
    pub(super) hint: Option<Duration>,
    pub(super) body: &'a [u8],
}

/// The members of an answer that are looked at. `C` is how its choices are read: at once where they have the usual
/// shape, in place where they have not.
#[derive(Deserialize)]
#[serde(bound(deserialize = "C: Deserialize<'de>"))]
struct Root<'a, C> {
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default = "Option::default")]
    choices: Option<C>,
    #[serde(borrow, default)]
    model: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    citations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    search_results: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt_filter_results: Option<&'a RawValue>,
    /// Older vLLM puts the error itself at the top: `{"object":"error","code":404,..}`.
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
struct Choice<'a, M> {
    #[serde(default = "Option::default")]
    message: Option<M>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    finish_reason: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    citations: Option<&'a RawValue>,
}

/// An answer of the usual shape.
type Answer<'a> = Root<'a, Vec<Choice<'a, Message<'a>>>>;

impl Reply<'_> {
    /// Judges the response.
    pub(super) fn outcome(&self) -> Outcome {
        let text = first_line_on(self.body);
        if !(200..300).contains(&self.status) {
            let complaint = text.map(complaint_in).unwrap_or_default();
            return judge(self.status, &complaint, self.hint);
        }
        let Some(text) = text else {
            return unreadable();
        };
        if sse::is_stream(text) {
            // The request asks for no stream, but some targets send one.
            return match sse::joined(text) {
                Some(joined) => self.answer(&joined),
                None => unreadable(),
            };
        }
        self.answer(text)
    }

    fn answer(&self, text: &str) -> Outcome {
        let Some(root) = root(text) else {
            return unreadable();
        };
        if let Some(error) = root.error.filter(|error| says_something(error)) {
            return judge(200, &Complaint::read(&small(error)), self.hint);
        }
        if root.object.and_then(string).as_deref() == Some("error") {
            let own: Value = parse(text, LARGEST_ERROR).unwrap_or_default();
            return judge(200, &Complaint::read(&own), self.hint);
        }
        let Some(choice) = root.choices.as_ref().and_then(|choices| choices.first()) else {
            return match root.prompt_filter_results {
                // Azure filtered the question itself.
                Some(_) => Outcome::Answered(refusal()),
                None => fail(ProviderError::Empty, Again::Once),
            };
        };
        self.read_choice(&root, choice)
    }

    fn read_choice(&self, root: &Answer<'_>, choice: &Choice<'_, Message<'_>>) -> Outcome {
        let reason = choice.finish_reason.and_then(string).unwrap_or_default();
        let error = choice.error.filter(|error| says_something(error));
        if error.is_some() || reason == "error" {
            let error = error.map(small).unwrap_or_default();
            return judge(200, &Complaint::read(&error), self.hint);
        }
        let message = choice.message.unwrap_or_default();
        let mut text = message.content.or(choice.text).map(content).unwrap_or_default();
        let refused = message
            .refusal
            .and_then(string)
            .filter(|words| !words.trim().is_empty());
        let mut finish = match reason.as_str() {
            "content_filter" | "refusal" => Finish::Refused,
            _ if refused.is_some() => Finish::Refused,
            "length" | "max_tokens" => Finish::Truncated,
            _ => Finish::Complete,
        };
        if text.trim().is_empty() {
            text = refused.unwrap_or_default();
        }
        if text.trim().is_empty() && finish != Finish::Refused {
            // All tokens went into reasoning: another attempt would cost the same and end the same.
            let again = if finish == Finish::Truncated {
                Again::Never
            } else {
                Again::Once
            };
            return fail(ProviderError::Empty, again);
        }
        if text.len() > LONGEST_TEXT {
            text.truncate(text.floor_char_boundary(LONGEST_TEXT));
            if finish == Finish::Complete {
                finish = Finish::Truncated;
            }
        }
        let mut citations = Vec::new();
        let lists = [
            message.annotations,
            message.citations,
            root.search_results,
            root.citations,
        ];
        for sources in lists.into_iter().flatten() {
            if let Some(sources) = parse(sources.get(), LARGEST_SOURCES) {
                annotations::collect(&sources, 0, &mut citations);
            }
        }
        Outcome::Answered(Completion {
            text,
            citations,
            model: root
                .model
                .and_then(string)
                .filter(|model| !model.is_empty() && model.len() <= 256)
                .filter(|model| !model.chars().any(char::is_control)),
            finish,
            retrieval: Retrieval::default(),
            usage: root.usage.map(|raw| usage::read(&small(raw))).unwrap_or_default(),
        })
    }
}

/// The body as text without what may stand in front: a byte order mark, blanks.
fn first_line_on(body: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?;
    Some(text.trim_start_matches('\u{feff}').trim_start())
}

/// The first JSON value of a text, as an answer. What follows it is ignored, and of an array (a batch) the first
/// element counts.
fn root(text: &str) -> Option<Answer<'_>> {
    match text.as_bytes().first()? {
        b'{' => first(text).or_else(|| first(text).map(usual)),
        b'[' => {
            let batch: Vec<&RawValue> = first(text)?;
            let element = batch.first()?.get();
            element.starts_with('{').then(|| root(element)).flatten()
        }
        _ => None,
    }
}

fn first<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

/// An answer whose choices are of no usual shape: the first one, as far as it can be read.
fn usual<'a>(odd: Root<'a, &'a RawValue>) -> Answer<'a> {
    let choice = || {
        let choices: Vec<&RawValue> = odd.choices.and_then(list)?;
        let choice: Choice<'_, &RawValue> = object(choices.first()?)?;
        Some(Choice {
            message: choice.message.and_then(object),
            text: choice.text,
            finish_reason: choice.finish_reason,
            error: choice.error,
        })
    };
    Root {
        choices: choice().map(|choice| vec![choice]),
        error: odd.error,
        model: odd.model,
        usage: odd.usage,
        citations: odd.citations,
        search_results: odd.search_results,
        prompt_filter_results: odd.prompt_filter_results,
        object: odd.object,
    }
}

/// The complaint in an error body: `{"error": ..}`, a batch of it, or an object that is the error itself.
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

/// The visible text of a message's content: a text, or parts of which only the text ones count.
fn content(raw: &RawValue) -> String {
    if let Some(text) = string(raw) {
        return text;
    }
    #[derive(Deserialize)]
    struct Part<'a> {
        #[serde(borrow, default, rename = "type")]
        kind: Option<&'a RawValue>,
        #[serde(borrow, default)]
        text: Option<&'a RawValue>,
    }
    let parts: Vec<&RawValue> = list(raw).unwrap_or_default();
    let mut text = String::new();
    for part in parts {
        if text.len() > LONGEST_TEXT {
            break;
        }
        if let Some(plain) = string(part) {
            text.push_str(&plain);
        } else if let Some(part) = object::<Part<'_>>(part) {
            let visible = match part.kind.and_then(string) {
                Some(kind) => matches!(kind.as_str(), "text" | "output_text"),
                None => true,
            };
            if visible && let Some(words) = part.text.and_then(string) {
                text.push_str(&words);
            }
        }
    }
    text
}

fn unreadable() -> Outcome {
    Outcome::Failed(Failure::plain(ProviderError::Unreadable, Again::Once).unhealthy())
}

/// Whether an error member is an error: `{}`, `""` and `false` are not.
fn says_something(error: &RawValue) -> bool {
    !matches!(error.get(), "{}" | "\"\"" | "false" | "[]" | "0")
}

/// A small value as a tree; nothing if it is larger than any honest one.
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

fn list(raw: &RawValue) -> Option<Vec<&RawValue>> {
    if !raw.get().starts_with('[') {
        return None;
    }
    serde_json::from_str(raw.get()).ok()
}

/// An object only: derived structs would also take arrays, member by member.
fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    if !raw.get().starts_with('{') {
        return None;
    }
    serde_json::from_str(raw.get()).ok()
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;

//! Chat completions.
//! All members are optional and untrusted.
//!
//! Only the needed members are parsed.
//! The rest, however large or deep, is skipped in place.

use super::parts::{LONGEST_TEXT, Parts};
use super::{Reply, parse, says_something, small, string, unreadable};
use crate::annotations;
use crate::error::ProviderError;
use crate::router::complaint::Complaint;
use crate::router::retrieval::Evidence;
use crate::router::usage;
use crate::router::verdict::{Again, Outcome, fail, filtered, outcome_of_error};
use ibid_model::Finish;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Longer lists of sources are not parsed; in bytes.
/// Sources may come with excerpts of pages.
const LARGEST_SOURCES: usize = 1024 * 1024;

/// What is read from an answer.
/// `C` is the type of its choices: parsed or raw.
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
    /// Where LiteLLM proxies put Gemini's sources.
    #[serde(borrow, default)]
    vertex_ai_grounding_metadata: Option<&'a RawValue>,
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
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    citations: Option<&'a RawValue>,
    /// Where LiteLLM proxies put Claude's sources.
    #[serde(borrow, default)]
    provider_specific_fields: Option<&'a RawValue>,
}

/// An answer of the usual shape.
type Answer<'a> = Root<'a, Vec<Choice<'a, Message<'a>>>>;

impl Reply<'_> {
    /// Reads a body of chat completions.
    pub(super) fn chat(&self, text: &str) -> Outcome {
        let Some(root) = root(text) else {
            return unreadable();
        };
        if let Some(error) = root.error.filter(|error| says_something(error)) {
            return outcome_of_error(200, &Complaint::read(&small(error)), self.hint);
        }
        if root.object.and_then(string).as_deref() == Some("error") {
            let own: Value = parse(text, super::LARGEST_ERROR).unwrap_or_default();
            return outcome_of_error(200, &Complaint::read(&own), self.hint);
        }
        let Some(choice) = root.choices.as_ref().and_then(|choices| choices.first()) else {
            return match root.prompt_filter_results {
                // Azure filtered the question itself.
                Some(_) => filtered(),
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
            return outcome_of_error(200, &Complaint::read(&error), self.hint);
        }
        let message = choice.message.unwrap_or_default();
        let refused = message
            .refusal
            .and_then(string)
            .filter(|words| !words.trim().is_empty());
        let finish = match reason.as_str() {
            "content_filter" | "refusal" => Finish::Refused,
            _ if refused.is_some() => Finish::Refused,
            "length" | "max_tokens" | "model_length" | "incomplete" | "pause_turn" => Finish::Truncated,
            _ => Finish::Complete,
        };
        // Proxies list the vendor's searches as calls in answers that ended; those have their own reason.
        let calls = message.tool_calls.and_then(list).unwrap_or_default();
        let in_tool = match reason.as_str() {
            "tool_calls" | "function_call" | "tool_use" => true,
            "" => !calls.is_empty(),
            _ => false,
        };
        let mut citations = Vec::new();
        let lists = [
            message.annotations,
            message.citations,
            message.provider_specific_fields,
            root.vertex_ai_grounding_metadata,
            root.search_results,
            root.citations,
        ];
        for sources in lists.into_iter().flatten() {
            if let Some(sources) = parse(sources.get(), LARGEST_SOURCES) {
                annotations::collect(&sources, 0, &mut citations);
            }
        }
        let usage = root.usage.map(|raw| usage::read(&small(raw)));
        let parts = Parts {
            text: message.content.or(choice.text).map(content).unwrap_or_default(),
            refusal: refused,
            finish,
            model: root.model.and_then(string),
            usage: usage.unwrap_or_default(),
            evidence: Evidence {
                searches: usage.and_then(|usage| usage.searches),
                sources: citations.len(),
                reported: root.usage.is_some(),
            },
            citations,
            in_tool,
            resume: None,
        };
        parts.outcome(self.asked)
    }
}

/// Reads the first JSON value of a text as an answer.
/// Of an array (a batch) the first element counts.
fn root(text: &str) -> Option<Answer<'_>> {
    match text.as_bytes().first()? {
        b'{' => first(text).or_else(|| first(text).map(read_loosely)),
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

/// Reads the first choice of an answer in an unusual shape, as far as possible.
fn read_loosely<'a>(odd: Root<'a, &'a RawValue>) -> Answer<'a> {
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
        vertex_ai_grounding_metadata: odd.vertex_ai_grounding_metadata,
        prompt_filter_results: odd.prompt_filter_results,
        object: odd.object,
    }
}

/// Returns what a message, or its text parts, show.
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

fn list(raw: &RawValue) -> Option<Vec<&RawValue>> {
    if !raw.get().starts_with('[') {
        return None;
    }
    serde_json::from_str(raw.get()).ok()
}

/// Parses only objects.
/// Derived structs would also take arrays.
fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    if !raw.get().starts_with('{') {
        return None;
    }
    serde_json::from_str(raw.get()).ok()
}

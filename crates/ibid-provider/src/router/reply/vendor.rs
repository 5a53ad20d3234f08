//! The vendors' own replies: Responses, Messages and `generateContent`.

use super::parts::Parts;
use super::{Reply, parse, unreadable};
use crate::annotations;
use crate::completion::TokenUsage;
use crate::router::complaint::Complaint;
use crate::router::exchange::LARGEST_ANSWER;
use crate::router::retrieval::Evidence;
use crate::router::verdict::{Outcome, filtered, outcome_of_error};
use ibid_model::Finish;
use serde_json::Value;

impl Reply<'_> {
    /// Reads a body in a vendor's form with `read`.
    /// It returns no parts for a refused question.
    pub(super) fn vendor(&self, text: &str, read: fn(&Value) -> Option<Parts>) -> Outcome {
        let Some(body @ Value::Object(_)) = parse(text, LARGEST_ANSWER) else {
            return unreadable();
        };
        let error = &body["error"];
        if error.is_object() || error.is_string() {
            return outcome_of_error(200, &Complaint::read(error), self.hint);
        }
        match read(&body) {
            Some(parts) => parts.outcome(self.asked),
            None => filtered(),
        }
    }
}

/// Reads OpenAI Responses: `output` holds `web_search_call` items, each with its action, and messages with
/// annotations (<https://developers.openai.com/api/docs/guides/tools-web-search>).
pub(super) fn responses(body: &Value) -> Option<Parts> {
    let items = list(&body["output"]);
    let contents = || {
        items
            .iter()
            .filter(|item| item["type"] == "message")
            .flat_map(|message| list(&message["content"]))
    };
    let refusal = texts(contents().map(|part| &part["refusal"]));
    let finish = match body["incomplete_details"]["reason"].as_str() {
        Some("content_filter") => Finish::Refused,
        _ if !refusal.is_empty() => Finish::Refused,
        Some(_) => Finish::Truncated,
        None if matches!(
            body["status"].as_str(),
            Some("incomplete" | "in_progress" | "queued")
        ) =>
        {
            Finish::Truncated
        }
        None => Finish::Complete,
    };
    let calls: Vec<&Value> = items
        .iter()
        .filter(|item| item["type"] == "web_search_call" && item["status"] != "failed")
        .collect();
    // Other actions open a page or look into one.
    let search = |call: &&&Value| matches!(call["action"]["type"].as_str(), Some("search") | None);
    let searches = count(calls.iter().filter(search).count());
    let mut citations = Vec::new();
    contents().for_each(|part| annotations::collect(&part["annotations"], 0, &mut citations));
    let consulted: usize = calls
        .iter()
        .map(|call| annotations::citations(&call["action"]["sources"]).len())
        .sum();
    Some(Parts {
        text: texts(contents().map(|part| &part["text"])),
        refusal: Some(refusal).filter(|words| !words.is_empty()),
        finish,
        model: text(&body["model"]),
        usage: usage(&body["usage"], searches),
        evidence: Evidence {
            searches,
            sources: citations.len().max(consulted),
            reported: body["output"].is_array(),
        },
        citations,
        in_tool: ends_in(items, &["function_call", "custom_tool_call"])
            || ends_in(items, &["web_search_call"])
                && items.last().is_some_and(|item| item["status"] != "completed"),
        resume: None,
    })
}

/// Whether the last item calls a tool.
fn ends_in(items: &[Value], calls: &[&str]) -> bool {
    let kind = items.last().and_then(|item| item["type"].as_str());
    kind.is_some_and(|kind| calls.contains(&kind))
}

/// Reads Anthropic Messages.
///
/// `content` holds `server_tool_use` blocks, `web_search_tool_result` blocks with results or an error,
/// and text with citations. `usage.server_tool_use` counts the searches.
/// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool>)
pub(super) fn messages(body: &Value) -> Option<Parts> {
    let blocks = list(&body["content"]);
    let of = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let mut citations = Vec::new();
    of("text").for_each(|block| annotations::collect(&block["citations"], 0, &mut citations));
    let results: usize = of("web_search_tool_result")
        .map(|block| annotations::citations(&block["content"]).len())
        .sum();
    let counted = body["usage"]["server_tool_use"]["web_search_requests"].as_u64();
    // A failed search has an error instead of a list.
    let made = of("web_search_tool_result").filter(|block| block["content"].is_array());
    let searches = counted.map_or_else(|| count(made.count()), |n| u32::try_from(n).ok());
    let stop = body["stop_reason"].as_str();
    Some(Parts {
        text: texts(of("text").map(|block| &block["text"])),
        finish: match stop {
            Some("refusal") => Finish::Refused,
            // A long turn that the vendor paused counts as cut off until it has gone on.
            Some("max_tokens" | "model_context_window_exceeded" | "pause_turn") => Finish::Truncated,
            _ => Finish::Complete,
        },
        model: text(&body["model"]),
        usage: usage(&body["usage"], searches),
        evidence: Evidence {
            searches,
            sources: citations.len().max(results),
            reported: body["content"].is_array(),
        },
        citations,
        refusal: None,
        in_tool: stop == Some("tool_use") || ends_in(blocks, &["tool_use", "server_tool_use"]),
        resume: (stop == Some("pause_turn")).then(|| body["content"].clone()),
    })
}

/// Gemini: a candidate has parts, and `groundingMetadata` with the queries and sources of a grounded answer
/// (<https://ai.google.dev/gemini-api/docs/google-search>).
pub(super) fn generated(body: &Value) -> Option<Parts> {
    if body["promptFeedback"]["blockReason"].is_string() {
        return None;
    }
    let candidate = list(&body["candidates"]).first().unwrap_or(&Value::Null);
    let parts = list(&candidate["content"]["parts"]);
    let grounding = &candidate["groundingMetadata"];
    let citations = annotations::citations(&grounding["groundingChunks"]);
    let queries = list(&grounding["webSearchQueries"]).len();
    let tokens = &body["usageMetadata"];
    let number = |name: &str| tokens[name].as_u64().unwrap_or(0);
    let searches = grounding.is_object().then_some(queries).and_then(count);
    Some(Parts {
        text: texts(
            parts
                .iter()
                .filter(|part| part["thought"] != true)
                .map(|part| &part["text"]),
        ),
        finish: match candidate["finishReason"].as_str() {
            Some("SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII") => Finish::Refused,
            Some(
                "MAX_TOKENS"
                | "RECITATION"
                | "OTHER"
                | "MALFORMED_RESPONSE"
                | "MALFORMED_FUNCTION_CALL"
                | "UNEXPECTED_TOOL_CALL"
                | "TOO_MANY_TOOL_CALLS",
            ) => Finish::Truncated,
            _ => Finish::Complete,
        },
        model: text(&body["modelVersion"]),
        usage: TokenUsage {
            prompt_tokens: number("promptTokenCount") + number("toolUsePromptTokenCount"),
            completion_tokens: number("candidatesTokenCount") + number("thoughtsTokenCount"),
            searches,
            cost: None,
        },
        evidence: Evidence {
            searches,
            sources: citations.len(),
            reported: candidate["content"].is_object(),
        },
        citations,
        refusal: None,
        in_tool: parts.last().is_some_and(|part| part["functionCall"].is_object()),
        resume: None,
    })
}

fn usage(usage: &Value, searches: Option<u32>) -> TokenUsage {
    let number = |name: &str| usage[name].as_u64().unwrap_or(0);
    TokenUsage {
        // Anthropic counts cached tokens apart.
        prompt_tokens: number("input_tokens")
            + number("cache_creation_input_tokens")
            + number("cache_read_input_tokens"),
        completion_tokens: number("output_tokens"),
        searches,
        cost: None,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts<'a>(pieces: impl Iterator<Item = &'a Value>) -> String {
    pieces.filter_map(Value::as_str).collect()
}

fn count(number: usize) -> Option<u32> {
    u32::try_from(number).ok()
}

//! The vendors' own forms: Responses, Messages and `generateContent`.

use super::{Firmness, approximate, token_limit};
use crate::prompt::{Prompt, WebSearch};
use serde_json::{Value, json};

/// OpenAI Responses: <https://developers.openai.com/api/docs/guides/tools-web-search>.
///
/// With `required` and a single tool the model has to search.
/// With `auto` it may answer from memory.
/// `include` asks for all sources, not only the cited ones.
/// The vendor stores no answer.
pub(super) fn responses(prompt: &Prompt, firmness: Firmness) -> Value {
    let mut body = json!({
        "model": prompt.model,
        "input": prompt.text,
        "max_output_tokens": token_limit(prompt),
        "store": false,
    });
    if asks_for_tool(prompt) {
        let mut tool = json!({"type": "web_search"});
        if let Some(place) = &prompt.place {
            tool["user_location"] = approximate(place);
        }
        body["tools"] = json!([tool]);
        body["include"] = json!(["web_search_call.action.sources"]);
        if firmness == Firmness::Strongest {
            body["tool_choice"] = json!("required");
        }
    }
    body
}

/// Most searches for one answer, because each is billed.
const MOST_SEARCHES: u32 = 3;

/// Anthropic Messages: <https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool>.
///
/// A tool is forced by its name: <https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools>.
pub(super) fn messages(prompt: &Prompt, firmness: Firmness) -> Value {
    let mut body = json!({
        "model": prompt.model,
        "max_tokens": token_limit(prompt),
        "messages": [{"role": "user", "content": prompt.text}],
    });
    if let (Some(turn), Some(messages)) = (&prompt.resume, body["messages"].as_array_mut()) {
        messages.push(json!({"role": "assistant", "content": turn}));
    }
    if asks_for_tool(prompt) {
        let mut tool =
            json!({"type": "web_search_20250305", "name": "web_search", "max_uses": MOST_SEARCHES});
        if let Some(place) = &prompt.place {
            tool["user_location"] = approximate(place);
        }
        body["tools"] = json!([tool]);
        // A turn that goes on has searched, or is about to.
        if firmness == Firmness::Strongest && prompt.resume.is_none() {
            body["tool_choice"] = json!({"type": "tool", "name": "web_search"});
        }
    }
    body
}

/// Gemini `generateContent`: <https://ai.google.dev/gemini-api/docs/google-search>.
///
/// The model decides whether it searches.
/// The place is a point: <https://ai.google.dev/api/caching#RetrievalConfig>.
pub(super) fn generate(prompt: &Prompt) -> Value {
    let mut body = json!({
        "contents": [{"role": "user", "parts": [{"text": prompt.text}]}],
        "generationConfig": {"maxOutputTokens": token_limit(prompt)},
    });
    if asks_for_tool(prompt) {
        body["tools"] = json!([{"google_search": {}}]);
        if let Some(point) = prompt.place.as_ref().and_then(|place| place.coordinates) {
            body["toolConfig"] = json!({"retrievalConfig": {
                "latLng": {"latitude": point.latitude, "longitude": point.longitude}}});
        }
    }
    body
}

/// A vendor's own model searches through the tool, even if a table has it as built-in.
fn asks_for_tool(prompt: &Prompt) -> bool {
    match prompt.search {
        WebSearch::Tool | WebSearch::Builtin => true,
        WebSearch::Off => false,
    }
}

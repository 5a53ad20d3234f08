//! Chat completions: plain, OpenRouter's, Perplexity's and those of LiteLLM proxies.

use super::{Firmness, Style, approximate, named, takes_place, token_limit};
use crate::prompt::{Prompt, UserPlace, WebSearch};
use crate::router::dialect::Dialect;
use serde_json::{Map, Value, json};

pub(super) fn body(style: Style, prompt: &Prompt, firmness: Firmness) -> Value {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
    set("model", json!(prompt.model));
    set("messages", json!([{"role": "user", "content": prompt.text}]));
    let limit = if style.completion_tokens {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    set(limit, json!(token_limit(prompt)));
    let place = prompt.place.as_ref();
    let mut options: Option<Value> = None;
    match (style.dialect, prompt.search) {
        // "force a specific server tool by naming it directly in tool_choice.type":
        // https://openrouter.ai/docs/agent-sdk/typescript/api-reference/models/chatservertoolchoice
        (Dialect::OpenRouter, WebSearch::Tool) => {
            set("tools", json!([openrouter_tool(prompt)]));
            if firmness == Firmness::Strongest {
                set("tool_choice", json!({"type": SEARCH_TOOL}));
            }
        }
        // A model that searches by itself must not get tools: the router answers 404.
        // Its search gets options: https://openrouter.ai/docs/guides/features/plugins/web-search
        (Dialect::OpenRouter, WebSearch::Builtin) if firmness == Firmness::Strongest => {
            options = place.map(perplexity_options);
        }
        // https://docs.perplexity.ai/guides/search-control-guide:
        // a request can switch the search off, or leave it to a classifier.
        // https://docs.perplexity.ai/guides/user-location-filter-guide
        (Dialect::Perplexity, WebSearch::Tool | WebSearch::Builtin) => {
            set("disable_search", json!(false));
            set("enable_search_classifier", json!(false));
            options = place.map(perplexity_options);
        }
        (Dialect::Perplexity, WebSearch::Off) => {
            set("disable_search", json!(true));
        }
        // https://docs.litellm.ai/docs/completion/web_search
        (Dialect::LiteLlm, WebSearch::Tool | WebSearch::Builtin) => {
            let mut medium = json!({"search_context_size": "medium"});
            if let Some(place) = place {
                medium["user_location"] = json!({"type": "approximate", "approximate": named(place)});
            }
            options = Some(medium);
        }
        (
            Dialect::Auto
            | Dialect::OpenAi
            | Dialect::OpenAiResponses
            | Dialect::Anthropic
            | Dialect::Gemini
            | Dialect::OpenRouter
            | Dialect::LiteLlm,
            _,
        ) => {}
    }
    if let Some(options) = options {
        set("web_search_options", options);
    }
    Value::Object(body)
}

const SEARCH_TOOL: &str = "openrouter:web_search";

/// The search tool: <https://openrouter.ai/docs/guides/features/server-tools/web-search>.
fn openrouter_tool(prompt: &Prompt) -> Value {
    let mut parameters = Map::new();
    if let Some(engine) = prompt.engine {
        parameters.insert("engine".to_owned(), json!(engine.as_str()));
    }
    if let Some(place) = prompt.place.as_ref().filter(|_| takes_place(prompt.engine)) {
        parameters.insert("user_location".to_owned(), approximate(place));
    }
    let mut tool = json!({"type": SEARCH_TOOL});
    if !parameters.is_empty() {
        tool["parameters"] = Value::Object(parameters);
    }
    tool
}

/// Options with a place for Perplexity, which takes coordinates only together with a country.
fn perplexity_options(place: &UserPlace) -> Value {
    let mut location = named(place);
    if let Some(point) = place.coordinates {
        location.insert("latitude".to_owned(), json!(point.latitude));
        location.insert("longitude".to_owned(), json!(point.longitude));
    }
    json!({"user_location": location})
}

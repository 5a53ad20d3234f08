//! The request body: only question, model, token limit, and search with its place.

mod chat;
mod vendor;

#[cfg(test)]
mod tests;

use super::dialect::{Dialect, host_is};
use super::retrieval::{Asked, SearchAsked};
use crate::prompt::{Prompt, UserPlace, WebSearch};
use ibid_model::SearchEngine;
use ibid_model::result::LocationHint;
use serde_json::{Map, Value, json};
use url::Url;

/// Some providers refuse less.
const FEWEST_TOKENS: u32 = 16;

/// The request format of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) dialect: Dialect,
    /// Whether the token limit has its newer name.
    /// All chat targets know `max_tokens`.
    /// Targets that refuse or deprecate it get the newer name.
    completion_tokens: bool,
}

/// The strength with which a search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Firmness {
    /// The strongest way that the dialect documents.
    Strongest,
    /// Offered, not forced: for models that refuse to be forced.
    Offered,
}

/// A request, and the expectations that its reply is judged by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ask {
    pub(super) body: Value,
    pub(super) asked: Asked,
}

impl Style {
    pub(super) fn of(dialect: Dialect, base: &Url) -> Self {
        let dialect = dialect.resolve(base);
        let openai = host_is(base, "openai.com") || host_is(base, "azure.com");
        Self {
            dialect,
            completion_tokens: dialect == Dialect::OpenRouter || openai,
        }
    }

    /// The same target in another dialect of chat completions.
    pub(super) fn speaking(self, dialect: Dialect) -> Self {
        Self {
            dialect,
            completion_tokens: self.completion_tokens || dialect == Dialect::OpenRouter,
        }
    }

    /// The request for a prompt. Its scene is not part of it.
    pub(super) fn ask(self, prompt: &Prompt, firmness: Firmness) -> Ask {
        let body = match self.dialect {
            Dialect::OpenAiResponses => vendor::responses(prompt, firmness),
            Dialect::Anthropic => vendor::messages(prompt, firmness),
            Dialect::Gemini => vendor::generate(prompt),
            Dialect::Auto
            | Dialect::OpenRouter
            | Dialect::OpenAi
            | Dialect::Perplexity
            | Dialect::LiteLlm => chat::body(self, prompt, firmness),
        };
        Ask {
            body,
            asked: Asked {
                search: self.search(prompt.search),
                complete: self.shows_every_search(prompt.search),
                engine: self.engine(prompt),
                location: prompt
                    .place
                    .as_ref()
                    .map(|place| self.location(prompt, place, firmness)),
            },
        }
    }

    fn search(self, search: WebSearch) -> SearchAsked {
        match (search, self.dialect) {
            (WebSearch::Builtin, _) | (WebSearch::Tool, Dialect::Perplexity) => SearchAsked::Builtin,
            (WebSearch::Tool, Dialect::Auto | Dialect::OpenAi) | (WebSearch::Off, _) => SearchAsked::Nothing,
            (
                WebSearch::Tool,
                Dialect::OpenRouter
                | Dialect::OpenAiResponses
                | Dialect::Anthropic
                | Dialect::Gemini
                | Dialect::LiteLlm,
            ) => SearchAsked::Tool,
        }
    }

    /// OpenRouter counts the searches of its tool in `usage`
    /// (<https://openrouter.ai/docs/guides/features/server-tools/web-search>). Vendors list them.
    /// A proxy shows the same as its provider.
    fn shows_every_search(self, search: WebSearch) -> bool {
        match self.dialect {
            Dialect::OpenRouter => search == WebSearch::Tool,
            Dialect::OpenAiResponses | Dialect::Anthropic | Dialect::Gemini | Dialect::Perplexity => true,
            Dialect::Auto | Dialect::OpenAi | Dialect::LiteLlm => false,
        }
    }

    fn engine(self, prompt: &Prompt) -> Option<&'static str> {
        match (self.dialect, prompt.search) {
            (_, WebSearch::Off) | (Dialect::Auto | Dialect::OpenAi | Dialect::LiteLlm, _) => None,
            (Dialect::OpenRouter, WebSearch::Tool) => prompt.engine.map(SearchEngine::as_str),
            (Dialect::OpenRouter, WebSearch::Builtin) => None,
            (Dialect::OpenAiResponses, _) => Some("openai"),
            (Dialect::Anthropic, _) => Some("anthropic"),
            (Dialect::Gemini, _) => Some("google"),
            (Dialect::Perplexity, _) => Some("perplexity"),
        }
    }

    /// Whether the place of a prompt is in its request.
    fn location(self, prompt: &Prompt, place: &UserPlace, firmness: Firmness) -> LocationHint {
        let sent = match (self.dialect, prompt.search) {
            (_, WebSearch::Off) | (Dialect::Auto | Dialect::OpenAi, _) => false,
            (Dialect::OpenRouter, WebSearch::Tool) => takes_place(prompt.engine),
            (Dialect::OpenRouter, WebSearch::Builtin) => firmness == Firmness::Strongest,
            (Dialect::Gemini, _) => place.coordinates.is_some(),
            (Dialect::OpenAiResponses | Dialect::Anthropic | Dialect::Perplexity | Dialect::LiteLlm, _) => {
                true
            }
        };
        if sent {
            LocationHint::Sent
        } else {
            LocationHint::NotSupported
        }
    }
}

/// Whether a search engine of OpenRouter takes a place: "Currently only supported by native provider search; ignored
/// with Exa, Firecrawl, Parallel, and Perplexity"
/// (<https://openrouter.ai/docs/guides/features/server-tools/web-search>). Without a pinned engine it may be native.
fn takes_place(engine: Option<SearchEngine>) -> bool {
    matches!(engine, None | Some(SearchEngine::Native))
}

/// An approximate location as OpenAI, Anthropic and OpenRouter write it.
fn approximate(place: &UserPlace) -> Value {
    let mut location = named(place);
    location.insert("type".to_owned(), json!("approximate"));
    Value::Object(location)
}

/// The names of a place, as far as they are known.
fn named(place: &UserPlace) -> Map<String, Value> {
    let parts = [
        ("city", place.city.as_deref()),
        ("region", place.region.as_deref()),
        ("country", Some(place.country_code.as_str())),
    ];
    parts
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))))
        .collect()
}

fn token_limit(prompt: &Prompt) -> u32 {
    prompt.max_tokens.max(FEWEST_TOKENS)
}

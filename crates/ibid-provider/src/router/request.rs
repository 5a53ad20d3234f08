//! The request body: the question, the model, a token limit, and on OpenRouter the web search tool. Nothing else.

use super::config::{Dialect, host_is};
use crate::prompt::{Prompt, UserPlace, WebSearch};
use serde::Serialize;
use url::Url;

/// Some providers refuse less.
const FEWEST_TOKENS: u32 = 16;

/// The request format of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    openrouter: bool,
    /// `max_tokens` is the name that every target knows; the newer one is sent only where the old one is refused
    /// or deprecated.
    completion_tokens: bool,
}

impl Style {
    pub(super) fn of(dialect: Dialect, base: &Url) -> Self {
        let openrouter = dialect.resolve(base) == Dialect::OpenRouter;
        let openai = host_is(base, "openai.com") || host_is(base, "azure.com");
        Self {
            openrouter,
            completion_tokens: openrouter || openai,
        }
    }

    pub(super) fn is_openrouter(self) -> bool {
        self.openrouter
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'a>; 1]>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Parameters<'a>>,
}

#[derive(Serialize)]
struct Parameters<'a> {
    user_location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
    country: &'a str,
}

/// The body for a prompt. Its scene is not part of it.
pub(super) fn body(style: Style, prompt: &Prompt) -> Vec<u8> {
    let limit = prompt.max_tokens.max(FEWEST_TOKENS);
    let searches = match prompt.search {
        WebSearch::Tool => style.openrouter,
        // A model that searches by itself must not be sent tools: the router answers 404 to them.
        WebSearch::Builtin | WebSearch::Off => false,
    };
    let body = Body {
        model: &prompt.model,
        messages: [Message {
            role: "user",
            content: &prompt.text,
        }],
        max_tokens: (!style.completion_tokens).then_some(limit),
        max_completion_tokens: style.completion_tokens.then_some(limit),
        tools: searches.then(|| {
            [Tool {
                kind: "openrouter:web_search",
                parameters: prompt.place.as_ref().map(parameters),
            }]
        }),
    };
    // Texts and numbers always serialise.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn parameters(place: &UserPlace) -> Parameters<'_> {
    Parameters {
        user_location: Location {
            kind: "approximate",
            city: place.city.as_deref(),
            region: place.region.as_deref(),
            country: &place.country_code,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::Scene;
    use serde_json::{Value, json};
    use tokio::time::Instant;

    fn prompt(search: WebSearch, place: Option<UserPlace>) -> Prompt {
        Prompt {
            model: "vendor/model".to_owned(),
            text: "Which \"dentist\"?\n".to_owned(),
            search,
            force_search: false,
            place,
            max_tokens: 2_000,
            deadline: Instant::now(),
            scene: Scene {
                domain: "target-domain.es".parse().unwrap(),
                keyword: "secret keyword".to_owned(),
                place: Some("Nowhere".to_owned()),
                distance_km: Some(12.5),
                language: "tlh".to_owned(),
            },
        }
    }

    fn sevilla() -> UserPlace {
        UserPlace {
            city: Some("Sevilla".to_owned()),
            region: None,
            country_code: "ES".to_owned(),
            coordinates: None,
        }
    }

    fn check(base: &str, prompt: &Prompt, expected: Value) {
        let style = Style::of(Dialect::Auto, &base.parse().unwrap());
        let bytes = body(style, prompt);
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected);
        let text = String::from_utf8(bytes).unwrap();
        for hidden in ["target-domain", "secret keyword", "Nowhere", "12.5", "tlh"] {
            assert!(!text.contains(hidden), "{hidden} in {text}");
        }
    }

    #[test]
    fn sends_the_format_of_the_target() {
        let messages = json!([{"role": "user", "content": "Which \"dentist\"?\n"}]);
        check(
            "https://openrouter.ai/api/v1",
            &prompt(WebSearch::Tool, Some(sevilla())),
            json!({"model": "vendor/model", "messages": messages, "max_completion_tokens": 2000, "tools": [{
                "type": "openrouter:web_search",
                "parameters": {"user_location": {"type": "approximate", "city": "Sevilla", "country": "ES"}},
            }]}),
        );
        check(
            "https://openrouter.ai/api/v1",
            &prompt(WebSearch::Tool, None),
            json!({"model": "vendor/model", "messages": messages, "max_completion_tokens": 2000,
                "tools": [{"type": "openrouter:web_search"}]}),
        );
        for search in [WebSearch::Builtin, WebSearch::Off] {
            check(
                "https://openrouter.ai/api/v1",
                &prompt(search, Some(sevilla())),
                json!({"model": "vendor/model", "messages": messages, "max_completion_tokens": 2000}),
            );
        }
        check(
            "http://localhost:11434",
            &prompt(WebSearch::Tool, Some(sevilla())),
            json!({"model": "vendor/model", "messages": messages, "max_tokens": 2000}),
        );
        let mut short = prompt(WebSearch::Tool, None);
        short.max_tokens = 1;
        check(
            "https://api.openai.com/v1",
            &short,
            json!({"model": "vendor/model", "messages": messages, "max_completion_tokens": 16}),
        );
    }
}

//! How routers and vendors are talked to, and which form a target gets.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::str::FromStr;
use strum::VariantArray;
use url::Url;

/// How a target is talked to: path, header for the key, fields for a web search, and replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Dialect {
    /// By the host of the base address.
    /// Unknown hosts get plain chat completions, until the list of models reveals more.
    #[default]
    Auto,
    /// OpenRouter: chat completions, a forced search tool, attribution headers.
    OpenRouter,
    /// Plain chat completions without a search, as of Ollama, vLLM and llama.cpp.
    OpenAi,
    /// OpenAI's Responses: a required search tool.
    #[strum(serialize = "openai-responses")]
    OpenAiResponses,
    /// Anthropic's Messages: a forced search tool.
    Anthropic,
    /// Perplexity's chat completions: every answer searches.
    Perplexity,
    /// Gemini's `generateContent`: a search tool that cannot be forced.
    Gemini,
    /// LiteLLM or another proxy with `web_search_options` in chat completions.
    LiteLlm,
}

/// Vendors that are asked directly, by host.
const HOSTS: [(&str, Dialect); 5] = [
    ("openrouter.ai", Dialect::OpenRouter),
    ("api.openai.com", Dialect::OpenAiResponses),
    ("api.anthropic.com", Dialect::Anthropic),
    ("api.perplexity.ai", Dialect::Perplexity),
    ("generativelanguage.googleapis.com", Dialect::Gemini),
];

impl Dialect {
    /// Returns the dialect for a base address, never [`Self::Auto`].
    /// A full address for chat completions, or for Gemini's layer for OpenAI clients, takes precedence.
    #[must_use]
    pub fn resolve(self, base_url: &Url) -> Self {
        if self != Self::Auto {
            return self;
        }
        let known = HOSTS.iter().find(|(host, _)| host_is(base_url, host));
        let path = base_url.path().trim_end_matches('/');
        match known {
            Some((_, Self::OpenAiResponses)) if path.ends_with("/chat/completions") => Self::OpenAi,
            Some((_, Self::Gemini)) if path.contains("/openai") => Self::OpenAi,
            Some((_, dialect)) => *dialect,
            None => Self::OpenAi,
        }
    }

    /// Whether a request can leave the model no choice about searching.
    pub const fn forces_search(self) -> bool {
        match self {
            Self::OpenRouter | Self::OpenAiResponses | Self::Anthropic => true,
            Self::Auto | Self::OpenAi | Self::Perplexity | Self::Gemini | Self::LiteLlm => false,
        }
    }

    /// What the configuration calls it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the dialect that a list of models shows, for targets with chat completions.
    ///
    /// OpenRouter lists `canonical_slug` and `supported_parameters`
    /// (<https://openrouter.ai/docs/api-reference/list-available-models>). LiteLLM gives every model the same date of
    /// creation, 1677610602 (<https://docs.litellm.ai/docs/proxy/model_management>).
    pub(super) fn of_list(body: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Listing<'a> {
            #[serde(borrow)]
            data: Vec<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Entry<'a> {
            #[serde(borrow, default)]
            canonical_slug: Option<&'a RawValue>,
            #[serde(borrow, default)]
            supported_parameters: Option<&'a RawValue>,
            #[serde(borrow, default)]
            created: Option<&'a RawValue>,
        }
        let listing: Listing<'_> = serde_json::from_slice(body).ok()?;
        let entries: Vec<Entry<'_>> = listing
            .data
            .iter()
            .filter_map(|raw| serde_json::from_str(raw.get()).ok())
            .collect();
        let all = |is: fn(&Entry<'_>) -> bool| !entries.is_empty() && entries.iter().all(is);
        if all(|entry| entry.canonical_slug.is_some() && entry.supported_parameters.is_some()) {
            return Some(Self::OpenRouter);
        }
        all(|entry| entry.created.is_some_and(|created| created.get() == "1677610602"))
            .then_some(Self::LiteLlm)
    }
}

/// A word that names no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not auto, openrouter, openai, openai-responses, anthropic, perplexity, gemini or litellm")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::VARIANTS.iter().copied();
        all.find(|dialect| dialect.as_str() == text).ok_or(UnknownDialect)
    }
}

/// Whether an address lies at `domain` or below it.
pub(super) fn host_is(url: &Url, domain: &str) -> bool {
    url.host_str().is_some_and(|host| {
        host.strip_suffix(domain)
            .is_some_and(|head| head.is_empty() || head.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_knows_vendors_by_their_hosts() {
        for (base, expected) in [
            ("https://openrouter.ai/api/v1", Dialect::OpenRouter),
            ("https://eu.openrouter.ai/api/v1", Dialect::OpenRouter),
            ("https://notopenrouter.ai/api/v1", Dialect::OpenAi),
            ("https://openrouter.ai.evil.org/", Dialect::OpenAi),
            ("http://localhost:11434", Dialect::OpenAi),
            ("https://api.openai.com/v1", Dialect::OpenAiResponses),
            ("https://api.openai.com/v1/chat/completions", Dialect::OpenAi),
            ("https://api.anthropic.com", Dialect::Anthropic),
            ("https://api.perplexity.ai", Dialect::Perplexity),
            ("https://generativelanguage.googleapis.com", Dialect::Gemini),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                Dialect::OpenAi,
            ),
        ] {
            assert_eq!(Dialect::Auto.resolve(&base.parse().unwrap()), expected, "{base}");
        }
        let local = "http://localhost:1".parse().unwrap();
        assert_eq!(Dialect::OpenRouter.resolve(&local), Dialect::OpenRouter);
        assert_eq!("litellm".parse(), Ok(Dialect::LiteLlm));
        assert_eq!("OpenAI".parse::<Dialect>(), Err(UnknownDialect));
    }

    #[test]
    fn a_list_of_models_reveals_openrouter_and_litellm() {
        let openrouter = br#"{"data":[{"id":"a/b","canonical_slug":"a/b-1","supported_parameters":[]}]}"#;
        let litellm = br#"{"data":[{"id":"gpt","object":"model","created":1677610602,"owned_by":"openai"}],"object":"list"}"#;
        let ollama = br#"{"object":"list","data":[{"id":"llama3:8b","object":"model","created":1700000000,"owned_by":"library"}]}"#;
        assert_eq!(Dialect::of_list(openrouter), Some(Dialect::OpenRouter));
        assert_eq!(Dialect::of_list(litellm), Some(Dialect::LiteLlm));
        for other in [&ollama[..], br#"{"data":[]}"#, b"[]", b"<html>"] {
            assert_eq!(Dialect::of_list(other), None);
        }
    }
}

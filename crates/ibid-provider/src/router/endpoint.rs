//! Derives the called addresses from the configured base address.

use super::config::RouterError;
use super::dialect::{Dialect, host_is};
use url::Url;

const CHAT: &str = "/chat/completions";

/// Where one router takes questions and lists its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoints {
    /// Where questions go; for Gemini, without the model.
    ask: Url,
    pub(super) models: Url,
    per_model: bool,
}

impl Endpoints {
    /// Finds the addresses.
    ///
    /// `/v1` is added where no part of the path is a version, as in `http://localhost:11434`.
    /// An address with the dialect's own path is used unchanged.
    /// A query is kept, a fragment is not.
    pub(super) fn of(base: &Url, dialect: Dialect) -> Result<Self, RouterError> {
        let web = matches!(base.scheme(), "http" | "https") && base.has_host();
        if !web || !base.username().is_empty() || base.password().is_some() {
            return Err(RouterError::BaseUrl);
        }
        let path = base.path().trim_end_matches('/');
        let (tail, version) = match dialect {
            Dialect::OpenAiResponses => ("/responses", "/v1"),
            Dialect::Anthropic => ("/messages", "/v1"),
            Dialect::Gemini => ("/models", "/v1beta"),
            Dialect::Auto
            | Dialect::OpenRouter
            | Dialect::OpenAi
            | Dialect::Perplexity
            | Dialect::LiteLlm => (CHAT, "/v1"),
        };
        let root = match path.strip_suffix(tail) {
            Some(root) => root.to_owned(),
            None if path.split('/').any(is_version) || versionless(base) => path.to_owned(),
            None => format!("{path}{version}"),
        };
        let at = |tail: &str| {
            let mut url = base.clone();
            url.set_path(&format!("{root}{tail}"));
            url.set_fragment(None);
            url
        };
        Ok(Self {
            ask: at(tail),
            models: at("/models"),
            per_model: dialect == Dialect::Gemini,
        })
    }

    /// Where a question to this model goes.
    /// Gemini names the model in the path.
    pub(super) fn ask(&self, model: &str) -> Url {
        let mut url = self.ask.clone();
        if self.per_model
            && let Ok(mut path) = url.path_segments_mut()
        {
            path.push(&format!(
                "{}:generateContent",
                model.trim_start_matches("models/")
            ));
        }
        url
    }
}

/// `v1`, `v1beta`, `v2`.
fn is_version(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    bytes.next() == Some(b'v') && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
}

/// Perplexity's own API has no version in its path.
fn versionless(base: &Url) -> bool {
    host_is(base, "api.perplexity.ai")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, chat: Option<&str>) {
        let found = Endpoints::of(&base.parse().unwrap(), Dialect::OpenAi).ok();
        assert_eq!(
            found.as_ref().map(|urls| urls.ask("m").to_string()).as_deref(),
            chat,
            "{base}"
        );
        if let Some(urls) = found {
            assert_eq!(
                urls.models.as_str(),
                urls.ask("m").as_str().replace(CHAT, "/models")
            );
        }
    }

    #[test]
    fn vendors_have_paths_of_their_own() {
        for (dialect, base, ask, models) in [
            (
                Dialect::OpenAiResponses,
                "https://api.openai.com",
                "https://api.openai.com/v1/responses",
                "https://api.openai.com/v1/models",
            ),
            (
                Dialect::Anthropic,
                "https://api.anthropic.com/v1/messages",
                "https://api.anthropic.com/v1/messages",
                "https://api.anthropic.com/v1/models",
            ),
            (
                Dialect::Gemini,
                "https://generativelanguage.googleapis.com",
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-3:generateContent",
                "https://generativelanguage.googleapis.com/v1beta/models",
            ),
        ] {
            let urls = Endpoints::of(&base.parse().unwrap(), dialect).unwrap();
            let model = "models/gemini-3";
            assert_eq!((urls.ask(model).as_str(), urls.models.as_str()), (ask, models));
        }
        let odd = Endpoints::of(&"https://x.example/v1beta".parse().unwrap(), Dialect::Gemini).unwrap();
        assert_eq!(
            odd.ask("a/../b?key=1").as_str(),
            "https://x.example/v1beta/models/a%2F..%2Fb%3Fkey=1:generateContent"
        );
    }

    #[test]
    fn finds_the_addresses() {
        let openrouter = Some("https://openrouter.ai/api/v1/chat/completions");
        check("https://openrouter.ai/api/v1", openrouter);
        check("https://openrouter.ai/api/v1/", openrouter);
        check("https://openrouter.ai/api/v1///", openrouter);
        check("https://openrouter.ai/api", openrouter);
        check("https://openrouter.ai/api/v1/chat/completions#x", openrouter);
        let ollama = Some("http://localhost:11434/v1/chat/completions");
        check("http://localhost:11434", ollama);
        check("http://localhost:11434/", ollama);
        check("http://localhost:11434/v1", ollama);
        check(
            "https://api.perplexity.ai",
            Some("https://api.perplexity.ai/chat/completions"),
        );
        check(
            "https://x.example/v1beta/openai/",
            Some("https://x.example/v1beta/openai/chat/completions"),
        );
        check(
            "https://x.example/inference/chat/completions?api-version=2",
            Some("https://x.example/inference/chat/completions?api-version=2"),
        );
    }

    #[test]
    fn refuses_invalid_base_addresses() {
        check("ftp://example.com/v1", None);
        check("file:///v1", None);
        check("https://key@example.com/v1", None);
        check("https://a:b@example.com/v1", None);
        check("data:text/plain,v1", None);
    }
}

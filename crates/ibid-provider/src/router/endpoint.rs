//! From the base address people write to the addresses that are called.

use super::config::RouterError;
use url::Url;

const CHAT: &str = "/chat/completions";

/// The addresses of one router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoints {
    pub(super) chat: Url,
    pub(super) models: Url,
}

impl Endpoints {
    /// Finds the addresses. `/v1` is added where no part of the path is a version, as in `http://localhost:11434`;
    /// an address that ends in `/chat/completions` is taken as it stands. A query is kept, a fragment is not.
    pub(super) fn of(base: &Url) -> Result<Self, RouterError> {
        let web = matches!(base.scheme(), "http" | "https") && base.has_host();
        if !web || !base.username().is_empty() || base.password().is_some() {
            return Err(RouterError::BaseUrl);
        }
        let path = base.path().trim_end_matches('/');
        let root = match path.strip_suffix(CHAT) {
            Some(root) => root.to_owned(),
            None if path.split('/').any(is_version) || versionless(base) => path.to_owned(),
            None => format!("{path}/v1"),
        };
        let at = |tail: &str| {
            let mut url = base.clone();
            url.set_path(&format!("{root}{tail}"));
            url.set_fragment(None);
            url
        };
        Ok(Self {
            chat: at(CHAT),
            models: at("/models"),
        })
    }
}

/// `v1`, `v1beta`, `v2`.
fn is_version(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    bytes.next() == Some(b'v') && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
}

/// Perplexity's own API has no version in its path.
fn versionless(base: &Url) -> bool {
    super::config::host_is(base, "api.perplexity.ai")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, chat: Option<&str>) {
        let found = Endpoints::of(&base.parse().unwrap()).ok();
        assert_eq!(found.as_ref().map(|urls| urls.chat.as_str()), chat, "{base}");
        if let Some(urls) = found {
            assert_eq!(urls.models.as_str(), urls.chat.as_str().replace(CHAT, "/models"));
        }
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

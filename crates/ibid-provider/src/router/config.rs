//! The settings of the router client.

use super::retry::RetryPolicy;
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// The address of the router and the policy of calls to it.
#[derive(Clone, Debug)]
pub struct RouterConfig {
    /// Base address, with or without a trailing slash, with or without `/v1`; or the full address of
    /// `…/chat/completions` where a target has its own layout.
    pub base_url: Url,
    /// The request fields that it understands.
    pub dialect: Dialect,
    /// Longest time for one attempt; the prompt's deadline may cut it shorter.
    pub attempt_timeout: Duration,
    /// Longest time for a connection to be made.
    pub connect_timeout: Duration,
    /// Most calls in flight, all keys together; also where the limit of each key starts. At least 1.
    pub max_in_flight: usize,
    /// The failures that are tried again, and the pauses.
    pub retry: RetryPolicy,
    /// The policy for models that keep failing.
    pub breaker: BreakerPolicy,
    /// A proxy for all calls; the environment is never asked for one.
    pub proxy: Option<Url>,
    /// Address of this service, told to OpenRouter for attribution.
    pub referer: Option<String>,
    /// Name of this service, told to OpenRouter for attribution.
    pub title: String,
}

impl RouterConfig {
    /// The base address used unless told otherwise.
    pub const DEFAULT_BASE_URL: &'static str = "https://openrouter.ai/api/v1";

    /// The defaults for a base address: 60 s an attempt, 3 s to connect, 2,048 calls in flight.
    #[must_use]
    pub fn new(base_url: Url) -> Self {
        Self {
            base_url,
            dialect: Dialect::Auto,
            attempt_timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(3),
            max_in_flight: 2_048,
            retry: RetryPolicy::default(),
            breaker: BreakerPolicy::default(),
            proxy: None,
            referer: None,
            title: "ibid".to_owned(),
        }
    }
}

/// The request fields that a target understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// OpenRouter if the base address is OpenRouter's, plain OpenAI otherwise.
    #[default]
    Auto,
    /// OpenRouter: its web search tool and attribution headers are sent.
    OpenRouter,
    /// Plain OpenAI chat completions: nothing that another target might refuse.
    OpenAi,
}

impl Dialect {
    /// The dialect for a base address; never [`Self::Auto`].
    #[must_use]
    pub fn resolve(self, base_url: &Url) -> Self {
        match self {
            Self::Auto if host_is(base_url, "openrouter.ai") => Self::OpenRouter,
            Self::Auto | Self::OpenAi => Self::OpenAi,
            Self::OpenRouter => Self::OpenRouter,
        }
    }
}

/// A word that names no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not auto, openrouter or openai")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "openrouter" => Ok(Self::OpenRouter),
            "openai" => Ok(Self::OpenAi),
            _ => Err(UnknownDialect),
        }
    }
}

/// The policy for models that keep failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// The number of failures, without a success in between, that open the breaker ...
    pub failures: u32,
    /// ... if they happen within this time.
    pub within: Duration,
    /// The time during which calls then fail at once, before one probe is let through.
    pub open_for: Duration,
}

impl Default for BreakerPolicy {
    /// 5 failures within 30 s, open for 15 s.
    fn default() -> Self {
        Self {
            failures: 5,
            within: Duration::from_secs(30),
            open_for: Duration::from_secs(15),
        }
    }
}

/// The reason why a router client cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RouterError {
    /// The base address is no http or https address, or carries user information.
    #[error("the base address of the router must be http or https, without user information")]
    BaseUrl,
    /// The attribution texts cannot stand in a header.
    #[error("the attribution texts must be visible ASCII")]
    Attribution,
    /// The HTTP client could not be made, for instance for want of root certificates.
    #[error("setting up the HTTP client")]
    Client(#[source] reqwest::Error),
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
    fn auto_knows_openrouter_by_its_host() {
        for (base, expected) in [
            ("https://openrouter.ai/api/v1", Dialect::OpenRouter),
            ("https://eu.openrouter.ai/api/v1", Dialect::OpenRouter),
            ("https://notopenrouter.ai/api/v1", Dialect::OpenAi),
            ("https://openrouter.ai.evil.org/", Dialect::OpenAi),
            ("http://localhost:11434", Dialect::OpenAi),
        ] {
            assert_eq!(Dialect::Auto.resolve(&base.parse().unwrap()), expected, "{base}");
        }
        let local = "http://localhost:1".parse().unwrap();
        assert_eq!(Dialect::OpenRouter.resolve(&local), Dialect::OpenRouter);
        assert_eq!("openai".parse(), Ok(Dialect::OpenAi));
        assert_eq!("OpenAI".parse::<Dialect>(), Err(UnknownDialect));
    }
}

//! How the router client behaves.

use super::dialect::Dialect;
use super::fair_queue::ReservedPlaces;
use super::retry::RetryPolicy;
use std::time::Duration;
use url::Url;

/// Where the router is, and how its calls are limited and retried.
#[derive(Clone, Debug)]
pub struct RouterConfig {
    /// Base address, with an optional trailing slash and an optional `/v1`.
    /// For a target with its own layout, the full address of `…/chat/completions`.
    pub base_url: Url,
    /// The wire form that it speaks.
    pub dialect: Dialect,
    /// Time limit of one attempt.
    /// The prompt's deadline may be earlier.
    pub attempt_timeout: Duration,
    /// Longest time for a connection to be made.
    pub connect_timeout: Duration,
    /// Most calls in flight, all keys together.
    /// Each key's limit starts here too. At least 1.
    pub max_in_flight: usize,
    /// Places kept for sold work and for demonstrations. Zero by default.
    pub reserved: ReservedPlaces,
    /// The failures that are tried again, and the pauses.
    pub retry: RetryPolicy,
    /// The policy for models that keep failing.
    pub breaker: BreakerPolicy,
    /// A proxy for all calls.
    /// The environment is never read for one.
    pub proxy: Option<Url>,
    /// Address of this service, sent to OpenRouter for attribution.
    pub referer: Option<String>,
    /// Name of this service, sent to OpenRouter for attribution.
    pub title: String,
}

impl RouterConfig {
    /// The base address used by default.
    pub const DEFAULT_BASE_URL: &'static str = "https://openrouter.ai/api/v1";

    /// Defaults: 60 s an attempt, 3 s to connect, 2,048 calls in flight.
    #[must_use]
    pub fn new(base_url: Url) -> Self {
        Self {
            base_url,
            dialect: Dialect::Auto,
            attempt_timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(3),
            max_in_flight: 2_048,
            reserved: ReservedPlaces::default(),
            retry: RetryPolicy::default(),
            breaker: BreakerPolicy::default(),
            proxy: None,
            referer: None,
            title: "ibid".to_owned(),
        }
    }
}

/// The policy for models that keep failing under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Further calls wait once this many in a hundred failed ...
    pub failed_percent: u8,
    /// ... if at least so many calls, retries included, ended ...
    pub calls: u32,
    /// ... within this time.
    pub within: Duration,
    /// The time before the first call probes.
    /// It doubles while probes fail ...
    pub first_pause: Duration,
    /// ... up to this.
    pub longest_pause: Duration,
}

impl BreakerPolicy {
    /// A breaker that never opens.
    #[must_use]
    pub fn off() -> Self {
        Self {
            calls: u32::MAX,
            ..Self::default()
        }
    }

    /// Whether the breaker can open.
    pub(super) fn is_on(&self) -> bool {
        self.calls < u32::MAX
    }
}

impl Default for BreakerPolicy {
    /// Half of at least 5 calls within 30 s; a probe after 0.5 s, at last every 5 s.
    fn default() -> Self {
        Self {
            failed_percent: 50,
            calls: 5,
            within: Duration::from_secs(30),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(5),
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
    /// The attribution texts are not allowed in a header.
    #[error("the attribution texts must be visible ASCII")]
    Attribution,
    /// The HTTP client could not be made, for instance without certificates.
    #[error("setting up the HTTP client")]
    Client(#[source] reqwest::Error),
}

//! Asks a router, or a vendor's own API, over HTTP.
//!
//! docs/ROUTERS.md describes the requests, retries and limits.
//! In short: one client for the process, at most three attempts within the prompt's deadline,
//! and limits per process, key and model.
//! The limits shrink when the provider pushes back.

mod breaker;
mod call;
mod complaint;
mod config;
mod dialect;
mod endpoint;
mod exchange;
mod fair_queue;
mod hint;
mod key_states;
mod lenient;
mod limiter;
mod local;
mod queue;
mod reply;
mod request;
mod retrieval;
mod retry;
mod sse;
mod targets;
#[cfg(feature = "otlp")]
mod trace_context;
mod traffic;
mod usage;
mod verdict;

pub use config::{BreakerPolicy, RouterConfig, RouterError};
pub use dialect::{Dialect, UnknownDialect};
pub use fair_queue::ReservedPlaces;
pub use retry::RetryPolicy;

use crate::completion::Completion;
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::load::ProviderLoad;
use crate::models::{RouterModel, read_models};
use crate::prompt::{Prompt, WebSearch};
use crate::{Provider, ProviderFuture};
use call::Call;
use endpoint::Endpoints;
use exchange::{Broken, Exchange, credentials};
use lenient::Lenient;
use reply::Reply;
use request::Style;
use retrieval::Asked;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::timeout;
use traffic::Traffic;
use verdict::Outcome;

/// Longest time to wait for the list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest time to wait for a sign of life.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// The network provider.
/// Make one for the process and share it.
/// Clones share all state.
#[derive(Clone, Debug)]
pub struct Router {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    endpoints: Endpoints,
    configured: Style,
    /// How the router lists models, if the configuration leaves it open.
    learned: OnceLock<Style>,
    /// Whether the list of models may reveal the dialect.
    open: bool,
    lenient: Lenient,
    exchange: Exchange,
    attempt_timeout: Duration,
    traffic: Traffic,
}

impl Inner {
    fn style(&self) -> Style {
        *self.learned.get().unwrap_or(&self.configured)
    }
}

impl Router {
    /// Sets the router up without sending a request.
    ///
    /// # Errors
    /// Fails for an invalid base address or attribution text, or without root certificates.
    pub fn new(config: &RouterConfig) -> Result<Self, RouterError> {
        let style = Style::of(config.dialect, &config.base_url);
        Ok(Self {
            inner: Arc::new(Inner {
                endpoints: Endpoints::of(&config.base_url, style.dialect)?,
                configured: style,
                learned: OnceLock::new(),
                open: config.dialect == Dialect::Auto && style.dialect == Dialect::OpenAi,
                lenient: Lenient::default(),
                exchange: Exchange::new(config, style.dialect)?,
                attempt_timeout: config.attempt_timeout,
                traffic: Traffic::new(
                    config.max_in_flight,
                    config.reserved,
                    config.retry,
                    config.breaker,
                ),
            }),
        })
    }

    /// Returns the dialect: configured, or derived from host and list of models.
    pub fn dialect(&self) -> Dialect {
        self.inner.style().dialect
    }

    /// Returns the models that the router lists, at most 5,000.
    /// OpenRouter needs no key for it, others do.
    ///
    /// # Errors
    /// Fails as a question does, with a [`ProviderError`], but without retries;
    /// [`ProviderError::Unreadable`] if the answer is no list.
    pub async fn models(&self, key: Option<&ProviderKey>) -> Result<Vec<RouterModel>, ProviderError> {
        let url = &self.inner.endpoints.models;
        let dialect = self.dialect();
        let key = key.and_then(|key| credentials(key, dialect));
        let get = self.inner.exchange.get(url, key);
        let received = timeout(LIST_TIMEOUT, get)
            .await
            .map_err(|_| ProviderError::Timeout)?
            .map_err(|broken| match broken {
                Broken::Connection(_) | Broken::Local(_) => ProviderError::Connection,
                Broken::TooLarge => ProviderError::Unreadable,
            })?;
        if (200..300).contains(&received.status) {
            let models = read_models(&received.body).ok_or(ProviderError::Unreadable)?;
            if self.inner.open
                && let Some(dialect) = Dialect::of_list(&received.body)
            {
                let style = self.inner.configured.speaking(dialect);
                if self.inner.learned.set(style).is_ok() {
                    tracing::info!(dialect = dialect.as_str(), "router.dialect.learned");
                }
            }
            return Ok(models);
        }
        let reply = Reply {
            dialect,
            asked: Asked::default(),
            status: received.status,
            hint: received.hint,
            body: &received.body,
        };
        match reply.outcome() {
            Outcome::Failed(failure) => Err(failure.error),
            Outcome::Answered(_) => Err(ProviderError::RequestRefused {
                status: received.status,
            }),
        }
    }

    /// Checks whether the router answers.
    /// Any status below 500 counts. No key is sent, so 401 does too.
    pub async fn probe(&self) -> Result<(), ProviderError> {
        match timeout(
            PROBE_TIMEOUT,
            self.inner.exchange.status(&self.inner.endpoints.models),
        )
        .await
        {
            Ok(Ok(0..500)) => Ok(()),
            Ok(Ok(_)) => Err(ProviderError::Unavailable),
            Ok(Err(_)) => Err(ProviderError::Connection),
            Err(_) => Err(ProviderError::Timeout),
        }
    }

    /// Returns the header `Date` of an answer, if it has one, to compare clocks.
    pub async fn date(&self) -> Result<Option<String>, ProviderError> {
        timeout(
            PROBE_TIMEOUT,
            self.inner.exchange.date(&self.inner.endpoints.models),
        )
        .await
        .map_err(|_| ProviderError::Timeout)?
        .map_err(|_| ProviderError::Connection)
    }

    /// Calls in flight, all keys together.
    pub fn in_flight(&self) -> usize {
        self.inner.traffic.in_flight()
    }
}

impl Provider for Router {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            let Some(call) = Call::new(&self.inner, key, prompt) else {
                return Err(ProviderError::KeyRejected);
            };
            let traffic = &self.inner.traffic;
            traffic
                .course(key, prompt.share, &prompt.model, prompt.deadline)
                .run(&call)
                .await
        })
    }

    fn load(&self) -> ProviderLoad {
        let traffic = &self.inner.traffic;
        ProviderLoad {
            in_flight: traffic.in_flight(),
            waiting: traffic.waiting(),
            models: traffic.models(),
        }
    }

    fn can_force_search(&self, prompt: &Prompt) -> bool {
        prompt.search == WebSearch::Tool
            && self.dialect().forces_search()
            && !self.inner.lenient.has(&prompt.model)
    }
}

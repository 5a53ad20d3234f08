//! Asks any OpenAI-compatible router over HTTP.
//!
//! What is sent, what is retried and what is limited is told in docs/ROUTERS.md. In short: one client for the
//! process, at most three attempts within the prompt's deadline, and limits per process, key and model that
//! shrink when the provider pushes back.

mod breaker;
mod call;
mod complaint;
mod config;
mod endpoint;
mod exchange;
mod hint;
mod lanes;
mod limiter;
mod reply;
mod request;
mod retry;
mod sse;
mod usage;
mod verdict;

pub use config::{BreakerPolicy, Dialect, RouterConfig, RouterError, UnknownDialect};
pub use retry::RetryPolicy;

use crate::completion::Completion;
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::models::{RouterModel, read_models};
use crate::prompt::Prompt;
use crate::{Provider, ProviderFuture};
use breaker::Breakers;
use call::Call;
use endpoint::Endpoints;
use exchange::{Broken, Exchange, bearer};
use lanes::Lanes;
use reply::Reply;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::Outcome;

/// Longest time to wait for the list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest time to wait for a sign of life.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// The network provider. Make one for the process and share it; clones share everything.
#[derive(Clone, Debug)]
pub struct Router {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    endpoints: Endpoints,
    style: request::Style,
    exchange: Exchange,
    attempt_timeout: Duration,
    retry: RetryPolicy,
    process: Semaphore,
    max_in_flight: usize,
    lanes: Lanes,
    breakers: Breakers,
}

impl Router {
    /// Sets the router up. Nothing is sent yet.
    ///
    /// # Errors
    /// A base address that is none, attribution texts that cannot be sent, or no root certificates.
    pub fn new(config: &RouterConfig) -> Result<Self, RouterError> {
        let endpoints = Endpoints::of(&config.base_url)?;
        let style = request::Style::of(config.dialect, &config.base_url);
        let max_in_flight = config.max_in_flight.clamp(1, Semaphore::MAX_PERMITS);
        Ok(Self {
            inner: Arc::new(Inner {
                endpoints,
                style,
                exchange: Exchange::new(config, style.is_openrouter())?,
                attempt_timeout: config.attempt_timeout,
                retry: config.retry,
                process: Semaphore::new(max_in_flight),
                max_in_flight,
                lanes: Lanes::new(max_in_flight, config.retry.budget_percent),
                breakers: Breakers::new(config.breaker),
            }),
        })
    }

    /// The models that the router lists, at most 5,000. OpenRouter needs no key for it, others do.
    ///
    /// # Errors
    /// The classes of [`ProviderError`] as for a question, without retries;
    /// [`ProviderError::Unreadable`] if the answer is no list.
    pub async fn models(&self, key: Option<&ProviderKey>) -> Result<Vec<RouterModel>, ProviderError> {
        let url = &self.inner.endpoints.models;
        let get = self.inner.exchange.get(url, key.and_then(bearer));
        let received = timeout(LIST_TIMEOUT, get)
            .await
            .map_err(|_| ProviderError::Timeout)?
            .map_err(|broken| match broken {
                Broken::Connection(_) => ProviderError::Connection,
                Broken::TooLarge => ProviderError::Unreadable,
            })?;
        if (200..300).contains(&received.status) {
            return read_models(&received.body).ok_or(ProviderError::Unreadable);
        }
        let reply = Reply {
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

    /// Whether the router is there. Any answer below 500 is a sign of life: a key is not sent, so 401 is one.
    ///
    /// # Errors
    /// [`ProviderError::Timeout`], [`ProviderError::Connection`] or [`ProviderError::Unavailable`].
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

    /// Calls in flight, all keys together.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        let free = self.inner.process.available_permits();
        self.inner.max_in_flight.saturating_sub(free)
    }
}

impl Provider for Router {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            match Call::new(&self.inner, key, prompt) {
                Some(call) => call.run().await,
                None => Err(ProviderError::KeyRejected),
            }
        })
    }
}

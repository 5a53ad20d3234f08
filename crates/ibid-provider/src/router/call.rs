//! Sends one question over HTTP, as often as retries allow.

use super::Inner;
use super::dialect::Dialect;
use super::exchange::{Broken, Credentials, Received, credentials};
use super::reply::Reply;
use super::request::{Ask, Firmness};
use super::traffic::Attempt;
use super::verdict::{Again, Failure, Outcome};
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::prompt::{Prompt, WebSearch};
use ibid_model::UsdMicros;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tracing::Instrument;
use url::Url;

/// A question, ready to be sent.
pub(super) struct Call<'a> {
    router: &'a Inner,
    prompt: &'a Prompt,
    dialect: Dialect,
    credentials: Credentials,
    url: Url,
}

impl<'a> Call<'a> {
    /// Prepares a question.
    /// Returns `None` for a key that is not allowed in a header.
    /// `ProviderKey` excludes these.
    pub(super) fn new(router: &'a Inner, key: &ProviderKey, prompt: &'a Prompt) -> Option<Self> {
        let dialect = router.style().dialect;
        Some(Self {
            router,
            prompt,
            dialect,
            credentials: credentials(key, dialect)?,
            url: router.endpoints.ask(&prompt.model),
        })
    }

    /// Sends the question.
    /// If the demand for a search is refused, sends it once more with a weaker one.
    async fn exchange(&self) -> Outcome {
        let firmness = self.router.lenient.firmness(&self.prompt.model);
        let ask = self.router.style().ask(self.prompt, firmness);
        let received = match self.post(&ask).await {
            Ok(received) => received,
            Err(failure) => return Outcome::Failed(failure),
        };
        let demanded = firmness == Firmness::Strongest && self.prompt.search != WebSearch::Off;
        if demanded && refuses_demand(&received) {
            self.router.lenient.add(&self.prompt.model);
            let ask = self.router.style().ask(self.prompt, Firmness::Offered);
            return match self.post(&ask).await {
                Ok(received) => self.read(&received, &ask),
                Err(failure) => Outcome::Failed(failure),
            };
        }
        self.read(&received, &ask)
    }

    async fn post(&self, ask: &Ask) -> Result<Received, Failure> {
        let body = ask.body.to_string().into();
        let posted = self
            .router
            .exchange
            .post(&self.url, &self.credentials, body)
            .await;
        posted.map_err(|broken| match broken {
            Broken::Connection(error) => {
                // A request that never left cannot be on the bill.
                let again = if error.is_connect() {
                    Again::Yes
                } else {
                    Again::Once
                };
                let error = error.without_url();
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "router.connection.failed"
                );
                Failure::plain(ProviderError::Connection, again).unhealthy()
            }
            Broken::Local(error) => {
                let error = error.without_url();
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "router.connection.local_fault"
                );
                Failure::plain(ProviderError::Connection, Again::Yes).local()
            }
            Broken::TooLarge => Failure::plain(ProviderError::Unreadable, Again::Never),
        })
    }

    fn read(&self, received: &Received, ask: &Ask) -> Outcome {
        let reply = Reply {
            dialect: self.dialect,
            asked: ask.asked,
            status: received.status,
            hint: received.hint,
            body: &received.body,
        };
        match reply.outcome() {
            Outcome::Answered(mut completion) => {
                let header = received.cost.as_deref();
                let cost = completion.usage.cost;
                completion.usage.cost =
                    cost.or_else(|| crate::decimal::scaled(header?, 6).map(UsdMicros::new));
                Outcome::Answered(completion)
            }
            Outcome::Failed(mut failure) => {
                failure.status = Some(received.status);
                Outcome::Failed(failure)
            }
        }
    }

    /// Logs one event an attempt, without question, answer or key.
    fn trace(&self, attempt: u32, took: Duration, outcome: &Outcome) {
        let model = self.prompt.model.as_str();
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        match outcome {
            Outcome::Answered(completion) => tracing::debug!(
                model,
                attempt,
                ms,
                resolved = completion.model.as_deref(),
                finish = ?completion.finish,
                prompt_tokens = completion.usage.prompt_tokens,
                completion_tokens = completion.usage.completion_tokens,
                searched = ?completion.retrieval.searched,
                searches = completion.usage.searches,
                cost_micros = completion.usage.cost.map(UsdMicros::get),
                "router.attempt.answered"
            ),
            Outcome::Failed(failure) => tracing::debug!(
                model,
                attempt,
                ms,
                error = failure.error.code(),
                status = failure.status,
                again = ?failure.again,
                hint_ms = failure.hint.map(|hint| hint.as_millis() as u64),
                "router.attempt.failed"
            ),
        }
    }
}

impl Attempt for Call<'_> {
    async fn attempt(&self, number: u32, left: Duration) -> Outcome {
        let begin = Instant::now();
        let patience = self.router.attempt_timeout.min(left);
        let span = tracing::info_span!(
            "router.call",
            model = self.prompt.model.as_str(),
            attempt = number
        );
        let exchange = self.exchange().instrument(span);
        let outcome = timeout(patience, exchange).await.unwrap_or_else(|_| {
            let failure = Failure::plain(ProviderError::Timeout, Again::Once);
            // An attempt that the deadline cut short does not count.
            let full = patience == self.router.attempt_timeout;
            Outcome::Failed(if full { failure.unhealthy() } else { failure })
        });
        self.trace(number, begin.elapsed(), &outcome);
        outcome
    }
}

/// Whether a target refused the request for its demand to search.
/// The error names the field.
///
/// Some models take no `tool_choice` while they reason (<https://github.com/vercel/ai/issues/8201>).
/// Some routers take no options of a search.
fn refuses_demand(received: &Received) -> bool {
    let named = |field: &str| {
        received
            .body
            .windows(field.len())
            .any(|bytes| bytes == field.as_bytes())
    };
    matches!(received.status, 400 | 404 | 422) && (named("tool_choice") || named("web_search_options"))
}

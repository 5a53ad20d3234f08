//! One question, from the first attempt to the last.

use super::breaker::{Breaker, Pass};
use super::exchange::{Broken, Received, bearer};
use super::lanes::Lane;
use super::limiter::{Limiter, Slot};
use super::reply::Reply;
use super::verdict::{Again, Failure, Outcome, Pushback};
use super::{Inner, request};
use crate::completion::Completion;
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::prompt::Prompt;
use bytes::Bytes;
use ibid_model::UsdMicros;
use reqwest::header::HeaderValue;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// A question with its attempts.
pub(super) struct Call<'a> {
    router: &'a Inner,
    prompt: &'a Prompt,
    authorization: HeaderValue,
    /// Shared by all attempts.
    body: Bytes,
    lane: Arc<Lane>,
    model: Arc<Limiter>,
    breaker: Arc<Breaker>,
}

/// A place in every limit that a call counts against. Dropping it gives the places back.
struct Place<'a> {
    model: Slot<'a>,
    key: Slot<'a>,
    _process: Option<SemaphorePermit<'a>>,
}

impl<'a> Call<'a> {
    /// Prepares a question. `None` only for a key that cannot stand in a header, which no key is.
    pub(super) fn new(router: &'a Inner, key: &ProviderKey, prompt: &'a Prompt) -> Option<Self> {
        let lane = router.lanes.of(key);
        Some(Self {
            router,
            prompt,
            authorization: bearer(key)?,
            body: request::body(router.style, prompt).into(),
            model: lane.model(&prompt.model),
            lane,
            breaker: router.breakers.of(&prompt.model),
        })
    }

    /// Repeats attempts until there is an answer, a permanent failure, or no time, budget or attempt left.
    pub(super) async fn run(&self) -> Result<Completion, ProviderError> {
        let deadline = self.prompt.deadline;
        self.lane.budget.earn();
        let mut retries = 0;
        let mut once_used = false;
        let mut last = None;
        loop {
            let Ok(place) = timeout_at(deadline, self.enter()).await else {
                return Err(last.unwrap_or(ProviderError::Timeout));
            };
            let Some(pass) = self.breaker.pass() else {
                return Err(ProviderError::Unavailable);
            };
            let begin = Instant::now();
            if begin >= deadline {
                return Err(last.unwrap_or(ProviderError::Timeout));
            }
            let outcome = self.attempt(deadline - begin).await;
            self.trace(retries, begin.elapsed(), &outcome);
            let failure = match settle(outcome, place, pass) {
                Ok(completion) => return Ok(completion),
                Err(failure) => failure,
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(delay) = self.next(retries, once_used, &failure, left) else {
                return Err(failure.error);
            };
            once_used |= failure.again == Again::Once;
            retries += 1;
            last = Some(failure.error);
            sleep(delay).await;
        }
    }

    /// Waits for a place: first the narrowest limit, so that no call holds a wide one while it waits for a narrow one.
    async fn enter(&self) -> Place<'_> {
        let model = self.model.enter().await;
        let key = self.lane.limiter.enter().await;
        Place {
            model,
            key,
            // The semaphore is never closed.
            _process: self.router.process.acquire().await.ok(),
        }
    }

    /// Makes one attempt, within its time limit.
    async fn attempt(&self, left: Duration) -> Outcome {
        let patience = self.router.attempt_timeout.min(left);
        let post = self.router.exchange.post(
            &self.router.endpoints.chat,
            &self.authorization,
            self.body.clone(),
        );
        match timeout(patience, post).await {
            Ok(Ok(received)) => answer(&received),
            Ok(Err(Broken::Connection(error))) => {
                let error = error.without_url();
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "router.connection.failed"
                );
                let failure = Failure::plain(ProviderError::Connection, Again::Once);
                Outcome::Failed(failure.unhealthy())
            }
            Ok(Err(Broken::TooLarge)) => {
                Outcome::Failed(Failure::plain(ProviderError::Unreadable, Again::Never))
            }
            Err(_) => {
                let failure = Failure::plain(ProviderError::Timeout, Again::Once);
                // An attempt cut short by the deadline does not count against the model.
                let full = patience == self.router.attempt_timeout;
                Outcome::Failed(if full { failure.unhealthy() } else { failure })
            }
        }
    }

    /// Returns the pause before the next attempt; `None` if there is none.
    fn next(&self, retries: u32, once_used: bool, failure: &Failure, left: Duration) -> Option<Duration> {
        let policy = &self.router.retry;
        let worth = match failure.again {
            Again::Never => false,
            Again::Once => !once_used,
            Again::Yes => true,
        };
        if !worth || retries >= policy.extra_attempts {
            return None;
        }
        let random = RandomState::new().hash_one(retries);
        let delay = policy.delay(retries, failure.hint, left, random)?;
        // A 429 is not billed, and the limits already slow the key down. Every other retry draws on the budget.
        let free = matches!(failure.error, ProviderError::RateLimited { .. });
        (free || self.lane.budget.spend()).then_some(delay)
    }

    /// Logs one event an attempt, without question, answer or key.
    fn trace(&self, retries: u32, took: Duration, outcome: &Outcome) {
        let (model, attempt) = (self.prompt.model.as_str(), retries + 1);
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

/// Reports the outcome to limits and breaker, and gives the place back.
fn settle(outcome: Outcome, place: Place<'_>, pass: Pass<'_>) -> Result<Completion, Failure> {
    match outcome {
        Outcome::Answered(completion) => {
            pass.succeeded();
            place.model.succeeded();
            place.key.succeeded();
            Ok(completion)
        }
        Outcome::Failed(failure) => {
            if failure.unhealthy {
                pass.failed();
            } else {
                // The router works: it judged the key, the model name or the request.
                pass.neutral();
            }
            match failure.pushback {
                Pushback::NoLimit => {}
                Pushback::Key => place.key.refused(failure.hint),
                Pushback::Model => place.model.refused(failure.hint),
            }
            Err(failure)
        }
    }
}

fn answer(received: &Received) -> Outcome {
    let reply = Reply {
        status: received.status,
        hint: received.hint,
        body: &received.body,
    };
    match reply.outcome() {
        Outcome::Answered(mut completion) => {
            let header = received.cost.as_deref();
            let cost = completion.usage.cost;
            completion.usage.cost = cost.or_else(|| crate::decimal::scaled(header?, 6).map(UsdMicros::new));
            Outcome::Answered(completion)
        }
        Outcome::Failed(mut failure) => {
            failure.status = Some(received.status);
            Outcome::Failed(failure)
        }
    }
}

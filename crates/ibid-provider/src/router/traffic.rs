//! Leads a question through limits, breakers and retries, without the network.

use super::breaker::Pass;
use super::config::BreakerPolicy;
use super::fair_queue::ReservedPlaces;
use super::key_states::{KeyState, KeyStates, ModelState};
use super::queue::{Place, Queue};
use super::retry::RetryPolicy;
use super::targets::{PROVEN_WITHIN, Target, Targets};
use super::verdict::{Again, Blame, Failure, Outcome, Pushback};
use crate::completion::Completion;
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::load::ModelLoad;
use crate::prompt::Share;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The time for which questions wait for a model that fails for a key.
const OUTAGE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests;

/// The limits, breakers and retries of one router.
#[derive(Debug)]
pub(super) struct Traffic {
    retry: RetryPolicy,
    queue: Arc<Queue>,
    keys: KeyStates,
    targets: Targets,
}

/// One attempt of a question.
pub(super) trait Attempt: Sync {
    /// Makes attempt number `number` (from 1) within the time `left`.
    fn attempt(&self, number: u32, left: Duration) -> impl Future<Output = Outcome> + Send;
}

/// The passage of one question.
pub(super) struct QuestionPassage<'a> {
    traffic: &'a Traffic,
    key_state: Arc<KeyState>,
    model_state: Arc<ModelState>,
    target: Arc<Target>,
    deadline: Instant,
    share: Share,
}

/// The permissions of both breakers.
struct Passes<'a> {
    key: Pass<'a>,
    all: Pass<'a>,
}

/// The step after a failed attempt.
enum Next {
    GiveUp,
    After(Duration),
    /// Wait until the breaker lets calls through.
    Recovery,
}

/// The retries of a question so far.
#[derive(Default)]
struct Tries {
    retries: u32,
    once_used: bool,
    recovered: bool,
}

impl Traffic {
    pub(super) fn new(
        max_in_flight: usize,
        reserved: ReservedPlaces,
        retry: RetryPolicy,
        breaker: BreakerPolicy,
    ) -> Self {
        Self {
            retry,
            queue: Arc::new(Queue::new(max_in_flight, reserved)),
            keys: KeyStates::new(max_in_flight, retry.budget_percent, breaker),
            targets: Targets::new(breaker),
        }
    }

    /// Calls in flight, all keys together.
    pub(super) fn in_flight(&self) -> usize {
        self.queue.in_flight()
    }

    /// Calls that wait for a place.
    pub(super) fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    /// The retries and open breakers of each model.
    pub(super) fn models(&self) -> Vec<ModelLoad> {
        let mut models = self.targets.loads();
        for model in &mut models {
            model.open_breakers += self.keys.open_breakers(&model.model);
        }
        models
    }

    /// Prepares the course of a question.
    /// Calls with different keys count as different callers.
    pub(super) fn course(
        &self,
        key: &ProviderKey,
        share: Share,
        model: &str,
        deadline: Instant,
    ) -> QuestionPassage<'_> {
        let key_state = self.keys.of(key);
        QuestionPassage {
            share: Share {
                caller: share.caller ^ key_state.fingerprint,
                ..share
            },
            model_state: key_state.model_state(model),
            key_state,
            target: self.targets.of(model),
            deadline,
            traffic: self,
        }
    }
}

impl QuestionPassage<'_> {
    /// Repeats attempts until an answer, a permanent failure, or the limit of time or attempts.
    pub(super) async fn run(&self, attempts: &impl Attempt) -> Result<Completion, ProviderError> {
        self.model_state.budget.earn();
        let patient = self.may_recover();
        let mut tries = Tries::default();
        let mut last = None;
        loop {
            let (place, passes) = match timeout_at(self.deadline, self.enter(patient)).await {
                Ok(Some(entered)) => entered,
                Ok(None) => return Err(ProviderError::KeyFailing),
                Err(_) => return Err(last.unwrap_or_else(|| self.unasked())),
            };
            let begin = Instant::now();
            if begin >= self.deadline {
                return Err(last.unwrap_or(ProviderError::Timeout));
            }
            let failure = match attempts.attempt(tries.retries + 1, self.deadline - begin).await {
                Outcome::Answered(completion) => {
                    self.answered(&place, passes);
                    return Ok(completion);
                }
                Outcome::Failed(failure) => failure,
            };
            let next = self.next(&tries, &failure);
            self.failed(&failure, matches!(next, Next::GiveUp), &place, passes);
            drop(place);
            if !patient && failure.blame == Blame::Provider && self.model_state.breaker.is_open() {
                return Err(ProviderError::KeyFailing);
            }
            tries.once_used |= failure.again == Again::Once;
            tries.retries += 1;
            let delay = match next {
                // This or another failure may have opened the breaker.
                Next::GiveUp if self.may_wait(&tries, &failure) => None,
                Next::GiveUp => return Err(failure.error),
                Next::After(delay) => Some(delay),
                Next::Recovery => None,
            };
            self.target.retried();
            last = Some(failure.error);
            match delay {
                Some(delay) => sleep(delay).await,
                None => tries.recovered = true,
            }
        }
    }

    /// The error of a question that was never asked.
    fn unasked(&self) -> ProviderError {
        if self.model_state.breaker.is_open() || self.target.breaker.is_open() {
            ProviderError::Unavailable
        } else {
            ProviderError::Timeout
        }
    }

    /// Whether a new question may wait for an answer to its key.
    ///
    /// It always may while the breaker of the key is closed.
    /// With an open breaker it may not if the calls of the key have failed for longer than `OUTAGE`,
    /// if no call of the key was answered in the last hour, or if other keys are answered.
    fn may_recover(&self) -> bool {
        let breaker = &self.model_state.breaker;
        breaker.open_since().is_none_or(|since| {
            since.elapsed() < OUTAGE
                && breaker.answered_within(PROVEN_WITHIN)
                && !self.target.breaker.answered_since(since)
        })
    }

    /// Waits for open breakers, then for a place in all limits at once.
    ///
    /// So no call holds one place while it waits for another.
    /// A call that waits for a probe holds no place.
    /// Returns `None` for a question that is not `patient` and whose key fails.
    async fn enter(&self, patient: bool) -> Option<(Place, Passes<'_>)> {
        loop {
            self.target.breaker.passable(true).await;
            if !self.model_state.breaker.passable(patient).await {
                return None;
            }
            let place = self
                .traffic
                .queue
                .enter(self.share, &self.key_state, &self.model_state)
                .await;
            // A breaker may have opened during the wait for a place.
            if let Some(key) = self.model_state.breaker.pass()
                && let Some(all) = self.target.breaker.pass()
            {
                return Some((place, Passes { key, all }));
            }
        }
    }

    fn answered(&self, place: &Place, passes: Passes<'_>) {
        passes.key.answered();
        passes.all.answered();
        self.target.answers(self.key_state.fingerprint);
        place.succeeded();
    }

    /// Reports a failed attempt to breakers and limits.
    fn failed(&self, failure: &Failure, whole: bool, place: &Place, passes: Passes<'_>) {
        match failure.blame {
            Blame::Provider => {
                let proven = self.model_state.breaker.answered_within(PROVEN_WITHIN);
                // Other keys wait for failures of several proven keys, never for this call alone.
                passes.all.failed(false);
                if passes.key.failed(whole) && proven {
                    self.target.fails(self.key_state.fingerprint);
                }
            }
            // The router works: it judged the key, the model name or the request.
            Blame::Caller => {
                passes.key.neutral();
                passes.all.neutral();
            }
            // The failure is no evidence about the provider.
            // Dropped permissions make no report.
            Blame::ThisHost => {}
        }
        match (failure.pushback, place.slots()) {
            (Pushback::NoLimit, _) | (_, None) => {}
            (Pushback::Key, Some(slots)) => slots.key.refused(failure.hint),
            (Pushback::Model, Some(slots)) => slots.model.refused(failure.hint),
        }
    }

    fn next(&self, tries: &Tries, failure: &Failure) -> Next {
        let policy = &self.traffic.retry;
        let worth = match failure.again {
            Again::Never => false,
            Again::Once => !tries.once_used,
            Again::Yes => true,
        };
        if !worth || tries.retries >= policy.extra_attempts {
            return Next::GiveUp;
        }
        let last = failure.again == Again::Once || tries.retries + 1 == policy.extra_attempts;
        let left = self.deadline.saturating_duration_since(Instant::now());
        let random = RandomState::new().hash_one(tries.retries);
        let Some(delay) = policy.delay(tries.retries, last, failure.hint, left, random) else {
            return Next::GiveUp;
        };
        // A 429 is not billed, and the limits already slow the key down.
        // A fault of this host has no cost for the provider.
        let free =
            matches!(failure.error, ProviderError::RateLimited { .. }) || failure.blame == Blame::ThisHost;
        if free || self.model_state.budget.spend() {
            return Next::After(delay);
        }
        // More calls fail than the retries allow for.
        // The rest wait until one gets through.
        if self.model_state.breaker.open() && self.model_state.breaker.answered_within(PROVEN_WITHIN) {
            self.target.fails(self.key_state.fingerprint);
        }
        if self.model_state.breaker.is_open() {
            Next::Recovery
        } else {
            Next::GiveUp
        }
    }

    /// Whether a question without attempts left still waits for the recovery.
    /// It waits once, and only if the lost answers cannot be on the bill.
    fn may_wait(&self, tries: &Tries, failure: &Failure) -> bool {
        failure.blame == Blame::Provider
            && failure.again == Again::Yes
            && !tries.recovered
            && self.model_state.breaker.is_open()
    }
}

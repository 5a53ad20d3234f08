//! Circuit breakers: a model that keeps failing is not called for a while.

use super::config::BreakerPolicy;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// Most models whose state is remembered.
const MOST: usize = 1_024;

/// The breakers of a router, one a model. Shared by all keys, so only failures that no caller can provoke count.
#[derive(Debug)]
pub(super) struct Breakers {
    policy: BreakerPolicy,
    models: Mutex<HashMap<String, Arc<Breaker>>>,
}

/// The breaker of one model.
#[derive(Debug)]
pub(super) struct Breaker {
    policy: BreakerPolicy,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Calls go through. Holds the number of failures in a row and the time of the first.
    Closed { failures: u32, since: Instant },
    /// Calls fail at once until then.
    Open { until: Instant },
    /// One call is trying.
    Probing,
}

/// The permission for one call. It reports the outcome of the call to the breaker; a dropped call reports nothing.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

impl Breakers {
    pub(super) fn new(policy: BreakerPolicy) -> Self {
        Self {
            policy,
            models: Mutex::default(),
        }
    }

    /// The breaker of a model.
    pub(super) fn of(&self, model: &str) -> Arc<Breaker> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(breaker) = models.get(model) {
            return Arc::clone(breaker);
        }
        if models.len() >= MOST {
            // An alias table has a handful of models. If the map overflows, it is cleared.
            models.clear();
        }
        let breaker = Arc::new(Breaker {
            policy: self.policy,
            state: Mutex::new(State::Closed {
                failures: 0,
                since: Instant::now(),
            }),
        });
        models.insert(model.to_owned(), Arc::clone(&breaker));
        breaker
    }
}

impl Breaker {
    /// Returns the permission for a call, or `None` while the breaker is open.
    pub(super) fn pass(&self) -> Option<Pass<'_>> {
        let mut state = self.lock();
        let probe = match *state {
            State::Closed { .. } => false,
            State::Open { until } if Instant::now() >= until => {
                *state = State::Probing;
                true
            }
            State::Open { .. } | State::Probing => return None,
        };
        Some(Pass { breaker: self, probe })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// The model works: it answered, or refused because of the request.
    pub(super) fn succeeded(mut self) {
        self.probe = false;
        *self.breaker.lock() = State::Closed {
            failures: 0,
            since: Instant::now(),
        };
    }

    /// The call failed for a reason that says nothing about the model's health, such as a rate limit.
    /// A probe with this outcome has reached the model.
    pub(super) fn neutral(self) {
        if self.probe {
            self.succeeded();
        }
    }

    /// The provider failed.
    pub(super) fn failed(mut self) {
        let now = Instant::now();
        let policy = self.breaker.policy;
        let mut state = self.breaker.lock();
        let opened = State::Open {
            until: now + policy.open_for,
        };
        match &mut *state {
            State::Closed { failures, since } => {
                if *failures == 0 || now.duration_since(*since) > policy.within {
                    (*failures, *since) = (0, now);
                }
                *failures += 1;
                if *failures >= policy.failures {
                    *state = opened;
                }
            }
            State::Probing if self.probe => *state = opened,
            // A call that began before the breaker opened does not count again.
            State::Open { .. } | State::Probing => {}
        }
        self.probe = false;
    }
}

impl Drop for Pass<'_> {
    /// After an abandoned probe the next call probes at once.
    fn drop(&mut self) {
        if self.probe {
            *self.breaker.lock() = State::Open {
                until: Instant::now(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::advance;

    fn breaker() -> Arc<Breaker> {
        Breakers::new(BreakerPolicy::default()).of("m")
    }

    fn fail(breaker: &Breaker, times: usize) {
        (0..times).for_each(|_| breaker.pass().unwrap().failed());
    }

    #[tokio::test(start_paused = true)]
    async fn five_in_a_row_open_it_and_a_probe_closes_it() {
        let breaker = breaker();
        fail(&breaker, 4);
        breaker.pass().unwrap().succeeded();
        fail(&breaker, 5);
        assert!(breaker.pass().is_none());
        advance(Duration::from_millis(14_999)).await;
        assert!(breaker.pass().is_none());
        advance(Duration::from_millis(1)).await;
        let probe = breaker.pass().unwrap();
        assert!(breaker.pass().is_none());
        probe.succeeded();
        fail(&breaker, 4);
        assert!(breaker.pass().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_probe_opens_it_again_and_a_dropped_one_does_not() {
        let breaker = breaker();
        fail(&breaker, 5);
        advance(Duration::from_secs(15)).await;
        fail(&breaker, 1);
        assert!(breaker.pass().is_none());
        advance(Duration::from_secs(15)).await;
        drop(breaker.pass().unwrap());
        assert!(breaker.pass().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn old_failures_are_forgotten() {
        let breaker = breaker();
        fail(&breaker, 4);
        advance(Duration::from_secs(31)).await;
        fail(&breaker, 4);
        assert!(breaker.pass().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn late_failures_do_not_extend_it() {
        let breaker = breaker();
        let late = breaker.pass().unwrap();
        fail(&breaker, 5);
        advance(Duration::from_secs(15)).await;
        late.failed();
        assert!(breaker.pass().is_some());
    }

    #[test]
    fn models_are_apart_and_their_number_is_bounded() {
        let breakers = Breakers::new(BreakerPolicy::default());
        fail(&breakers.of("a"), 5);
        assert!(breakers.of("a").pass().is_none() && breakers.of("b").pass().is_some());
        for n in 0..3 * MOST {
            let _ = breakers.of(&n.to_string());
        }
        assert!(breakers.models.lock().unwrap().len() <= MOST);
    }
}

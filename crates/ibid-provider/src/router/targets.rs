//! What is known about a model for all keys.
//!
//! A failure of one key is weak evidence about the model.
//! The key's own account, or the address behind it, may be at fault.
//! All keys wait only when several keys with an answer in the last hour fail.
//! A caller can bring many bad keys, but those never had an answer.

use super::breaker::Breaker;
use super::config::BreakerPolicy;
use crate::load::ModelLoad;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most models whose state is remembered.
pub(super) const MOST: usize = 1_024;
/// All keys wait once so many fail.
const KEYS: usize = 3;
/// A key's failure counts if it had an answer within this time.
pub(super) const PROVEN_WITHIN: Duration = Duration::from_secs(3_600);

/// A router's targets, one a model.
#[derive(Debug)]
pub(super) struct Targets {
    policy: BreakerPolicy,
    models: Mutex<HashMap<String, Arc<Target>>>,
}

/// One model, as all keys see it.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) breaker: Breaker,
    within: Duration,
    /// Attempts after the first of a question.
    retries: AtomicU64,
    /// The keys whose calls wait, and since when.
    failing: Mutex<HashMap<u64, Instant>>,
}

impl Targets {
    pub(super) fn new(policy: BreakerPolicy) -> Self {
        // The pause does not grow, because many keys share the probes.
        let policy = BreakerPolicy {
            longest_pause: policy.first_pause,
            ..policy
        };
        Self {
            policy,
            models: Mutex::default(),
        }
    }

    pub(super) fn of(&self, model: &str) -> Arc<Target> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(target) = models.get(model) {
            return Arc::clone(target);
        }
        if models.len() >= MOST {
            // An alias table has a handful of models.
            // If the map overflows, it is cleared.
            models.clear();
        }
        let target = Arc::new(Target {
            breaker: Breaker::new(self.policy),
            within: self.policy.within,
            retries: AtomicU64::new(0),
            failing: Mutex::default(),
        });
        models.insert(model.to_owned(), Arc::clone(&target));
        target
    }

    /// Returns each model's retries, and whether its breaker for all keys is open.
    pub(super) fn loads(&self) -> Vec<ModelLoad> {
        let models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let load = |(model, target): (&String, &Arc<Target>)| ModelLoad {
            model: model.clone(),
            retries: target.retries.load(Ordering::Relaxed),
            open_breakers: usize::from(target.breaker.is_open()),
        };
        models.iter().map(load).collect()
    }
}

impl Target {
    /// Records that the calls of a key with a recent answer wait.
    pub(super) fn fails(&self, fingerprint: u64) {
        let now = Instant::now();
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        failing.retain(|_, since| now.duration_since(*since) <= self.within);
        failing.insert(fingerprint, now);
        if failing.len() >= KEYS {
            failing.clear();
            self.breaker.open();
        }
    }

    /// Counts an attempt after the first of a question.
    pub(super) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a key was answered.
    pub(super) fn answers(&self, fingerprint: u64) {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        failing.remove(&fingerprint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_keys_open_it_for_all() {
        let target = Targets::new(BreakerPolicy::default()).of("m");
        target.fails(1);
        target.fails(1);
        target.fails(2);
        target.answers(2);
        tokio::time::advance(Duration::from_secs(20)).await;
        target.fails(3);
        assert!(!target.breaker.is_open());
        tokio::time::advance(Duration::from_secs(20)).await;
        target.fails(2);
        assert!(!target.breaker.is_open(), "the first key failed too long ago");
        target.fails(4);
        assert!(target.breaker.is_open());
    }

    #[test]
    fn models_are_apart_and_their_number_is_bounded() {
        let targets = Targets::new(BreakerPolicy::default());
        assert!(Arc::ptr_eq(&targets.of("a"), &targets.of("a")));
        assert!(!Arc::ptr_eq(&targets.of("a"), &targets.of("b")));
        for n in 0..3 * MOST {
            let _ = targets.of(&n.to_string());
        }
        assert!(targets.models.lock().unwrap().len() <= MOST);
    }
}

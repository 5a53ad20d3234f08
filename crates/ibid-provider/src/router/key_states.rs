//! The state for each key: limits, breakers and retry budgets, never the key itself.

use super::breaker::Breaker;
use super::config::BreakerPolicy;
use super::limiter::Limiter;
use super::retry::Budget;
use crate::key::ProviderKey;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most keys that are remembered.
const MOST_KEYS: usize = 4_096;
/// Most models of one key.
const MOST_MODELS: usize = 64;
/// The idle time after which a key's state may be deleted.
const QUIET: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub(super) struct KeyStates {
    ceiling: usize,
    budget_percent: u32,
    breaker: BreakerPolicy,
    /// Keys the hash; drawn at start.
    /// Fingerprints are meaningless outside the process.
    secret: RandomState,
    keys: Mutex<HashMap<u64, Kept>>,
}

#[derive(Debug)]
struct Kept {
    key_state: Arc<KeyState>,
    used: Instant,
}

#[derive(Debug)]
pub(super) struct KeyState {
    pub(super) fingerprint: u64,
    pub(super) limiter: Arc<Limiter>,
    models: Mutex<HashMap<String, Arc<ModelState>>>,
    ceiling: usize,
    budget_percent: u32,
    breaker: BreakerPolicy,
}

/// What is known about one key's calls to one model.
/// Failures under other keys do not change it.
#[derive(Debug)]
pub(super) struct ModelState {
    pub(super) limiter: Arc<Limiter>,
    pub(super) breaker: Breaker,
    pub(super) budget: Budget,
}

impl KeyStates {
    pub(super) fn new(ceiling: usize, budget_percent: u32, breaker: BreakerPolicy) -> Self {
        Self {
            ceiling,
            budget_percent,
            breaker,
            secret: RandomState::new(),
            keys: Mutex::default(),
        }
    }

    /// Keys whose calls to a model wait for a probe.
    pub(super) fn open_breakers(&self, model: &str) -> usize {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let open = keys
            .values()
            .filter(|kept| kept.key_state.has_open_breaker(model));
        open.count()
    }

    pub(super) fn of(&self, key: &ProviderKey) -> Arc<KeyState> {
        let fingerprint = self.secret.hash_one(key.expose());
        let now = Instant::now();
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = keys.get_mut(&fingerprint) {
            kept.used = now;
            return Arc::clone(&kept.key_state);
        }
        if keys.len() >= MOST_KEYS {
            keys.retain(|_, kept| now.duration_since(kept.used) < QUIET);
        }
        if keys.len() >= MOST_KEYS {
            let oldest = keys.iter().min_by_key(|(_, kept)| kept.used).map(|(id, _)| *id);
            oldest.and_then(|id| keys.remove(&id));
        }
        let key_state = Arc::new(KeyState {
            fingerprint,
            limiter: Arc::new(Limiter::new(self.ceiling)),
            models: Mutex::default(),
            ceiling: self.ceiling,
            budget_percent: self.budget_percent,
            breaker: self.breaker,
        });
        let kept = Kept {
            key_state: Arc::clone(&key_state),
            used: now,
        };
        keys.insert(fingerprint, kept);
        key_state
    }
}

impl KeyState {
    fn has_open_breaker(&self, model: &str) -> bool {
        let models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        models
            .get(model)
            .is_some_and(|model_state| model_state.breaker.is_open())
    }

    /// Returns the state of this key's calls to a model.
    pub(super) fn model_state(&self, model: &str) -> Arc<ModelState> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model_state) = models.get(model) {
            return Arc::clone(model_state);
        }
        if models.len() >= MOST_MODELS {
            models.retain(|_, model_state| model_state.limiter.in_flight() > 0);
        }
        if models.len() >= MOST_MODELS {
            models.clear();
        }
        let model_state = Arc::new(ModelState {
            limiter: Arc::new(Limiter::new(self.ceiling)),
            breaker: Breaker::new(self.breaker),
            budget: Budget::new(self.budget_percent),
        });
        models.insert(model.to_owned(), Arc::clone(&model_state));
        model_state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_lane_and_no_trace_of_itself() {
        let keys = KeyStates::new(4, 20, BreakerPolicy::default());
        let key: ProviderKey = "sk-marker-key".parse().unwrap();
        assert!(Arc::ptr_eq(&keys.of(&key), &keys.of(&key.clone())));
        assert!(!Arc::ptr_eq(&keys.of(&key), &keys.of(&"other".parse().unwrap())));
        assert!(!format!("{keys:?}").contains("marker"));
    }

    #[test]
    fn the_maps_are_bounded() {
        let keys = KeyStates::new(4, 20, BreakerPolicy::default());
        for n in 0..MOST_KEYS + 100 {
            let _ = keys.of(&format!("key{n}").parse().unwrap());
        }
        assert_eq!(keys.keys.lock().unwrap().len(), MOST_KEYS);
        let key_state = keys.of(&"key".parse().unwrap());
        for n in 0..1_000 {
            let _ = key_state.model_state(&n.to_string());
        }
        assert!(key_state.models.lock().unwrap().len() <= MOST_MODELS);
    }
}

//! The state kept for each key: its limits and its retry budget, never the key.

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
/// The idle time after which the state of a key may be deleted to make room.
const QUIET: Duration = Duration::from_secs(600);

/// The lanes of all keys.
#[derive(Debug)]
pub(super) struct Lanes {
    ceiling: usize,
    budget_percent: u32,
    /// A keyed hash with a secret drawn at start: a fingerprint cannot be compared with anything outside.
    secret: RandomState,
    lanes: Mutex<HashMap<u64, Kept>>,
}

#[derive(Debug)]
struct Kept {
    lane: Arc<Lane>,
    used: Instant,
}

/// The state of one key.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) limiter: Limiter,
    pub(super) budget: Budget,
    models: Mutex<HashMap<String, Arc<Limiter>>>,
    ceiling: usize,
}

impl Lanes {
    pub(super) fn new(ceiling: usize, budget_percent: u32) -> Self {
        Self {
            ceiling,
            budget_percent,
            secret: RandomState::new(),
            lanes: Mutex::default(),
        }
    }

    /// The lane of a key.
    pub(super) fn of(&self, key: &ProviderKey) -> Arc<Lane> {
        let fingerprint = self.secret.hash_one(key.expose());
        let now = Instant::now();
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lanes.get_mut(&fingerprint) {
            kept.used = now;
            return Arc::clone(&kept.lane);
        }
        if lanes.len() >= MOST_KEYS {
            lanes.retain(|_, kept| now.duration_since(kept.used) < QUIET);
        }
        if lanes.len() >= MOST_KEYS {
            let oldest = lanes.iter().min_by_key(|(_, kept)| kept.used).map(|(id, _)| *id);
            oldest.and_then(|id| lanes.remove(&id));
        }
        let lane = Arc::new(Lane {
            limiter: Limiter::new(self.ceiling),
            budget: Budget::new(self.budget_percent),
            models: Mutex::default(),
            ceiling: self.ceiling,
        });
        let kept = Kept {
            lane: Arc::clone(&lane),
            used: now,
        };
        lanes.insert(fingerprint, kept);
        lane
    }
}

impl Lane {
    /// Returns the limit of one model under this key. Refusals under other keys do not change it.
    pub(super) fn model(&self, model: &str) -> Arc<Limiter> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limiter) = models.get(model) {
            return Arc::clone(limiter);
        }
        if models.len() >= MOST_MODELS {
            models.retain(|_, limiter| limiter.in_flight() > 0);
        }
        if models.len() >= MOST_MODELS {
            models.clear();
        }
        let limiter = Arc::new(Limiter::new(self.ceiling));
        models.insert(model.to_owned(), Arc::clone(&limiter));
        limiter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_lane_and_no_trace_of_itself() {
        let lanes = Lanes::new(4, 20);
        let key: ProviderKey = "sk-marker-key".parse().unwrap();
        assert!(Arc::ptr_eq(&lanes.of(&key), &lanes.of(&key.clone())));
        assert!(!Arc::ptr_eq(
            &lanes.of(&key),
            &lanes.of(&"other".parse().unwrap())
        ));
        assert!(!format!("{lanes:?}").contains("marker"));
    }

    #[test]
    fn the_maps_are_bounded() {
        let lanes = Lanes::new(4, 20);
        for n in 0..MOST_KEYS + 100 {
            let _ = lanes.of(&format!("key{n}").parse().unwrap());
        }
        assert_eq!(lanes.lanes.lock().unwrap().len(), MOST_KEYS);
        let lane = lanes.of(&"key".parse().unwrap());
        for n in 0..1_000 {
            let _ = lane.model(&n.to_string());
        }
        assert!(lane.models.lock().unwrap().len() <= MOST_MODELS);
    }
}

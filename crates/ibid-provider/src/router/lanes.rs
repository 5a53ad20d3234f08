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

/// The lanes of all keys.
#[derive(Debug)]
pub(super) struct Lanes {
    ceiling: usize,
    budget_percent: u32,
    breaker: BreakerPolicy,
    /// The secret of the keyed hash, drawn at start.
    /// Fingerprints are meaningless outside the process.
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
    /// The keyed hash of the key.
    pub(super) fingerprint: u64,
    pub(super) limiter: Arc<Limiter>,
    lines: Mutex<HashMap<String, Arc<Line>>>,
    ceiling: usize,
    budget_percent: u32,
    breaker: BreakerPolicy,
}

/// The state of one key's calls to one model.
/// Failures under other keys do not change it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) limiter: Arc<Limiter>,
    pub(super) breaker: Breaker,
    pub(super) budget: Budget,
}

impl Lanes {
    pub(super) fn new(ceiling: usize, budget_percent: u32, breaker: BreakerPolicy) -> Self {
        Self {
            ceiling,
            budget_percent,
            breaker,
            secret: RandomState::new(),
            lanes: Mutex::default(),
        }
    }

    /// Keys whose calls to a model wait for a probe.
    pub(super) fn open_breakers(&self, model: &str) -> usize {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let open = lanes.values().filter(|kept| kept.lane.has_open_breaker(model));
        open.count()
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
            fingerprint,
            limiter: Arc::new(Limiter::new(self.ceiling)),
            lines: Mutex::default(),
            ceiling: self.ceiling,
            budget_percent: self.budget_percent,
            breaker: self.breaker,
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
    fn has_open_breaker(&self, model: &str) -> bool {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.get(model).is_some_and(|line| line.breaker.is_open())
    }

    /// Returns the state of this key's calls to a model.
    pub(super) fn line(&self, model: &str) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(model) {
            return Arc::clone(line);
        }
        if lines.len() >= MOST_MODELS {
            lines.retain(|_, line| line.limiter.in_flight() > 0);
        }
        if lines.len() >= MOST_MODELS {
            lines.clear();
        }
        let line = Arc::new(Line {
            limiter: Arc::new(Limiter::new(self.ceiling)),
            breaker: Breaker::new(self.breaker),
            budget: Budget::new(self.budget_percent),
        });
        lines.insert(model.to_owned(), Arc::clone(&line));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_lane_and_no_trace_of_itself() {
        let lanes = Lanes::new(4, 20, BreakerPolicy::default());
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
        let lanes = Lanes::new(4, 20, BreakerPolicy::default());
        for n in 0..MOST_KEYS + 100 {
            let _ = lanes.of(&format!("key{n}").parse().unwrap());
        }
        assert_eq!(lanes.lanes.lock().unwrap().len(), MOST_KEYS);
        let lane = lanes.of(&"key".parse().unwrap());
        for n in 0..1_000 {
            let _ = lane.line(&n.to_string());
        }
        assert!(lane.lines.lock().unwrap().len() <= MOST_MODELS);
    }
}

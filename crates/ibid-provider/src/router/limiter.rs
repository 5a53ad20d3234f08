//! Limits calls in flight: additive increase, multiplicative decrease.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Longest time that new calls are held back at once.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Successes after which one more call is allowed.
const SUCCESSES: u32 = 10;

/// A limit on calls in flight, at least one.
///
/// It starts at its ceiling.
/// It shrinks to seven tenths at each refusal for load.
/// It grows by one for every ten successes.
/// It only counts: calls wait in the queue of the router.
#[derive(Debug)]
pub(super) struct Limiter {
    ceiling: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    limit: usize,
    in_flight: usize,
    successes: u32,
    paused_until: Option<Instant>,
}

/// One call in flight. Ends when dropped.
#[derive(Debug)]
pub(super) struct Slot {
    limiter: Arc<Limiter>,
}

impl Limiter {
    pub(super) fn new(ceiling: usize) -> Self {
        let ceiling = ceiling.max(1);
        Self {
            ceiling,
            state: Mutex::new(State {
                limit: ceiling,
                in_flight: 0,
                successes: 0,
                paused_until: None,
            }),
        }
    }

    /// Whether another call may start.
    pub(super) fn has_room(&self) -> bool {
        let state = self.lock();
        state.in_flight < state.limit
    }

    /// Starts a call; `None` at the limit.
    pub(super) fn enter(self: &Arc<Self>) -> Option<Slot> {
        let mut state = self.lock();
        (state.in_flight < state.limit).then(|| {
            state.in_flight += 1;
            Slot {
                limiter: Arc::clone(self),
            }
        })
    }

    /// Calls in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.lock().in_flight
    }

    /// Returns the current limit of calls in flight.
    #[cfg(test)]
    fn limit(&self) -> usize {
        self.lock().limit
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Waits while calls are held back.
    pub(super) async fn pause(&self) {
        let paused_until = self.limiter.lock().paused_until;
        if let Some(until) = paused_until {
            tokio::time::sleep_until(until).await;
        }
    }

    /// The call was answered.
    pub(super) fn succeeded(&self) {
        let mut state = self.limiter.lock();
        state.paused_until = None;
        if state.limit >= self.limiter.ceiling {
            return;
        }
        state.successes += 1;
        if state.successes >= SUCCESSES {
            state.successes = 0;
            state.limit += 1;
        }
    }

    /// Handles a refusal for load: 429, 503 or 529.
    ///
    /// The new limit follows the calls in flight, not the old limit.
    /// A burst's refusals come in one by one.
    /// The limit falls with them to the number of accepted calls.
    pub(super) fn refused(&self, hint: Option<Duration>) {
        let mut state = self.limiter.lock();
        let flying = state.in_flight;
        // A single call can only be refused for its rate.
        // A wait helps, a smaller limit does not.
        if flying <= 1 && state.limit == 1 {
            let until = hint.map(|hint| Instant::now() + hint.min(LONGEST_PAUSE));
            state.paused_until = until.max(state.paused_until);
        }
        state.limit = (flying * 7 / 10).clamp(1, state.limit);
        state.successes = 0;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.limiter.lock().in_flight -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limiter(ceiling: usize) -> Arc<Limiter> {
        Arc::new(Limiter::new(ceiling))
    }

    #[test]
    fn starts_at_the_ceiling_shrinks_and_grows_back() {
        let limiter = limiter(10);
        let mut slots: Vec<_> = (0..10).map(|_| limiter.enter().unwrap()).collect();
        assert!(limiter.enter().is_none());
        slots[0].refused(None);
        assert_eq!(limiter.limit(), 7);
        // Three calls must end before the next may start.
        slots.truncate(7);
        assert!(limiter.enter().is_none());
        slots.truncate(6);
        slots.push(limiter.enter().unwrap());
        for _ in 0..9 {
            slots[0].succeeded();
        }
        assert_eq!(limiter.limit(), 7);
        slots[0].succeeded();
        assert_eq!(limiter.limit(), 8);
        for _ in 0..1_000 {
            slots[0].succeeded();
        }
        assert_eq!(limiter.limit(), 10);
    }

    #[test]
    fn a_refused_burst_ends_near_the_admitted_rate() {
        // 100 calls at a provider with 8 places: 92 refusals come first.
        let limiter = limiter(2_048);
        let mut slots: Vec<_> = (0..100).map(|_| limiter.enter().unwrap()).collect();
        while slots.len() > 8 {
            slots.pop().unwrap().refused(None);
        }
        assert_eq!(limiter.limit(), 6);
        assert_eq!(limiter.in_flight(), 8);
        drop(slots);
        let again: Vec<_> = (0..20).filter_map(|_| limiter.enter()).collect();
        assert_eq!(again.len(), 6);
    }

    #[test]
    fn never_below_one() {
        let limiter = limiter(3);
        for _ in 0..10 {
            limiter.enter().unwrap().refused(None);
        }
        assert_eq!(limiter.limit(), 1);
        let only = limiter.enter().unwrap();
        assert!(limiter.enter().is_none());
        drop(only);
        assert!(limiter.enter().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_lone_refusal_with_a_hint_holds_the_next_call_back() {
        let limiter = limiter(1);
        limiter.enter().unwrap().refused(Some(Duration::from_secs(5)));
        let begin = Instant::now();
        let slot = limiter.enter().unwrap();
        slot.pause().await;
        slot.succeeded();
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
        drop(slot);
        let begin = Instant::now();
        limiter.enter().unwrap().pause().await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }

    proptest! {
        /// Exactly `limit` calls fit once all have ended, in every order of events.
        #[test]
        fn permits_follow_the_limit(ceiling in 1_usize..20, steps in proptest::collection::vec(0_u8..4, 0..200)) {
            let limiter = limiter(ceiling);
            let mut slots = Vec::new();
            for step in steps {
                match step {
                    0 => slots.extend(limiter.enter()),
                    1 => drop(slots.pop()),
                    2 => if let Some(slot) = slots.last() { Slot::refused(slot, None) },
                    _ => if let Some(slot) = slots.last() { (0..7).for_each(|_| Slot::succeeded(slot)) },
                }
                prop_assert_eq!(limiter.in_flight(), slots.len());
                prop_assert!((1..=ceiling).contains(&limiter.limit()));
            }
            slots.clear();
            let fit: Vec<_> = std::iter::from_fn(|| limiter.enter()).take(100).collect();
            prop_assert_eq!(fit.len(), limiter.limit());
        }
    }
}

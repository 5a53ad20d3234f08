//! The refused payments of callers in the last hour, counted in this process.
//!
//! Sold work costs a caller money and is not counted. A refused payment is free for the caller, but costs the service
//! a call to the facilitator.

use crate::tasks::Caller;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_secs(3_600);
/// The most callers to remember.
/// Beyond it, those whose hour is over are forgotten; then no more are counted.
const MOST_CALLERS: usize = 10_000;

/// The refused payments of callers.
#[derive(Default)]
pub(super) struct RefusedPayments(Mutex<HashMap<Caller, Refusals>>);

struct Refusals {
    since: Instant,
    count: u32,
}

impl RefusedPayments {
    /// Counts a refused payment.
    pub(super) fn count(&self, caller: Caller, now: Instant) {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MOST_CALLERS {
            callers.retain(|_, refusals| now.duration_since(refusals.since) < HOUR);
        }
        if callers.len() >= MOST_CALLERS && !callers.contains_key(&caller) {
            return;
        }
        let refusals = callers.entry(caller).or_insert(Refusals { since: now, count: 0 });
        if now.duration_since(refusals.since) >= HOUR {
            *refusals = Refusals { since: now, count: 0 };
        }
        refusals.count += 1;
    }

    /// The time until the caller may pay again, or `None` if it may now.
    pub(super) fn wait(&self, caller: Caller, most: u32, now: Instant) -> Option<Duration> {
        let callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refusals = callers.get(&caller)?;
        let left = HOUR.checked_sub(now.duration_since(refusals.since))?;
        (refusals.count >= most && !left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_waits_for_the_end_of_the_hour() {
        let (refused, start) = (RefusedPayments::default(), Instant::now());
        let [one, other] = [1, 2].map(|byte| Caller::at([byte, 0, 0, 1].into()));
        let minutes = |minutes: u64| start + Duration::from_secs(60 * minutes);
        assert_eq!(refused.wait(one, 2, start), None);
        refused.count(one, start);
        assert_eq!(refused.wait(one, 2, start), None);
        refused.count(one, minutes(10));
        let left = Some(Duration::from_secs(3_000));
        assert_eq!(refused.wait(one, 2, minutes(10)), left);
        assert_eq!(refused.wait(other, 2, minutes(10)), None);
        assert_eq!(refused.wait(one, 2, start + HOUR), None);
        refused.count(one, start + HOUR);
        assert_eq!(refused.wait(one, 2, start + HOUR), None);
    }
}

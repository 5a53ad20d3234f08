//! Whether and when to try again: pure arithmetic.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// When and how often a question is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most extra attempts of one question.
    pub extra_attempts: u32,
    /// Upper end of the first wait; it doubles with every retry.
    pub base: Duration,
    /// Highest upper end of a wait.
    pub cap: Duration,
    /// Retries of a key for every hundred questions to a model, without 429s.
    pub budget_percent: u32,
}

impl Default for RetryPolicy {
    /// 2 extra attempts, 250 ms doubling up to 8 s, 20 retries for every hundred questions.
    fn default() -> Self {
        Self {
            extra_attempts: 2,
            base: Duration::from_millis(250),
            cap: Duration::from_secs(8),
            budget_percent: 20,
        }
    }
}

impl RetryPolicy {
    /// Returns the pause before retry number `retry` (from 0), or `None` if it exceeds the time `left`.
    ///
    /// Full jitter: a point between zero and `base * 2^retry`, at most `cap`, drawn by `random`.
    /// The `last` retry of a question waits at least `base * 2`, at most twice that.
    /// So a short fault does not take all attempts.
    /// A provider's `hint` is waited for in full, with the jitter on top.
    /// The jitter takes at most half of the remaining time.
    /// So a wait always leaves time for the attempt.
    pub fn delay(
        &self,
        retry: u32,
        last: bool,
        hint: Option<Duration>,
        left: Duration,
        random: u64,
    ) -> Option<Duration> {
        let floor = hint.unwrap_or(Duration::ZERO);
        let slack = left.checked_sub(floor).filter(|slack| !slack.is_zero())?;
        let grown = self
            .base
            .saturating_mul(1_u32.checked_shl(retry).unwrap_or(u32::MAX));
        let longest = self.cap.min(slack / 2);
        let (least, most) = if last {
            (
                (self.base * 2).min(longest),
                grown.max(self.base * 4).min(longest),
            )
        } else {
            (Duration::ZERO, grown.min(longest))
        };
        // The upper 32 bits as a fraction, multiplied first to keep the precision.
        let part = ((most - least).as_nanos() * u128::from(random >> 32)) >> 32;
        let jitter = least + Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX));
        Some(floor + jitter)
    }
}

/// Bounds retries among one key's calls to one model.
///
/// Every question fills the bucket a little.
/// Every retry empties it by one.
/// So a failing provider gets few more calls than a healthy one.
#[derive(Debug)]
pub(super) struct Budget {
    /// In hundredths of a retry.
    tokens: Mutex<u32>,
    earned: u32,
}

/// A small scan may retry, too: ten retries to begin with.
const FIRST_TOKENS: u32 = 1_000;
/// Most that can be saved up: a hundred retries.
const MOST_TOKENS: u32 = 10_000;
const RETRY: u32 = 100;

impl Budget {
    pub(super) fn new(percent: u32) -> Self {
        Self {
            tokens: Mutex::new(FIRST_TOKENS),
            earned: percent,
        }
    }

    /// A question was asked.
    pub(super) fn earn(&self) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        *tokens = tokens.saturating_add(self.earned).min(MOST_TOKENS);
    }

    /// Takes one retry, if there is one left.
    pub(super) fn spend(&self) -> bool {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        match tokens.checked_sub(RETRY) {
            Some(rest) => {
                *tokens = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POLICY: RetryPolicy = RetryPolicy {
        extra_attempts: 2,
        base: Duration::from_millis(250),
        cap: Duration::from_secs(8),
        budget_percent: 20,
    };

    fn check(retry: u32, hint_ms: Option<u64>, left_ms: u64, random: u64, expected_ms: Option<u64>) {
        let delay = POLICY.delay(
            retry,
            false,
            hint_ms.map(Duration::from_millis),
            Duration::from_millis(left_ms),
            random,
        );
        assert_eq!(delay.map(|delay| delay.as_millis() as u64), expected_ms);
    }

    #[test]
    fn waits_grow_and_hints_are_kept() {
        check(0, None, 60_000, 0, Some(0));
        check(0, None, 60_000, u64::MAX, Some(249));
        check(1, None, 60_000, u64::MAX, Some(499));
        check(9, None, 60_000, u64::MAX, Some(7_999));
        check(u32::MAX, None, 60_000, u64::MAX, Some(7_999));
        check(0, Some(2_000), 60_000, 0, Some(2_000));
        check(0, Some(2_000), 60_000, u64::MAX, Some(2_249));
        check(0, Some(2_000), 2_100, u64::MAX, Some(2_049));
        check(0, Some(2_000), 2_000, 0, None);
        check(0, Some(5_000), 2_000, 0, None);
        check(0, None, 0, 0, None);
    }

    #[test]
    fn the_last_retry_outlives_a_short_fault() {
        let delay = |retry, left_ms, random| {
            let left = Duration::from_millis(left_ms);
            POLICY
                .delay(retry, true, None, left, random)
                .map(|delay| delay.as_millis())
        };
        for retry in [0, 1] {
            assert_eq!(delay(retry, 30_000, 0), Some(500));
            assert_eq!(delay(retry, 30_000, u64::MAX), Some(999));
        }
        assert_eq!(delay(9, 30_000, u64::MAX), Some(7_999));
        assert_eq!(delay(0, 400, 0), Some(200));
    }

    proptest! {
        #[test]
        fn a_delay_respects_hint_cap_and_time_left(
            retry in 0_u32..40,
            hint in proptest::option::of(0_u64..100_000),
            left in 0_u64..200_000,
            random: u64,
            other: u64,
        ) {
            let hint = hint.map(Duration::from_millis);
            let left = Duration::from_millis(left);
            let floor = hint.unwrap_or_default();
            let delay = POLICY.delay(retry, false, hint, left, random);
            prop_assert_eq!(delay.is_none(), floor >= left);
            if let Some(delay) = delay {
                prop_assert!(delay >= floor);
                prop_assert!(delay < left);
                prop_assert!(delay - floor <= POLICY.cap);
                let doubled = Duration::from_millis(250 << retry.min(20));
                prop_assert!(delay - floor <= doubled);
                let second = POLICY.delay(retry, false, hint, left, other).unwrap();
                prop_assert_eq!(random >= other, delay >= second || delay == second);
            }
        }

        #[test]
        fn a_budget_allows_its_share(questions in 0_u32..2_000, percent in 0_u32..100) {
            let budget = Budget::new(percent);
            let mut retries = 0;
            // The oracle: a count of the earned retries, at a provider that always fails.
            for _ in 0..questions {
                budget.earn();
                retries += u32::from(budget.spend());
            }
            prop_assert!(retries <= 10 + questions * percent / 100);
            let expected = (1_000 + questions * percent) / 100;
            prop_assert!(retries == questions || retries + 1 >= expected.min(questions), "{retries} {expected}");
        }
    }
}

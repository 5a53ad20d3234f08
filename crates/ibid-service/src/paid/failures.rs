//! The failed orders of payers in the last hour, counted in this process.

use ibid_model::Wallet;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_secs(3_600);
/// Payers that are remembered. Beyond that, those whose hour is over are forgotten, and then no more are counted.
const MOST_PAYERS: usize = 10_000;

/// The failed orders of payers.
#[derive(Default)]
pub(super) struct FailedOrders(Mutex<HashMap<Wallet, Failures>>);

struct Failures {
    since: Instant,
    count: u32,
}

impl FailedOrders {
    /// Counts a failed order.
    pub(super) fn count(&self, payer: Wallet, now: Instant) {
        let mut payers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if payers.len() >= MOST_PAYERS {
            payers.retain(|_, failures| now.duration_since(failures.since) < HOUR);
        }
        if payers.len() >= MOST_PAYERS && !payers.contains_key(&payer) {
            return;
        }
        let failures = payers.entry(payer).or_insert(Failures { since: now, count: 0 });
        if now.duration_since(failures.since) >= HOUR {
            *failures = Failures { since: now, count: 0 };
        }
        failures.count += 1;
    }

    /// The time until the payer may order again; `None` if it may now.
    pub(super) fn wait(&self, payer: Wallet, most: u32, now: Instant) -> Option<Duration> {
        let payers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failures = payers.get(&payer)?;
        let left = HOUR.checked_sub(now.duration_since(failures.since))?;
        (failures.count >= most).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payer_waits_for_the_end_of_the_hour() {
        let (failed, start) = (FailedOrders::default(), Instant::now());
        let [one, other] = [1, 2].map(|byte| Wallet::from_bytes([byte; 20]));
        assert_eq!(failed.wait(one, 2, start), None);
        failed.count(one, start);
        assert_eq!(failed.wait(one, 2, start), None);
        failed.count(one, start + Duration::from_secs(600));
        assert_eq!(
            failed.wait(one, 2, start + Duration::from_secs(600)),
            Some(Duration::from_secs(3_000))
        );
        assert_eq!(failed.wait(other, 2, start), None);
        assert_eq!(failed.wait(one, 2, start + HOUR), Some(Duration::ZERO));
        failed.count(one, start + HOUR);
        assert_eq!(failed.wait(one, 2, start + HOUR), None);
    }
}

//! Limits on guessing passwords: failures are counted per account and per network.

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures for one account in a window, from all networks.
const PER_ACCOUNT: u32 = 10;
/// Failures from one network in a window, for all accounts.
const PER_NETWORK: u32 = 30;
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Counts in memory. Above it, counts of ended windows are dropped first, then all.
const MOST: usize = 50_000;

/// Counts attempts that have not succeeded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Throttle(Arc<Mutex<HashMap<Key, AttemptCount>>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// SHA-256 of the address, so that typed texts are not kept.
    Account([u8; 32]),
    Network(IpAddr),
}

#[derive(Clone, Copy, Debug)]
struct AttemptCount {
    start: Instant,
    attempts: u32,
}

/// An attempt. It counts as failed until [`Attempt::succeeded`].
#[derive(Debug)]
pub(crate) struct Attempt {
    throttle: Throttle,
    account: Key,
    network: Key,
}

impl Throttle {
    /// Counts an attempt, or returns the time to wait. An attempt counts before its outcome is known, so parallel
    /// attempts are limited too.
    pub(crate) fn begin(&self, address: IpAddr, email: &str, now: Instant) -> Result<Attempt, Duration> {
        let account = Key::Account(Sha256::digest(email.trim().to_lowercase().as_bytes()).into());
        let network = Key::Network(network_of(address));
        let mut counts = self.counts();
        if counts.len() >= MOST {
            counts.retain(|_, count| now.duration_since(count.start) < WINDOW);
            if counts.len() >= MOST {
                counts.clear();
            }
        }
        let limits = [(account, PER_ACCOUNT), (network, PER_NETWORK)];
        for (key, most) in limits {
            if let Some(count) = counts.get(&key) {
                let age = now.duration_since(count.start);
                if age < WINDOW && count.attempts >= most {
                    return Err(WINDOW.saturating_sub(age));
                }
            }
        }
        for (key, _) in limits {
            let count = counts.entry(key).or_insert(AttemptCount {
                start: now,
                attempts: 0,
            });
            if now.duration_since(count.start) >= WINDOW {
                *count = AttemptCount {
                    start: now,
                    attempts: 0,
                };
            }
            count.attempts += 1;
        }
        Ok(Attempt {
            throttle: self.clone(),
            account,
            network,
        })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Key, AttemptCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt {
    /// Removes the attempt from the network's count and the failures of the account.
    pub(crate) fn succeeded(self) {
        let mut counts = self.throttle.counts();
        counts.remove(&self.account);
        if let Some(count) = counts.get_mut(&self.network) {
            count.attempts = count.attempts.saturating_sub(1);
        }
    }
}

/// The network of an address. An IPv6 address counts as its /64, because one connection has all of it.
#[must_use]
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ten_failures_for_an_account_from_anywhere_then_the_rest_of_the_window() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for n in 0..10 {
            assert!(
                throttle
                    .begin(address(&format!("10.0.0.{n}")), "a@b", now)
                    .is_ok()
            );
        }
        let later = now + Duration::from_secs(60);
        let refused = throttle.begin(address("10.0.0.99"), " A@B ", later).unwrap_err();
        assert_eq!(refused, Duration::from_secs(14 * 60));
        assert!(throttle.begin(address("10.0.0.99"), "c@d", later).is_ok());
        assert!(throttle.begin(address("10.0.0.99"), "a@b", now + WINDOW).is_ok());
    }

    #[test]
    fn thirty_failures_from_a_network_for_any_account() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for n in 0..30 {
            let address = address(&format!("2001:db8::{n:x}"));
            assert!(throttle.begin(address, &format!("{n}@b"), now).is_ok());
        }
        assert!(throttle.begin(address("2001:db8::ffff"), "x@b", now).is_err());
        assert!(throttle.begin(address("2001:db8:0:1::"), "x@b", now).is_ok());
        assert_eq!(network_of(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }

    #[test]
    fn success_clears_the_account_and_does_not_count_for_the_network() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for _ in 0..100 {
            throttle
                .begin(address("10.0.0.1"), "a@b", now)
                .unwrap()
                .succeeded();
        }
        for _ in 0..9 {
            drop(throttle.begin(address("10.0.0.1"), "a@b", now).unwrap());
        }
        throttle
            .begin(address("10.0.0.1"), "a@b", now)
            .unwrap()
            .succeeded();
        assert!(throttle.begin(address("10.0.0.1"), "a@b", now).is_ok());
    }
}

//! Conformance of the counts of sign-ins.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::payments::NOW;
use crate::{AttemptCount, Store};

const HOUR: i64 = 3_600_000;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    failures_cost_longer_and_longer_waits(store);
    success_clears_and_lowers(store);
    a_crowd_gets_no_more_than_its_free_attempts(store);
    a_secret_is_made_once(store);
}

const fn count(key: u8, free: u32) -> AttemptCount {
    AttemptCount { key: [key; 32], free }
}

fn failures_cost_longer_and_longer_waits(store: &Store) {
    let attempt = |now| store.begin_sign_in(&[count(1, 2), count(2, 100)], now).unwrap();
    assert_eq!([attempt(NOW), attempt(NOW)], [0, 0]);
    assert_eq!(attempt(NOW), 15_000);
    assert_eq!(attempt(NOW + 10_000), 5_000);
    // A refused attempt does not count, and other accounts of the network may go on.
    assert_eq!(attempt(NOW + 15_000), 0);
    assert_eq!(attempt(NOW + 15_000), 30_000);
    assert_eq!(
        store.begin_sign_in(&[count(3, 2), count(2, 100)], NOW).unwrap(),
        0
    );
    // The clock was set back: the wait is the same, not longer.
    assert_eq!(attempt(NOW - HOUR), 30_000);
    assert_eq!(attempt(NOW + 25 * HOUR), 0);
    assert_eq!(attempt(NOW + 25 * HOUR), 0);
    assert_eq!(attempt(NOW + 25 * HOUR), 15_000);
}

fn success_clears_and_lowers(store: &Store) {
    let attempt = || store.begin_sign_in(&[count(4, 1), count(5, 1)], NOW).unwrap();
    assert_eq!(attempt(), 0);
    store.sign_in_succeeded(&[[4; 32]], &[[5; 32]]).unwrap();
    assert_eq!(attempt(), 0);
    assert_eq!(attempt(), 15_000);
}

fn a_crowd_gets_no_more_than_its_free_attempts(store: &Store) {
    let admitted = std::thread::scope(|scope| {
        let attempt =
            |_| scope.spawn(|| store.begin_sign_in(&[count(7, 5), count(6, 100)], NOW).unwrap() == 0);
        let threads: Vec<_> = (0..8).map(attempt).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.filter(|admitted| *admitted).count()
    });
    assert_eq!(admitted, 5);
}

fn a_secret_is_made_once(store: &Store) {
    assert_eq!(store.secret("devices", &[1; 32]).unwrap(), [1; 32]);
    assert_eq!(store.secret("devices", &[2; 32]).unwrap(), [1; 32]);
    assert_eq!(store.secret("other", &[2; 32]).unwrap(), [2; 32]);
}

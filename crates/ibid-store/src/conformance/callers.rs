//! Conformance of service keys and of the limits of callers.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test suite that other crates run"
)]

use super::payments::NOW;
use crate::{CallerLimits, CallerRun, CallerUse, KeyName, Store, StoreError};
use ibid_model::ScanId;

const HOUR: i64 = 3_600_000;

/// Runs the suite.
pub(crate) fn run(store: &dyn Store) {
    keys_are_added_listed_and_revoked(store);
    limits_hold_by_the_hour_and_at_once(store);
    a_crowd_gets_no_more_than_its_limit(store);
}

fn keys_are_added_listed_and_revoked(store: &dyn Store) {
    let name = |text: &str| text.parse::<KeyName>().unwrap();
    store.add_service_key(&name("shop"), &[1; 32], NOW).unwrap();
    store.add_service_key(&name("agency"), &[2; 32], NOW).unwrap();
    for (taken, hash) in [("shop", [3; 32]), ("other", [1; 32])] {
        match store.add_service_key(&name(taken), &hash, NOW) {
            Err(StoreError::Exists) => {}
            other => panic!("{taken} gave {other:?}"),
        }
    }
    assert!(store.revoke_service_key(&name("shop"), NOW + 5).unwrap());
    assert!(!store.revoke_service_key(&name("shop"), NOW + 9).unwrap());
    assert!(!store.revoke_service_key(&name("unknown"), NOW).unwrap());
    let keys = store.service_keys().unwrap();
    let listed: Vec<_> = keys
        .iter()
        .map(|key| (key.name.as_str(), key.hash[0], key.created_at, key.revoked_at))
        .collect();
    assert_eq!(
        listed,
        [("agency", 2, NOW, None), ("shop", 1, NOW, Some(NOW + 5))]
    );
}

fn begin(store: &dyn Store, caller: &str, limits: Option<CallerLimits>, now: i64) -> (ScanId, CallerUse) {
    let id = ScanId::random();
    let run = CallerRun {
        id,
        caller,
        lease_until: now + 1_000,
        limits,
        window: HOUR,
    };
    (id, store.begin_caller_run(&run, now).unwrap())
}

const fn counted(admitted: bool, used: u32, age: i64) -> CallerUse {
    CallerUse { admitted, used, age }
}

fn limits_hold_by_the_hour_and_at_once(store: &dyn Store) {
    let limits = Some(CallerLimits {
        per_hour: 3,
        at_once: 2,
    });
    let (first, used) = begin(store, "key a", limits, NOW);
    assert_eq!(used, counted(true, 1, 0));
    assert_eq!(begin(store, "key a", limits, NOW + 1).1, counted(true, 2, 1));
    assert_eq!(begin(store, "key a", limits, NOW + 2).1, counted(false, 2, 2));
    // Another caller has limits of its own.
    assert_eq!(begin(store, "key b", limits, NOW + 2).1, counted(true, 1, 0));
    store.end_caller_run(first).unwrap();
    let (third, used) = begin(store, "key a", limits, NOW + 3);
    assert_eq!(used, counted(true, 3, 3));
    // A renewed lease keeps its scan, one that has ended does not.
    store.renew_caller_runs(&[third], NOW + HOUR + 500).unwrap();
    assert_eq!(
        begin(store, "key a", limits, NOW + 2_000).1,
        counted(false, 3, 2_000)
    );
    assert_eq!(begin(store, "key a", limits, NOW + HOUR).1, counted(true, 1, 0));
    assert_eq!(begin(store, "key a", limits, NOW + HOUR).1, counted(false, 1, 0));
    assert_eq!(begin(store, "key a", None, NOW + HOUR).1, counted(true, 2, 0));
    // The clock was set back.
    assert_eq!(begin(store, "key b", limits, NOW - 5).1, counted(true, 1, 0));
}

fn a_crowd_gets_no_more_than_its_limit(store: &dyn Store) {
    let limits = Some(CallerLimits {
        per_hour: 5,
        at_once: 100,
    });
    let admitted = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| begin(store, "key crowd", limits, NOW).1.admitted))
            .collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.filter(|admitted| *admitted).count()
    });
    assert_eq!(admitted, 5);
}

//! Conformance of idempotency keys.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::new_scan;
use super::payments::NOW;
use crate::{KeyedOutcome, KeyedRequest, NewScan, Origin, Store};
use ibid_model::ScanId;

/// Runs the suite.
pub(crate) fn run(store: &dyn Store) {
    a_key_begins_one_scan_and_leads_to_its_result(store);
    a_failed_or_lost_scan_gives_its_key_back(store);
    one_of_many_equal_requests_begins(store);
}

const fn request(caller: &str, key: u8, body: u8, scan: ScanId) -> KeyedRequest<'_> {
    KeyedRequest {
        caller,
        key: [key; 32],
        request: [body; 32],
        scan,
        lease_until: NOW + 100,
        expires: NOW + 1_000,
    }
}

fn finish(store: &dyn Store, id: ScanId) {
    let scan = NewScan {
        id,
        ..new_scan(Origin::V1, b"{}", None)
    };
    store.put_scan(&scan).unwrap();
}

fn a_key_begins_one_scan_and_leads_to_its_result(store: &dyn Store) {
    let [first, second] = [(); 2].map(|()| ScanId::random());
    let claim = |caller, body, scan, now| store.claim_key(&request(caller, 1, body, scan), now).unwrap();
    assert_eq!(claim("api", 7, first, NOW), KeyedOutcome::Begin);
    assert_eq!(claim("api", 7, second, NOW), KeyedOutcome::Running(first));
    assert_eq!(claim("api", 8, second, NOW), KeyedOutcome::Conflict);
    // The same key of another caller is another key.
    assert_eq!(claim("key shop", 8, second, NOW), KeyedOutcome::Begin);
    store.renew_keys(&[first], NOW + 300, NOW).unwrap();
    assert_eq!(claim("api", 7, second, NOW + 200), KeyedOutcome::Running(first));
    finish(store, first);
    store.free_key(first).unwrap();
    assert_eq!(claim("api", 7, second, NOW + 500), KeyedOutcome::Finished(first));
    assert_eq!(claim("api", 8, second, NOW + 500), KeyedOutcome::Conflict);
    let third = ScanId::random();
    assert_eq!(claim("api", 8, third, NOW + 1_000), KeyedOutcome::Begin);
}

fn a_failed_or_lost_scan_gives_its_key_back(store: &dyn Store) {
    let [failed, lost, taken] = [(); 3].map(|()| ScanId::random());
    let claim = |scan, now| store.claim_key(&request("api", 2, 7, scan), now).unwrap();
    assert_eq!(claim(failed, NOW), KeyedOutcome::Begin);
    store.free_key(failed).unwrap();
    assert_eq!(claim(lost, NOW), KeyedOutcome::Begin);
    assert_eq!(claim(taken, NOW + 99), KeyedOutcome::Running(lost));
    assert_eq!(claim(taken, NOW + 100), KeyedOutcome::Begin);
    // The lost scan ends late: its successor keeps the key.
    store.free_key(lost).unwrap();
    store.renew_keys(&[lost], NOW + 900, NOW).unwrap();
    assert_eq!(claim(ScanId::random(), NOW + 99), KeyedOutcome::Running(taken));
    store.renew_keys(&[], NOW, NOW + 1_000).unwrap();
    assert_eq!(claim(ScanId::random(), NOW), KeyedOutcome::Begin);
}

fn one_of_many_equal_requests_begins(store: &dyn Store) {
    let begun = std::thread::scope(|scope| {
        let claim = |_| {
            scope.spawn(|| {
                let scan = ScanId::random();
                store.claim_key(&request("crowd", 3, 7, scan), NOW).unwrap()
            })
        };
        let threads: Vec<_> = (0..8).map(claim).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.filter(|outcome| *outcome == KeyedOutcome::Begin).count()
    });
    assert_eq!(begun, 1);
}

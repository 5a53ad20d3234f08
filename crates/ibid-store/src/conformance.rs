//! The conformance suite of a store. Run it on each adapter: it panics where the adapter is wrong.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test suite that other crates run"
)]

mod access;
mod administration;
mod answer_imports;
mod callers;
mod destinations;
mod durable_runs;
mod evidence;
mod feeds;
mod found_runs;
mod identities;
mod own_files;
mod payments;
mod pinned_runs;
#[cfg(feature = "postgres")]
pub mod postgres;
mod projects;
mod question_sets;
mod report_brands;
mod report_snapshots;
mod schedules;
mod second_factors;
mod sign_ins;
mod tasks;
mod webhooks;
pub(crate) mod workspace;

use crate::{NewScan, Origin, PackedAnswers, Store, StoreError};
use ibid_model::{AccountId, ScanId};

/// Runs the whole suite on an empty store.
pub fn run(store: &Store) {
    store.ping(7).unwrap();
    keeps_and_finds(store);
    refuses_a_taken_id(store);
    unknown_scans_and_missing_evidence_are_not_found(store);
    keeps_large_evidence(store);
    finds_scans_of_other_methods(store);
    payments::run(store);
    tasks::run(store);
    workspace::run(store);
    administration::run(store);
    workspace::end_queued(store);
    callers::run(store);
    pinned_runs::run(store);
    sign_ins::run(store);
    found_runs::run(store);
    schedules::run(store);
    second_factors::run(store);
    identities::run(store);
    report_brands::run(store);
    question_sets::run(store);
    projects::run(store);
    access::run(store);
    destinations::run(store);
    feeds::run(store);
    report_snapshots::run(store);
    own_files::run(store);
    answer_imports::run(store);
    durable_runs::run(store);
    webhooks::run(store);
    evidence::run(store);
}

/// A scan to store, with evidence.
#[cfg(all(test, feature = "postgres"))]
pub(crate) fn a_scan() -> NewScan<'static> {
    new_scan(Origin::V1, b"{}", Some(b"[]"))
}

fn new_scan(origin: Origin, reply: &'static [u8], answers: Option<&'static [u8]>) -> NewScan<'static> {
    NewScan {
        id: ScanId::random(),
        origin,
        created_at: 1_795_000_000,
        sandbox: true,
        method: "1",
        reply,
        answers: answers.map(|answers| PackedAnswers::of(answers).unwrap()),
    }
}

fn keeps_and_finds(store: &Store) {
    for origin in [
        Origin::V1,
        Origin::V2("key shop".into()),
        Origin::Paid("0xabc".into()),
        Origin::Workspace(AccountId::random()),
    ] {
        let answers = b"[1,2,3]";
        let scan = new_scan(origin, br#"{"scanId":"x"}"#, Some(answers));
        store.put_scan(&scan).unwrap();
        let found = store.scan(scan.id).unwrap().unwrap();
        assert_eq!(found.origin, scan.origin);
        assert_eq!(found.reply, scan.reply);
        assert_eq!(
            (found.created_at, found.sandbox, found.method.as_str()),
            (scan.created_at, true, "1")
        );
        assert_eq!(store.answers(scan.id).unwrap().unwrap(), answers);
    }
}

fn refuses_a_taken_id(store: &Store) {
    let first = new_scan(Origin::V1, b"first", None);
    store.put_scan(&first).unwrap();
    let second = NewScan {
        reply: b"second",
        ..first.clone()
    };
    match store.put_scan(&second) {
        Err(StoreError::Exists) => {}
        other => panic!("a taken id gave {other:?}"),
    }
    assert_eq!(store.scan(first.id).unwrap().unwrap().reply, b"first");
}

fn unknown_scans_and_missing_evidence_are_not_found(store: &Store) {
    assert!(store.scan(ScanId::random()).unwrap().is_none());
    assert!(store.answers(ScanId::random()).unwrap().is_none());
    let without = new_scan(Origin::V1, b"{}", None);
    store.put_scan(&without).unwrap();
    assert!(store.answers(without.id).unwrap().is_none());
}

fn keeps_large_evidence(store: &Store) {
    let text: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let scan = NewScan {
        answers: Some(PackedAnswers::of(&text).unwrap()),
        ..new_scan(Origin::V1, b"{}", None)
    };
    store.put_scan(&scan).unwrap();
    assert_eq!(store.answers(scan.id).unwrap().unwrap(), text);
}

fn finds_scans_of_other_methods(store: &Store) {
    let of = |method: &'static str, answers: Option<&'static [u8]>| {
        let scan = NewScan {
            method,
            ..new_scan(Origin::V1, b"{}", answers)
        };
        store.put_scan(&scan).unwrap();
        scan.id
    };
    let mut old = [
        of("0.8", Some(b"[]")),
        of("0.9", Some(b"[]")),
        of("0.9", Some(b"[]")),
    ];
    old.sort();
    let (current, bare) = (of("2", Some(b"[]")), of("0.9", None));
    // Scans of the other cases have method 1 and are in here too.
    let all = store.scans_of_other_methods("2", None, 1_000).unwrap();
    assert!(all.is_sorted() && old.iter().all(|id| all.contains(id)));
    assert!(!all.contains(&current) && !all.contains(&bare));
    let mut paged = Vec::new();
    while let [.., _] = store
        .scans_of_other_methods("2", paged.last().copied(), 2)
        .unwrap()[..]
    {
        let page = store
            .scans_of_other_methods("2", paged.last().copied(), 2)
            .unwrap();
        assert!(page.len() <= 2);
        paged.extend(page);
    }
    assert_eq!(paged, all);
}

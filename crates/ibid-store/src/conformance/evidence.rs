//! Conformance of evidence that moves to an object store.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{NOW, account, begin, finish};
use crate::{NewScan, Origin, PackedAnswers, Store};
use ibid_model::ScanId;

/// The end of the claims of this suite.
const UNTIL: i64 = NOW + 60_000;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    claims_what_is_stored_and_released(store);
    erases_what_was_moved(store);
    notes_the_objects_of_deleted_scans(store);
}

/// Claims everything that no process holds at `now`.
fn claim_all(store: &Store, now: i64) -> Vec<ScanId> {
    let claimed = store.claim_evidence(now + 60_000, u32::MAX, now).unwrap();
    claimed.into_iter().map(|claimed| claimed.scan).collect()
}

fn stored(store: &Store, answers: Option<&[u8]>) -> ScanId {
    let scan = NewScan {
        id: ScanId::random(),
        origin: Origin::V1,
        created_at: NOW / 1_000,
        sandbox: true,
        method: "0.1 moved",
        reply: b"{}",
        answers: answers.map(|answers| PackedAnswers::of(answers).unwrap()),
    };
    store.put_scan(&scan).unwrap();
    scan.id
}

fn claims_what_is_stored_and_released(store: &Store) {
    let (first, bare) = (stored(store, Some(b"[1]")), stored(store, None));
    assert_eq!(store.claim_evidence(UNTIL, 1, NOW).unwrap().len(), 1);
    let claimed = claim_all(store, NOW);
    assert!(!claimed.contains(&bare));
    // The claims hold until their end, and those that were never claimed come first.
    assert!(claim_all(store, UNTIL - 1).is_empty());
    let second = stored(store, Some(b"[2]"));
    let [one] = &store.claim_evidence(UNTIL + 9, 1, UNTIL).unwrap()[..] else {
        unreachable!("one claim was asked for")
    };
    assert_eq!(
        (one.scan, one.answers.unpack().unwrap()),
        (second, b"[2]".to_vec())
    );
    assert!(claim_all(store, UNTIL).contains(&first));
    // A claim does not erase the evidence.
    assert_eq!(store.answers(first).unwrap().unwrap(), b"[1]");
    assert!(!store.is_evidence_moved(first).unwrap());
}

fn erases_what_was_moved(store: &Store) {
    let (scan, bare) = (stored(store, Some(b"[1]")), stored(store, None));
    // Only claimed evidence is erased.
    assert!(!store.evidence_moved(scan, UNTIL, UNTIL).unwrap());
    assert!(claim_all(store, UNTIL).contains(&scan));
    // The claim of another process ended earlier.
    assert!(!store.evidence_moved(scan, UNTIL, UNTIL).unwrap());
    assert!(store.evidence_moved(scan, UNTIL + 60_000, UNTIL).unwrap());
    assert!(store.answers(scan).unwrap().is_none());
    assert!(store.is_evidence_moved(scan).unwrap());
    assert!(!store.is_evidence_moved(bare).unwrap() && !store.is_evidence_moved(ScanId::random()).unwrap());
    // The last claims of this suite do not end.
    assert!(!claim_all(store, i64::MAX - 60_000).contains(&scan));
    assert_eq!(store.scan(scan).unwrap().unwrap().reply, b"{}");
    // It can still be scored again.
    let others = store.scans_of_other_methods("2.0", None, u32::MAX).unwrap();
    assert!(others.contains(&scan) && !others.contains(&bare));
}

fn notes_the_objects_of_deleted_scans(store: &Store) {
    let owner = account(store, 3);
    let finished = || {
        let id = begin(store, &owner, "a.example", NOW).unwrap();
        finish(store, &owner, id, NOW).unwrap();
        id
    };
    // The claims of the earlier cases do not end, so these two are alone.
    let (claimed, moved) = (finished(), finished());
    assert_eq!(store.claim_evidence(UNTIL, 9, NOW).unwrap().len(), 2);
    assert!(store.evidence_moved(moved, UNTIL, NOW + 1).unwrap());
    // An object of this one cannot exist.
    let untouched = finished();
    assert!(store.delete_run(owner.id, claimed, NOW).unwrap());
    assert!(!store.evidence_moved(claimed, UNTIL, NOW + 2).unwrap());
    store.delete_account(owner.id, (NOW + 3).into()).unwrap();
    assert!(store.evidence_to_delete(9, NOW).unwrap().is_empty());
    assert_eq!(store.evidence_to_delete(9, NOW + 1).unwrap(), [moved]);
    // Until the claim ends a process may still be writing the other object.
    assert_eq!(store.evidence_to_delete(9, UNTIL - 1).unwrap(), [moved]);
    assert_eq!(store.evidence_to_delete(9, UNTIL).unwrap(), [moved, claimed]);
    assert_eq!(store.evidence_to_delete(1, UNTIL).unwrap(), [moved]);
    store.evidence_deleted(moved).unwrap();
    store.evidence_deleted(untouched).unwrap();
    assert_eq!(store.evidence_to_delete(9, UNTIL).unwrap(), [claimed]);
}

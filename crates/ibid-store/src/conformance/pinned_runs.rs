//! Conformance of pinned runs, and of the idempotency keys and limits that they open with.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::new_scan;
use super::payments::NOW;
use crate::{
    CallerLimits, CallerUse, KeyedOutcome, KeyedRequest, NewDurableRun, NewPinnedRun, NewScan, OpenedPinned,
    Origin, PinnedCount, PinnedEnd, Store,
};
use ibid_model::{RunState, ScanId};

const HOUR: i64 = 3_600_000;
/// The time for which the runs of this suite live without a renewal.
const LEASE: i64 = 1_000;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    a_run_has_a_state_from_its_begin_to_its_end(store);
    a_lost_run_ends_and_its_late_result_counts(store);
    limits_hold_by_the_hour_and_at_once(store);
    a_crowd_gets_no_more_than_its_limit(store);
    a_key_opens_one_run_and_leads_to_its_result(store);
    a_failed_or_lost_run_gives_its_key_back(store);
    a_refused_run_leaves_its_key_free(store);
    one_of_many_equal_requests_opens(store);
    // No run of this suite stays open.
    store.renew_pinned_runs(&[], NOW, NOW + 100 * HOUR).unwrap();
}

/// Opens a run of a caller, whose runs have its name.
fn open(
    store: &Store,
    (id, caller): (ScanId, &str),
    (once, limits): (Option<&KeyedRequest<'_>>, Option<CallerLimits>),
    now: i64,
) -> OpenedPinned {
    let count = PinnedCount {
        caller,
        limits,
        window: HOUR,
    };
    let new = NewPinnedRun {
        run: &NewDurableRun::past(id, caller, 9, now),
        lease_until: now + LEASE,
        once,
        count: Some(&count),
    };
    store.open_pinned_run(&new, now).unwrap()
}

const fn counted(used: u32, age: i64) -> CallerUse {
    CallerUse { used, age }
}

const fn end(run: ScanId, state: RunState, error: Option<&str>) -> PinnedEnd<'_> {
    PinnedEnd {
        run,
        state,
        error,
        done: 4,
        score: None,
    }
}

/// Ends a run with a result.
fn complete(store: &Store, id: ScanId, now: i64) {
    let scan = NewScan {
        id,
        ..new_scan(Origin::V1, b"{}", None)
    };
    let end = PinnedEnd {
        score: Some(61_500),
        ..end(id, RunState::Complete, None)
    };
    store.end_pinned_run(&end, Some(&scan), now).unwrap();
}

fn fail(store: &Store, id: ScanId, now: i64) {
    let end = end(id, RunState::Failed, Some("timeout"));
    store.end_pinned_run(&end, None, now).unwrap();
}

fn a_run_has_a_state_from_its_begin_to_its_end(store: &Store) {
    let [done, failed, unopened] = [(); 3].map(|()| ScanId::random());
    for id in [done, failed] {
        open(store, (id, "key states"), (None, None), NOW);
        let run = store.durable_run(id).unwrap().unwrap();
        assert_eq!((run.state, run.calls, run.ended_at), (RunState::Running, 9, None));
    }
    // No engine takes a pinned run up.
    assert!(!store.unstarted_runs(NOW + 9, 1_000).unwrap().contains(&done));
    complete(store, done, NOW + 5);
    fail(store, failed, NOW + 5);
    fail(store, done, NOW + 6);
    let found = store.durable_run(done).unwrap().unwrap();
    assert_eq!(
        (found.state, found.stored, found.score),
        (RunState::Complete, 4, Some(61_500))
    );
    assert_eq!(found.ended_at, Some(NOW + 5));
    let found = store.durable_run(failed).unwrap().unwrap();
    assert_eq!(
        (found.state, found.error.as_deref()),
        (RunState::Failed, Some("timeout"))
    );
    // The database took no write at the begin.
    complete(store, unopened, NOW);
    assert!(store.scan(unopened).unwrap().is_some());
}

fn a_lost_run_ends_and_its_late_result_counts(store: &Store) {
    let [kept, lost, stopped] = [(); 3].map(|()| ScanId::random());
    for id in [kept, lost, stopped] {
        open(store, (id, "key lost"), (None, None), NOW);
    }
    store.cancel_run(stopped).unwrap();
    let later = NOW + LEASE;
    let cancelled = store
        .renew_pinned_runs(&[kept, stopped], later + LEASE, later)
        .unwrap();
    assert_eq!(cancelled, [stopped]);
    let state = |id| store.durable_run(id).unwrap().unwrap().state;
    assert_eq!((state(kept), state(lost)), (RunState::Running, RunState::Failed));
    complete(store, lost, later + 5);
    assert_eq!(state(lost), RunState::Complete);
    let ended = end(stopped, RunState::Cancelled, None);
    store.end_pinned_run(&ended, None, later).unwrap();
    complete(store, kept, later);
}

fn limits_hold_by_the_hour_and_at_once(store: &Store) {
    let limits = Some(CallerLimits {
        per_hour: 3,
        at_once: 2,
    });
    let begin = |caller, limits, now| {
        let id = ScanId::random();
        (id, open(store, (id, caller), (None, limits), now))
    };
    let opened = |used, age| OpenedPinned::Opened(Some(counted(used, age)));
    let over = |used, age| OpenedPinned::OverLimit(counted(used, age));
    let (first, used) = begin("key a", limits, NOW);
    assert_eq!(used, opened(1, 0));
    let (second, used) = begin("key a", limits, NOW + 1);
    assert_eq!(used, opened(2, 1));
    let (refused, used) = begin("key a", limits, NOW + 2);
    assert_eq!(used, over(2, 2));
    assert!(store.durable_run(refused).unwrap().is_none());
    // Another caller has limits of its own.
    assert_eq!(begin("key b", limits, NOW + 2).1, opened(1, 0));
    complete(store, first, NOW + 3);
    let (third, used) = begin("key a", limits, NOW + 3);
    assert_eq!(used, opened(3, 3));
    // A renewed lease keeps its run, one that has ended does not.
    store
        .renew_pinned_runs(&[third], NOW + HOUR + 500, NOW + 4)
        .unwrap();
    assert_eq!(begin("key a", limits, NOW + 2_000).1, over(3, 2_000));
    assert_eq!(begin("key a", limits, NOW + HOUR).1, opened(1, 0));
    assert_eq!(begin("key a", limits, NOW + HOUR).1, over(1, 0));
    assert_eq!(begin("key a", None, NOW + HOUR).1, opened(2, 0));
    // The clock was set back.
    assert_eq!(begin("key b", limits, NOW - 5).1, opened(1, 0));
    for id in [second, third] {
        fail(store, id, NOW + HOUR);
    }
}

fn a_crowd_gets_no_more_than_its_limit(store: &Store) {
    let limits = Some(CallerLimits {
        per_hour: 5,
        at_once: 100,
    });
    let begin = || open(store, (ScanId::random(), "key crowd"), (None, limits), NOW);
    let admitted = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.filter(|opened| matches!(opened, OpenedPinned::Opened(_)))
            .count()
    });
    assert_eq!(admitted, 5);
}

const fn request(caller: &str, key: u8, body: u8, scan: ScanId) -> KeyedRequest<'_> {
    KeyedRequest {
        caller,
        key: [key; 32],
        request: [body; 32],
        scan,
        expires: NOW + 10_000,
    }
}

fn a_key_opens_one_run_and_leads_to_its_result(store: &Store) {
    let [first, second, third] = [(); 3].map(|()| ScanId::random());
    let begin = |caller, body, scan, now| {
        let once = request(caller, 1, body, scan);
        open(store, (scan, caller), (Some(&once), None), now)
    };
    let look = |body, now| store.keyed_scan(&request("api", 1, body, second), now).unwrap();
    assert_eq!(look(7, NOW), KeyedOutcome::Free);
    assert_eq!(
        begin("api", 7, first, NOW),
        OpenedPinned::Opened(Some(counted(1, 0)))
    );
    assert_eq!(begin("api", 7, second, NOW), OpenedPinned::Before(first));
    assert_eq!(look(7, NOW), KeyedOutcome::Running(first));
    assert_eq!(begin("api", 8, second, NOW), OpenedPinned::Conflict);
    assert_eq!(look(8, NOW), KeyedOutcome::Conflict);
    // The same key of another caller is another key.
    let other = ScanId::random();
    assert!(matches!(
        begin("key shop", 8, other, NOW),
        OpenedPinned::Opened(_)
    ));
    store.renew_pinned_runs(&[first], NOW + 3_000, NOW + 10).unwrap();
    assert_eq!(begin("api", 7, second, NOW + 2_000), OpenedPinned::Before(first));
    complete(store, first, NOW + 2_000);
    assert_eq!(look(7, NOW + 5_000), KeyedOutcome::Finished(first));
    assert_eq!(begin("api", 7, second, NOW + 5_000), OpenedPinned::Before(first));
    assert_eq!(look(8, NOW + 10_000), KeyedOutcome::Free);
    assert!(matches!(
        begin("api", 8, third, NOW + 10_000),
        OpenedPinned::Opened(_)
    ));
}

fn a_failed_or_lost_run_gives_its_key_back(store: &Store) {
    let [failed, lost, taken, after] = [(); 4].map(|()| ScanId::random());
    let begin = |scan, now| {
        let once = request("api", 2, 7, scan);
        open(store, (scan, "api"), (Some(&once), None), now)
    };
    assert!(matches!(begin(failed, NOW), OpenedPinned::Opened(_)));
    fail(store, failed, NOW);
    assert!(matches!(begin(lost, NOW), OpenedPinned::Opened(_)));
    assert_eq!(begin(taken, NOW + LEASE - 1), OpenedPinned::Before(lost));
    assert!(matches!(begin(taken, NOW + LEASE), OpenedPinned::Opened(_)));
    // The lost run ends late: its successor keeps the key.
    fail(store, lost, NOW + LEASE);
    assert_eq!(begin(after, NOW + LEASE), OpenedPinned::Before(taken));
    store.expire_keys(NOW + 20_000).unwrap();
    assert!(matches!(begin(after, NOW + LEASE), OpenedPinned::Opened(_)));
}

fn a_refused_run_leaves_its_key_free(store: &Store) {
    let none = Some(CallerLimits {
        per_hour: 0,
        at_once: 1,
    });
    let scan = ScanId::random();
    let once = request("key refused", 3, 7, scan);
    let refused = open(store, (scan, "key refused"), (Some(&once), none), NOW);
    assert_eq!(refused, OpenedPinned::OverLimit(counted(0, 0)));
    assert_eq!(store.keyed_scan(&once, NOW).unwrap(), KeyedOutcome::Free);
}

fn one_of_many_equal_requests_opens(store: &Store) {
    let begin = || {
        let scan = ScanId::random();
        let once = request("crowd", 4, 7, scan);
        open(store, (scan, "crowd"), (Some(&once), None), NOW)
    };
    let begun = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.filter(|opened| matches!(opened, OpenedPinned::Opened(_)))
            .count()
    });
    assert_eq!(begun, 1);
}

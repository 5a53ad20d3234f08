//! The cases of cancellation, of the order of work, and of stored texts.

use super::case::{Case, Order};
use super::process::{Call, Process};
use super::{CALLS, SLOTS, SLOW};
use ibid_model::{RunState, ScanId};
use ibid_store::{CancelOutcome, SealedSecret};

/// The marker that no engine may keep.
const CANARY: &str = "canary-5f1d0c9be2";
/// The number of first starts that contain all shards of a waiting run.
const TURN: usize = 16;

fn cancel(case: &Case, id: ScanId) {
    for _ in 0..2 {
        assert_eq!(case.store.cancel_run(id).unwrap(), CancelOutcome::Cancelled);
    }
}

pub(super) fn a_run_that_waits_can_be_cancelled(case: &Case) {
    let [started, stored] = [case.begin(Order::of(5)), case.open(Order::of(5))];
    for id in [started, stored] {
        cancel(case, id);
    }
    let worker = case.worker();
    for id in [started, stored] {
        assert_eq!(case.ended(id), (RunState::Cancelled, 0));
        assert_eq!(case.store.cancel_run(id).unwrap(), CancelOutcome::Ended);
    }
    assert_eq!(worker.stop(), []);
}

pub(super) fn a_cancelled_run_keeps_its_answers_and_begins_no_call(case: &Case) {
    let id = case.begin(Order::of(20));
    let mut worker = case.worker();
    let (mut open, mut is_answered, mut stored) = (Vec::new(), false, 0);
    while stored == 0 || open.len() < SLOTS {
        let event = worker.next().unwrap();
        match event.name.as_str() {
            "asked" if is_answered => open.push(event.call),
            "asked" => {
                is_answered = true;
                worker.answer(event.call);
            }
            name => {
                assert_eq!(name, "stored");
                stored += 1;
            }
        }
    }
    cancel(case, id);
    // This answer may still be kept.
    worker.answer(open[0]);
    let end = case.ended(id);
    for late in &open {
        worker.answer(*late);
    }
    let events = worker.stop();
    let count = |name: &str| events.iter().filter(|event| event.name == name).count();
    assert_eq!((count("asked"), count("refused")), (0, 0), "{events:?}");
    assert_eq!(count("stored") + count("stopped"), SLOTS, "{events:?}");
    stored += u32::try_from(count("stored")).unwrap();
    assert_eq!(end, (RunState::Cancelled, stored));
    assert_eq!(case.ended(id), end);
}

pub(super) fn a_run_that_is_cancelled_at_its_end_is_complete(case: &Case) {
    let order = Order {
        document: SLOW,
        ..Order::of(5)
    };
    let id = case.begin(order);
    let mut worker = case.worker();
    worker.serve(5);
    assert_eq!(worker.until("aggregating").0, id);
    cancel(case, id);
    worker.is_quiet(case.lease);
    worker.release(id);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    assert_eq!(worker.stop(), []);
}

/// The runs of shards in the order of their first calls.
fn starts(asked: &[Call]) -> Vec<ScanId> {
    let first = asked.iter().filter(|(_, call)| call % CALLS == 0);
    first.map(|(run, _)| *run).collect()
}

/// Serves both runs until all calls of `small` are stored.
/// Returns the runs of the shards in the order of their starts.
fn served(worker: &mut Process, small: ScanId, calls: usize) -> Vec<ScanId> {
    let (mut asked, mut stored) = (Vec::new(), 0);
    while stored < calls {
        let (more, kept) = worker.serve(1);
        asked.extend(more);
        stored += kept.iter().filter(|(run, _)| *run == small).count();
    }
    starts(&asked)
}

pub(super) fn a_small_run_waits_for_no_large_one(case: &Case) {
    let of = |tenant, calls| Order {
        tenant,
        ..Order::of(calls)
    };
    let large = case.begin(of("large", 40 * CALLS));
    let small = case.begin(of("small", 4 * CALLS));
    let mut worker = case.worker();
    let starts = served(&mut worker, small, 20);
    let of_small = starts.iter().take(TURN).filter(|run| **run == small);
    assert_eq!(of_small.count(), 4, "{starts:?}");
    cancel(case, large);
    assert_eq!(case.ended(large).0, RunState::Cancelled);
    assert_eq!(case.ended(small), (RunState::Complete, 20));
    worker.stop();
}

pub(super) fn an_urgent_run_overtakes_and_the_other_ends(case: &Case) {
    let of = |priority, calls| Order {
        priority,
        ..Order::of(calls)
    };
    let slow = case.begin(of(5, 30 * CALLS));
    let urgent = case.begin(of(1, 2 * CALLS));
    let mut worker = case.worker();
    let starts = served(&mut worker, urgent, 10);
    let of_urgent = starts.iter().take(TURN).filter(|run| **run == urgent);
    assert_eq!(of_urgent.count(), 2, "{starts:?}");
    while case.view(slow).stored < 30 * CALLS {
        worker.serve(1);
    }
    assert_eq!(case.ended(slow), (RunState::Complete, 30 * CALLS));
    assert_eq!(case.ended(urgent), (RunState::Complete, 10));
    worker.stop();
}

pub(super) fn no_text_of_a_caller_reaches_the_engine(case: &Case) {
    let secret = SealedSecret {
        kek: CANARY.to_owned(),
        ciphertext: CANARY.into(),
        expires: i64::MAX,
    };
    let order = Order {
        tenant: CANARY,
        document: CANARY.as_bytes(),
        secret: Some(&secret),
        ..Order::of(5)
    };
    let id = case.begin(order);
    let mut worker = case.worker();
    worker.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    worker.stop();
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds(&std::fs::read(&case.log).unwrap(), CANARY));
    if let Some(server) = case.server {
        let kept: Vec<Vec<u8>> = (server.files)()
            .iter()
            .map(|file| std::fs::read(file).unwrap())
            .collect();
        assert!(kept.iter().any(|bytes| holds(bytes, &id.to_string())));
        assert!(kept.iter().all(|bytes| !holds(bytes, CANARY)));
    }
}

//! Conformance of durable runs.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::new_scan;
use super::payments::NOW;
use crate::{
    BegunStep, CancelOutcome, ClaimedStep, HeldStep, NewDurableRun, NewScan, Origin, RunResult, RunStep,
    RunSubject, SealedSecret, StepRoom, Store, StoreError, WorkerId,
};
use ibid_model::{RunState, ScanId};

/// Runs the suite.
/// Each case ends its runs, because claims see all of them; the last leaves rows for tests of copies.
pub(crate) fn run(store: &Store) {
    a_run_goes_from_plan_to_result(store);
    a_lost_step_is_refused(store);
    a_held_step_cannot_be_begun(store);
    freed_steps_can_be_claimed_at_once(store);
    attempts_count_only_without_progress(store);
    a_suspect_step_is_claimed_alone(store);
    tenants_take_turns_and_priority_counts(store);
    room_is_kept_for_tenants_without_a_shard(store);
    steps_without_calls_need_no_room_for_shards(store);
    a_cancelled_run_ends_once(store);
    a_run_that_has_not_begun_ends_in_its_cancellation(store);
    each_step_is_claimed_once(store);
    leaves_a_run_under_way(store);
}

pub(super) fn open(store: &Store, tenant: &str, priority: u8, created_at: i64) -> ScanId {
    let secret = SealedSecret {
        kek: "k1".to_owned(),
        ciphertext: vec![7; 40],
        expires: NOW + 500,
    };
    let id = ScanId::random();
    let run = NewDurableRun {
        id,
        tenant,
        priority,
        document: b"{}",
        plan: Some(b"plan"),
        calls: 2,
        created_at,
        secret: Some(&secret),
        subject: &RunSubject::default(),
    };
    store.open_run(&run).unwrap();
    assert!(matches!(store.open_run(&run), Err(StoreError::Exists)));
    id
}

fn claim(store: &Store, worker: WorkerId, now: i64) -> Option<ClaimedStep> {
    store
        .claim_steps(worker, now + 100, now, StepRoom::of_any(1))
        .unwrap()
        .pop()
}

/// Claims the plan of a started run, and queues so many shards.
fn plan(store: &Store, run: ScanId, shards: u32) {
    assert!(store.start_run(run).unwrap());
    let planned = claim(store, WorkerId::random(), NOW).unwrap().held;
    assert_eq!((planned.run, planned.step), (run, RunStep::Plan));
    store.finish_plan(planned, shards).unwrap();
}

/// Ends every open run.
pub(super) fn end_all(store: &Store) {
    let worker = WorkerId::random();
    while let Some(claimed) = claim(store, worker, NOW + 9_000) {
        let end = (RunState::Failed, Some("test"));
        store
            .end_durable_run(claimed.held, end, None, &[], NOW + 9_000)
            .unwrap();
    }
}

fn a_run_goes_from_plan_to_result(store: &Store) {
    let (worker, id) = (WorkerId::random(), open(store, "api", 3, NOW));
    let view = |id| store.durable_run(id).unwrap().unwrap();
    assert_eq!(view(id).state, RunState::Queued);
    assert_eq!(claim(store, worker, NOW), None);
    assert_eq!(store.unstarted_runs(NOW, 10).unwrap(), []);
    assert_eq!(store.unstarted_runs(NOW + 1, 10).unwrap(), [id]);
    assert_eq!(store.run_plan(id).unwrap().unwrap(), b"plan");
    plan(store, id, 2);
    assert!(!store.start_run(id).unwrap());
    assert_eq!(store.unstarted_runs(NOW + 1, 10).unwrap(), []);
    assert_eq!(view(id).state, RunState::Running);
    for (call, shard) in [0, 1].map(|number| (number, RunStep::Shard(number))) {
        let held = claim(store, worker, NOW).unwrap().held;
        assert_eq!((held.run, held.step), (id, shard));
        store.keep_run_plan(held, b"another plan", 9).unwrap();
        store.put_call(held, call, b"first").unwrap();
        // A call is stored once.
        store.put_call(held, call, b"second").unwrap();
        assert_eq!(view(id).stored, call + 1);
        store.finish_shard(held).unwrap();
        assert!(matches!(store.finish_shard(held), Err(StoreError::Lost)));
    }
    let calls = store.calls(id, 1, 2).unwrap();
    assert_eq!((calls.len(), calls[0].call), (1, 1));
    assert_eq!(calls[0].outcome, b"first");
    // A stored plan stays.
    assert_eq!(store.run_plan(id).unwrap().unwrap(), b"plan");
    assert_eq!(view(id).calls, 2);
    assert_eq!(store.run_secret(id, NOW).unwrap().unwrap().kek, "k1");
    assert!(store.run_secret(id, NOW + 500).unwrap().is_none());
    let last = claim(store, worker, NOW).unwrap().held;
    assert_eq!(last.step, RunStep::Aggregate);
    let scan = NewScan {
        id,
        ..new_scan(Origin::V1, b"{}", None)
    };
    let end = (RunState::Complete, None);
    let listener = super::webhooks::subscribe(store, "api", &["run.completed"]);
    let notices = ["run.completed", "run.failed"].map(|event| super::webhooks::event("api", event, "run"));
    store
        .end_durable_run(last, end, Some(RunResult::Scan(&scan)), &notices, NOW + 5)
        .unwrap();
    assert!(matches!(
        store.end_durable_run(last, end, None, &[], NOW + 6),
        Err(StoreError::Lost)
    ));
    let told = store.deliveries(listener, None, 9).unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].event.as_str(), told[0].created_at),
        ("run.completed", NOW + 5)
    );
    let ended = view(id);
    assert_eq!(
        (ended.state, ended.ended_at, ended.stored),
        (end.0, Some(NOW + 5), 2)
    );
    assert_eq!(store.scan(id).unwrap().unwrap().reply, b"{}");
    assert!(store.run_secret(id, NOW).unwrap().is_none());
    assert!(store.run_plan(id).unwrap().is_none());
    // A start after the end has no effect.
    assert!(!store.start_run(id).unwrap());
    assert_eq!(claim(store, worker, NOW + 1_000), None);
}

fn a_lost_step_is_refused(store: &Store) {
    let [paused, other] = [(); 2].map(|()| WorkerId::random());
    let id = open(store, "api", 3, NOW);
    plan(store, id, 1);
    let first = claim(store, paused, NOW).unwrap().held;
    assert_eq!(claim(store, other, NOW + 99), None);
    assert_eq!(store.renew_steps(&[first], NOW + 200).unwrap(), [(first, false)]);
    assert_eq!(claim(store, other, NOW + 199), None);
    let second = claim(store, other, NOW + 200).unwrap().held;
    assert_eq!((second.step, second.epoch), (first.step, first.epoch + 1));
    assert_eq!(store.renew_steps(&[first], NOW + 900).unwrap(), []);
    let refused = |result: Result<(), StoreError>| assert!(matches!(result, Err(StoreError::Lost)));
    refused(store.put_call(first, 0, b"late").map(drop));
    refused(store.finish_shard(first));
    refused(store.return_step(first, NOW, true));
    refused(store.end_durable_run(first, (RunState::Failed, None), None, &[], NOW));
    store.put_call(second, 0, b"in time").unwrap();
    assert_eq!(store.calls(id, 0, 9).unwrap()[0].outcome, b"in time");
    end_all(store);
}

fn a_held_step_cannot_be_begun(store: &Store) {
    let [holder, other] = [(); 2].map(|()| WorkerId::random());
    let id = open(store, "api", 3, NOW);
    plan(store, id, 1);
    let begin = |worker, now| {
        let begun = store.begin_step(worker, id, RunStep::Shard(0), now + 100, now);
        begun.unwrap()
    };
    let claimed = |begun| match begun {
        BegunStep::Claimed(claimed) => (claimed.held, claimed.attempts),
        begun => unreachable!("{begun:?}"),
    };
    let (first, attempts) = claimed(begin(holder, NOW));
    assert_eq!((first.step, attempts), (RunStep::Shard(0), 1));
    store.renew_steps(&[first], NOW + 150).unwrap();
    for worker in [holder, other] {
        assert_eq!(begin(worker, NOW + 149), BegunStep::Held(NOW + 150));
    }
    assert!(!store.put_call(first, 0, b"answer").unwrap());
    let (second, attempts) = claimed(begin(other, NOW + 150));
    // Refused claims were no attempts, and the stored call is progress.
    assert_eq!((second.epoch, attempts), (first.epoch + 1, 1));
    assert!(matches!(store.put_call(first, 1, b"late"), Err(StoreError::Lost)));
    store.return_step(second, NOW + 151, true).unwrap();
    let (third, attempts) = claimed(begin(holder, NOW + 151));
    assert_eq!(attempts, 2);
    store.finish_shard(third).unwrap();
    assert_eq!(begin(other, NOW + 152), BegunStep::Done);
    end_all(store);
}

fn freed_steps_can_be_claimed_at_once(store: &Store) {
    let [ended, next] = [(); 2].map(|()| WorkerId::random());
    let id = open(store, "api", 3, NOW);
    plan(store, id, 2);
    let held = [(); 2].map(|()| claim(store, ended, NOW).unwrap().held);
    assert_eq!(claim(store, next, NOW + 1), None);
    assert_eq!(store.free_steps().unwrap(), 2);
    assert_eq!(store.free_steps().unwrap(), 0);
    assert!(matches!(
        store.put_call(held[0], 0, b"late"),
        Err(StoreError::Lost)
    ));
    for _ in held {
        let again = claim(store, next, NOW + 1).unwrap();
        assert_eq!((again.held.epoch, again.attempts), (2, 1));
    }
    end_all(store);
}

fn attempts_count_only_without_progress(store: &Store) {
    let id = open(store, "api", 3, NOW);
    plan(store, id, 1);
    let mut now = NOW;
    let mut lost = |(begins, stores): (bool, Option<u32>)| {
        let worker = WorkerId::random();
        let claimed = claim(store, worker, now).unwrap();
        if begins {
            store.begin_calls(claimed.held).unwrap();
        }
        // The holder itself is not given it again.
        assert_eq!(claim(store, worker, now + 100), None);
        if let Some(call) = stores {
            store.put_call(claimed.held, call, b"{}").unwrap();
        }
        now += 100;
        claimed.attempts
    };
    assert_eq!(
        [
            (false, None),
            (false, None),
            (true, None),
            (true, None),
            (true, Some(0)),
            (true, Some(1)),
            (true, None),
            (false, None),
            (true, None)
        ]
        .map(&mut lost),
        [1, 1, 1, 2, 3, 1, 1, 2, 2]
    );
    let worker = WorkerId::random();
    // A step given back at a graceful stop loses no attempt, and waits for the given time.
    let held = claim(store, worker, now).unwrap().held;
    store.begin_calls(held).unwrap();
    store.return_step(held, now + 10, false).unwrap();
    assert_eq!(claim(store, worker, now), None);
    let again = claim(store, worker, now + 10).unwrap();
    assert_eq!(again.attempts, 3);
    store.return_step(again.held, now + 20, true).unwrap();
    assert_eq!(claim(store, worker, now + 20).unwrap().attempts, 4);
    end_all(store);
}

fn a_suspect_step_is_claimed_alone(store: &Store) {
    let suspect = open(store, "api", 3, NOW);
    plan(store, suspect, 1);
    for turn in 0..2 {
        let held = claim(store, WorkerId::random(), NOW + turn * 100).unwrap().held;
        store.begin_calls(held).unwrap();
    }
    let healthy = open(store, "api", 3, NOW + 1);
    plan(store, healthy, 1);
    let (worker, now) = (WorkerId::random(), NOW + 200);
    let claims = |suspect, proven, idle| {
        let room = StepRoom {
            suspect,
            proven,
            idle,
            ..StepRoom::of_any(9)
        };
        let claimed = store.claim_steps(worker, now, now, room).unwrap();
        let runs: Vec<_> = claimed.iter().map(|claimed| claimed.held.run).collect();
        for claimed in claimed {
            store.return_step(claimed.held, now, false).unwrap();
        }
        runs
    };
    assert_eq!(claims(2, true, false), []);
    assert_eq!(claims(2, true, true), [suspect]);
    assert_eq!(claims(2, false, true), [healthy]);
    assert_eq!(claims(3, true, false), [suspect, healthy]);
    end_all(store);
}

fn tenants_take_turns_and_priority_counts(store: &Store) {
    let worker = WorkerId::random();
    let large = open(store, "large", 3, NOW);
    let small = open(store, "small", 3, NOW + 50);
    for run in [large, small] {
        assert!(store.start_run(run).unwrap());
    }
    let planned = [large, small].map(|run| {
        let held = claim(store, worker, NOW).unwrap().held;
        assert_eq!((held.run, held.step), (run, RunStep::Plan));
        held
    });
    store.finish_plan(planned[0], 40).unwrap();
    store.finish_plan(planned[1], 4).unwrap();
    let next = || claim(store, worker, NOW).unwrap().held;
    let order: Vec<ScanId> = (0..16).map(|_| next().run).collect();
    assert_eq!(order.iter().filter(|run| **run == small).count(), 4, "{order:?}");
    let urgent = open(store, "large", 1, NOW + 60);
    assert!(store.start_run(urgent).unwrap());
    assert_eq!(next().run, urgent);
    end_all(store);
}

fn room_is_kept_for_tenants_without_a_shard(store: &Store) {
    let worker = WorkerId::random();
    // The youngest is planned first, so that no shard comes before a plan.
    for (tenant, age) in [("late", 0), ("small", 10), ("large", 20)] {
        plan(store, open(store, tenant, 3, NOW - age), 4);
    }
    let claim = |steps, shards, kept| {
        let room = StepRoom {
            steps,
            shards,
            kept,
            ..StepRoom::of_any(0)
        };
        let claimed = store.claim_steps(worker, NOW + 100, NOW, room).unwrap();
        claimed.len()
    };
    assert_eq!((claim(0, 9, 0), claim(9, 0, 0)), (0, 0));
    // Each of the three tenants gets one, and only what is not kept is for those that have one.
    assert_eq!([claim(9, 2, 2), claim(9, 9, 9), claim(9, 9, 9)], [2, 1, 0]);
    assert_eq!([claim(9, 5, 3), claim(1, 9, 0)], [2, 1]);
    end_all(store);
}

fn steps_without_calls_need_no_room_for_shards(store: &Store) {
    let worker = WorkerId::random();
    // The youngest is planned first, so that no other step comes before a plan.
    let [ending, cancelled, busy] = [(0, 0), (10, 2), (20, 40)].map(|(age, shards)| {
        let run = open(store, "one", 3, NOW - age);
        plan(store, run, shards);
        run
    });
    let planned = open(store, "other", 3, NOW);
    assert!(store.start_run(planned).unwrap());
    store.cancel_run(cancelled).unwrap();
    let room = StepRoom {
        steps: 16,
        shards: 0,
        kept: 0,
        ..StepRoom::of_any(0)
    };
    let claimed = store.claim_steps(worker, NOW + 100, NOW, room).unwrap();
    let of = |run| {
        let steps = claimed.iter().filter(|step| step.held.run == run);
        steps
            .map(|step| (step.held.step, step.cancelled))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(busy), []);
    assert_eq!(of(ending), [(RunStep::Aggregate, false)]);
    assert_eq!(of(planned), [(RunStep::Plan, false)]);
    let shards = [0, 1].map(|number| (RunStep::Shard(number), true));
    assert_eq!(of(cancelled), shards);
    // A step that is queued after the cancellation is no shard with calls, either.
    for step in claimed.iter().filter(|step| step.held.run == cancelled) {
        store.finish_shard(step.held).unwrap();
    }
    let last = store.claim_steps(worker, NOW + 100, NOW, room).unwrap();
    assert_eq!(
        (last.len(), last[0].held.run, last[0].held.step),
        (1, cancelled, RunStep::Aggregate)
    );
    end_all(store);
}

fn a_cancelled_run_ends_once(store: &Store) {
    let worker = WorkerId::random();
    let id = open(store, "api", 3, NOW);
    assert_eq!(
        store.cancel_run(ScanId::random()).unwrap(),
        CancelOutcome::Unknown
    );
    plan(store, id, 2);
    let asking = claim(store, worker, NOW).unwrap();
    let waiting = claim(store, worker, NOW).unwrap();
    store.return_step(waiting.held, NOW + 5_000, true).unwrap();
    assert!(!asking.cancelled);
    for _ in 0..2 {
        assert_eq!(store.cancel_run(id).unwrap(), CancelOutcome::Cancelled);
    }
    assert_eq!(
        store
            .renew_steps(&[asking.held, waiting.held], NOW + 100)
            .unwrap(),
        [(asking.held, true)]
    );
    // A late answer is stored, and its worker learns of the cancellation.
    assert!(store.put_call(asking.held, 0, b"answer").unwrap());
    let rest = claim(store, worker, NOW).unwrap();
    assert!(rest.cancelled);
    store.finish_shard(rest.held).unwrap();
    store.finish_shard(asking.held).unwrap();
    let last = claim(store, worker, NOW).unwrap().held;
    let end = (RunState::Cancelled, None);
    store.end_durable_run(last, end, None, &[], NOW).unwrap();
    assert_eq!(store.cancel_run(id).unwrap(), CancelOutcome::Ended);
    assert!(store.durable_run(id).unwrap().unwrap().cancelled);
}

fn a_run_that_has_not_begun_ends_in_its_cancellation(store: &Store) {
    let listener = super::webhooks::subscribe(store, "early", &["run.cancelled"]);
    let notice = [super::webhooks::event("early", "run.cancelled", "run")];
    let [waits, unstarted, begun] = [2, 1, 3].map(|order| open(store, "early", 3, NOW + order));
    assert!(store.start_run(waits).unwrap() && store.start_run(begun).unwrap());
    let listed = |tenant| {
        let open = store.open_durable_runs(tenant, 9).unwrap();
        open.into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(Some("early")), [unstarted, waits, begun]);
    assert_eq!(listed(None), listed(Some("early")));
    assert_eq!(listed(Some("other")), []);
    assert_eq!(store.open_durable_runs(None, 1).unwrap().len(), 1);
    assert!(store.end_queued_run(waits, "stopped", &notice, NOW + 5).unwrap());
    assert!(store.end_queued_run(unstarted, "stopped", &[], NOW + 5).unwrap());
    for run in [waits, unstarted] {
        let view = store.durable_run(run).unwrap().unwrap();
        assert_eq!(
            (view.state, view.cancelled, view.ended_at),
            (RunState::Cancelled, true, Some(NOW + 5))
        );
        assert!(store.run_secret(run, NOW).unwrap().is_none());
        assert!(!store.start_run(run).unwrap());
    }
    assert_eq!(store.deliveries(listener, None, 9).unwrap().len(), 1);
    assert_eq!(claim(store, WorkerId::random(), NOW).unwrap().held.run, begun);
    for run in [waits, begun, ScanId::random()] {
        assert!(!store.end_queued_run(run, "stopped", &notice, NOW + 6).unwrap());
    }
    assert_eq!(store.deliveries(listener, None, 9).unwrap().len(), 1);
    end_all(store);
}

fn each_step_is_claimed_once(store: &Store) {
    let id = open(store, "crowd", 3, NOW);
    plan(store, id, 40);
    let mut claimed: Vec<HeldStep> = std::thread::scope(|scope| {
        let work = |_| {
            scope.spawn(|| {
                let (worker, mut held) = (WorkerId::random(), Vec::new());
                // One of several claimers may get no step although work exists.
                while let Some(claimed) = claim(store, worker, NOW) {
                    held.push(claimed.held);
                }
                held
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    while let Some(rest) = claim(store, WorkerId::random(), NOW) {
        claimed.push(rest.held);
    }
    let mut shards: Vec<RunStep> = claimed.iter().map(|held| held.step).collect();
    shards.sort_by_key(|step| match step {
        RunStep::Plan | RunStep::Aggregate => u32::MAX,
        RunStep::Shard(number) => *number,
    });
    assert_eq!(shards, (0..40).map(RunStep::Shard).collect::<Vec<_>>());
    assert!(claimed.iter().all(|held| held.run == id && held.epoch == 1));
    // All shards end at once: exactly one aggregate step follows.
    std::thread::scope(|scope| {
        for part in claimed.chunks(10) {
            scope.spawn(move || {
                for held in part {
                    store.finish_shard(*held).unwrap();
                }
            });
        }
    });
    let last = claim(store, WorkerId::random(), NOW).unwrap().held;
    assert_eq!(last.step, RunStep::Aggregate);
    end_all(store);
}

fn leaves_a_run_under_way(store: &Store) {
    let id = open(store, "left", 3, NOW);
    plan(store, id, 2);
    let held = claim(store, WorkerId::random(), NOW).unwrap().held;
    store.put_call(held, 0, b"answer").unwrap();
    let left = store.durable_run(id).unwrap().unwrap();
    assert_eq!((left.state, left.stored), (RunState::Running, 1));
}

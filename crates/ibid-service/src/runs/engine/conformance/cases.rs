//! The cases of crashes: processes that are killed, paused, poisoned or stopped.

use super::case::{Case, Order};
use super::process::Call;
use super::{ATTEMPTS, EngineServer, SLOTS};
use ibid_model::RunState;
use std::collections::HashSet;

pub(super) fn a_run_that_is_started_twice_is_done_once(case: &Case) {
    let id = case.open(Order::of(5));
    let mut worker = case.worker();
    for _ in 0..2 {
        worker.start_run(id);
    }
    let (mut asked, _) = worker.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    // After its end, and before another run that the same engine does.
    worker.start_run(id);
    let next = case.open(Order::of(5));
    worker.start_run(next);
    asked.extend(worker.serve(5).0);
    assert_eq!(case.ended(next), (RunState::Complete, 5));
    let runs = [id, next].into_iter();
    let wanted: Vec<Call> = runs.flat_map(|run| (0..5).map(move |call| (run, call))).collect();
    assert_eq!(asked, wanted);
    let rest = worker.stop();
    assert!(rest.iter().all(|event| event.name == "started"), "{rest:?}");
}

pub(super) fn a_run_whose_process_ended_before_its_start_is_done(case: &Case) {
    let id = case.open(Order::of(5));
    let mut worker = case.worker();
    worker.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    worker.stop();
}

pub(super) fn a_killed_worker_repeats_no_stored_call(case: &Case) {
    let id = case.begin(Order::of(20));
    let mut first = case.worker();
    let (mut asked, mut stored) = first.serve(7);
    for event in first.kill() {
        match event.name.as_str() {
            "asked" => asked.push(event.call),
            name => {
                assert_eq!(name, "stored");
                stored.insert(event.call);
            }
        }
    }
    // The process may have ended between a write and its report.
    let kept: HashSet<Call> = case
        .store
        .calls(id, 0, 20)
        .unwrap()
        .iter()
        .map(|call| (id, call.call))
        .collect();
    assert!(stored.is_subset(&kept) && kept.len() < 20);
    let mut second = case.worker();
    let (again, _) = second.serve(20 - kept.len());
    assert!(again.iter().all(|call| !kept.contains(call)));
    let repeated = again.iter().filter(|call| asked.contains(call)).count();
    assert!(repeated <= SLOTS, "{repeated} calls were in flight");
    assert_eq!(case.ended(id), (RunState::Complete, 20));
    second.stop();
}

pub(super) fn work_goes_on_after_everything_was_killed(case: &Case) {
    let runs = [(); 2].map(|()| case.begin(Order::of(10)));
    // Four shards for three slots in each process: each process gets at least one.
    let mut workers = [(); 2].map(|()| case.worker());
    for worker in &mut workers {
        worker.serve(2);
    }
    for worker in workers {
        worker.kill();
    }
    if let Some(server) = case.server {
        (server.kill)();
        (server.start)();
    }
    let kept: HashSet<Call> = runs
        .iter()
        .flat_map(|run| {
            let calls = case.store.calls(*run, 0, 10).unwrap();
            calls.into_iter().map(|call| (*run, call.call))
        })
        .collect();
    let mut worker = case.worker();
    let (again, _) = worker.serve(20 - kept.len());
    assert!(again.iter().all(|call| !kept.contains(call)));
    for run in runs {
        assert_eq!(case.ended(run), (RunState::Complete, 10));
    }
    worker.stop();
}

pub(super) fn a_paused_worker_is_refused(case: &Case) {
    let id = case.begin(Order::of(5));
    let mut paused = case.worker();
    let call = paused.until("asked");
    paused.signal("-STOP");
    let mut other = case.worker();
    // The other worker gets the shard at the end of the lease.
    assert_eq!(other.until("asked"), call);
    paused.answer(call);
    paused.signal("-CONT");
    let late = paused.next().unwrap();
    assert!(
        late.call == call && ["refused", "stopped"].contains(&late.name.as_str()),
        "{late:?}"
    );
    assert_eq!(case.view(id).stored, 0);
    other.answer(call);
    other.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    assert_eq!(paused.stop(), []);
    other.stop();
}

pub(super) fn a_busy_worker_keeps_its_steps(case: &Case) {
    let id = case.begin(Order::of(5));
    let mut busy = case.worker();
    let call = busy.until("asked");
    let idle = case.worker();
    // The idle worker has three lease times to take the step over.
    idle.is_quiet(3 * case.lease);
    busy.answer(call);
    busy.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    assert_eq!(idle.kill(), []);
    busy.stop();
}

pub(super) fn a_shard_that_ends_its_process_fails_after_its_attempts(case: &Case) {
    let id = case.begin(Order::of(5));
    for _ in 0..=ATTEMPTS {
        let worker = case.worker();
        assert_eq!(worker.until("asked"), (id, 0));
        worker.kill();
    }
    let worker = case.worker();
    let end = case.over(id);
    assert_eq!(
        (end.state, end.error.as_deref()),
        (RunState::Failed, Some("worker_lost"))
    );
    worker.stop();
}

pub(super) fn a_graceful_stop_gives_steps_back(case: &Case) {
    let id = case.begin(Order::of(5));
    for _ in 0..=ATTEMPTS {
        let worker = case.worker();
        worker.until("asked");
        worker.stop();
    }
    let mut worker = case.worker();
    worker.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    worker.stop();
}

pub(super) fn an_engine_that_cannot_be_reached_refuses_no_run(case: &Case, server: EngineServer) {
    (server.kill)();
    let id = case.open(Order::of(5));
    let mut worker = case.worker();
    worker.start_run(id);
    assert_eq!(worker.until("started").0, id);
    (server.start)();
    worker.serve(5);
    assert_eq!(case.ended(id), (RunState::Complete, 5));
    worker.stop();
}

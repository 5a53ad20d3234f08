//! The cases, and the process that answers calls.

use super::{ATTEMPTS, Engine};
use ibid_model::ScanId;
use ibid_store::{DurableRunState, DurableRunView, NewDurableRun, RunSubject, Store};
use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A worker process.
struct Worker {
    child: Child,
    /// `None` once its input is closed.
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(address: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["worker", address])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
        }
    }

    /// The next event and the number of its call; `None` once the process has ended.
    fn next(&mut self) -> Option<(String, u32)> {
        let line = self.output.next()?.unwrap();
        let (event, call) = line.split_once(' ').unwrap();
        Some((event.to_owned(), call.parse().unwrap()))
    }

    /// Waits for an event, and returns its call.
    fn until(&mut self, wanted: &str) -> u32 {
        loop {
            let (event, call) = self.next().unwrap();
            if event == wanted {
                return call;
            }
        }
    }

    fn answer(&mut self, call: u32) {
        writeln!(self.input.as_mut().unwrap(), "{call}").unwrap();
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Answers calls until so many are stored, and returns the calls that were asked and those that were stored.
    fn serve(&mut self, stored: usize) -> (Vec<u32>, HashSet<u32>) {
        let (mut asked, mut kept) = (Vec::new(), HashSet::new());
        while kept.len() < stored {
            match self.next().unwrap() {
                (event, call) if event == "asked" => {
                    asked.push(call);
                    self.answer(call);
                }
                (event, call) => {
                    assert_eq!(event, "stored");
                    kept.insert(call);
                }
            }
        }
        (asked, kept)
    }

    /// Kills the process and returns the calls that it had asked and stored without being read.
    fn kill(mut self) -> Vec<(String, u32)> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.next()).collect()
    }

    /// Stops the process gracefully.
    fn stop(mut self) {
        self.input = None;
        while self.next().is_some() {}
        assert!(self.child.wait().unwrap().success());
    }
}

struct Case {
    address: String,
    store: Arc<dyn Store>,
    lease: Duration,
}

impl Case {
    /// Stores a run without starting it.
    fn open(&self, calls: u32) -> ScanId {
        let id = ScanId::random();
        let run = NewDurableRun {
            id,
            tenant: "api",
            priority: 3,
            document: b"{}",
            calls,
            created_at: 1,
            secret: None,
            subject: &RunSubject::default(),
        };
        self.store.open_run(&run).unwrap();
        id
    }

    fn begin(&self, calls: u32) -> ScanId {
        let id = self.open(calls);
        self.store.start_run(id).unwrap();
        id
    }

    fn view(&self, id: ScanId) -> DurableRunView {
        self.store.durable_run(id).unwrap().unwrap()
    }

    /// Waits for the end of a run.
    fn ended(&self, id: ScanId) -> (DurableRunState, u32) {
        let limit = Instant::now() + 60 * self.lease;
        loop {
            let view = self.view(id);
            if let (Some(_), Some(stored)) = (view.ended_at, view.error) {
                return (view.state, stored.parse().unwrap());
            }
            assert!(Instant::now() < limit, "the run does not end");
            std::thread::yield_now();
        }
    }

    fn worker(&self) -> Worker {
        Worker::start(&self.address)
    }
}

pub(super) fn run(engine: &Engine, address: &str) {
    let case = Case {
        lease: engine.lease,
        address: address.to_owned(),
        store: ibid_store::open(&address.parse().unwrap()).unwrap(),
    };
    let database = address.split(':').next().unwrap();
    macro_rules! play {
        ($($case:ident),* $(,)?) => {$(
            $case(&case);
            println!("test {database}::{} ... ok", stringify!($case));
        )*};
    }
    play![
        a_killed_worker_repeats_no_stored_call,
        a_run_whose_process_ended_before_its_start_is_done,
        a_paused_worker_is_refused,
        a_busy_worker_keeps_its_steps,
        a_shard_that_ends_its_process_fails_after_its_attempts,
        a_cancelled_run_keeps_its_answers,
        a_graceful_stop_gives_steps_back,
    ];
}

fn a_killed_worker_repeats_no_stored_call(case: &Case) {
    let id = case.begin(20);
    let mut first = case.worker();
    let (mut asked, mut stored) = first.serve(7);
    for (event, call) in first.kill() {
        match event.as_str() {
            "asked" => asked.push(call),
            event => {
                assert_eq!(event, "stored");
                stored.insert(call);
            }
        }
    }
    // The process may have ended between a write and its report.
    let kept = case.store.calls(id, 0, 20).unwrap();
    let kept: HashSet<u32> = kept.iter().map(|call| call.call).collect();
    assert!(stored.is_subset(&kept) && kept.len() < 20);
    let mut second = case.worker();
    let (again, _) = second.serve(20 - kept.len());
    assert!(again.iter().all(|call| !kept.contains(call)));
    let repeated = again.iter().filter(|call| asked.contains(call)).count();
    assert!(repeated <= 3, "{repeated} calls were in flight");
    assert_eq!(case.ended(id), (DurableRunState::Complete, 20));
    // A start after the end does nothing.
    assert!(!case.store.start_run(id).unwrap());
    second.stop();
}

fn a_run_whose_process_ended_before_its_start_is_done(case: &Case) {
    let id = case.open(5);
    let mut worker = case.worker();
    worker.serve(5);
    assert_eq!(case.ended(id), (DurableRunState::Complete, 5));
    worker.stop();
}

fn a_paused_worker_is_refused(case: &Case) {
    let id = case.begin(5);
    let mut paused = case.worker();
    let call = paused.until("asked");
    paused.signal("-STOP");
    let mut other = case.worker();
    // The other worker gets the shard once the lease has ended.
    assert_eq!(other.until("asked"), call);
    paused.answer(call);
    paused.signal("-CONT");
    let (event, late) = paused.next().unwrap();
    assert!(
        late == call && ["refused", "stopped"].contains(&event.as_str()),
        "{event}"
    );
    assert_eq!(case.view(id).stored, 0);
    other.answer(call);
    other.serve(5);
    assert_eq!(case.ended(id), (DurableRunState::Complete, 5));
    paused.stop();
    other.stop();
}

fn a_busy_worker_keeps_its_steps(case: &Case) {
    let id = case.begin(5);
    let mut busy = case.worker();
    let call = busy.until("asked");
    let idle = case.worker();
    // The idle worker has three lease times to take the step over.
    let limit = Instant::now() + 3 * case.lease;
    while Instant::now() < limit {
        std::thread::yield_now();
    }
    busy.answer(call);
    busy.serve(5);
    assert_eq!(case.ended(id), (DurableRunState::Complete, 5));
    let events = idle.kill();
    assert!(events.is_empty(), "{events:?}");
    busy.stop();
}

fn a_shard_that_ends_its_process_fails_after_its_attempts(case: &Case) {
    let id = case.begin(5);
    for _ in 0..ATTEMPTS {
        let mut worker = case.worker();
        assert_eq!(worker.until("asked"), 0);
        worker.kill();
    }
    let worker = case.worker();
    assert_eq!(case.ended(id), (DurableRunState::Partial, 0));
    worker.stop();
}

fn a_cancelled_run_keeps_its_answers(case: &Case) {
    let id = case.begin(5);
    let mut worker = case.worker();
    let call = worker.until("asked");
    worker.answer(call);
    assert_eq!(worker.until("stored"), call);
    worker.until("asked");
    for _ in 0..2 {
        case.store.cancel_run(id).unwrap();
    }
    worker.until("stopped");
    assert_eq!(case.ended(id), (DurableRunState::Cancelled, 1));
    let waiting = case.open(5);
    case.store.cancel_run(waiting).unwrap();
    assert_eq!(case.ended(waiting), (DurableRunState::Cancelled, 0));
    worker.stop();
}

fn a_graceful_stop_gives_steps_back(case: &Case) {
    let id = case.begin(5);
    for _ in 0..=ATTEMPTS {
        let mut worker = case.worker();
        worker.until("asked");
        worker.stop();
    }
    let mut worker = case.worker();
    worker.serve(5);
    assert_eq!(case.ended(id), (DurableRunState::Complete, 5));
    worker.stop();
}

//! A worker process, as the test sees it.

use super::worker::LAST;
use ibid_model::ScanId;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel};
use std::time::Duration;

/// The longest time that a case waits for an event.
pub(super) const LIMIT: Duration = Duration::from_secs(90);

/// A call of a run.
pub(super) type Call = (ScanId, u32);

/// A report of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) call: Call,
}

/// A worker process.
/// A thread reads its reports, so a wait for them can time out.
pub(super) struct Process {
    child: Child,
    /// `None` once its input is closed.
    input: Option<ChildStdin>,
    events: Receiver<Event>,
}

impl Process {
    /// Starts a worker on a store.
    /// The sender gets a note of each report.
    pub(super) fn start(address: &str, log: File, told: SyncSender<()>) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["worker", address])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let (sender, events) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                let line = line.unwrap();
                let mut words = line.split(' ');
                let mut word = || words.next().unwrap();
                let (name, call, run) = (word().to_owned(), word(), word());
                let call = (run.parse().unwrap(), call.parse().unwrap());
                // A test that has ended reads no more.
                let _ = sender.send(Event { name, call });
                let _ = told.try_send(());
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            events,
        }
    }

    /// The next event; `None` once the process has ended.
    pub(super) fn next(&self) -> Option<Event> {
        match self.events.recv_timeout(LIMIT) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => unreachable!("the worker reports nothing"),
        }
    }

    /// Waits for an event, and returns its call.
    pub(super) fn until(&self, wanted: &str) -> Call {
        loop {
            let event = self.next().unwrap();
            if event.name == wanted {
                return event.call;
            }
        }
    }

    /// Checks that no report arrives within `time`.
    pub(super) fn is_quiet(&self, time: Duration) {
        let event = self.events.recv_timeout(time);
        assert_eq!(event, Err(RecvTimeoutError::Timeout));
    }

    pub(super) fn answer(&mut self, call: Call) {
        self.order("answer", call);
    }

    /// Lets the aggregate of a slow run end.
    pub(super) fn release(&mut self, run: ScanId) {
        self.answer((run, LAST));
    }

    /// Starts a run through the engine of the process.
    /// The process reports it as `started`.
    pub(super) fn start_run(&mut self, run: ScanId) {
        self.order("start", (run, 0));
    }

    fn order(&mut self, name: &str, (run, call): Call) {
        writeln!(self.input.as_mut().unwrap(), "{name} {call} {run}").unwrap();
    }

    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Answers calls until `stored` calls are stored.
    /// Returns the asked calls in order, and the stored calls.
    pub(super) fn serve(&mut self, stored: usize) -> (Vec<Call>, HashSet<Call>) {
        let (mut asked, mut kept) = (Vec::new(), HashSet::new());
        while kept.len() < stored {
            let event = self.next().unwrap();
            match event.name.as_str() {
                "asked" => {
                    asked.push(event.call);
                    self.answer(event.call);
                }
                "started" => {}
                name => {
                    assert_eq!(name, "stored");
                    kept.insert(event.call);
                }
            }
        }
        (asked, kept)
    }

    /// Kills the process and returns its unread events.
    pub(super) fn kill(mut self) -> Vec<Event> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.next()).collect()
    }

    /// Stops the process gracefully and returns its unread events.
    pub(super) fn stop(mut self) -> Vec<Event> {
        self.input = None;
        let events = std::iter::from_fn(|| self.next()).collect();
        assert!(self.child.wait().unwrap().success());
        events
    }
}

/// A process of a case that failed does not outlive it.
impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

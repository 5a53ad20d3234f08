//! A service, a store, a facilitator and their clients in miniature.
//!
//! Every call is a chain of small steps, as a call of the real service is between its awaits. Nothing but the store
//! and the chain survives a crash.

mod call;
mod client;
mod purchase;
mod run;

use crate::oracle::check_write;
pub(crate) use client::Message;
use ibid_a2a::{Basis, Incoming, Request, Required, Task, TaskRecord, TaskState, TaskStep};
use ibid_model::{ContextId, ScanId, TaskId};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// A payment that is being used, as the store keeps it.
#[derive(Clone, Debug)]
struct Claim {
    task: TaskId,
    request: Request,
    run: ScanId,
    /// Whether there is a result that waits for its settlement.
    held: bool,
}

/// A call or a run under way.
enum Doing {
    Read(Box<Sent>),
    Write(Box<Sent>, Box<TaskRecord>),
    Claim(Purchase),
    Verify(Purchase, ScanId),
    Begin(Purchase, ScanId),
    /// Between reading the task and writing its next revision, anything may happen.
    Begun(Purchase, ScanId, Box<TaskRecord>),
    Cancel(TaskId),
    Work(Running),
    Hold(Running),
    Settle(Running),
    End(Running, Box<TaskStep>),
    Ended(Running, Box<TaskStep>, Box<TaskRecord>),
}

/// A message on its way.
struct Sent {
    incoming: Incoming,
    nonce: Option<u8>,
    /// The request that the message itself names.
    names: Option<u8>,
}

/// A payment on its way.
struct Purchase {
    call: Box<Sent>,
    /// Drawn here for a task that is still to be opened.
    task: TaskId,
    basis: Basis,
    request: Request,
}

#[derive(Clone, Copy)]
struct Running {
    task: TaskId,
    nonce: u8,
    run: ScanId,
}

/// Counts of events.
pub(crate) type Tally = BTreeMap<&'static str, u32>;

#[derive(Default)]
pub(crate) struct World {
    minutes: i64,
    made: u32,
    /// The order in which tasks came to be, for events that name them by number.
    order: Vec<TaskId>,
    tasks: BTreeMap<TaskId, Vec<u8>>,
    claims: BTreeMap<u8, Claim>,
    /// The chain: which payment moved money, for which task. It cannot be undone.
    ledger: BTreeMap<u8, TaskId>,
    worked: BTreeSet<ScanId>,
    doing: Vec<Doing>,
    pub(crate) tally: Tally,
}

impl World {
    pub(crate) fn send(&mut self, task: Option<u8>, message: Message) {
        let task = match task {
            Some(number) if !self.order.is_empty() => {
                Some(self.order[usize::from(number) % self.order.len()])
            }
            None if self.order.len() < 5 => None,
            Some(_) | None => return,
        };
        let sent = self.client(task, message);
        self.doing.push(Doing::Read(Box::new(sent)));
    }

    pub(crate) fn cancel(&mut self, task: u8) {
        if !self.order.is_empty() {
            self.doing
                .push(Doing::Cancel(self.order[usize::from(task) % self.order.len()]));
        }
    }

    pub(crate) fn wait(&mut self, minutes: u32) {
        self.minutes += i64::from(minutes);
        let now = self.now();
        self.tasks
            .retain(|_, json| !TaskRecord::from_json(json).unwrap().is_expired(now));
    }

    pub(crate) fn step(&mut self, which: u8, luck: u8) {
        if self.doing.is_empty() {
            return;
        }
        let index = usize::from(which) % self.doing.len();
        let doing = self.doing.remove(index);
        if let Some(next) = self.proceed(doing, luck) {
            self.doing.insert(index, next);
        }
    }

    /// The process dies and comes back.
    pub(crate) fn crash(&mut self) {
        self.doing.clear();
        self.take_over();
        let working: Vec<TaskRecord> = self
            .records()
            .filter(|record| record.task().run().is_some())
            .collect();
        for record in working {
            let run = record.task().run().unwrap();
            let held = self
                .claims
                .iter()
                .find(|(_, claim)| claim.run == run && claim.held);
            let nonce = *held.expect("interrupted otherwise").0;
            self.count("held result recovered");
            self.doing.push(Doing::Settle(Running {
                task: record.id(),
                nonce,
                run,
            }));
        }
        // Payments that were claimed and came to nothing are free again.
        self.claims.retain(|_, claim| claim.held);
    }

    /// The recovery of a starting process: it takes work without a result for abandoned, and may be wrong.
    pub(crate) fn take_over(&mut self) {
        let working: Vec<TaskRecord> = self
            .records()
            .filter(|record| record.task().run().is_some())
            .collect();
        for record in working {
            let run = record.task().run().unwrap();
            let claim = self.claims.iter().find(|(_, claim)| claim.run == run);
            let nonce = claim.map(|(nonce, _)| *nonce);
            if claim.is_none_or(|(_, claim)| !claim.held) {
                assert!(self.put(&record.advance(TaskStep::Interrupt { run }, self.now()).unwrap()));
                // The same transaction frees the payment, so that a run that lives keeps no result.
                if let Some(nonce) = nonce {
                    self.free(nonce, run);
                }
                self.count("interruption");
            }
        }
    }

    /// Everything that is under way goes on to its end, with good luck.
    pub(crate) fn finish(&mut self) {
        for _ in 0..1000 {
            if self.doing.is_empty() {
                return;
            }
            self.step(0, 0);
        }
        panic!("something never ends");
    }

    pub(crate) fn check_end(&self) {
        for record in self.records() {
            let task = record.task();
            assert_ne!(task.state(), TaskState::Working, "a task is stuck");
            let paid = task
                .receipts()
                .iter()
                .filter(|receipt| receipt["success"] == true)
                .count();
            let moved = self
                .ledger
                .values()
                .filter(|paid_for| **paid_for == task.id())
                .count();
            let completed = usize::from(task.state() == TaskState::Completed);
            assert_eq!(
                (paid, moved),
                (completed, completed),
                "money and result do not match: {task:?}"
            );
        }
        assert!(
            self.claims.values().all(|claim| claim.held),
            "a claim of nothing: {:?}",
            self.claims
        );
    }

    pub(crate) fn counted(&self, what: &str) -> u32 {
        self.tally.get(what).copied().unwrap_or_default()
    }

    fn count(&mut self, what: &'static str) {
        *self.tally.entry(what).or_default() += 1;
    }

    fn proceed(&mut self, doing: Doing, luck: u8) -> Option<Doing> {
        match doing {
            Doing::Read(call) => self.read(call),
            Doing::Write(call, next) => match self.put(&next) {
                true => {
                    if next.task().state() == TaskState::Canceled {
                        self.count("declining");
                    }
                    None
                }
                false => Some(Doing::Read(call)),
            },
            Doing::Cancel(task) => self.cancel_now(task),
            Doing::Claim(purchase) => self.claim(purchase),
            Doing::Verify(purchase, run) => self.verify(purchase, run, luck),
            Doing::Begin(purchase, run) => self.begin(purchase, run),
            Doing::Begun(purchase, run, next) => match self.put(&next) {
                true => Some(self.start(&purchase, run, &next)),
                false => Some(Doing::Begin(purchase, run)),
            },
            Doing::Work(running) => self.work(running, luck),
            Doing::Hold(running) => self.hold(running),
            Doing::Settle(running) => Some(self.settle(running, luck)),
            Doing::End(running, step) => self.end(running, step),
            Doing::Ended(running, step, next) => match self.put(&next) {
                true => {
                    self.ended(running, &next);
                    None
                }
                false => Some(Doing::End(running, step)),
            },
        }
    }

    fn first(&self, task: TaskId, call: &Sent, step: TaskStep) -> TaskRecord {
        let task = Task::open(
            task,
            ContextId::random().into(),
            call.incoming.message.clone(),
            self.now(),
        );
        TaskRecord::first(task.advance(step, self.now()).unwrap())
    }

    /// Compare and swap. Every write goes through here, and through the oracle.
    fn put(&mut self, next: &TaskRecord) -> bool {
        let stored = self.tasks.get(&next.id());
        let revision = stored.map_or(0, |json| TaskRecord::from_json(json).unwrap().revision());
        if next.revision() != revision + 1 {
            self.count("lost write");
            return false;
        }
        let json = next.to_json().unwrap();
        check_write(stored.map(Vec::as_slice), &json);
        if stored.is_none() {
            self.order.push(next.id());
        }
        self.tasks.insert(next.id(), json);
        true
    }

    fn get(&self, task: TaskId) -> Option<TaskRecord> {
        self.tasks
            .get(&task)
            .map(|json| TaskRecord::from_json(json).unwrap())
    }

    fn records(&self) -> impl Iterator<Item = TaskRecord> {
        self.tasks
            .values()
            .map(|json| TaskRecord::from_json(json).unwrap())
    }

    fn now(&self) -> Timestamp {
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        start
            .saturating_add(SignedDuration::from_mins(self.minutes))
            .unwrap()
    }
}

/// The demand of the miniature service for a request.
fn required(request: &Request) -> Required {
    let price = request.skill().price().get().to_string();
    Required::of(&json!({"x402Version": 1, "accepts": [{"maxAmountRequired": price}]})).unwrap()
}

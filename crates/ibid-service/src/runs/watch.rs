//! Runs as they go on in this process: each has one list of ended calls, for everyone who watches it.
//!
//! Work in this process adds its calls as they end. Whoever follows a queued run adds the calls that others made.

use super::run::Finished;
use crate::error::Error;
use ibid_engine::Progress;
use ibid_engine::plan::Plan;
use ibid_model::{ModelAlias, Ring, ScanId};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::watch;

#[derive(Debug)]
pub enum RunEvent {
    /// One call has ended.
    Call(RunCall),
    /// The result is stored, and released if it is sold.
    Complete(Finished),
    /// There is no result.
    Failed(Error),
    /// The owner stopped the run, and there is no result.
    Cancelled,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunCall {
    /// Its place in the run, and its reading. `done` rises by one.
    pub progress: Progress,
    /// The question, where the plan is known. A buyer does not see it.
    pub question: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Calls that have ended.
    pub done: u32,
    /// Calls planned.
    pub total: u32,
    /// By model, in the order asked. Empty if the plan is not known in this process.
    pub models: Vec<ModelProgress>,
    /// By ring. Empty if the plan is not known in this process.
    pub rings: Vec<RingProgress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelProgress {
    pub alias: ModelAlias,
    pub label: String,
    /// Calls planned.
    pub total: u32,
    /// Calls that have ended.
    pub done: u32,
    /// Answers that cite the target.
    pub cited: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingProgress {
    /// The ring, or `None` for the core questions.
    pub ring: Option<Ring>,
    /// Calls planned.
    pub total: u32,
    /// Calls that have ended.
    pub done: u32,
    /// Answers that cite the target.
    pub cited: u32,
}

/// What this process knows about a run: its plan, and the calls that have ended.
#[derive(Debug)]
pub(crate) struct RunFeed {
    plan: OnceLock<Arc<Plan>>,
    calls: Mutex<Vec<RunCall>>,
    /// Whether the run has ended. Every change wakes those who wait.
    ended: watch::Sender<bool>,
    changed_at: Mutex<Timestamp>,
}

/// A feed for each run that this process works on or watches.
#[derive(Debug, Default)]
pub(crate) struct RunFeeds(Mutex<HashMap<ScanId, Weak<RunFeed>>>);

impl RunFeeds {
    /// Returns the feed that all watchers share. It is known only while somebody holds it.
    pub(crate) fn of(&self, id: ScanId) -> Arc<RunFeed> {
        let mut feeds = self.feeds();
        if let Some(known) = feeds.get(&id).and_then(Weak::upgrade) {
            return known;
        }
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::<RunFeed>::default();
        feeds.insert(id, Arc::downgrade(&feed));
        feed
    }

    /// Returns the feed, if somebody holds it.
    pub(crate) fn get(&self, id: ScanId) -> Option<Arc<RunFeed>> {
        self.feeds().get(&id).and_then(Weak::upgrade)
    }

    /// Wakes those who wait for a change of a run.
    pub(crate) fn notify(&self, id: ScanId) {
        if let Some(feed) = self.get(id) {
            feed.ended.send_modify(|_| {});
        }
    }

    /// Ends the wait of those who watch a run.
    pub(crate) fn end(&self, id: ScanId) {
        if let Some(feed) = self.get(id) {
            feed.ended.send_replace(true);
        }
    }

    /// Each change is one call, so a panicked holder's lock may be taken over.
    fn feeds(&self) -> MutexGuard<'_, HashMap<ScanId, Weak<RunFeed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for RunFeed {
    fn default() -> Self {
        Self {
            plan: OnceLock::new(),
            calls: Mutex::default(),
            ended: watch::Sender::new(false),
            changed_at: Mutex::new(Timestamp::now()),
        }
    }
}

impl RunFeed {
    /// Notes the plan, for the questions and the progress by model and ring.
    pub(crate) fn set_plan(&self, plan: &Plan) {
        self.plan.get_or_init(|| Arc::new(plan.clone()));
    }

    /// The plan, if it is known here.
    pub(crate) fn plan(&self) -> Option<&Arc<Plan>> {
        self.plan.get()
    }

    /// Adds a call that has ended, unless it is known.
    pub(crate) fn add(&self, progress: Progress) {
        let question = self
            .plan()
            .and_then(|plan| plan.questions().get(progress.topic))
            .map(|question| question.text.as_str().into());
        {
            let mut calls = self.calls();
            let same = |call: &RunCall| {
                call.progress.topic == progress.topic && call.progress.model == progress.model
            };
            if calls.iter().any(same) {
                return;
            }
            let done = calls.len() + 1;
            calls.push(RunCall {
                progress: Progress { done, ..progress },
                question,
            });
        }
        *self.changed_at.lock().unwrap_or_else(PoisonError::into_inner) = Timestamp::now();
        self.ended.send_modify(|_| {});
    }

    /// Calls that have ended.
    pub(crate) fn done(&self) -> usize {
        self.calls().len()
    }

    /// Returns when the last call ended, or when the feed was made.
    pub(crate) fn changed_at(&self) -> Timestamp {
        *self.changed_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The call that ended after the first `after` ones.
    pub(crate) fn call(&self, after: usize) -> Option<RunCall> {
        self.calls().get(after).cloned()
    }

    /// A signal that sees every change from here on. Its value says whether the run has ended.
    pub(crate) fn changes(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }

    /// Waits until the run ends, after `changes` was taken.
    pub(crate) async fn end(changes: &mut watch::Receiver<bool>) {
        // The feed holds the sender.
        while changes.changed().await.is_ok() && !*changes.borrow_and_update() {}
    }

    /// Waits for the call after the first `after` ones.
    pub(crate) async fn next(&self, after: usize) -> RunCall {
        let mut changes = self.changes();
        loop {
            changes.mark_unchanged();
            if let Some(call) = self.call(after) {
                return call;
            }
            // The feed holds the sender.
            let _ = changes.changed().await;
        }
    }

    /// Counts calls by model and ring. `None` if the plan is not known here.
    pub(crate) fn progress(&self) -> Option<RunProgress> {
        let mut progress = planned(self.plan()?);
        for RunCall { progress: call, .. } in self.calls().iter() {
            progress.done += 1;
            let cited = u32::from(call.interim.as_ref().is_some_and(|reading| reading.cited));
            if let Some(model) = progress.models.iter_mut().find(|model| model.alias == call.model) {
                model.done += 1;
                model.cited += cited;
            }
            if let Some(ring) = progress.rings.iter_mut().find(|ring| ring.ring == call.ring) {
                ring.done += 1;
                ring.cited += cited;
            }
        }
        Some(progress)
    }

    /// A call is added at once, so a panicked holder's lock may be taken over.
    fn calls(&self) -> MutexGuard<'_, Vec<RunCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts what a plan will ask.
fn planned(plan: &Plan) -> RunProgress {
    let mut rings: Vec<RingProgress> = Vec::new();
    for topic in plan.questions() {
        let ring = topic.slot.ring();
        let each = count(topic.asked(plan.models().len()).len());
        match rings.iter_mut().find(|known| known.ring == ring) {
            Some(known) => known.total += each,
            None => rings.push(RingProgress {
                ring,
                total: each,
                done: 0,
                cited: 0,
            }),
        }
    }
    let of = |at: usize| plan.asked().filter(|(_, model)| *model == at).count();
    let models = plan.models().iter().enumerate().map(|(at, model)| ModelProgress {
        alias: model.alias.clone(),
        label: model.name.clone(),
        total: count(of(at)),
        done: 0,
        cited: 0,
    });
    RunProgress {
        done: 0,
        total: count(plan.len()),
        models: models.collect(),
        rings,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

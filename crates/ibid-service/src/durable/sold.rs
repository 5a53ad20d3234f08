//! Sold scans: queued under the id of their purchase, which follows them.

use super::document::{OrderDocument, packed};
use super::owner::RunOwner;
use super::queue::{LOOK, Queue, Stored, subject_of};
use super::view::QueuedAnswer;
use crate::runs::permit::QueuedPermit;
use crate::{Error, chain};
use ibid_engine::plan::Plan;
use ibid_engine::{NoAnswers, Progress};
use ibid_model::ScanId;
use ibid_provider::ProviderError;
use ibid_store::{DurableRunState, DurableRunView, StoreError};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::task::TaskTracker;

/// The priority of a sold scan: its buyer waits for it.
const PRIORITY: u8 = 1;
/// The time after its deadline in which a worker ends a scan.
const LATE: Duration = Duration::from_secs(60);
/// The code of a run with too few answers to be sold, before their number.
const TOO_FEW: &str = "too_few_answers ";

/// The purchases of this process that follow a queued scan.
#[derive(Default)]
pub(super) struct SoldScans {
    followers: Mutex<HashMap<ScanId, UnboundedSender<SoldEvent>>>,
    tracker: TaskTracker,
}

/// An event of a sold scan that this process works on.
pub(super) enum SoldEvent {
    /// A call has ended and is stored.
    Call(QueuedAnswer),
    /// The run has ended.
    Ended,
    /// The database takes no writes.
    Unwritable,
}

/// The end of a sold scan for its purchase.
pub(crate) enum SoldEnd {
    /// Its hidden result is stored.
    Result,
    /// It has no result.
    Failed(Error),
    /// The process stops, no worker ends the scan, or the database takes no writes.
    /// The scan goes on later, or in another process.
    Stopped,
}

impl SoldScans {
    /// Reports an event to the purchase that follows the scan here.
    pub(super) fn tell(&self, id: ScanId, event: SoldEvent) {
        if let Some(follower) = self.followers().get(&id) {
            // A purchase that has just ended does not listen.
            let _ = follower.send(event);
        }
    }

    fn follow(&self, id: ScanId) -> UnboundedReceiver<SoldEvent> {
        let (sender, events) = mpsc::unbounded_channel();
        self.followers().insert(id, sender);
        events
    }

    /// Forgets followers that have ended.
    fn forget(&self) {
        self.followers().retain(|_, follower| !follower.is_closed());
    }

    /// Waits until no purchase of this process follows a scan.
    pub(super) async fn all_ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    fn followers(&self) -> MutexGuard<'_, HashMap<ScanId, UnboundedSender<SoldEvent>>> {
        self.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Queues a sold scan, unless it is queued already, and waits for its end.
    /// No call begins after the deadline.
    pub(crate) async fn sell(
        &self,
        permit: QueuedPermit,
        deadline: Timestamp,
        progress: &UnboundedSender<Progress>,
    ) -> SoldEnd {
        let _working = self.sold.tracker.token();
        let events = self.sold.follow(permit.run());
        let end = match self.open_sold(&permit, deadline).await {
            Ok(()) => self.follow_sold(&permit, deadline, events, progress).await,
            Err(error) => {
                drop(events);
                SoldEnd::Failed(error)
            }
        };
        self.sold.forget();
        end
    }

    /// Ends the wait of all purchases in this process, because the database takes no writes.
    /// Their scans stay queued.
    pub(crate) fn let_buyers_go(&self) {
        for follower in self.sold.followers().values() {
            // A purchase that has just ended does not listen.
            let _ = follower.send(SoldEvent::Unwritable);
        }
    }

    async fn open_sold(&self, permit: &QueuedPermit, deadline: Timestamp) -> Result<(), Error> {
        let (id, plan) = (permit.run(), permit.plan());
        let owner = RunOwner::Sold {
            payer: permit.payer().to_owned(),
            product: permit.product(),
        };
        let tenant = owner.tenant();
        let document = OrderDocument {
            owner,
            operator_pays: true,
            deadline: Some(deadline),
            max_cost: permit.cost_cap(),
            webhook: None,
        };
        let stored = Stored {
            id,
            tenant,
            document: serde_json::to_vec(&document)?,
            plan: packed(plan)?,
            calls: u32::try_from(plan.len()).unwrap_or(u32::MAX),
            secret: None,
            subject: subject_of(plan),
            priority: PRIORITY,
            counts: false,
        };
        match self.open(vec![stored], None).await {
            // An earlier process of the same purchase has queued it.
            Ok(_) | Err(Error::Store(StoreError::Exists)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn follow_sold(
        &self,
        permit: &QueuedPermit,
        deadline: Timestamp,
        mut events: UnboundedReceiver<SoldEvent>,
        progress: &UnboundedSender<Progress>,
    ) -> SoldEnd {
        let (id, plan) = (permit.run(), permit.plan());
        let mut seen = Seen::default();
        loop {
            // An earlier process may have done part of the scan, and another one may be working on it.
            match self.runs.db.call(move |store| store.durable_run(id)).await {
                Ok(Some(run)) if run.ended_at.is_some() => return end_of(&run),
                Ok(Some(run)) if run.stored as usize > seen.0.len() => {
                    for answer in self.stored_answers(plan, id).await {
                        seen.show(plan, &answer, progress);
                    }
                }
                // No worker has ended it: there is no worker, or no worker can.
                Ok(Some(_)) if Timestamp::now() > deadline + LATE => return SoldEnd::Stopped,
                Ok(Some(_)) => {}
                Ok(None) => return SoldEnd::Failed(Error::Ended),
                Err(error) => tracing::warn!(scan.id = %id, error = chain(&error), "run.follow.failed"),
            }
            let look = tokio::time::sleep(LOOK);
            tokio::pin!(look);
            loop {
                tokio::select! {
                    biased;
                    event = events.recv() => match event {
                        Some(SoldEvent::Call(answer)) => seen.show(plan, &answer, progress),
                        Some(SoldEvent::Ended) => break,
                        Some(SoldEvent::Unwritable) => return SoldEnd::Stopped,
                        // A later purchase with the same payment follows the scan.
                        None => {
                            look.as_mut().await;
                            break;
                        }
                    },
                    () = self.follower.stopping.cancelled() => return SoldEnd::Stopped,
                    () = &mut look => break,
                }
            }
        }
    }

    async fn stored_answers(&self, plan: &Plan, id: ScanId) -> Vec<QueuedAnswer> {
        let calls = self.runs.db.call(move |store| store.calls(id, 0, u32::MAX)).await;
        let calls = calls.unwrap_or_else(|error| {
            tracing::warn!(scan.id = %id, error = chain(&error), "run.follow.failed");
            Vec::new()
        });
        let read = |call: &ibid_store::CallOutcome| QueuedAnswer::read(plan, &call.outcome);
        calls.iter().filter_map(read).collect()
    }
}

/// The calls that a purchase has shown.
#[derive(Default)]
struct Seen(HashSet<u32>);

impl Seen {
    fn show(&mut self, plan: &Plan, answer: &QueuedAnswer, progress: &UnboundedSender<Progress>) {
        if !self.0.insert(answer.call) {
            return;
        }
        // The channel is closed once the buyer has hung up.
        let _ = progress.send(Progress {
            done: self.0.len(),
            total: plan.len(),
            topic: answer.call as usize / plan.models().len().max(1),
            model: answer.model.clone(),
            ring: answer.ring,
            market: answer.market.clone(),
            answered: answer.answered,
            interim: None,
        });
    }
}

/// The code of a run that has too few answers to be sold.
pub(super) fn too_few(answered: u32) -> String {
    format!("{TOO_FEW}{answered}")
}

fn end_of(run: &DurableRunView) -> SoldEnd {
    let code = run.error.as_deref().unwrap_or_default();
    let cause = ProviderError::of_code(code);
    let answered = code.strip_prefix(TOO_FEW).and_then(|count| count.parse().ok());
    match (run.state, cause, answered) {
        (DurableRunState::Complete | DurableRunState::Partial, ..) => SoldEnd::Result,
        (DurableRunState::Failed, Some(cause), _) => SoldEnd::Failed(
            Error::from(NoAnswers {
                questions: run.calls as usize,
                cause,
            })
            .of_the_operator(),
        ),
        (DurableRunState::Failed, None, Some(answered)) => SoldEnd::Failed(Error::TooFewAnswers {
            answered,
            questions: run.calls,
        }),
        _ => SoldEnd::Failed(Error::Ended),
    }
}

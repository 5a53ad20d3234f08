//! A purchase for a task: claim, verify, begin, follow the run.

use super::error::{call_error, internal_error};
use super::follow_run::{follow_run, prove};
use super::keeper::TaskKeeper;
use super::limits::Caller;
use super::notices::PushTarget;
use super::task_registry::{SharedRecord, Watching};
use crate::error::Error;
use crate::job::Job;
use crate::paid::{MayBegin, PaymentOffer, ReceiptsOrder};
use ibid_a2a::{Basis, CallError, Message, PaymentFailure, Task, TaskRecord, TaskStep};
use ibid_model::{ContextId, ScanId, TaskId};
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;
use tracing::Instrument;

/// Lost compare-and-swaps after which the payment is given back.
const MOST_TRIES: u32 = 16;

/// A message that pays for a request.
pub(super) struct TaskPurchase {
    pub(super) task: TaskId,
    pub(super) message: Message,
    pub(super) basis: Basis,
    pub(super) wanted: Wanted,
    pub(super) offer: PaymentOffer,
    /// The caller who opens the task with it, or `None` if the task exists.
    pub(super) opens: Option<Caller>,
    /// The push notification configuration of a task opened with it.
    pub(super) push: Option<PushTarget>,
}

pub(super) enum Wanted {
    /// Work.
    Job(Job),
    /// Receipts for the wallet that signs.
    Receipts(ReceiptsOrder),
}

type Reply = oneshot::Sender<Result<SharedRecord, CallError>>;

impl TaskPurchase {
    /// Starts it as a task of the service, so a client's disconnect has no effect. Returns when the work has begun, or
    /// certainly will not.
    pub(super) async fn start(self, keeper: &Arc<TaskKeeper>) -> Result<SharedRecord, CallError> {
        let (reply, begun) = oneshot::channel();
        let span = tracing::info_span!("service.task");
        let task = self.carry_out(Arc::clone(keeper), reply);
        keeper.runs.spawn(task.instrument(span));
        begun.await.unwrap_or(Err(CallError::Internal))
    }

    async fn carry_out(self, keeper: Arc<TaskKeeper>, reply: Reply) {
        let Self {
            task,
            message,
            basis,
            wanted,
            offer,
            opens,
            push,
        } = self;
        // Registered before the claim, so the task does not count as an orphan.
        let driving = Watching::new(&keeper.registry, task, true);
        let beginning = Arc::new(Beginning {
            keeper: Arc::clone(&keeper),
            task,
            message,
            basis,
            opens,
            push,
            lost: AtomicBool::new(false),
        });
        let Some(sales) = keeper.sales.clone() else {
            return answer(reply, beginning.not_begun(Error::PaidDisabled).await);
        };
        match wanted {
            Wanted::Job(job) => {
                let asked = Arc::clone(&beginning);
                let may_begin: MayBegin = Box::new(move |run| {
                    let asked = Arc::clone(&asked);
                    Box::pin(async move { asked.begin(run).await.is_some() })
                });
                match sales.purchase(job, offer, Some(may_begin)).await {
                    // A duplicate joins a run that has begun, so `may_begin` was not called for it.
                    Ok(run) => match beginning.begin(run.id()).await {
                        Some(record) => {
                            answer(reply, Ok(record));
                            follow_run(&keeper, task, run).await;
                        }
                        None => answer(reply, beginning.current_task().await),
                    },
                    Err(error) => answer(reply, beginning.not_begun(error).await),
                }
            }
            Wanted::Receipts(order) => match sales.receipts(offer, order).await {
                Ok(page) => {
                    let run = ScanId::random();
                    let ended = match beginning.begin(run).await {
                        Some(record) => prove(&keeper, record, run, &page).await,
                        None => beginning.current_task().await,
                    };
                    answer(reply, ended);
                }
                Err(error) => answer(reply, beginning.not_begun(error).await),
            },
        }
        drop(driving);
    }
}

/// Answers a client, which may have hung up.
fn answer(reply: Reply, outcome: Result<SharedRecord, CallError>) {
    let _ = reply.send(outcome);
}

/// The step to store once the payment was judged.
struct Beginning {
    keeper: Arc<TaskKeeper>,
    task: TaskId,
    message: Message,
    basis: Basis,
    opens: Option<Caller>,
    push: Option<PushTarget>,
    /// Whether the task went on without this payment.
    lost: AtomicBool,
}

impl Beginning {
    /// Stores that the work begins. `None` forbids the work: the task has ended or moved on meanwhile, or cannot be
    /// stored.
    async fn begin(&self, run: ScanId) -> Option<SharedRecord> {
        let step = TaskStep::Begin {
            basis: self.basis.clone(),
            run,
        };
        let begun = self.write(&step, |task| task.run() == Some(run)).await;
        let begun = begun.unwrap_or_else(|error| {
            tracing::warn!(error = crate::failure::chain(&error), "task.begin.failed");
            None
        });
        if begun.is_none() {
            self.lost.store(true, Ordering::Release);
        }
        begun
    }

    /// The current task, for a payment that it did not take.
    async fn current_task(&self) -> Result<SharedRecord, CallError> {
        self.keeper.shown(self.task).await
    }

    async fn not_begun(&self, error: Error) -> Result<SharedRecord, CallError> {
        if self.lost.load(Ordering::Acquire) {
            return self.current_task().await;
        }
        // The task reports a refused payment; any other error leaves it unchanged.
        let refusal = match error.root() {
            Error::PaymentRefused { due: _, refusal } => refusal,
            other => return Err(call_error(other)),
        };
        let step = TaskStep::RefusePayment {
            basis: self.basis.clone(),
            failure: PaymentFailure {
                code: refusal.code().row().payment.to_owned(),
                detail: refusal.to_string(),
                receipt: None,
            },
        };
        match self.write(&step, |_| false).await? {
            Some(record) => Ok(record),
            None => self.current_task().await,
        }
    }

    /// Takes a step because of the message, or returns `None` if the task does not take it.
    async fn write(
        &self,
        step: &TaskStep,
        done: impl Fn(&Task) -> bool,
    ) -> Result<Option<SharedRecord>, CallError> {
        for _ in 0..MOST_TRIES {
            let now = Timestamp::now();
            match (self.keeper.task(self.task).await?, self.opens) {
                (Some(record), _) if done(record.task()) => return Ok(Some(record)),
                (Some(record), _) => {
                    if record.is_expired(now) {
                        return Ok(None);
                    }
                    let Ok(next) = record.advance_on(&self.message, step.clone(), now) else {
                        return Ok(None);
                    };
                    if let Some(next) = self.keeper.swap(next).await? {
                        return Ok(Some(next));
                    }
                }
                (None, Some(caller)) => {
                    let context = ContextId::random().into();
                    let task = Task::open(self.task, context, self.message.clone(), now);
                    let task = task.advance(step.clone(), now).map_err(internal_error)?;
                    let (keeper, push) = (&self.keeper, self.push.clone());
                    let opened = keeper.open(TaskRecord::first(task), caller, push).await;
                    return opened.map(Some);
                }
                (None, None) => return Ok(None),
            }
        }
        Ok(None)
    }
}

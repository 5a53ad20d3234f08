//! A purchase for a task: claim, verify, begin, and whatever comes of it.

use super::drive::{drive, prove};
use super::error::{NotBegun, broken};
use super::price::Wanted;
use super::room::Driving;
use super::{Caller, Shared};
use crate::Error;
use crate::paid::{self, MayBegin, Offer, ProofOffer};
use crate::service::Inner;
use ibid_a2a::{Basis, CallError, Message, PaymentFailure, Step, Task, TaskRecord};
use ibid_model::{ContextId, ScanId, TaskId};
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;
use tracing::Instrument;

/// How often a revision is tried to be written before the payment is given back.
const MOST_TRIES: u32 = 16;

/// A message that pays for a request.
pub(super) struct Purchase {
    pub(super) task: TaskId,
    pub(super) message: Message,
    pub(super) basis: Basis,
    pub(super) wanted: Wanted,
    pub(super) offer: Offer,
    /// Who opens the task with it; nothing if the task is there.
    pub(super) opens: Option<Caller>,
}

type Told = oneshot::Sender<Result<Shared, CallError>>;

impl Purchase {
    /// Starts it as a task of the service: whoever hangs up changes nothing. Returns when the work has begun, or
    /// when it is known that it will not.
    pub(super) async fn start(self, inner: &Arc<Inner>) -> Result<Shared, CallError> {
        let (told_in, told) = oneshot::channel();
        let span = tracing::info_span!("service.task");
        let task = self.go(Arc::clone(inner), told_in);
        inner
            .runtime
            .spawn(inner.runs.track_future(task.instrument(span)));
        told.await.unwrap_or(Err(CallError::Internal))
    }

    async fn go(self, inner: Arc<Inner>, told: Told) {
        let Self {
            task,
            message,
            basis,
            wanted,
            offer,
            opens,
        } = self;
        // From before the claim, so that nobody takes the run for a stray.
        let driving = Driving::new(&inner, task);
        let beginning = Arc::new(Beginning {
            inner: Arc::clone(&inner),
            task,
            message,
            basis,
            opens,
            lost: AtomicBool::new(false),
        });
        match wanted {
            Wanted::Job(job) => {
                let asked = Arc::clone(&beginning);
                let may_begin: MayBegin = Box::new(move |run| {
                    let asked = Arc::clone(&asked);
                    Box::pin(async move { asked.begin(run).await.is_some() })
                });
                match paid::buy(&inner, job, offer, Some(may_begin)).await {
                    // A twin of another call is not asked before its run begins; then it is the same question again.
                    Ok(run) => match beginning.begin(run.id()).await {
                        Some(record) => {
                            tell(told, Ok(record));
                            drive(&inner, task, run).await;
                        }
                        None => tell(told, beginning.stands().await),
                    },
                    Err(error) => tell(told, beginning.not_begun(error).await),
                }
            }
            Wanted::Receipts(order) => match paid::receipts(&inner, ProofOffer { offer, order }).await {
                Ok(page) => {
                    let run = ScanId::random();
                    let ended = match beginning.begin(run).await {
                        Some(record) => prove(&inner, record, run, &page).await,
                        None => beginning.stands().await,
                    };
                    tell(told, ended);
                }
                Err(error) => tell(told, beginning.not_begun(error).await),
            },
        }
        drop(driving);
    }
}

/// Whoever asked may be gone.
fn tell(told: Told, outcome: Result<Shared, CallError>) {
    let _ = told.send(outcome);
}

/// What is written when the payment is known to be good, or not to be.
struct Beginning {
    inner: Arc<Inner>,
    task: TaskId,
    message: Message,
    basis: Basis,
    opens: Option<Caller>,
    /// Whether the task went on without this payment.
    lost: AtomicBool,
}

impl Beginning {
    /// Writes that the work begins. `None` if the task has ended or moved on meanwhile, or cannot be written: then
    /// nothing may be started.
    async fn begin(&self, run: ScanId) -> Option<Shared> {
        let step = Step::Begin {
            basis: self.basis.clone(),
            run,
        };
        let begun = self.write(&step, |task| task.run() == Some(run)).await;
        let begun = begun.unwrap_or_else(|error| {
            tracing::warn!(%error, "a task could not begin");
            None
        });
        if begun.is_none() {
            self.lost.store(true, Ordering::Release);
        }
        begun
    }

    /// The task as it stands, for a payment that it did not take.
    async fn stands(&self) -> Result<Shared, CallError> {
        let record = self.inner.task(self.task).await?.ok_or(CallError::TaskNotFound)?;
        record.shown(Timestamp::now())?;
        Ok(record)
    }

    async fn not_begun(&self, error: Error) -> Result<Shared, CallError> {
        if self.lost.load(Ordering::Acquire) {
            return self.stands().await;
        }
        match NotBegun::of(error) {
            NotBegun::Refused(failure) => self.refuse(failure).await,
            NotBegun::Call(error) => Err(error),
        }
    }

    async fn refuse(&self, failure: PaymentFailure) -> Result<Shared, CallError> {
        let step = Step::RefusePayment {
            basis: self.basis.clone(),
            failure,
        };
        match self.write(&step, |_| false).await? {
            Some(record) => Ok(record),
            None => self.stands().await,
        }
    }

    /// Takes a step because of the message. `None` if the task does not take it.
    async fn write(&self, step: &Step, done: impl Fn(&Task) -> bool) -> Result<Option<Shared>, CallError> {
        for _ in 0..MOST_TRIES {
            let now = Timestamp::now();
            match (self.inner.task(self.task).await?, self.opens) {
                (Some(record), _) if done(record.task()) => return Ok(Some(record)),
                (Some(record), _) => {
                    if record.is_expired(now) {
                        return Ok(None);
                    }
                    let Ok(next) = record.advance_on(&self.message, step.clone(), now) else {
                        return Ok(None);
                    };
                    if let Some(next) = self.inner.swap(next).await? {
                        return Ok(Some(next));
                    }
                }
                (None, Some(caller)) => {
                    let context = ContextId::random().into();
                    let task = Task::open(self.task, context, self.message.clone(), now);
                    let task = task.advance(step.clone(), now).map_err(broken)?;
                    return Ok(Some(self.inner.open(TaskRecord::first(task), caller).await?));
                }
                (None, None) => return Ok(None),
            }
        }
        Ok(None)
    }
}

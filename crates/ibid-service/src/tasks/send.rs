//! Messages: from the stored task to its next revision, or to a purchase.

use super::error::{internal_error, unavailable};
use super::handle::{MessageCall, Tasks};
use super::notices::PushTarget;
use super::price::payment;
use super::purchase::TaskPurchase;
use super::show::Shown;
use super::task_registry::{OpenCall, SharedRecord};
use super::watch::{Watch, rests};
use ibid_a2a::{
    Basis, CallError, Decision, Opening, Request, Submission, Task, TaskRecord, TaskStep, decide,
    decide_cancel, decide_new,
};
use ibid_model::{ContextId, ProblemCode, TaskId};
use jiff::Timestamp;
use std::time::Duration;

/// Lost compare-and-swaps after which the caller is asked to try again.
const MOST_TRIES: u32 = 16;
/// How long a blocking call waits: longer than any run and its settlement. If the operator stops the server
/// sooner, the call ends and the work goes on.
const LONGEST_WAIT: Duration = Duration::from_secs(660);

/// What a task does next because of a message.
enum NextStep {
    Take(TaskStep),
    Pay(Request),
}

impl Tasks {
    /// `message/send`. With `blocking` waits until the task ends or needs its client.
    ///
    /// # Errors
    /// Every reason to refuse the message; the task is then unchanged.
    pub async fn send(&self, call: MessageCall) -> Result<Shown, CallError> {
        let (incoming, caller) = (&call.incoming, call.caller);
        let (blocking, history) = (incoming.blocking, incoming.history);
        // A call that only asks a price is over at once.
        // One that pays or waits counts as open.
        let open = || OpenCall::new(&self.keeper.registry, caller);
        let pays = call.header.is_some() || matches!(incoming.submission, Submission::InMetadata(_));
        let mut held = pays.then(open).transpose()?;
        let mut record = self.receive(call).await?;
        if blocking && !rests(record.task()) {
            if held.is_none() {
                held = Some(open()?);
            }
            let watch = Watch::new(&self.keeper, record).await?;
            record = watch.rest(LONGEST_WAIT).await;
        }
        drop(held);
        self.show(record, history).await
    }

    /// `tasks/cancel`. Paid work is not canceled.
    ///
    /// # Errors
    /// The task does not exist, has ended, or paid work is under way.
    pub async fn cancel(&self, id: TaskId) -> Result<Shown, CallError> {
        for _ in 0..MOST_TRIES {
            let record = self.keeper.task(id).await?.ok_or(CallError::TaskNotFound)?;
            let now = Timestamp::now();
            decide_cancel(&record, now)?;
            let Ok(next) = record.advance(TaskStep::Cancel, now) else {
                continue;
            };
            if let Some(next) = self.keeper.swap(next).await? {
                return self.show(next, ibid_a2a::HistoryLimit::All).await;
            }
        }
        Err(too_many_conflicts())
    }

    /// Takes a message.
    /// Returns the task in its new state: waiting for its client, ended, or under way.
    pub(super) async fn receive(&self, mut call: MessageCall) -> Result<SharedRecord, CallError> {
        let (wire, push) = (call.wire, call.incoming.push.take());
        match call.incoming.message.task_id {
            None => {
                let task = TaskId::random();
                let push = push.map(|config| self.push_target(wire, task, &config, call.caller));
                self.open(task, push.transpose()?, call).await
            }
            Some(task) => {
                if let Some(config) = push {
                    self.keep_push(wire, task, &config, call.caller).await?;
                }
                self.continue_task(task, call).await
            }
        }
    }

    async fn open(
        &self,
        task: TaskId,
        push: Option<PushTarget>,
        call: MessageCall,
    ) -> Result<SharedRecord, CallError> {
        let step = match self.next_step(decide_new(&call.incoming)?).await? {
            NextStep::Pay(request) => return self.pay_directly(task, push, request, call).await,
            NextStep::Take(step) => step,
        };
        let now = Timestamp::now();
        let task = Task::open(task, ContextId::random().into(), call.incoming.message, now);
        let task = task.advance(step, now).map_err(internal_error)?;
        self.keeper.open(TaskRecord::first(task), call.caller, push).await
    }

    async fn continue_task(&self, task: TaskId, call: MessageCall) -> Result<SharedRecord, CallError> {
        for _ in 0..MOST_TRIES {
            let record = self.keeper.task(task).await?.ok_or(CallError::TaskNotFound)?;
            let now = Timestamp::now();
            let step = match decide(&record, &call.incoming, now)? {
                Decision::Show | Decision::Join { run: _ } => return Ok(record),
                Decision::Remind => TaskStep::Remind,
                Decision::Decline => TaskStep::Decline,
                Decision::Continue(opening) => match self.next_step(opening).await? {
                    NextStep::Pay(request) => return self.pay_directly(task, None, request, call).await,
                    NextStep::Take(step) => step,
                },
                Decision::Pay { offer: number } => {
                    let Some(offer) = record.task().offer() else {
                        continue;
                    };
                    let priced = self.price(offer.request()).await?;
                    if priced.required == *offer.required() {
                        let request = offer.request().clone();
                        let purchase = TaskPurchase {
                            basis: Basis::Asked(number),
                            offer: self.offer(
                                &request,
                                payment(&call.incoming.submission, call.header)?,
                                call.caller,
                            ),
                            wanted: priced.wanted,
                            task,
                            message: call.incoming.message,
                            opens: None,
                            push: None,
                        };
                        return purchase.start(&self.keeper).await;
                    }
                    // The operator's price has changed, so the client has to see the new one first.
                    TaskStep::AskPayment {
                        request: offer.request().clone(),
                        required: priced.required,
                    }
                }
            };
            let Ok(next) = record.advance_on(&call.incoming.message, step, now) else {
                continue;
            };
            if let Some(next) = self.keeper.swap(next).await? {
                return Ok(next);
            }
        }
        Err(too_many_conflicts())
    }

    /// Decides what a new request, or a message without one, leads to.
    async fn next_step(&self, opening: Opening) -> Result<NextStep, CallError> {
        Ok(match opening {
            Opening::AskInput {
                wanted,
                payment_unused,
            } => NextStep::Take(TaskStep::AskInput {
                wanted,
                payment_unused,
                sold: self.service.shop.offering(),
            }),
            Opening::Price { request, pays: true } => NextStep::Pay(request),
            Opening::Price { request, pays: false } => {
                let required = self.price(&request).await?.required;
                NextStep::Take(TaskStep::AskPayment { request, required })
            }
        })
    }

    /// Buys a request that came with its payment.
    async fn pay_directly(
        &self,
        task: TaskId,
        push: Option<PushTarget>,
        request: Request,
        call: MessageCall,
    ) -> Result<SharedRecord, CallError> {
        let priced = self.price(&request).await?;
        let MessageCall {
            incoming,
            header,
            caller,
            ..
        } = call;
        let purchase = TaskPurchase {
            offer: self.offer(&request, payment(&incoming.submission, header)?, caller),
            basis: Basis::Direct {
                request,
                required: priced.required,
            },
            wanted: priced.wanted,
            task,
            opens: incoming.message.task_id.is_none().then_some(caller),
            message: incoming.message,
            push,
        };
        purchase.start(&self.keeper).await
    }
}

fn too_many_conflicts() -> CallError {
    unavailable(ProblemCode::Overloaded, Some(Duration::from_secs(1)))
}

//! Decisions on a client's message, taken from the stored task alone.
//!
//! The service reads the task, gets a decision, carries it out, and writes the next revision.
//! A decision is for one revision.
//! If another writer was faster, the service starts over.

use crate::error::CallError;
use crate::incoming::Incoming;
use crate::limits::MAX_TURNS;
use crate::message::Message;
use crate::natural_orders;
use crate::payment::Submission;
use crate::redact;
use crate::request::{Found, Request, find};
use crate::task::{AskNumber, Task, TaskRecord};
use crate::task_state::TaskState;
use ibid_model::{ScanId, Skill};
use jiff::Timestamp;

/// The decision on a message without a task.
/// A task is opened in both cases.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// It holds no request: take [`crate::TaskStep::AskInput`] with these.
    AskInput {
        /// The skill that the client named.
        wanted: Option<Skill>,
        /// Whether it came with a payment, which is not used.
        payment_unused: bool,
    },
    /// It holds a request.
    /// Check and price it; a fault is an error, and no task is kept.
    ///
    /// Then take [`crate::TaskStep::AskPayment`]. If it pays, judge the payment and take
    /// [`crate::TaskStep::Begin`] or [`crate::TaskStep::RefusePayment`] on [`crate::Basis::Direct`].
    Price {
        /// The request.
        request: Request,
        /// Whether it came with a payment.
        pays: bool,
    },
}

/// The decision on a message to a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// No change: answer with the task as it is, without a write.
    Show,
    /// No change, and the work is under way: a blocking call waits for its end, without a write.
    Join {
        /// The run under way.
        run: ScanId,
    },
    /// Words, while a payment is being waited for: take [`crate::TaskStep::Remind`].
    Remind,
    /// As for a new task, in the one that is there.
    Continue(Opening),
    /// A payment for the request stored with the task. Judge it against [`Task::offer`], then take
    /// [`crate::TaskStep::Begin`] or [`crate::TaskStep::RefusePayment`] on [`crate::Basis::Asked`].
    Pay {
        /// The offer being paid.
        offer: AskNumber,
    },
    /// The client will not pay: take [`crate::TaskStep::Decline`].
    Decline,
}

/// Decides about a message that names no task.
///
/// # Errors
/// An unknown skill, two requests, or a refusal to pay without an offer.
pub fn decide_new(incoming: &Incoming) -> Result<Opening, CallError> {
    match incoming.submission {
        Submission::Declined => Err(CallError::misfit(
            "nothing_to_decline",
            "payment-rejected belongs to a task that asked for payment",
        )),
        Submission::Silent | Submission::InMetadata(_) | Submission::InHeader => opening(incoming, None, &[]),
    }
}

/// Decides about a message that names a task.
/// Expired tasks are gone, whether or not the store has purged them.
///
/// # Errors
/// The message does not fit the task, or the task takes no more messages.
pub fn decide(record: &TaskRecord, incoming: &Incoming, now: Timestamp) -> Result<Decision, CallError> {
    let (task, message) = (record.shown(now)?, &incoming.message);
    if message
        .context_id
        .as_ref()
        .is_some_and(|context| context != task.context())
    {
        return Err(CallError::misfit(
            "context_mismatch",
            "contextId is not the one of the task",
        ));
    }
    let pays = incoming.submission.pays();
    // A payment and its repetition differ by the nonce, which this crate does not read.
    if !pays && is_repeated(task, message) {
        return Ok(standing(task));
    }
    match task.state() {
        TaskState::Completed if pays => Ok(Decision::Show),
        TaskState::Working if pays => Ok(standing(task)),
        TaskState::Working => Err(CallError::Unsupported(
            "the task is being worked on and takes no messages",
        )),
        state @ (TaskState::Completed | TaskState::Failed | TaskState::Canceled) => {
            Err(CallError::Ended(state))
        }
        TaskState::Submitted | TaskState::InputRequired => waiting(task, incoming),
    }
}

/// Decides whether a task can be canceled; if so, take [`crate::TaskStep::Cancel`].
///
/// # Errors
/// It has ended, or paid work is under way.
pub fn decide_cancel(record: &TaskRecord, now: Timestamp) -> Result<(), CallError> {
    match record.shown(now)?.state() {
        TaskState::Submitted | TaskState::InputRequired => Ok(()),
        state @ (TaskState::Working | TaskState::Completed | TaskState::Failed | TaskState::Canceled) => {
            Err(CallError::NotCancelable(state))
        }
    }
}

/// A message to a task that waits for one.
fn waiting(task: &Task, incoming: &Incoming) -> Result<Decision, CallError> {
    let Some(offer) = task.offer() else {
        return bounded(
            task,
            opening(incoming, task.skill(), task.history()).map(Decision::Continue)?,
        );
    };
    if matches!(incoming.submission, Submission::Declined) {
        return Ok(Decision::Decline);
    }
    let pays = incoming.submission.pays();
    match find(&incoming.message, Some(offer.request().skill()))? {
        // The stored request runs.
        // To pay for another one, a client first sends it without payment and gets its price.
        Found::Request(request) if pays && request != *offer.request() => Err(CallError::misfit(
            "request_differs",
            "the message pays, but its request differs from the one of the task; send it without payment first",
        )),
        Found::Request(_) | Found::Words { wanted: _ } if pays => Ok(Decision::Pay {
            offer: offer.number(),
        }),
        Found::Request(request) => bounded(task, Decision::Continue(Opening::Price { request, pays })),
        Found::Words { wanted: _ } => bounded(
            task,
            match ordered(incoming, None, &[]) {
                Some(request) if request != *offer.request() => {
                    Decision::Continue(Opening::Price { request, pays })
                }
                Some(_) | None => Decision::Remind,
            },
        ),
    }
}

/// `past` are the earlier messages of the task, oldest first.
fn opening(incoming: &Incoming, wanted: Option<Skill>, past: &[Message]) -> Result<Opening, CallError> {
    let pays = incoming.submission.pays();
    Ok(match find(&incoming.message, wanted)? {
        Found::Request(request) => Opening::Price { request, pays },
        Found::Words { wanted } => match ordered(incoming, wanted, past) {
            // Nothing is sold before its buyer has seen what was understood.
            Some(request) => Opening::Price { request, pays: false },
            None => Opening::AskInput {
                wanted,
                payment_unused: pays,
            },
        },
    })
}

/// Returns the order in the words of a conversation, if it is complete.
fn ordered(incoming: &Incoming, wanted: Option<Skill>, past: &[Message]) -> Option<Request> {
    let texts = natural_orders::texts(past.iter().chain([&incoming.message]));
    let understood = natural_orders::understand(&texts, wanted)?;
    let whole = understood.missing.is_empty();
    whole.then(|| Request::from_words(understood.skill, &understood.fields))
}

/// Limits how many messages a task may have.
/// Payments are not limited, because each costs money.
fn bounded(task: &Task, decision: Decision) -> Result<Decision, CallError> {
    let pays = matches!(
        decision,
        Decision::Continue(Opening::Price {
            request: _,
            pays: true
        })
    );
    match pays || task.heard() < MAX_TURNS {
        true => Ok(decision),
        false => Err(CallError::Unsupported(
            "the task has taken as many messages as it can",
        )),
    }
}

fn standing(task: &Task) -> Decision {
    task.run().map_or(Decision::Show, |run| Decision::Join { run })
}

/// Whether the task already has this message.
/// The `messageId` is not enough, because clients reuse them.
fn is_repeated(task: &Task, message: &Message) -> bool {
    let mut same = task
        .history()
        .iter()
        .filter(|past| past.message_id == message.message_id)
        .peekable();
    if same.peek().is_none() {
        return false;
    }
    let filed = redact::for_history(message.clone());
    same.any(|past| *past == filed)
}

#[cfg(test)]
mod tests;

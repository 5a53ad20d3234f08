//! Steps that a task takes.

use crate::payment::{PaymentFailure, Required};
use crate::request::Request;
use crate::task_state::TaskState;
use ibid_model::{Offering, ScanId, Skill};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// One step of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskStep {
    /// Ask for a request.
    AskInput {
        /// The skill that the client named, if it did.
        wanted: Option<Skill>,
        /// Whether the message came with a payment that could not be used.
        payment_unused: bool,
        /// The skills that are sold here.
        sold: Offering,
    },
    /// Ask for payment of a request, which replaces the one before it.
    AskPayment {
        /// The request that will run.
        request: Request,
        /// The demand for it.
        required: Required,
    },
    /// Repeat the demand.
    Remind,
    /// A payment was not taken, before any work.
    RefusePayment {
        /// The offer that it was for.
        basis: Basis,
        /// The reason.
        failure: PaymentFailure,
    },
    /// The payment holds: the work begins.
    /// The one step after which a run may be started.
    Begin {
        /// The offer that was paid for.
        basis: Basis,
        /// The run that is about to start.
        run: ScanId,
    },
    /// The work is done, and the outcome of the settlement is unknown.
    /// Take this step once a run.
    AwaitSettlement {
        /// The run under way.
        run: ScanId,
    },
    /// There is a result, and it is paid for.
    Complete {
        /// The run that yields it.
        run: ScanId,
        /// The result.
        output: TaskOutput,
        /// Its payment.
        settled: TaskSettlement,
    },
    /// The work is done, but the money did not move.
    /// The client may pay again, also with the same payment.
    RefuseSettlement {
        /// The run that was not paid for.
        run: ScanId,
        /// The reason.
        failure: PaymentFailure,
    },
    /// The work failed. Nothing is charged.
    Fail {
        /// The run that failed.
        run: ScanId,
        /// A sentence about it.
        detail: String,
    },
    /// The run is lost, because the service was stopped.
    /// The client is not charged.
    Interrupt {
        /// The run that is gone.
        run: ScanId,
    },
    /// The payment was settled before the work, which failed.
    /// The client may send the same payment again to have it done.
    Owe {
        /// The run that failed.
        run: ScanId,
    },
    /// The authorization was used for something else, and the money may have moved.
    Spend {
        /// The run that was not paid for.
        run: ScanId,
    },
    /// The client ends the task.
    Cancel,
    /// The client will not pay.
    Decline,
}

/// Tells the offers within a task apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskNumber(pub(super) u32);

/// What a payment is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// The current offer at the time when the payment was judged.
    Asked(AskNumber),
    /// A request that came with its payment, without an offer.
    Direct {
        /// The request that runs.
        request: Request,
        /// The demand that the payment was judged against.
        required: Required,
    },
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskOutput {
    /// A short summary for people.
    pub summary: String,
    /// What the REST route with the same name answers.
    pub document: TaskDocument,
}

/// Where a result's document is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TaskDocument {
    /// In the store, under this id. The caller passes it to the view.
    Kept(ScanId),
    /// Here.
    Inline(Box<RawValue>),
}

/// How a result was paid.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskSettlement {
    /// The money moved; the receipt as the wire has it.
    Receipt(Value),
    /// The payment was a proof of the wallet only.
    Proof,
}

/// A step that this task does not take. The task is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalStep {
    /// Not in this state.
    #[error("a task in state {0} cannot take this step")]
    State(TaskState),
    /// Another run is under way.
    #[error("another run is under way")]
    OtherRun,
    /// The payment was for an offer that was replaced.
    #[error("the offer was replaced")]
    OldOffer,
    /// The request that came with the payment differs from the stored one.
    #[error("the request differs from the stored one")]
    Swapped,
}

impl PartialEq for TaskDocument {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kept(one), Self::Kept(two)) => one == two,
            (Self::Inline(one), Self::Inline(two)) => one.get() == two.get(),
            (Self::Kept(_), Self::Inline(_)) | (Self::Inline(_), Self::Kept(_)) => false,
        }
    }
}

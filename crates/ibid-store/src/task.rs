//! Tasks of the agent surface: documents that change by compare and swap.

use crate::purchase::Millis;
use crate::webhook::{NewDelivery, NewWebhook};
use ibid_model::{PaymentKey, Receipt, ScanId, TaskId};

/// One revision of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskRow<'a> {
    pub id: TaskId,
    /// Which revision this is, from 1.
    pub revision: u64,
    /// The run under way.
    pub run: Option<ScanId>,
    /// Whether it is not paid for yet.
    pub waits: bool,
    /// The time after which it may be deleted, unless a run is under way.
    pub expires: Millis,
    pub now: Millis,
    /// The task as its crate writes it.
    pub document: &'a [u8],
    /// Comes with the first revision; `None` for later ones.
    pub webhook: Option<&'a NewWebhook<'a>>,
    /// What this revision tells the subscriptions of its task.
    pub events: &'a [NewDelivery<'a>],
}

/// How many unpaid tasks are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskQuota {
    pub tasks: u32,
    /// Bytes of their documents.
    pub bytes: u64,
}

/// A task that is still marked as running although its run has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrphanedTask {
    pub task: TaskId,
    pub run: ScanId,
    pub outcome: RunOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// It was bought.
    Sold {
        /// The payment that bought it.
        key: PaymentKey,
        receipt: Box<Receipt>,
    },
    /// The result is stored; its settlement was refused.
    Refused { key: PaymentKey },
    /// The run has no result. Its payment is free or unknown.
    Gone,
}

//! Tasks of the agent surface: documents that change by compare and swap.

use crate::StoreError;
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
    /// The subscription of the first revision; `None` for later revisions.
    pub webhook: Option<&'a NewWebhook<'a>>,
    /// The events of this revision, for the subscriptions of its task.
    pub events: &'a [NewDelivery<'a>],
}

/// The limits of stored unpaid tasks.
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
    /// The run of the task.
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

/// Stores tasks. Every method is one transaction.
///
/// A task is found by its id alone: tasks are not listed.
pub trait TaskRecords: Send + Sync + 'static {
    /// Stores the first revision of a task, its subscription and its events.
    /// `caller` is the name of its caller, at most 64 bytes.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken, or the fault of the database.
    fn open_task(&self, task: &TaskRow<'_>, caller: &[u8]) -> Result<(), StoreError>;

    /// Replaces the revision before this one and stores the events of this one.
    /// Returns false if another revision is stored: another writer was faster.
    fn swap_task(&self, task: &TaskRow<'_>) -> Result<bool, StoreError>;

    /// Returns the document of a task, also of an expired one.
    fn task(&self, id: TaskId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns at most `most` tasks whose run has ended, as its payment shows,
    /// and that were not changed since `before`: those after the id `after`, in ascending order.
    ///
    /// # Errors
    /// The fault of the database, or a damaged row.
    fn orphaned_tasks(
        &self,
        before: Millis,
        after: Option<TaskId>,
        most: u32,
    ) -> Result<Vec<OrphanedTask>, StoreError>;

    /// Deletes expired tasks, unpaid tasks of all callers beyond `quota`, those that expire first, and subscriptions to
    /// deleted tasks. Returns the number of deleted tasks.
    fn expire_tasks(&self, now: Millis, quota: TaskQuota) -> Result<u64, StoreError>;

    /// Deletes unpaid tasks of a caller beyond `quota`, those that expire first.
    /// Returns the number of deleted tasks.
    fn trim_tasks(&self, caller: &[u8], quota: TaskQuota) -> Result<u64, StoreError>;
}

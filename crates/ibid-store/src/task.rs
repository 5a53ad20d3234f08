//! Tasks of the agent surface: documents that change by compare and swap.

use crate::StoreError;
use crate::purchase::Millis;
use ibid_model::{PaymentKey, Receipt, ScanId, TaskId};

/// One revision of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskRow<'a> {
    /// Its id.
    pub id: TaskId,
    /// Which revision this is, from 1.
    pub revision: u64,
    /// The run under way.
    pub run: Option<ScanId>,
    /// Whether nobody has paid for it yet.
    pub waits: bool,
    /// From when on it may be forgotten, unless a run is under way.
    pub expires: Millis,
    /// The time.
    pub now: Millis,
    /// The task as its crate writes it.
    pub document: &'a [u8],
}

/// How many tasks that nobody has paid for are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Tasks.
    pub tasks: u32,
    /// Bytes of their documents.
    pub bytes: u64,
}

/// A task whose run ended without the task hearing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The task.
    pub task: TaskId,
    /// The run that it stands for.
    pub run: ScanId,
    /// What became of the run.
    pub fate: Fate,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was bought.
    Sold {
        /// The payment that bought it.
        key: PaymentKey,
        /// The receipt.
        receipt: Box<Receipt>,
    },
    /// There is a result; paying for it was refused.
    Refused,
    /// Nothing came of it, and its payment is free, or nobody knows of it.
    Gone,
}

/// Keeps tasks. Every method is one transaction.
///
/// A task is found by its id alone: there is no list of them.
pub trait TaskRecords: Send + Sync + 'static {
    /// Stores the first revision of a task. `caller` is the name of its caller, at most 64 bytes.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken, or the fault of the database.
    fn open_task(&self, task: &TaskRow<'_>, caller: &[u8]) -> Result<(), StoreError>;

    /// Replaces the revision before this one. False if that is not the one that is kept: another writer was faster.
    ///
    /// # Errors
    /// The fault of the database.
    fn swap_task(&self, task: &TaskRow<'_>) -> Result<bool, StoreError>;

    /// The document of a task, whether or not it has expired.
    ///
    /// # Errors
    /// The fault of the database.
    fn task(&self, id: TaskId) -> Result<Option<Vec<u8>>, StoreError>;

    /// At most `most` tasks whose run has ended, as its payment tells, and that were left alone since `before`.
    ///
    /// # Errors
    /// The fault of the database, or a damaged row.
    fn stray_tasks(&self, before: Millis, most: u32) -> Result<Vec<Stray>, StoreError>;

    /// Forgets what has expired, and of the tasks that wait those which would expire first, beyond `room` for all callers together. Returns how
    /// many went.
    ///
    /// # Errors
    /// The fault of the database.
    fn expire_tasks(&self, now: Millis, room: Room) -> Result<u64, StoreError>;

    /// Forgets tasks of a caller that wait, those first which would expire first, beyond `room`. Returns how many went.
    ///
    /// # Errors
    /// The fault of the database.
    fn trim_tasks(&self, caller: &[u8], room: Room) -> Result<u64, StoreError>;
}

//! A task in a store: one document, one revision, one expiry.

use super::step::{IllegalStep, TaskStep};
use super::value::Task;
use crate::error::CallError;
use crate::limits::{FINISHED_LIFE, UNPAID_LIFE};
use crate::message::Message;
use crate::task_state::TaskState;
use ibid_model::TaskId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A task in a store.
///
/// A store inserts revision 1 if the id is free, and replaces revision n only by n + 1 (compare and swap).
/// Two writers that saw the same revision cannot both succeed.
/// So the change from `input-required` to `working` is atomic.
/// The writer that fails reads the task again and decides again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskRecord {
    /// How the document is written, for migrations to come.
    format: Format,
    revision: u64,
    task: Task,
}

/// Bytes that are not a record, or a record of a newer program.
#[derive(Debug, thiserror::Error)]
#[error("read a task record")]
pub struct BadRecord(#[source] serde_json::Error);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Format {
    #[serde(rename = "1")]
    V1,
}

impl TaskRecord {
    /// Returns the first revision: a task that was opened and took its first step.
    #[must_use]
    pub fn first(task: Task) -> Self {
        Self {
            format: Format::V1,
            revision: 1,
            task,
        }
    }

    /// The next revision: the task takes a step.
    ///
    /// # Errors
    /// The step is not legal here.
    pub fn advance(&self, step: TaskStep, at: Timestamp) -> Result<Self, IllegalStep> {
        Ok(self.next(self.task.clone().advance(step, at)?))
    }

    /// The next revision: the task takes a step because of a client's message.
    ///
    /// # Errors
    /// The step is not legal here.
    pub fn advance_on(&self, message: &Message, step: TaskStep, at: Timestamp) -> Result<Self, IllegalStep> {
        Ok(self.next(self.task.clone().advance_on(message, step, at)?))
    }

    fn next(&self, task: Task) -> Self {
        Self {
            format: self.format,
            revision: self.revision + 1,
            task,
        }
    }

    /// The task.
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// The task's id: the key of the record.
    pub const fn id(&self) -> TaskId {
        self.task.id
    }

    /// The revision, from 1.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the time from which the record may be deleted and is hidden, unless a run is under way.
    pub fn expires_at(&self) -> Timestamp {
        let life = match self.task.state() {
            TaskState::Working | TaskState::Completed | TaskState::Failed => FINISHED_LIFE,
            TaskState::Submitted | TaskState::InputRequired | TaskState::Canceled => UNPAID_LIFE,
        };
        let changed_at = self.task.changed_at;
        changed_at.saturating_add(life).unwrap_or(Timestamp::MAX)
    }

    /// Whether the task is no longer shown.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        match self.task.state() {
            // The task is paid for and stays until it ends.
            TaskState::Working => false,
            TaskState::Submitted
            | TaskState::InputRequired
            | TaskState::Completed
            | TaskState::Canceled
            | TaskState::Failed => self.expires_at() <= now,
        }
    }

    /// The task, if it is still shown: for `tasks/get` and `tasks/resubscribe`.
    ///
    /// # Errors
    /// It has expired. The answer is the same as for an unknown task.
    pub fn shown(&self, now: Timestamp) -> Result<&Task, CallError> {
        match self.is_expired(now) {
            true => Err(CallError::TaskNotFound),
            false => Ok(&self.task),
        }
    }

    /// The document for the store.
    ///
    /// # Errors
    /// No known case. The JSON writer can fail in principle.
    pub fn to_json(&self) -> Result<Vec<u8>, BadRecord> {
        serde_json::to_vec(self).map_err(BadRecord)
    }

    /// Reads a document of [`Self::to_json`].
    ///
    /// # Errors
    /// The bytes are no such document.
    pub fn from_json(json: &[u8]) -> Result<Self, BadRecord> {
        let mut record: Self = serde_json::from_slice(json).map_err(BadRecord)?;
        record.task.recall();
        Ok(record)
    }
}

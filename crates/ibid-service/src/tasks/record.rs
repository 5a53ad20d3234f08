//! Records of tasks in memory.

use ibid_a2a::{Task, TaskRecord, TaskState};
use std::sync::Arc;

/// A record that several readers share.
pub(super) type SharedRecord = Arc<TaskRecord>;

/// Whether a task is unpaid. The number of such tasks is limited.
pub(super) fn is_unpaid(task: &Task) -> bool {
    match task.state() {
        // A canceled task was never paid for.
        TaskState::Submitted | TaskState::InputRequired | TaskState::Canceled => true,
        TaskState::Working | TaskState::Completed | TaskState::Failed => false,
    }
}

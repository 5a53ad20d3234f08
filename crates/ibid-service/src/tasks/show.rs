//! Tasks as answers.

use super::error::internal_error;
use super::handle::Tasks;
use super::task_registry::SharedRecord;
use crate::error::Error;
use crate::job::Reader;
use ibid_a2a::{AnswerBody, CallError, HistoryLimit, Task, TaskDocument, TaskState, TaskView, Wire};
use ibid_model::TaskId;
use ibid_x402::SettleResponse;
use serde_json::value::RawValue;

/// A task as an answer.
#[derive(Debug)]
pub struct Shown {
    record: SharedRecord,
    history: HistoryLimit,
    document: Option<Box<RawValue>>,
}

impl Shown {
    /// The answer to a message.
    pub fn sent(&self, wire: Wire) -> AnswerBody {
        wire.sent(&self.view())
    }

    /// The task by itself.
    pub fn task(&self, wire: Wire) -> AnswerBody {
        wire.task(&self.view())
    }

    fn view(&self) -> TaskView<'_> {
        TaskView {
            task: self.record.task(),
            history: self.history,
            document: self.document.as_deref(),
        }
    }

    /// The buyer's proof of the transfer, or `None` if the task was not bought.
    pub fn settlement(&self) -> Option<SettleResponse> {
        let task = self.record.task();
        let last = task.receipts().last()?;
        let completed = task.state() == TaskState::Completed;
        completed.then(|| serde_json::from_value(last.clone()).ok())?
    }
}

impl Tasks {
    /// `tasks/get`.
    ///
    /// # Errors
    /// The task does not exist or has expired; the store failed.
    pub async fn get(&self, id: TaskId, history: HistoryLimit) -> Result<Shown, CallError> {
        let record = self.keeper.shown(id).await?;
        self.show(record, history).await
    }

    pub(super) async fn show(&self, record: SharedRecord, history: HistoryLimit) -> Result<Shown, CallError> {
        let document = self.document(record.task()).await?;
        Ok(Shown {
            record,
            history,
            document,
        })
    }

    /// Reads a task's document, if it is stored apart from the task.
    pub(super) async fn document(&self, task: &Task) -> Result<Option<Box<RawValue>>, CallError> {
        let Some(TaskDocument::Kept(id)) = task.output().map(|output| &output.document) else {
            return Ok(None);
        };
        let bytes = match self.service.scans.scan(*id, &Reader::Buyer).await {
            Ok(bytes) => bytes,
            // It is no longer stored; the summary stays.
            Err(Error::NotFound) => return Ok(None),
            Err(error) => return Err(internal_error(error)),
        };
        let text = String::from_utf8(bytes.to_vec()).map_err(internal_error)?;
        RawValue::from_string(text).map(Some).map_err(internal_error)
    }
}

//! Tasks as answers.

use super::cache::Cached;
use super::error::broken;
use super::handle::Tasks;
use super::record::SharedRecord;
use crate::{Error, Reader};
use ibid_a2a::{
    AnswerBody, CallError, HistoryLimit, RpcId, Task, TaskDocument, TaskState, TaskView, result_document,
};
use ibid_model::TaskId;
use ibid_x402::SettleResponse;
use jiff::Timestamp;
use serde_json::value::RawValue;
use std::sync::Arc;

/// A task as an answer.
#[derive(Debug)]
pub struct Shown {
    record: SharedRecord,
    history: HistoryLimit,
    document: Option<Box<RawValue>>,
    /// The whole answer, if it was written before.
    written: Option<Arc<AnswerBody>>,
}

impl Shown {
    /// A task whose whole answer was written before.
    pub(super) const fn again(record: SharedRecord, written: Arc<AnswerBody>) -> Self {
        Self {
            record,
            history: HistoryLimit::All,
            document: None,
            written: Some(written),
        }
    }

    /// The answer to one request.
    #[must_use]
    pub fn answer(&self, id: &RpcId) -> Vec<u8> {
        match &self.written {
            Some(body) => body.document(id),
            None => result_document(id, &self.view()),
        }
    }

    /// The answer, to be kept for other requests.
    pub(super) fn body(&self) -> Arc<AnswerBody> {
        let written = || Arc::new(AnswerBody::result(&self.view()));
        self.written.clone().unwrap_or_else(written)
    }

    fn view(&self) -> TaskView<'_> {
        TaskView {
            task: self.record.task(),
            history: self.history,
            document: self.document.as_deref(),
        }
    }

    /// The proof for the buyer that the money has moved; `None` if the task was not bought.
    #[must_use]
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
        let cache = &self.keeper.registry.cache;
        let now = cache.now();
        let Cached {
            record,
            answer,
            known,
        } = match cache.get(id) {
            Some(cached) => cached,
            None => Cached {
                record: self.keeper.task(id).await?.ok_or(CallError::TaskNotFound)?,
                answer: None,
                known: now,
            },
        };
        record.shown(Timestamp::now())?;
        if history != HistoryLimit::All {
            return self.show(record, history).await;
        }
        if let Some(answer) = answer {
            return Ok(Shown::again(record, answer));
        }
        let shown = self.show(Arc::clone(&record), history).await?;
        let answer = shown.body();
        cache.put(&record, Some(Arc::clone(&answer)), known);
        Ok(Shown::again(record, answer))
    }

    pub(super) async fn show(&self, record: SharedRecord, history: HistoryLimit) -> Result<Shown, CallError> {
        let document = self.document(record.task()).await?;
        Ok(Shown {
            record,
            history,
            document,
            written: None,
        })
    }

    /// The document that a task yielded, if it is stored apart from the task.
    pub(super) async fn document(&self, task: &Task) -> Result<Option<Box<RawValue>>, CallError> {
        let Some(TaskDocument::Kept(id)) = task.output().map(|output| &output.document) else {
            return Ok(None);
        };
        let bytes = match self.service.scan(*id, &Reader::Buyer).await {
            Ok(bytes) => bytes,
            // It is no longer stored; the summary stays.
            Err(Error::NotFound) => return Ok(None),
            Err(error) => return Err(broken(error)),
        };
        let text = String::from_utf8(bytes.to_vec()).map_err(broken)?;
        RawValue::from_string(text).map(Some).map_err(broken)
    }
}

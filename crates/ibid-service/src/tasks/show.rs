//! Tasks as answers, and tasks as they change.

use super::room::{Live, Progress, Watching};
use super::{Shared, Tasks};
use crate::paid::millis;
use crate::service::Inner;
use crate::{Error, Reader};
use ibid_a2a::{Body, CallError, Document, HistoryLimit, RpcId, Task, TaskState, TaskView, result_document};
use ibid_model::TaskId;
use ibid_x402::SettleResponse;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often the store is asked about a task that another process works on.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often, about one that this process works on: never mind what was missed.
const LOOK_SELDOM: Duration = Duration::from_secs(30);

/// A task to be answered with.
#[derive(Debug)]
pub struct Shown {
    record: Shared,
    history: HistoryLimit,
    document: Option<Box<RawValue>>,
    /// The whole answer, if it was written before.
    written: Option<Arc<Body>>,
}

impl Shown {
    /// A task whose whole answer was written before.
    pub(super) const fn again(record: Shared, written: Arc<Body>) -> Self {
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
    pub(super) fn body(&self) -> Arc<Body> {
        let written = || Arc::new(Body::result(&self.view()));
        self.written.clone().unwrap_or_else(written)
    }

    fn view(&self) -> TaskView<'_> {
        TaskView {
            task: self.record.task(),
            history: self.history,
            document: self.document.as_deref(),
        }
    }

    /// What tells the buyer that the money has moved, if the task was bought.
    #[must_use]
    pub fn settlement(&self) -> Option<SettleResponse> {
        let task = self.record.task();
        let last = task.receipts().last()?;
        let completed = task.state() == TaskState::Completed;
        completed.then(|| serde_json::from_value(last.clone()).ok())?
    }
}

impl Tasks {
    pub(super) async fn show(&self, record: Shared, history: HistoryLimit) -> Result<Shown, CallError> {
        let document = self.document(record.task()).await?;
        Ok(Shown {
            record,
            history,
            document,
            written: None,
        })
    }

    /// The document that a task yielded, if it is kept elsewhere.
    pub(super) async fn document(&self, task: &Task) -> Result<Option<Box<RawValue>>, CallError> {
        let Some(Document::Kept(id)) = task.output().map(|output| &output.document) else {
            return Ok(None);
        };
        let bytes = match self.service.scan(*id, &Reader::Buyer).await {
            Ok(bytes) => bytes,
            // It is no longer kept; the summary stays.
            Err(Error::NotFound) => return Ok(None),
            Err(error) => return Err(super::error::broken(error)),
        };
        let text = String::from_utf8(bytes.to_vec()).map_err(super::error::broken)?;
        RawValue::from_string(text)
            .map(Some)
            .map_err(super::error::broken)
    }
}

/// Whether a blocking call has nothing to wait for: the task has ended, or needs its client, or the settlement takes
/// its time, which may be long.
pub(super) fn rests(task: &Task) -> bool {
    task.state().is_final() || task.awaits_settlement()
}

/// A task under way, as it changes.
pub(super) struct Watch {
    inner: Arc<Inner>,
    record: Shared,
    watching: Watching,
    progress: Option<Arc<Progress>>,
    looked: Instant,
}

/// What happened.
pub(super) enum Change {
    /// The task was written.
    Task,
    /// The work goes on.
    Progress(Arc<Progress>),
}

impl Watch {
    /// Watches from now on. Reads the task once more, for what was written before anybody watched.
    pub(super) async fn new(inner: &Arc<Inner>, record: Shared) -> Result<Self, CallError> {
        let watching = Watching::new(inner, record.id());
        let record = inner.task(record.id()).await?.unwrap_or(record);
        let record = inner.tasks.share(record);
        Ok(Self {
            inner: Arc::clone(inner),
            record,
            watching,
            progress: None,
            looked: Instant::now(),
        })
    }

    pub(super) const fn record(&self) -> &Shared {
        &self.record
    }

    /// The task when it [`rests`], or when the time is up.
    pub(super) async fn rest(mut self, within: Duration) -> Shared {
        let deadline = Instant::now() + within;
        while !rests(self.record.task()) {
            if tokio::time::timeout_at(deadline, self.next()).await.is_err() {
                break;
            }
        }
        self.record
    }

    /// What happens next.
    pub(super) async fn next(&mut self) -> Change {
        loop {
            let every = match self.inner.tasks.is_driven(self.task()) {
                true => LOOK_SELDOM,
                false => LOOK_AGAIN,
            };
            let wait = (self.looked + every).saturating_duration_since(Instant::now());
            let change = match self.watching.next(wait).await {
                Some(live) => self.hear(live),
                None => self.look().await,
            };
            if let Some(change) = change {
                return change;
            }
        }
    }

    fn task(&self) -> TaskId {
        self.record.id()
    }

    fn hear(&mut self, live: Live) -> Option<Change> {
        if let Some(record) = live.record.filter(|new| new.revision() > self.record.revision()) {
            self.record = record;
            return Some(Change::Task);
        }
        let progress = live.progress?;
        let new = self
            .progress
            .as_ref()
            .is_none_or(|old| !Arc::ptr_eq(old, &progress));
        self.progress = Some(Arc::clone(&progress));
        new.then_some(Change::Progress(progress))
    }

    async fn look(&mut self) -> Option<Change> {
        self.looked = Instant::now();
        // A store that fails for a moment is asked again.
        let record = self.inner.task(self.task()).await.ok().flatten()?;
        let newer = record.revision() > self.record.revision();
        if newer {
            self.record = record;
        }
        newer.then_some(Change::Task)
    }
}

impl Inner {
    /// How long a run whose end nobody has written down is left alone.
    pub(super) fn grace(&self) -> i64 {
        self.paid
            .as_ref()
            .map_or(10_000, |paid| millis(paid.timing.lease))
    }
}

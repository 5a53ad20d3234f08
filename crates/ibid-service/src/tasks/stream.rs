//! Tasks as streams of answers: first the task, then its changes, last the final status.

use super::handle::{MessageCall, Tasks};
use super::limits::Caller;
use super::task_registry::{OpenCall, SharedRecord};
use super::watch::{Change, Watch};
use futures_util::Stream;
use ibid_a2a::{AnswerBody, CallError, HistoryLimit, Seen, TaskView, Update, Wire, updates};
use ibid_model::TaskId;
use std::collections::VecDeque;
use std::pin::Pin;

type OpeningTask = Pin<Box<dyn Future<Output = Result<SharedRecord, CallError>> + Send>>;

enum Phase {
    /// The task is being found or made.
    Opening(OpeningTask),
    /// The task is under way.
    Following(Box<Watch>, Seen),
    /// Only queued events are left.
    Ended,
}

struct EventStream {
    wire: Wire,
    tasks: Tasks,
    history: HistoryLimit,
    open: Option<OpenCall>,
    phase: Phase,
    queue: VecDeque<AnswerBody>,
}

impl Tasks {
    /// `message/stream`. Errors are answers, too.
    /// The work goes on if the client stops listening.
    pub fn stream(&self, call: MessageCall) -> impl Stream<Item = AnswerBody> + Send + use<> {
        let (tasks, wire, caller, history) = (self.clone(), call.wire, call.caller, call.incoming.history);
        let opening = Box::pin(async move { tasks.receive(call).await });
        self.events(wire, caller, history, opening)
    }

    /// `tasks/resubscribe`: the task as it is, then its changes.
    /// With `open` an ended task is an error.
    pub fn resubscribe(
        &self,
        wire: Wire,
        task: TaskId,
        open: bool,
        caller: Caller,
    ) -> impl Stream<Item = AnswerBody> + Send + use<> {
        let keeper = std::sync::Arc::clone(&self.keeper);
        let opening = Box::pin(async move {
            let record = keeper.shown(task).await?;
            match open && record.task().state().is_terminal() {
                true => Err(CallError::Unsupported("the task has ended")),
                false => Ok(record),
            }
        });
        self.events(wire, caller, HistoryLimit::All, opening)
    }

    fn events(
        &self,
        wire: Wire,
        caller: Caller,
        history: HistoryLimit,
        opening: OpeningTask,
    ) -> impl Stream<Item = AnswerBody> + Send + use<> {
        let (open, phase, queue) = match OpenCall::new(&self.keeper.registry, caller) {
            Ok(open) => (Some(open), Phase::Opening(opening), VecDeque::new()),
            Err(error) => (None, Phase::Ended, VecDeque::from([wire.error(&error)])),
        };
        let events = EventStream {
            wire,
            tasks: self.clone(),
            history,
            open,
            phase,
            queue,
        };
        futures_util::stream::unfold(events, |mut events| async move {
            let body = events.next().await?;
            Some((body, events))
        })
    }
}

impl EventStream {
    async fn next(&mut self) -> Option<AnswerBody> {
        loop {
            if let Some(body) = self.queue.pop_front() {
                return Some(body);
            }
            let phase = match &mut self.phase {
                Phase::Ended => {
                    self.open = None;
                    return None;
                }
                Phase::Opening(opening) => {
                    let opened = opening.as_mut().await;
                    self.opened(opened).await
                }
                Phase::Following(watch, seen) => {
                    let change = watch.next().await;
                    match change {
                        Change::Task => {
                            let (record, seen) = (watch.record().clone(), *seen);
                            self.changed(&record, seen).await
                        }
                        Change::Progress(progress) => {
                            let update = Update::Progress {
                                task: watch.record().task(),
                                progress: &progress.value,
                                at: progress.at,
                            };
                            let body = self.wire.update(&update);
                            self.queue.push_back(body);
                            Ok(None)
                        }
                    }
                }
            };
            match phase {
                Ok(Some(phase)) => self.phase = phase,
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(%error, "task.stream.failed");
                    self.queue.push_back(self.wire.error(&error));
                    self.phase = Phase::Ended;
                }
            }
        }
    }

    /// The first event is the task itself.
    async fn opened(&mut self, opened: Result<SharedRecord, CallError>) -> Result<Option<Phase>, CallError> {
        let mut record = opened?;
        let mut watch = None;
        if !record.task().state().is_final() {
            let watching = Watch::new(&self.tasks.keeper, record).await?;
            record = watching.record().clone();
            watch = Some(watching);
        }
        let task = record.task();
        let document = self.tasks.document(task).await?;
        self.queue.push_back(self.wire.sent(&TaskView {
            task,
            history: self.history,
            document: document.as_deref(),
        }));
        let seen = task.seen_at_start();
        match watch.filter(|_| !task.state().is_final()) {
            Some(watch) => Ok(Some(Phase::Following(Box::new(watch), seen))),
            None => {
                let rest = updates(seen, task, document.as_deref());
                let wire = self.wire;
                self.queue.extend(rest.map(|update| wire.update(&update)));
                Ok(Some(Phase::Ended))
            }
        }
    }

    async fn changed(&mut self, record: &SharedRecord, seen: Seen) -> Result<Option<Phase>, CallError> {
        let task = record.task();
        let document = self.tasks.document(task).await?;
        let mut ended = false;
        for update in updates(seen, task, document.as_deref()) {
            ended |= update.is_final();
            self.queue.push_back(self.wire.update(&update));
        }
        if ended {
            return Ok(Some(Phase::Ended));
        }
        if let Phase::Following(_, seen) = &mut self.phase {
            *seen = task.seen();
        }
        Ok(None)
    }
}

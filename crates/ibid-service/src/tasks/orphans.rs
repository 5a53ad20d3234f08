//! Orphaned tasks, left behind by a crash or a slow settlement, and expired tasks.

use super::follow_run::completed;
use super::keeper::TaskKeeper;
use crate::clock::{millis, now_ms};
use crate::document::Document;
use crate::error::Error;
use crate::paid::settlement_of;
use crate::runs::run::{Finished, Output};
use ibid_a2a::{PaymentFailure, TaskStep};
use ibid_model::{ProblemCode, X402Version};
use ibid_store::{OrphanedTask, RunOutcome};
use ibid_x402::SettleResponse;
use serde_json::json;
use std::sync::PoisonError;
use std::time::Instant;

/// Orphaned tasks of one round.
const AT_ONCE: u32 = 256;

impl TaskKeeper {
    /// Deletes expired tasks, and unpaid tasks over the limit.
    pub(super) async fn delete_expired(&self) {
        self.registry.forget_callers(Instant::now());
        let quota = self.registry.limits.all;
        let db = &self.runs.db;
        let expired = db.call(move |store| store.expire_tasks(now_ms(), quota));
        match expired.await {
            Ok(0) => {}
            Ok(expired) => tracing::info!(expired, "task.expired.deleted"),
            Err(error) => tracing::warn!(error = crate::failure::chain(&error), "task.expired.not_deleted"),
        }
    }

    /// Ends tasks whose run has ended without them.
    /// Runs only if selling is on.
    pub(super) async fn end_orphans(&self) -> Result<(), Error> {
        let Some(sales) = &self.sales else { return Ok(()) };
        // A run that ended less than a lease ago may still store the end of its task.
        let before = now_ms() - millis(sales.settings.timing.lease);
        // Each round continues after the last one, so tasks that cannot be ended do not delay others.
        let after = *self.orphan.lock().unwrap_or_else(PoisonError::into_inner);
        let db = &self.runs.db;
        let orphans = db.call(move |store| store.orphaned_tasks(before, after, AT_ONCE));
        let orphans = orphans.await?;
        let full = orphans.len() == AT_ONCE as usize;
        let last = orphans.last().map(|orphan| orphan.task).filter(|_| full);
        *self.orphan.lock().unwrap_or_else(PoisonError::into_inner) = last;
        for orphan in orphans {
            // Skip tasks that this process is still driving.
            if self.registry.is_driven(orphan.task) {
                continue;
            }
            // The others are ended even if one cannot be.
            let run = orphan.run;
            if let Err(error) = self.end_orphan(orphan).await {
                tracing::warn!(scan.id = %run, error = crate::failure::chain(&error), "task.orphan.not_ended");
            }
        }
        Ok(())
    }

    async fn end_orphan(&self, orphan: OrphanedTask) -> Result<(), Error> {
        let OrphanedTask { task, run, outcome } = orphan;
        let db = &self.runs.db;
        let (step, sold) = match outcome {
            RunOutcome::Gone => (TaskStep::Interrupt { run }, None),
            RunOutcome::Refused { key } => {
                // The store keeps neither the reason nor the version.
                // The extension is written for version 1.
                let code = ProblemCode::PaymentRefused;
                let receipt = SettleResponse::refused(&key, X402Version::V1, code.word());
                let failure = PaymentFailure {
                    code: code.row().payment.to_owned(),
                    detail: "the settlement was refused".to_owned(),
                    receipt: Some(json!(receipt)),
                };
                (TaskStep::RefuseSettlement { run, failure }, None)
            }
            RunOutcome::Sold { key, receipt } => {
                match db.call(move |store| store.scan(run)).await? {
                    // It was settled before the work.
                    None => (TaskStep::Owe { run }, None),
                    Some(record) => {
                        let finished = Finished {
                            id: run,
                            document: Document::stored(record.reply),
                            output: Output::Stored,
                            settlement: Some(settlement_of(&receipt, key.payer)),
                            stored: true,
                        };
                        (completed(run, &finished), Some(key))
                    }
                }
            }
        };
        // If another writer was faster, no work is left.
        let written = self.apply_step(task, step).await.map_err(|_| Error::Ended)?;
        if written.is_some()
            && let Some(key) = sold
        {
            // A caller who knows the task has the result.
            db.call(move |store| store.deliver(&key, now_ms())).await?;
        }
        tracing::info!(scan.id = %run, "task.orphan.ended");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::handle::settings::ServiceSettings;
    use crate::tasks::{Caller, TaskLimits};
    use ibid_a2a::{Call, RpcRequest, Task, TaskRecord, TaskStep};
    use ibid_model::{ContextId, Offering, TaskId};
    use ibid_provider::Sandbox;
    use ibid_store::{Store, TaskQuota};
    use jiff::Timestamp;
    use std::net::Ipv4Addr;
    use std::sync::Arc;

    /// A task that waits for its client.
    fn waiting() -> TaskRecord {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user",
            "messageId":"m","parts":[{"kind":"text","text":"hello"}]}}}"#;
        let Ok(Call::Send(incoming)) = RpcRequest::parse(body).call else {
            panic!("a message")
        };
        let now = Timestamp::now();
        let context = ContextId::random().into();
        let task = Task::open(TaskId::random(), context, incoming.message, now);
        let ask = TaskStep::AskInput {
            wanted: None,
            payment_unused: false,
            sold: Offering::EVERYTHING,
        };
        TaskRecord::first(task.advance(ask, now).unwrap())
    }

    #[tokio::test]
    async fn unpaid_tasks_over_the_limit_are_deleted() {
        let store = Arc::new(Store::in_memory().unwrap());
        let limits = TaskLimits {
            all: TaskQuota { tasks: 0, bytes: 0 },
            ..TaskLimits::default()
        };
        let settings = ServiceSettings {
            task_limits: limits,
            ..ServiceSettings::new(Arc::new(Sandbox::new(1)), store)
        };
        let service = settings.start(tokio::runtime::Handle::current());
        let keeper = &service.tasks;
        let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
        let record = keeper.open(waiting(), caller, None).await.unwrap();
        keeper.delete_expired().await;
        assert!(keeper.task(record.id()).await.unwrap().is_none());
    }
}

//! From a run under way to the end of its task.

use super::error::internal_error;
use super::keeper::TaskKeeper;
use super::record::SharedRecord;
use super::summary::summary;
use crate::error::Error;
use crate::paid::ReceiptPage;
use crate::runs::run::{Finished, Run};
use crate::runs::watch::RunEvent;
use crate::stream_event::progress_data;
use futures_util::StreamExt;
use ibid_a2a::{CallError, PaymentFailure, TaskDocument, TaskOutput, TaskSettlement, TaskStep};
use ibid_model::{ScanId, TaskId};
use serde_json::json;
use serde_json::value::RawValue;
use std::pin::pin;

/// Follows a run and stores the end of its task.
pub(super) async fn follow_run(keeper: &TaskKeeper, task: TaskId, run: Run) {
    let id = run.id();
    let mut events = pin!(run.into_events());
    while let Some(event) = events.next().await {
        match event {
            RunEvent::Call(call) => {
                keeper.registry.progress(task, progress_data(&call.progress));
            }
            RunEvent::Complete(finished) => end(keeper, task, completed(id, &finished)).await,
            RunEvent::Failed(error) => {
                if let Some(step) = failed(id, &error) {
                    end(keeper, task, step).await;
                }
            }
            // No purchase is stopped by its buyer.
            RunEvent::Cancelled => {}
        }
    }
}

/// Ends a task that takes a proof instead of a payment.
pub(super) async fn prove(
    keeper: &TaskKeeper,
    begun: SharedRecord,
    run: ScanId,
    page: &ReceiptPage,
) -> Result<SharedRecord, CallError> {
    let document = RawValue::from_string(serde_json::to_string(page).map_err(internal_error)?)
        .map_err(internal_error)?;
    let output = TaskOutput {
        summary: match page.receipts.len() {
            1 => "1 purchase.".to_owned(),
            count => format!("{count} purchases."),
        },
        document: TaskDocument::Inline(document),
    };
    let step = TaskStep::Complete {
        run,
        output,
        settled: TaskSettlement::Proof,
    };
    Ok(keeper.apply_step(begun.id(), step).await?.unwrap_or(begun))
}

/// Stores an end. If that fails, recovery ends the task later.
async fn end(keeper: &TaskKeeper, task: TaskId, step: TaskStep) {
    if let Err(error) = keeper.apply_step(task, step).await {
        tracing::warn!(error = crate::failure::chain(&error), "task.end.not_stored");
    }
}

pub(super) fn completed(run: ScanId, finished: &Finished) -> TaskStep {
    let settled = match &finished.settlement {
        Some(settlement) => TaskSettlement::Receipt(json!(settlement)),
        None => TaskSettlement::Proof,
    };
    TaskStep::Complete {
        run,
        output: TaskOutput {
            summary: summary(finished.document.bytes()),
            document: TaskDocument::Kept(finished.id),
        },
        settled,
    }
}

/// The step of a task whose run failed, or `None` if the end is not known yet.
fn failed(run: ScanId, error: &Error) -> Option<TaskStep> {
    match error.root() {
        Error::SettlementRefused {
            due: _,
            code,
            response,
        } => Some(TaskStep::RefuseSettlement {
            run,
            failure: PaymentFailure {
                code: code.row().payment.to_owned(),
                detail: format!("the settlement was refused ({code})"),
                receipt: Some(json!(response)),
            },
        }),
        Error::SettlementUnknown { .. } => Some(TaskStep::AwaitSettlement { run }),
        Error::NoAnswers(none) => fail(run, format!("no question was answered ({})", none.cause)),
        Error::Page(why) => fail(run, why.to_string()),
        Error::Overloaded { .. } => fail(run, error.to_string()),
        // Recovery reads the payment and ends the task accordingly.
        _ => None,
    }
}

fn fail(run: ScanId, detail: String) -> Option<TaskStep> {
    Some(TaskStep::Fail { run, detail })
}

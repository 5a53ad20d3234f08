//! From a run under way to the end of its task.

use super::Shared;
use super::error::{broken, extension_word};
use super::summary::summary;
use crate::Error;
use crate::paid::ReceiptPage;
use crate::run::{Event, Finished, Run};
use crate::service::Inner;
use crate::stream_event::progress_data;
use futures_util::StreamExt;
use ibid_a2a::{CallError, Document, Output, PaymentFailure, Settled, Step};
use ibid_model::{ScanId, TaskId};
use serde_json::json;
use serde_json::value::RawValue;
use std::pin::pin;

/// Follows a run and writes down how it ends.
pub(super) async fn drive(inner: &Inner, task: TaskId, run: Run) {
    let id = run.id();
    let mut events = pin!(run.into_events());
    while let Some(event) = events.next().await {
        match event {
            Event::Progress(progress) => {
                inner.tasks.progress(task, progress_data(&progress));
            }
            Event::Complete(finished) => end(inner, task, completed(id, &finished)).await,
            Event::Failed(error) => {
                if let Some(step) = failed(id, &error) {
                    end(inner, task, step).await;
                }
            }
        }
    }
}

/// Ends a task that a proof was enough for.
pub(super) async fn prove(
    inner: &Inner,
    begun: Shared,
    run: ScanId,
    page: &ReceiptPage,
) -> Result<Shared, CallError> {
    let document = RawValue::from_string(serde_json::to_string(page).map_err(broken)?).map_err(broken)?;
    let output = Output {
        summary: match page.receipts.len() {
            1 => "1 purchase.".to_owned(),
            count => format!("{count} purchases."),
        },
        document: Document::Inline(document),
    };
    let step = Step::Complete {
        run,
        output,
        settled: Settled::Proof,
    };
    Ok(inner.take(begun.id(), step).await?.unwrap_or(begun))
}

/// Writes down an end. If that fails, the task is caught up with its payment later.
async fn end(inner: &Inner, task: TaskId, step: Step) {
    if let Err(error) = inner.take(task, step).await {
        tracing::warn!(%error, "the end of a task could not be written; it is caught up later");
    }
}

pub(super) fn completed(run: ScanId, finished: &Finished) -> Step {
    let settled = match &finished.settlement {
        Some(settlement) => Settled::Receipt(json!(settlement)),
        None => Settled::Proof,
    };
    Step::Complete {
        run,
        output: Output {
            summary: summary(finished.document.bytes()),
            document: Document::Kept(finished.id),
        },
        settled,
    }
}

/// What the task says of a failed run; nothing if nobody knows yet how it ends.
fn failed(run: ScanId, error: &Error) -> Option<Step> {
    match error {
        Error::SettlementRefused {
            due: _,
            code,
            response,
        } => Some(Step::RefuseSettlement {
            run,
            failure: PaymentFailure {
                code: extension_word(code).to_owned(),
                detail: format!("the settlement was refused ({code})"),
                receipt: Some(json!(response)),
            },
        }),
        Error::SettlementUnknown { .. } => Some(Step::AwaitSettlement { run }),
        Error::NoAnswers(none) => fail(run, format!("no question was answered ({})", none.cause)),
        Error::Page(why) => fail(run, why.to_string()),
        Error::Overloaded { .. } => fail(run, error.to_string()),
        Error::Twin(error) => failed(run, error),
        // What is known about the payment tells how the task ends, and it is looked up.
        Error::Invalid(_)
        | Error::UnknownPlace { .. }
        | Error::PlanTooLarge { .. }
        | Error::NotFound
        | Error::KeyRejected
        | Error::CreditExhausted
        | Error::PaidDisabled
        | Error::AuditUnavailable
        | Error::PlanTooExpensive { .. }
        | Error::PaymentRequired(_)
        | Error::PaymentMalformed(_)
        | Error::PaymentRefused { .. }
        | Error::FacilitatorUnavailable(_)
        | Error::TooMany { .. }
        | Error::Store(_)
        | Error::SignInRefused
        | Error::CreditsExhausted
        | Error::ScansClosed
        | Error::DemoClosed
        | Error::NoEntropy
        | Error::Unwritable(_)
        | Error::Ended => None,
    }
}

fn fail(run: ScanId, detail: String) -> Option<Step> {
    Some(Step::Fail { run, detail })
}

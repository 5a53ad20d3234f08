//! From a run under way to the end of its task, with the result in a sentence or two for people.

use super::error::internal_error;
use super::keeper::TaskKeeper;
use super::task_registry::SharedRecord;
use crate::error::Error;
use crate::paid::ReceiptPage;
use crate::runs::run::{Finished, Run};
use crate::runs::watch::RunEvent;
use crate::stream_event::progress_data;
use futures_util::StreamExt;
use ibid_a2a::{CallError, PaymentFailure, TaskDocument, TaskOutput, TaskSettlement, TaskStep};
use ibid_model::result::RetrievalSummary;
use ibid_model::{ScanId, TaskId};
use serde::Deserialize;
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

/// Returns how a task ends whose run failed, or `None` if the end is not known yet.
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
        Error::WorkOwed(_) => Some(TaskStep::Owe { run }),
        Error::PaymentSpent => Some(TaskStep::Spend { run }),
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

/// What a summary needs from a document, for all skills.
#[derive(Deserialize)]
struct Bought {
    result: Part,
    audit: Option<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    domain: Option<String>,
    keyword: Option<String>,
    overall_score: Option<f64>,
    models: Option<Vec<Model>>,
    radius: Option<Radius>,
    #[serde(default)]
    retrieval: RetrievalSummary,
    score: Option<f64>,
    final_url: Option<String>,
    #[serde(default)]
    sandbox: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Model {
    cited: bool,
    #[serde(default)]
    model_label: String,
    coverage: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Radius {
    citation_radius_km: Option<f64>,
}

/// A summary of a document. An unreadable document gets a general sentence.
pub(super) fn summary(document: &[u8]) -> String {
    let Ok(bought) = serde_json::from_slice::<Bought>(document) else {
        return "The result is in the data part.".to_owned();
    };
    let mut sentences = Vec::new();
    sentences.extend(scan(&bought.result));
    sentences.extend(audit(bought.audit.as_ref().unwrap_or(&bought.result)));
    if bought.result.sandbox {
        sentences.push("Sandbox: these answers are invented.".to_owned());
    }
    match sentences.is_empty() {
        true => "The result is in the data part.".to_owned(),
        false => sentences.join(" "),
    }
}

fn scan(part: &Part) -> Option<String> {
    let (domain, keyword, score) = (part.domain.as_ref()?, part.keyword.as_ref()?, part.overall_score?);
    let models = part.models.as_deref().unwrap_or_default();
    let cited = models.iter().filter(|model| model.cited).count();
    let (silent, answering): (Vec<&Model>, Vec<&Model>) =
        models.iter().partition(|model| model.coverage == Some(0.0));
    let mut text = if answering.is_empty() && !silent.is_empty() {
        format!("{domain} has no score for \"{keyword}\".")
    } else {
        format!(
            "{domain} scores {score} of 100 for \"{keyword}\"; {cited} of {} models cite it.",
            models.len()
        )
    };
    if !silent.is_empty() {
        let names: Vec<&str> = silent.iter().map(|model| model.model_label.as_str()).collect();
        text.push_str(&format!(" No answer: {}.", names.join(", ")));
    }
    if let Some(retrieval) = part.retrieval.sentence() {
        text.push(' ');
        text.push_str(&retrieval);
    }
    if let Some(radius) = part.radius.as_ref().and_then(|radius| radius.citation_radius_km) {
        text.push_str(&format!(" It is cited as far as about {radius:.0} km."));
    }
    Some(text)
}

fn audit(part: &Part) -> Option<String> {
    let score = part.score?;
    let page = part.final_url.as_deref().unwrap_or("The page");
    Some(format!("{page} scores {score} of 100 for how citable it is."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_document_is_summed_up() {
        let check = |document: &str, expected: &str| assert_eq!(summary(document.as_bytes()), expected);
        let scan = r#"{"domain":"example.com","keyword":"crm","overallScore":41.5,"sandbox":true,
            "models":[{"cited":true},{"cited":false}],"radius":{"citationRadiusKm":null}}"#;
        let told = "example.com scores 41.5 of 100 for \"crm\"; 1 of 2 models cite it.";
        let invented = "Sandbox: these answers are invented.";
        check(
            &format!(r#"{{"scanId":"x","result":{scan}}}"#),
            &format!("{told} {invented}"),
        );
        let audit = r#"{"finalUrl":"https://example.com/","score":71}"#;
        let page = "https://example.com/ scores 71 of 100 for how citable it is.";
        check(&format!(r#"{{"auditId":"x","result":{audit}}}"#), page);
        check(
            &format!(r#"{{"scanId":"x","result":{scan},"audit":{audit}}}"#),
            &format!("{told} {page} {invented}"),
        );
        check("{}", "The result is in the data part.");
    }

    #[test]
    fn a_summary_names_strata_and_models_without_an_answer() {
        let document = r#"{"result":{"domain":"example.com","keyword":"crm","overallScore":41.5,
            "models":[{"cited":true,"coverage":0.6,"modelLabel":"One"},{"cited":false,"coverage":0,"modelLabel":"Two"}],
            "retrieval":{"headline":"searched","searchAsked":true,"answers":30,"searched":18,"memory":12,"unknown":0,
                         "searchedScore":41.5,"memoryScore":4.1}}}"#;
        assert_eq!(
            summary(document.as_bytes()),
            "example.com scores 41.5 of 100 for \"crm\"; 1 of 2 models cite it. No answer: Two. \
             18 of 30 answers searched the web; from memory: 4.1."
        );
    }
}

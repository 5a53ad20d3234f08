//! Queued scans as callers see them.

use super::batch::Estimate;
use crate::problem::ApiError;
use actix_web::web::Bytes;
use ibid_model::contract::PROBLEMS;
use ibid_model::{BatchId, ModelAlias, ProblemCode, ScanId, Score};
use ibid_provider::ProviderError;
use ibid_service::{DurableRunView, Error, QueuedAnswer, QueuedScan};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(super) fn path(id: ScanId) -> String {
    format!("/api/v2/scans/{id}")
}

pub(super) fn batch_path(batch: BatchId) -> String {
    format!("/api/v2/scans?batch={batch}")
}

pub(super) fn tag(scan: &QueuedScan) -> String {
    let run = &scan.run;
    let cancelled = if run.cancelled { "-c" } else { "" };
    format!("{}-{}-{}{cancelled}", run.id, run.state.as_str(), run.stored)
}

/// Seconds until the next useful request.
pub(super) fn retry_after(scan: &QueuedScan) -> u32 {
    let left = scan.run.calls.saturating_sub(scan.run.stored);
    (left / 10).clamp(1, 10)
}

/// A scan without readings and result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary<'a> {
    scan_id: ScanId,
    status: &'static str,
    progress: Progress,
    /// Whether the caller has cancelled it. An open scan that is cancelled ends soon.
    cancelled: bool,
    domain: &'a str,
    keyword: &'a str,
    location: Option<&'a str>,
    tag: Option<&'a str>,
    batch_id: Option<BatchId>,
    schedule_id: Option<ibid_model::ScheduleId>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    created_at: Option<Timestamp>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    ended_at: Option<Timestamp>,
    error: Option<Failure<'a>>,
    links: Links,
}

/// The number of questions with an outcome, and of all questions.
#[derive(Serialize)]
struct Progress {
    done: u32,
    total: u32,
}

#[derive(Serialize)]
struct Failure<'a> {
    code: &'a str,
    message: Cow<'static, str>,
}

#[derive(Serialize)]
struct Links {
    #[serde(rename = "self")]
    this: String,
    events: String,
    answers: String,
    rescored: String,
}

/// Returns a scan without readings and result.
pub(super) fn summary(run: &DurableRunView) -> Summary<'_> {
    let path = path(run.id);
    let at = |at| Timestamp::from_millisecond(at).ok();
    Summary {
        scan_id: run.id,
        status: run.state.as_str(),
        progress: Progress {
            done: run.stored,
            total: run.calls,
        },
        cancelled: run.cancelled,
        domain: &run.subject.domain,
        keyword: &run.subject.keyword,
        location: run.subject.place.as_deref(),
        tag: run.subject.tag.as_deref(),
        batch_id: run.subject.batch.map(|(batch, _)| batch),
        schedule_id: run.subject.schedule,
        created_at: at(run.created_at),
        ended_at: run.ended_at.and_then(at),
        error: run.error.as_deref().map(|code| Failure {
            code,
            message: message(code),
        }),
        links: Links {
            events: format!("{path}/events"),
            answers: format!("{path}/answers"),
            rescored: format!("{path}/rescored"),
            this: path,
        },
    }
}

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    interim: Option<Value>,
}

/// Returns the document of a scan. The result is the stored one, byte for byte.
///
/// # Errors
/// A stored document that cannot be read.
pub(super) fn document(scan: &QueuedScan) -> Result<Bytes, ApiError> {
    #[derive(Deserialize)]
    struct Stored<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let whole = Whole {
        summary: summary(&scan.run),
        interim: (scan.run.ended_at.is_none()).then(|| interim(&scan.answers)),
    };
    let mut bytes = serde_json::to_vec(&whole).map_err(Error::Unwritable)?;
    bytes.pop();
    bytes.extend_from_slice(br#","result":"#);
    match &scan.result {
        Some(stored) => {
            let stored: Stored<'_> = serde_json::from_slice(&stored.document).map_err(Error::Unwritable)?;
            bytes.extend_from_slice(stored.result.get().as_bytes());
        }
        None => bytes.extend_from_slice(b"null"),
    }
    bytes.push(b'}');
    Ok(bytes.into())
}

/// Returns what is known of each model before the scan is scored.
pub(super) fn interim(answers: &[QueuedAnswer]) -> Value {
    let mut models: Vec<(&ModelAlias, Interim)> = Vec::new();
    for answer in answers {
        let known = models.iter().position(|(model, _)| *model == &answer.model);
        let at = known.unwrap_or_else(|| {
            models.push((&answer.model, Interim::default()));
            models.len() - 1
        });
        if let Some((_, interim)) = models.get_mut(at) {
            interim.add(answer);
        }
    }
    let rows = models.into_iter().map(|(model, interim)| {
        json!({
            "model": model, "done": interim.done, "answered": interim.answered, "cited": interim.cited,
            "score": interim.score()
        })
    });
    json!({"models": rows.collect::<Vec<_>>()})
}

/// The readings of one model so far.
#[derive(Default)]
struct Interim {
    done: u32,
    answered: u32,
    cited: u32,
    read: u32,
    sum: f64,
}

impl Interim {
    fn add(&mut self, answer: &QueuedAnswer) {
        self.done += 1;
        self.answered += u32::from(answer.answered);
        if let Some(reading) = &answer.interim {
            self.read += 1;
            self.cited += u32::from(reading.cited);
            self.sum += reading.score.get();
        }
    }

    /// The mean score of the answers that were read.
    fn score(&self) -> Option<Score> {
        (self.read > 0).then(|| Score::new(self.sum / f64::from(self.read)))
    }
}

pub(super) fn page(scans: &[QueuedScan], more: bool) -> Value {
    let rows: Vec<_> = scans.iter().map(|scan| summary(&scan.run)).collect();
    let last = scans.last().filter(|_| more).map(|scan| scan.run.id);
    json!({"scans": rows, "nextCursor": last})
}

/// Returns the answer to a batch of `orders` orders.
/// The scans are those of the first orders; a limit refused the others.
pub(super) fn batch(batch: BatchId, scans: &[ScanId], orders: usize, estimate: &Estimate) -> Value {
    let rows = scans
        .iter()
        .map(|id| json!({"scanId": id, "links": {"self": path(*id)}}));
    let refused = (scans.len()..orders).map(|order| {
        json!({
            "field": format!("/orders/{order}"),
            "code": ProblemCode::RateLimited.word(),
            "message": format!("orders[{order}] is over the limit of an hour and was not queued"),
        })
    });
    json!({
        "batchId": batch,
        "scans": rows.collect::<Vec<_>>(),
        "errors": refused.collect::<Vec<_>>(),
        "estimate": {"questions": estimate.questions, "costUsd": estimate.cost.dollars()},
        "links": {"scans": batch_path(batch)},
    })
}

/// A sentence for the code of a failure.
fn message(code: &str) -> Cow<'static, str> {
    let row = PROBLEMS.iter().find(|row| row.word == code);
    let cause =
        || ProviderError::of_code(code).map(|cause| format!("No question was answered: {cause:#}").into());
    row.map(|row| row.meaning.into())
        .or_else(cause)
        .unwrap_or("The scan ended without a result.".into())
}

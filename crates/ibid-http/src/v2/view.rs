//! Queued scans as callers see them.

use super::batch::Estimate;
use crate::problem::ApiError;
use crate::respond::At;
use actix_web::web::Bytes;
use ibid_model::contract::PROBLEMS;
use ibid_model::{BatchId, ModelAlias, ProblemCode, ScanId, Score};
use ibid_provider::ProviderError;
use ibid_service::{DurableRunView, Error, QueuedAnswer, QueuedScan};
use schemars::JsonSchema;
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
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueuedScanSummary<'a> {
    scan_id: ScanId,
    #[schemars(extend("enum" = ["queued", "running", "complete", "partial", "failed", "cancelled"]))]
    status: &'static str,
    progress: QueuedScanProgress,
    /// Whether you have cancelled it. An open scan that is cancelled ends soon.
    cancelled: bool,
    domain: &'a str,
    keyword: &'a str,
    /// The place as ordered.
    location: Option<&'a str>,
    tag: Option<&'a str>,
    /// The batch that it was queued with.
    batch_id: Option<BatchId>,
    /// The schedule that queued it.
    schedule_id: Option<ibid_model::ScheduleId>,
    created_at: At,
    ended_at: Option<At>,
    error: Option<QueuedScanFailure<'a>>,
    links: Links,
}

#[derive(Serialize, JsonSchema)]
struct QueuedScanProgress {
    /// Questions with an outcome.
    done: u32,
    /// Questions of the scan, over all models.
    total: u32,
}

#[derive(Serialize, JsonSchema)]
struct QueuedScanFailure<'a> {
    /// A stable reason, such as `provider_unavailable`.
    code: &'a str,
    message: Cow<'static, str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Links {
    #[serde(rename = "self")]
    this: String,
    /// Its progress as Server-Sent Events.
    events: String,
    /// The evidence, once the scan has ended.
    answers: String,
    /// The scan as it is scored today, once it has ended.
    rescored: String,
}

/// Returns a scan without readings and result.
pub(super) fn summary(run: &DurableRunView) -> QueuedScanSummary<'_> {
    let path = path(run.id);
    QueuedScanSummary {
        scan_id: run.id,
        status: run.state.as_str(),
        progress: QueuedScanProgress {
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
        created_at: At::of(run.created_at),
        ended_at: run.ended_at.map(At::of),
        error: run.error.as_deref().map(|code| QueuedScanFailure {
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
    summary: QueuedScanSummary<'a>,
    interim: Option<InterimReadings<'a>>,
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

/// What the answers so far say, each read alone. The result may differ.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct InterimReadings<'a> {
    models: Vec<Interim<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Interim<'a> {
    /// Questions with an answer.
    answered: u32,
    /// Answers that cite the domain.
    cited: u32,
    /// Questions with an outcome.
    done: u32,
    model: &'a ModelAlias,
    /// Mean score of the answers so far; `null` before the first one.
    score: Option<Score>,
    #[serde(skip)]
    read: u32,
    #[serde(skip)]
    sum: f64,
}

/// Returns what is known of each model before the scan is scored.
pub(super) fn interim(answers: &[QueuedAnswer]) -> InterimReadings<'_> {
    let mut readings = InterimReadings::default();
    for answer in answers {
        let models = &mut readings.models;
        match models.iter_mut().find(|known| *known.model == answer.model) {
            Some(known) => known.add(answer),
            None => {
                let mut first = Interim::of(&answer.model);
                first.add(answer);
                models.push(first);
            }
        }
    }
    readings
}

impl<'a> Interim<'a> {
    const fn of(model: &'a ModelAlias) -> Self {
        Self {
            answered: 0,
            cited: 0,
            done: 0,
            model,
            score: None,
            read: 0,
            sum: 0.0,
        }
    }

    fn add(&mut self, answer: &QueuedAnswer) {
        self.done += 1;
        self.answered += u32::from(answer.answered);
        if let Some(reading) = &answer.interim {
            self.read += 1;
            self.cited += u32::from(reading.cited);
            self.sum += reading.score.get();
            self.score = Some(Score::new(self.sum / f64::from(self.read)));
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueuedScanPage<'a> {
    /// The `cursor` of the next page; `null` on the last one.
    next_cursor: Option<ScanId>,
    scans: Vec<QueuedScanSummary<'a>>,
}

pub(super) fn page(scans: &[QueuedScan], more: bool) -> Value {
    json!(QueuedScanPage {
        next_cursor: scans.last().filter(|_| more).map(|scan| scan.run.id),
        scans: scans.iter().map(|scan| summary(&scan.run)).collect(),
    })
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

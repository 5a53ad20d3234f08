//! The one table from events of a run to the names and data for clients.
//!
//! Every surface sends these: `/api/a2a/watch`, `/api/app/scan` and the page of a running scan as Server-Sent Events,
//! tasks of agents as data of a status update.
//! A surface adds only its framing.

use crate::error::Error;
use crate::runs::run::Finished;
use crate::runs::watch::RunEvent;
use ibid_engine::Progress;
use ibid_model::ScanId;
use serde_json::{Value, json};

/// An event with its name and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEvent {
    /// `progress`, `scan_complete` or `payment_settled`.
    pub name: &'static str,
    pub data: String,
}

/// How much progress shows about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressDetail {
    /// The counts, the model and the place.
    /// A buyer has not paid yet when progress is sent.
    Counts,
    /// The counts, and the reading of the answer.
    Reading,
}

impl StreamEvent {
    /// Returns the events to send for an event of a run.
    /// `summary` describes an error to the client.
    pub fn of_run(
        id: ScanId,
        event: &RunEvent,
        detail: ProgressDetail,
        summary: impl FnOnce(&Error) -> Value,
    ) -> Vec<Self> {
        match event {
            RunEvent::Call(call) => {
                let mut data = progress_data(&call.progress);
                data["scanId"] = json!(id);
                if detail == ProgressDetail::Reading {
                    add_reading(&mut data, &call.progress);
                }
                vec![Self::new("progress", &data)]
            }
            RunEvent::Complete(finished) => Self::of_result(finished),
            RunEvent::Failed(error) => {
                let data = json!({"scanId": id, "status": "failed", "error": summary(error)});
                vec![Self::new("scan_complete", &data)]
            }
            RunEvent::Cancelled => vec![Self::end(id, "cancelled")],
        }
    }

    /// Returns the result, followed by the settlement that released it.
    fn of_result(finished: &Finished) -> Vec<Self> {
        let mut events = vec![Self {
            name: "scan_complete",
            data: String::from_utf8_lossy(&finished.reply(&[])).into_owned(),
        }];
        if let Some(settlement) = &finished.settlement {
            events.push(Self::new("payment_settled", &json!(settlement)));
        }
        events
    }

    /// Returns the event to send to the page of a scan. The page reads its result by itself.
    pub fn of_page(id: ScanId, event: &RunEvent) -> Self {
        match event {
            RunEvent::Call(call) => {
                let mut data = progress_data(&call.progress);
                data["scanId"] = json!(id);
                add_reading(&mut data, &call.progress);
                let interim = call.progress.interim.as_ref();
                data["question"] = json!(call.question.as_deref().unwrap_or_default());
                data["quote"] = json!(interim.and_then(|reading| reading.quote.as_ref()));
                Self::new("progress", &data)
            }
            RunEvent::Complete(_) => Self::end(id, "complete"),
            RunEvent::Failed(_) => Self::end(id, "failed"),
            RunEvent::Cancelled => Self::end(id, "cancelled"),
        }
    }

    fn end(id: ScanId, status: &str) -> Self {
        Self::new("scan_complete", &json!({"scanId": id, "status": status}))
    }

    fn new(name: &'static str, data: &Value) -> Self {
        Self {
            name,
            data: data.to_string(),
        }
    }
}

/// Returns progress as data without the run's id, as agents' tasks show it.
pub(crate) fn progress_data(progress: &Progress) -> Value {
    json!({
        "done": progress.done, "total": progress.total, "model": progress.model, "ring": progress.ring,
        "market": progress.market
    })
}

fn add_reading(data: &mut Value, progress: &Progress) {
    let interim = progress.interim.as_ref();
    data["cited"] = json!(interim.map(|reading| reading.cited));
    data["score"] = json!(interim.map(|reading| reading.score));
}

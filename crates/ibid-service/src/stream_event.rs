//! The one table from events of a run to the names and data for clients.
//!
//! Every surface sends these: `/api/a2a/watch`, `/api/app/scan` and the page of a running scan as Server-Sent Events,
//! tasks of agents as data of a status update.
//! A surface adds only its framing.

use crate::Error;
use crate::runs::run::{Event, Finished};
use crate::workspace::{LiveAnswer, Watched};
use ibid_engine::Progress;
use ibid_model::{ModelAlias, Ring, ScanId, Score};
use serde_json::{Value, json};

/// An event with its name and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEvent {
    /// `progress`, `scan_complete` or `payment_settled`.
    pub name: &'static str,
    /// A JSON document.
    pub data: String,
}

/// The part of an answer that progress shows.
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
    #[must_use]
    pub fn of_run(
        id: ScanId,
        event: &Event,
        detail: ProgressDetail,
        summary: impl FnOnce(&Error) -> Value,
    ) -> Vec<Self> {
        match event {
            Event::Progress(progress) => {
                let mut data = Counts::from(progress).data();
                data["scanId"] = json!(id);
                if detail == ProgressDetail::Reading {
                    let interim = progress.interim.as_ref();
                    add_reading(&mut data, interim.map(|g| g.cited), interim.map(|g| g.score));
                }
                vec![Self::new("progress", &data)]
            }
            Event::Complete(finished) => Self::of_result(finished),
            Event::Failed(error) => {
                let data = json!({"scanId": id, "status": "failed", "error": summary(error)});
                vec![Self::new("scan_complete", &data)]
            }
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

    /// Returns the event to send for a watched scan of an account.
    #[must_use]
    pub fn of_watched(id: ScanId, watched: &Watched) -> Self {
        match watched {
            Watched::Answer(answer) => {
                let mut data = Counts::from(answer).data();
                data["scanId"] = json!(id);
                add_reading(&mut data, answer.cited, answer.score);
                data["question"] = json!(*answer.question);
                data["quote"] = json!(answer.quote);
                Self::new("progress", &data)
            }
            Watched::Over(over) => {
                let data = json!({"scanId": id, "status": over.as_str()});
                Self::new("scan_complete", &data)
            }
        }
    }

    fn new(name: &'static str, data: &Value) -> Self {
        Self {
            name,
            data: data.to_string(),
        }
    }
}

/// Returns the data of progress without the run's id, as tasks of agents show it.
pub(crate) fn progress_data(progress: &Progress) -> Value {
    Counts::from(progress).data()
}

fn add_reading(data: &mut Value, cited: Option<bool>, score: Option<Score>) {
    data["cited"] = json!(cited);
    data["score"] = json!(score);
}

struct Counts<'a> {
    done: u64,
    total: u64,
    model: &'a ModelAlias,
    ring: Option<Ring>,
    market: Option<&'a str>,
}

impl Counts<'_> {
    fn data(&self) -> Value {
        json!({
            "done": self.done, "total": self.total, "model": self.model, "ring": self.ring, "market": self.market
        })
    }
}

impl<'a> From<&'a Progress> for Counts<'a> {
    fn from(progress: &'a Progress) -> Self {
        Self {
            done: progress.done as u64,
            total: progress.total as u64,
            model: &progress.model,
            ring: progress.ring,
            market: progress.market.as_deref(),
        }
    }
}

impl<'a> From<&'a LiveAnswer> for Counts<'a> {
    fn from(answer: &'a LiveAnswer) -> Self {
        Self {
            done: answer.done.into(),
            total: answer.total.into(),
            model: &answer.model,
            ring: answer.ring,
            market: answer.market.as_deref(),
        }
    }
}

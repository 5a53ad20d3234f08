//! What messages say about events: their kind, their time, ids and a summary.
//! They carry no evidence.

use ibid_model::{RunState, ScanId, ScanResult, ScheduleId, WebhookEvent, WebhookId};
use ibid_news::NewsEvent;
use ibid_store::NewDelivery;
use jiff::Timestamp;
use serde_json::{Value, json};

/// An event with the body of its message.
#[derive(Clone, Debug)]
pub struct EventMessage {
    event: WebhookEvent,
    subject: String,
    payload: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub struct RunNotice<'a> {
    pub id: ScanId,
    pub state: RunState,
    /// Why it failed, as a code such as `provider_credit_exhausted`.
    pub error: Option<&'a str>,
    pub domain: &'a str,
    pub keyword: &'a str,
    pub tag: Option<&'a str>,
    /// The schedule that started it.
    pub schedule: Option<ScheduleId>,
    /// Its result, if there is one.
    pub result: Option<&'a ScanResult>,
    pub ended_at: Timestamp,
}

impl EventMessage {
    /// Words an event.
    /// A subscription gets an event about one subject once.
    pub fn new(event: WebhookEvent, subject: impl Into<String>, at: Timestamp, data: &Value) -> Self {
        let body = json!({"type": event.name(), "timestamp": ibid_model::time::text(at), "data": data});
        Self {
            event,
            subject: subject.into(),
            payload: body.to_string().into_bytes(),
        }
    }

    /// Words an event that people read, too.
    pub fn news(event: &NewsEvent, subject: impl Into<String>, at: Timestamp) -> Self {
        Self::new(event.kind(), subject, at, &json!(event)["data"])
    }

    pub fn into_payload(self) -> Vec<u8> {
        self.payload
    }

    /// Says that a run has ended, or returns `None` for an open run.
    pub fn run_ended(run: &RunNotice<'_>) -> Option<Self> {
        let event = match run.state {
            RunState::Complete | RunState::Partial => WebhookEvent::RunCompleted,
            RunState::Failed => WebhookEvent::RunFailed,
            RunState::Cancelled => WebhookEvent::RunCancelled,
            RunState::Queued | RunState::Running => return None,
        };
        let data = json!({
            "scanId": run.id,
            "status": run.state.as_str(),
            "domain": run.domain,
            "keyword": run.keyword,
            "tag": run.tag,
            "scheduleId": run.schedule,
            "error": run.error,
            "summary": run.result.map(summary),
            "links": {"self": format!("/api/v2/scans/{}", run.id)},
        });
        Some(Self::new(event, run.id.to_string(), run.ended_at, &data))
    }

    /// The event for an owner's subscriptions, or for `only` one of them.
    pub fn to<'a>(&'a self, owner: &'a str, only: Option<WebhookId>) -> NewDelivery<'a> {
        NewDelivery {
            owner,
            only,
            event: self.event.name(),
            subject: &self.subject,
            payload: &self.payload,
        }
    }
}

/// Picks the numbers that fit in a message.
fn summary(result: &ScanResult) -> Value {
    let models = result.models.iter().map(|model| {
        let score = model.score_interval.is_some().then_some(model.score);
        json!({"model": model.model, "score": score, "cited": model.cited})
    });
    json!({
        "overallScore": result.interval.is_some().then_some(result.overall_score),
        "interval": result.interval,
        "samplingInterval": result.sampling_interval,
        "readingError": result.reading_error,
        "models": models.collect::<Vec<_>>(),
        "sandbox": result.sandbox,
    })
}

//! `POST /api/a2a/watch`: a scan with its progress as Server-Sent Events.
//!
//! The status goes out before the work is done, so everything that can be refused is refused before; after that a
//! failure is an event. The result leaves only when the money has moved. Events have no ids: whoever lost the stream
//! comes back with the same payment.

use super::catalogue::Catalogue;
use super::paid::buy;
use crate::extract::{OptionalObject, Paying};
use crate::problem::ApiError;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use futures_util::{Stream, StreamExt};
use ibid_model::{Product, ScanId};
use ibid_service::{Event, Finished, Service};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Instant;

/// How long a connection may be silent before a comment is sent, so that no proxy thinks it dead.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

pub(crate) async fn watch(
    paying: Paying,
    body: OptionalObject,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    let run = buy(&service, Product::Scan, &catalogue.watch, paying.0, &body.0).await?;
    let id = run.id();
    let frames = Frames {
        id,
        events: Box::pin(run.into_events()),
    };
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/event-stream"))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        // Proxies that buffer would hold the progress back.
        .insert_header((HeaderName::from_static("x-accel-buffering"), "no"))
        .streaming(frames.stream()))
}

struct Frames {
    id: ScanId,
    events: Pin<Box<dyn Stream<Item = Event>>>,
}

impl Frames {
    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        futures_util::stream::unfold(self, |mut frames| async move {
            let silent_until = Instant::now() + KEEP_ALIVE;
            let frame = match tokio::time::timeout_at(silent_until, frames.events.next()).await {
                Ok(event) => frame(frames.id, &event?),
                Err(_) => ":\n\n".to_owned(),
            };
            Some((Ok(frame.into()), frames))
        })
    }
}

/// The one table from events to names and data.
fn frame(id: ScanId, event: &Event) -> String {
    match event {
        Event::Progress(progress) => {
            let data = json!({
                "scanId": id.to_string(), "done": progress.done, "total": progress.total, "model": progress.model,
                "ring": progress.ring, "market": progress.market
            });
            written("progress", &data.to_string())
        }
        Event::Complete(finished) => complete(finished),
        Event::Failed(error) => {
            let problem = ApiError::summary(error);
            let data: Value = json!({"scanId": id.to_string(), "status": "failed", "error": problem});
            written("scan_complete", &data.to_string())
        }
    }
}

/// The result, and right after it the settlement that released it.
fn complete(finished: &Finished) -> String {
    let mut text = written(
        "scan_complete",
        &String::from_utf8_lossy(finished.document.bytes()),
    );
    if let Some(settlement) = &finished.settlement {
        text.push_str(&written("payment_settled", &json!(settlement).to_string()));
    }
    text
}

/// One event. JSON has no line breaks outside of texts, and inside they are escaped.
fn written(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

//! `POST /api/a2a/watch`: a scan with its progress as Server-Sent Events.
//!
//! The status goes out before the work is done, so everything that can be refused is refused before; after that a
//! failure is an event. The result leaves only when the money has moved. Events have no ids: whoever lost the stream
//! comes back with the same payment.

use super::catalogue::Catalogue;
use super::paid::buy;
use crate::extract::{OptionalObject, Paying};
use crate::problem::ApiError;
use crate::sse;
use actix_web::{HttpResponse, web};
use futures_util::StreamExt;
use ibid_model::{Product, ScanId};
use ibid_service::{Event, Finished, Service};
use serde_json::{Value, json};

pub(crate) async fn watch(
    paying: Paying,
    body: OptionalObject,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    let run = buy(&service, Product::Scan, &catalogue.watch, paying.0, &body.0).await?;
    let id = run.id();
    Ok(sse::answer(run.into_events().map(move |event| frame(id, &event))))
}

/// The one table from events to names and data.
fn frame(id: ScanId, event: &Event) -> String {
    match event {
        Event::Progress(progress) => {
            let data = json!({
                "scanId": id.to_string(), "done": progress.done, "total": progress.total, "model": progress.model,
                "ring": progress.ring, "market": progress.market
            });
            sse::event("progress", &data.to_string())
        }
        Event::Complete(finished) => complete(finished),
        Event::Failed(error) => {
            let problem = ApiError::summary(error);
            let data: Value = json!({"scanId": id.to_string(), "status": "failed", "error": problem});
            sse::event("scan_complete", &data.to_string())
        }
    }
}

/// The result, and right after it the settlement that released it.
fn complete(finished: &Finished) -> String {
    let mut text = sse::event(
        "scan_complete",
        &String::from_utf8_lossy(finished.document.bytes()),
    );
    if let Some(settlement) = &finished.settlement {
        text.push_str(&sse::event("payment_settled", &json!(settlement).to_string()));
    }
    text
}

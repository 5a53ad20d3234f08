//! `POST /api/app/scan`: a scan for a credit, answered when it is finished or watched as it goes.

use crate::extract::{AppCaller, JsonObject, SameOrigin, Then};
use crate::problem::ApiError;
use crate::respond::json;
use crate::sse;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use ibid_model::{ScanDraft, ScanForm, ScanId};
use ibid_service::{Billing, Event, Job, Service};
use serde_json::json;

/// Runs a scan. It goes on when the caller hangs up, and is then found in the history.
pub(crate) async fn create(
    _own: SameOrigin,
    Then(AppCaller(member), JsonObject(body)): Then<AppCaller, JsonObject>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let plan = service.plan(ScanDraft(&body), ScanForm::Scan)?;
    let job = Job::Scan(Box::new(plan));
    let run = service.perform(job, Billing::Credit(member.account)).await?;
    if wants_stream(&request) {
        let id = run.id();
        return Ok(sse::answer(run.into_events().map(move |event| frame(id, &event))));
    }
    let finished = run.finish().await?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .content_type(json())
        .body(finished.document.bytes().clone()))
}

fn wants_stream(request: &HttpRequest) -> bool {
    let mut values = request.headers().get_all(ACCEPT);
    values.any(|value| {
        value.to_str().is_ok_and(|value| {
            value
                .split(',')
                .any(|kind| kind.trim().starts_with("text/event-stream"))
        })
    })
}

/// The one table from events to names and data. Who spends a credit has paid, so progress may tell what was read.
fn frame(id: ScanId, event: &Event) -> String {
    match event {
        Event::Progress(progress) => {
            let glimpse = progress.glimpse;
            let data = json!({
                "scanId": id.to_string(), "done": progress.done, "total": progress.total, "model": progress.model,
                "ring": progress.ring, "market": progress.market,
                "cited": glimpse.map(|glimpse| glimpse.cited), "score": glimpse.map(|glimpse| glimpse.score)
            });
            sse::event("progress", &data.to_string())
        }
        Event::Complete(finished) => sse::event(
            "scan_complete",
            &String::from_utf8_lossy(finished.document.bytes()),
        ),
        Event::Failed(error) => {
            let error = ApiError::summary(error);
            let data = json!({"scanId": id.to_string(), "status": "failed", "error": error});
            sse::event("scan_complete", &data.to_string())
        }
    }
}

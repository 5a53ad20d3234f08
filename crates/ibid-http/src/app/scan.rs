//! `POST /api/app/scan`: a scan for a credit, answered when it is finished or watched as it goes.

use crate::extract::{JsonObject, SameOrigin, SignedInCaller, Then};
use crate::problem::ApiError;
use crate::respond::{handle, json};
use crate::sse;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use ibid_model::contract::routes::RUN_SCAN;
use ibid_model::{ScanDraft, ScanForm};
use ibid_service::{Billing, Job, ProgressDetail, Service, StreamEvent};

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&RUN_SCAN, create));
}

/// Runs a scan. When the caller hangs up, the scan continues, and the history shows it.
async fn create(
    _own: SameOrigin,
    Then(SignedInCaller(member), JsonObject(body)): Then<SignedInCaller, JsonObject>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let plan = service.plan(ScanDraft(&body), ScanForm::Workspace).await?;
    let job = Job::Scan(Box::new(plan));
    let run = service.perform(job, Billing::Credit(member.account)).await?;
    if wants_stream(&request) {
        let id = run.id();
        let events = run.into_events().flat_map(move |event| {
            let events = StreamEvent::of_run(id, &event, ProgressDetail::Reading, ApiError::summary);
            futures_util::stream::iter(events)
        });
        return Ok(sse::answer(events));
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

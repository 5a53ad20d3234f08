//! `POST /api/app/scan`: a scan for a credit. The answer is the result, or a stream of its progress.

use crate::extract::{IdempotencyKey, OrderObject, Posted, SignedInCaller};
use crate::problem::ApiError;
use crate::respond::{Answer, handle, json};
use crate::sse;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use futures_util::stream::iter;
use ibid_model::contract::routes::RUN_SCAN;
use ibid_model::{ScanForm, ScanId, Skill};
use ibid_service::{
    Billing, CallerId, Job, ProgressDetail, Reader, RequestHash, RunEvent, Started, StreamEvent,
};

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&RUN_SCAN, create));
}

/// Runs a scan. When the caller hangs up, the scan continues, and the history shows it.
async fn create(
    Posted(SignedInCaller(member), OrderObject(mut body), _, service): Posted<SignedInCaller, OrderObject>,
    once: IdempotencyKey,
    request: HttpRequest,
) -> Answer {
    let owner = CallerId::of(member.account);
    let plan = service
        .questions
        .plan(&owner, &mut body, ScanForm::Workspace, true)
        .await?;
    let (job, billing) = (Job::scan(plan), Billing::Credit(member.account));
    let performed = match once.of(&owner, || RequestHash::of(Skill::Scan, &body)) {
        Some(request) => service.scans.perform_once(&request, job, billing).await?,
        None => Started::New(service.scans.perform(job, billing).await?),
    };
    let streams = wants_stream(&request);
    let finished = match performed {
        Started::New(run) if streams => {
            let id = run.id();
            let events = run.into_events().flat_map(move |event| iter(shown(id, &event)));
            return Ok(sse::answer(events));
        }
        Started::New(run) => {
            let id = run.id();
            run.finish().await.map_err(|error| ApiError::Run(id, error))?
        }
        Started::Replayed(id) => {
            service
                .scans
                .finished(id, &Reader::Account(member.account))
                .await?
        }
    };
    if streams {
        let events = shown(finished.id, &RunEvent::Complete(finished));
        return Ok(sse::answer(iter(events)));
    }
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .content_type(json())
        .body(finished.reply(&[])))
}

fn shown(id: ScanId, event: &RunEvent) -> Vec<StreamEvent> {
    StreamEvent::of_run(id, event, ProgressDetail::Reading, ApiError::summary)
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

//! Queued scans of a caller: ordered, listed, read and cancelled.

use super::filter::Page;
use super::order::UnpaidOrder;
use super::view;
use crate::conditional::{immutable_json, tagged_json};
use crate::extract::{ApiCaller, Asked, AuthenticatedThen, Byok, IdempotencyKey, OrderObject, Query};
use crate::problem::{ApiError, both};
use crate::rate_limit;
use crate::respond::{Answer, SamePath, handle, json, private};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, LOCATION, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use ibid_model::ScanId;
use ibid_model::contract::routes::{
    CANCEL_QUEUED_SCAN, COMPARE_QUEUED_SCANS, LIST_QUEUED_SCANS, QUEUE_SCAN, READ_QUEUED_ANSWERS,
    READ_QUEUED_RESCORED, READ_QUEUED_SCAN,
};
use ibid_service::{CallerId, Error, QueuedScan, Reader, RequestHash, RunOwner, Service};
use jiff::Timestamp;

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    let all = SamePath::of(&QUEUE_SCAN, queue).and(&LIST_QUEUED_SCANS, list);
    let one = SamePath::of(&READ_QUEUED_SCAN, read).and(&CANCEL_QUEUED_SCAN, cancel);
    app.service(all.resource())
        .service(one.resource())
        .service(handle(&READ_QUEUED_ANSWERS, answers))
        .service(handle(&READ_QUEUED_RESCORED, rescored))
        .service(handle(&COMPARE_QUEUED_SCANS, compare));
}

/// Queues a scan and answers with its id.
async fn queue(
    AuthenticatedThen(caller, OrderObject(mut body)): AuthenticatedThen<ApiCaller, OrderObject>,
    byok: Byok,
    once: IdempotencyKey,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let key = byok.or_body(&mut body);
    let once = once.of(caller.id(), || RequestHash::of_queued(&body));
    let order = UnpaidOrder::read(&service, caller.id(), body, Timestamp::now()).await;
    let (order, key) = both(order, key)?;
    let order = order.paid_by(caller.id(), key);
    let id = service.scans.queue(order, once.as_ref()).await?.id();
    let scan = service.scans.queued(&owner(&caller), id).await?;
    let mut head = HttpResponse::Accepted();
    head.insert_header((LOCATION, view::path(id)));
    Ok(counted(&service, caller.id(), &scan, head))
}

/// Lists the caller's scans.
async fn list(
    caller: ApiCaller,
    Query(query): Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let page = Page::read(&query).map_err(Error::Invalid)?;
    let most = page.most;
    // One scan more than a page shows whether there is another page.
    let mut scans = service
        .scans
        .list_queued(&owner(&caller), page.filter, page.after, most + 1)
        .await?;
    let more = scans.len() > most as usize;
    scans.truncate(most as usize);
    Ok(private(StatusCode::OK, &view::page(&scans, more)))
}

/// Returns a scan with its progress or its result.
async fn read(Asked(caller, id, service): Asked<ApiCaller>, request: HttpRequest) -> Answer {
    let scan = service.scans.queued(&owner(&caller), parse(&id)?).await?;
    let (document, tag) = (view::document(&scan)?, view::tag(&scan));
    let mut head = HttpResponse::Ok();
    if scan.run.ended_at.is_none() {
        head.insert_header((RETRY_AFTER, view::retry_after(&scan)))
            .insert_header((CACHE_CONTROL, "private, no-cache"));
        return Ok(tagged_json(&request, head, &tag, document));
    }
    if let Some(stored) = scan.result.as_ref().filter(|stored| stored.is_outdated()) {
        let link = format!("<{}/rescored>; rel=\"latest-version\"", view::path(scan.run.id));
        head.insert_header(("Link", link))
            .insert_header(("X-Method-Outdated", stored.method.as_str()));
    }
    Ok(immutable_json(&request, head, &tag, document))
}

/// Cancels a scan. One that has ended stays as it is.
async fn cancel(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let scan = service.scans.cancel_queued(&owner(&caller), parse(&id)?).await?;
    let mut head = HttpResponse::Accepted();
    if scan.run.ended_at.is_none() {
        head.insert_header((RETRY_AFTER, view::retry_after(&scan)));
    }
    Ok(head
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .content_type(json())
        .body(view::document(&scan)?))
}

/// Returns the evidence of a scan that has ended.
async fn answers(Asked(caller, id, service): Asked<ApiCaller>, request: HttpRequest) -> Answer {
    let id = parse(&id)?;
    let evidence = service.scans.answers(id, &reader(&caller)).await?;
    let (head, tag) = (HttpResponse::Ok(), format!("{id}-answers"));
    Ok(immutable_json(&request, head, &tag, evidence))
}

/// Returns a scan scored with the current method.
async fn rescored(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let id = parse(&id)?;
    let document = service
        .scans
        .rescored(id, &reader(&caller))
        .await?
        .queued_document(id)?;
    Ok(HttpResponse::Ok().content_type(json()).body(document))
}

/// Compares the second scan of the path with the first.
async fn compare(Asked(caller, ids, service): Asked<ApiCaller, (String, String)>) -> Answer {
    let (first, second) = (parse(&ids.0)?, parse(&ids.1)?);
    let comparison = service
        .scans
        .compare_kept(first, second, &reader(&caller))
        .await?;
    Ok(HttpResponse::Ok().json(comparison))
}

/// The caller as the owner of scans.
pub(super) fn owner(caller: &ApiCaller) -> RunOwner {
    RunOwner::Api(caller.id().clone())
}

fn reader(caller: &ApiCaller) -> Reader {
    Reader::V2(caller.id().clone())
}

/// Parses the id of a scan. A malformed id is answered like an unknown one.
pub(super) fn parse(id: &str) -> Result<ScanId, ApiError> {
    id.parse().map_err(|_| Error::NotFound.into())
}

/// Completes the answer to an order.
fn counted(
    service: &Service,
    caller: &CallerId,
    scan: &QueuedScan,
    mut head: HttpResponseBuilder,
) -> HttpResponse {
    let mut response = head
        .insert_header((RETRY_AFTER, view::retry_after(scan)))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(view::summary(&scan.run));
    rate_limit::report(response.headers_mut(), service.scans.limit_status(caller));
    response
}

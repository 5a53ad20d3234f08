//! `GET /api/v2/scans/{id}/events`: the progress of a scan, as Server-Sent Events.
//!
//! An event contains the whole state of the scan, so a client that missed events needs only the next one.
//! Its id is the number of answered questions.

use super::scans::{owner, parse};
use super::view;
use crate::config::HttpConfig;
use crate::extract::{ApiCaller, Asked};
use crate::respond::{Answer, handle};
use crate::sse;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_lab::sse::Data;
use futures_util::Stream;
use futures_util::stream::unfold;
use ibid_model::ScanId;
use ibid_model::contract::routes::WATCH_QUEUED_SCAN;
use ibid_service::{QueuedScan, RunOwner, Service};
use serde_json::json;

/// Id that the last event has.
const END: &str = "end";

/// Mounts the route.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&WATCH_QUEUED_SCAN, watch));
}

async fn watch(
    Asked(caller, id, service): Asked<ApiCaller>,
    request: HttpRequest,
    config: web::Data<HttpConfig>,
) -> Answer {
    let (owner, id) = (owner(&caller), parse(&id)?);
    let first = service.scans.queued(&owner, id).await?;
    let last = request.headers().get("Last-Event-ID");
    let last = last.and_then(|last| last.to_str().ok()).unwrap_or_default();
    if last == END && first.run.ended_at.is_some() {
        // A browser connects again after the end of a stream, until it gets this status.
        return Ok(HttpResponse::NoContent().finish());
    }
    // A number that this scan never had is ignored.
    let seen = last.parse().ok().filter(|seen| *seen <= first.run.stored);
    let events = Events {
        service: service.as_ref().clone(),
        owner,
        id,
        next: Some(first),
        seen,
    };
    let shutdown = config.shutdown.clone();
    let until = Box::pin(async move { shutdown.stopped().await });
    let mut head = HttpResponse::Ok();
    head.insert_header((CACHE_CONTROL, "private, no-store"));
    Ok(sse::stream(
        head,
        futures_util::StreamExt::take_until(events.into_stream(), until),
    ))
}

struct Events {
    service: Service,
    owner: RunOwner,
    id: ScanId,
    /// The scan as it was read last, if no event was sent for it.
    next: Option<QueuedScan>,
    /// Answered questions that the client knows of.
    seen: Option<u32>,
}

impl Events {
    fn into_stream(self) -> impl Stream<Item = Data> {
        unfold(Some(self), |events| async move {
            let mut events = events?;
            let (event, ended) = events.event().await?;
            Some((event, (!ended).then_some(events)))
        })
    }

    /// Waits for the next event. Returns whether it is the last one; `None` where the scan cannot be read any more.
    async fn event(&mut self) -> Option<(Data, bool)> {
        let known = self.next.take();
        let known = known.filter(|scan| {
            scan.run.ended_at.is_some() || self.seen.is_none_or(|seen| scan.run.stored > seen)
        });
        let scan = match known {
            Some(scan) => scan,
            None => {
                let seen = self.seen.unwrap_or_default();
                let read = self.service.scans.queued_after(&self.owner, self.id, seen).await;
                read.inspect_err(|error| tracing::warn!(%error, "run.events.failed"))
                    .ok()?
            }
        };
        let run = &scan.run;
        if run.ended_at.is_some() {
            let data = serde_json::to_string(&view::summary(run)).ok()?;
            return Some((Data::new(data).event("scan_ended").id(END), true));
        }
        self.seen = Some(run.stored);
        let data = json!({
            "scanId": run.id, "status": run.state.as_str(), "done": run.stored, "total": run.calls,
            "interim": view::interim(&scan.answers)
        });
        let event = Data::new(data.to_string()).event("progress");
        Some((event.id(run.stored.to_string()), false))
    }
}

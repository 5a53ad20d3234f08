//! `POST /api/a2a/watch`: a scan with its progress as Server-Sent Events.
//!
//! The status is sent before the work is done, so every refusal happens before it. A later failure is an event. The
//! result is sent only after the settlement. Events have no ids: a client that lost the stream sends the same payment
//! again.

use super::listings::RouteListings;
use super::paid::purchase;
use crate::extract::{OptionalObject, PaymentHeader};
use crate::problem::ApiError;
use crate::respond::handle;
use crate::sse;
use actix_web::{HttpResponse, web};
use futures_util::StreamExt;
use ibid_model::Product;
use ibid_model::contract::routes::WATCH_SCAN;
use ibid_service::{ProgressDetail, Service, StreamEvent};

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&WATCH_SCAN, watch));
}

async fn watch(
    header: PaymentHeader,
    body: OptionalObject,
    service: web::Data<Service>,
    listings: web::Data<RouteListings>,
) -> Result<HttpResponse, ApiError> {
    let run = purchase(
        &service,
        Product::Scan,
        listings.of(&WATCH_SCAN)?,
        header,
        &body.0,
    )
    .await?;
    let id = run.id();
    let events = run.into_events().flat_map(move |event| {
        let events = StreamEvent::of_run(id, &event, ProgressDetail::Counts, ApiError::summary);
        futures_util::stream::iter(events)
    });
    Ok(sse::answer(events))
}

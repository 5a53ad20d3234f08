//! `POST /api/a2a/my-receipts`: a wallet's own purchases.

use super::listings::RouteListings;
use crate::extract::{OptionalObject, PaymentHeader};
use crate::problem::ApiError;
use crate::respond::{handle, private};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::Skill;
use ibid_model::contract::routes::LIST_RECEIPTS;
use ibid_service::{Error, PaymentOffer, ReceiptsOrder, RequestHash, Service};
use std::sync::Arc;

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&LIST_RECEIPTS, list));
}

/// Lists the purchases. The answer has no settlement header, because this route settles no payment.
async fn list(
    header: PaymentHeader,
    body: OptionalObject,
    service: web::Data<Service>,
    listings: web::Data<RouteListings>,
) -> Result<HttpResponse, ApiError> {
    if !service.shop.offering().has(Skill::MyReceipts) {
        return Err(Error::PaidDisabled.into());
    }
    let order = ReceiptsOrder::read(&body.0).map_err(Error::Invalid)?;
    let offer = PaymentOffer {
        payment: header.payment,
        caller: header.caller,
        listing: Arc::clone(listings.of(&LIST_RECEIPTS)?),
        request: RequestHash::of(Skill::MyReceipts, &body.0),
    };
    let page = service.shop.receipts(offer, order).await?;
    Ok(private(StatusCode::OK, &page))
}

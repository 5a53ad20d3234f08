//! `POST /api/a2a/scan`, `/radius`, `/audit`, `/full`, and reading a bought document by its id.

use super::catalogue::Catalogue;
use crate::extract::{OptionalObject, Paying};
use crate::headers::insert_settlement;
use crate::problem::ApiError;
use crate::respond::json;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::{HttpResponse, web};
use ibid_model::Product;
use ibid_service::{Billing, Error, Finished, PaymentOffer, Reader, RequestHash, Run, Service};
use ibid_x402::{Listing, Payment};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(crate) async fn scan(
    paying: Paying,
    body: OptionalObject,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    let run = buy(&service, Product::Scan, &catalogue.scan, paying.0, &body.0).await?;
    deliver(&run.finish().await?)
}

pub(crate) async fn radius(
    paying: Paying,
    body: OptionalObject,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    let run = buy(&service, Product::Radius, &catalogue.radius, paying.0, &body.0).await?;
    deliver(&run.finish().await?)
}

pub(crate) async fn full(
    paying: Paying,
    body: OptionalObject,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    let run = buy(&service, Product::Full, &catalogue.full, paying.0, &body.0).await?;
    deliver(&run.finish().await?)
}

/// Sells an audit. The body may contain a whole page.
pub(crate) async fn audit(
    paying: Paying,
    body: OptionalObject<4_194_304>,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    let run = buy(&service, Product::Audit, &catalogue.audit, paying.0, &body.0).await?;
    deliver(&run.finish().await?)
}

/// Returns the document that was bought under this id. Knowing the id is the permission to read it.
pub(crate) async fn read(
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let document = service.scan(id, &Reader::Buyer).await?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private"))
        .content_type(json())
        .body(document))
}

/// Plans, prices and admits a purchase. Crawlers that collect offers send no body or an empty one, and get the price.
pub(crate) async fn buy(
    service: &Service,
    product: Product,
    listing: &Arc<Listing>,
    payment: Option<Payment>,
    body: &Map<String, Value>,
) -> Result<Run, ApiError> {
    if matches!(product, Product::Audit | Product::Full) && service.sells(product) && !service.audits() {
        return Err(Error::AuditsDisabled.into());
    }
    if payment.is_none() && body.is_empty() {
        return Err(Error::PaymentRequired(service.price(product, listing)?).into());
    }
    if !service.sells(product) {
        return Err(Error::PaidDisabled.into());
    }
    let job = service.job(product, body)?;
    let request = RequestHash::of(product.skill(), body);
    let offer = PaymentOffer {
        payment,
        listing: Arc::clone(listing),
        request,
    };
    Ok(service.perform(job, Billing::Payment(Box::new(offer))).await?)
}

/// Answers with the document, and with the outcome of the settlement in the headers of both x402 versions.
fn deliver(finished: &Finished) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::Ok();
    if let Some(settlement) = &finished.settlement {
        insert_settlement(&mut response, settlement);
    }
    // A shared cache must never send a bought answer to another client.
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static("private, no-store")));
    Ok(response
        .content_type(json())
        .body(finished.document.bytes().clone()))
}

//! `POST /api/a2a/scan`, `/radius`, `/audit`, `/full`, and reading a bought document by its id.

use super::listings::RouteListings;
use crate::conditional::immutable_json;
use crate::extract::{OptionalObject, PaymentHeader};
use crate::headers::insert_settlement;
use crate::problem::ApiError;
use crate::respond::{handle, json};
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Resource, web};
use ibid_model::contract::routes::READ_BOUGHT;
use ibid_model::contract::{ROUTES, Route};
use ibid_model::{Product, ScanId, Skill};
use ibid_service::{Billing, Error, Finished, PaymentOffer, Reader, RequestHash, Run, Service};
use ibid_x402::Listing;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Mounts the routes that sell a skill and wait for its result, and the route of bought documents.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    for route in ROUTES.iter().copied() {
        let product = route.skill.and_then(Skill::product).filter(|_| !route.streams());
        match product {
            // The body may hold a whole page.
            Some(product) if product.form().is_none() => app.service(selling::<4_194_304>(route, product)),
            Some(product) => app.service(selling::<65_536>(route, product)),
            None => app,
        };
    }
    app.service(handle(&READ_BOUGHT, read));
}

/// A route that sells a product, with a body of at most `MOST` bytes.
fn selling<const MOST: usize>(route: &'static Route, product: Product) -> Resource {
    type Data<T> = web::Data<T>;
    handle(
        route,
        move |header: PaymentHeader,
              body: OptionalObject<MOST>,
              service: Data<Service>,
              listings: Data<RouteListings>| async move {
            let listing = listings.of(route)?;
            let run = purchase(&service, product, listing, header, &body.0).await?;
            let id = run.id();
            deliver(&run.finish().await.map_err(|error| ApiError::Run(id, error))?)
        },
    )
}

/// Returns the document that was bought under this id. Knowing the id is the permission to read it.
async fn read(
    id: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id: ScanId = id.parse().map_err(|_| Error::NotFound)?;
    let document = service.scans.scan(id, &Reader::Buyer).await?;
    Ok(immutable_json(
        &request,
        HttpResponse::Ok(),
        &id.to_string(),
        document,
    ))
}

/// Plans, prices and admits a purchase. Crawlers that collect offers send no body or an empty one, and get the price.
pub(crate) async fn purchase(
    service: &Service,
    product: Product,
    listing: &Arc<Listing>,
    header: PaymentHeader,
    body: &Map<String, Value>,
) -> Result<Run, ApiError> {
    let PaymentHeader { payment, caller } = header;
    if payment.is_none() && body.is_empty() {
        service.shop.check_sold(product)?;
        return Err(Error::PaymentRequired(service.shop.price(product, listing)?).into());
    }
    let request = RequestHash::of(product.skill(), body);
    let offer = PaymentOffer {
        payment,
        caller,
        listing: Arc::clone(listing),
        request,
    };
    let planned = match service.shop.check_sold(product) {
        Ok(()) => service.scans.job(product, body).await,
        Err(error) => Err(error),
    };
    Ok(match planned {
        Ok(job) => {
            service
                .scans
                .perform(job, Billing::Payment(Box::new(offer)))
                .await?
        }
        // What was bought before stays bought, whatever is sold today.
        Err(error) => service.shop.bought(offer, error).await?,
    })
}

/// Answers with the document, and with how it was settled in the headers of both x402 versions.
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

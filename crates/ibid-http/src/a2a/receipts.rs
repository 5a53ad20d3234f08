//! `POST /api/a2a/my-receipts`: a wallet's own purchases.

use super::catalogue::Catalogue;
use crate::extract::{OptionalObject, Paying};
use crate::problem::ApiError;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use ibid_model::{Faults, Fields, Receipt, ReceiptId, Skill, Wallet};
use ibid_service::{Error, Offer, RequestHash, Service};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Most receipts of a page, and the usual number.
const MOST: u8 = 100;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    wallet: Wallet,
    receipts: &'a [Receipt],
    next_cursor: Option<String>,
}

/// Answers without any settlement header: nothing is settled.
pub(crate) async fn list(
    paying: Paying,
    body: OptionalObject,
    service: web::Data<Service>,
    catalogue: web::Data<Catalogue>,
) -> Result<HttpResponse, ApiError> {
    if !service.sells() {
        return Err(Error::PaidDisabled.into());
    }
    let (cursor, limit) = read(&body.0).map_err(Error::Invalid)?;
    let offer = Offer {
        payment: paying.0,
        listing: Arc::clone(&catalogue.receipts),
        request: RequestHash::of(Skill::MyReceipts, &body.0),
    };
    let page = service.receipts(offer, cursor, limit).await?;
    let next_cursor = page.next.map(|id| id.to_string());
    let body = Page {
        wallet: page.wallet,
        receipts: &page.receipts,
        next_cursor,
    };
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(body))
}

fn read(body: &Map<String, Value>) -> Result<(Option<ReceiptId>, u16), Faults> {
    let mut fields = Fields::new(body);
    let cursor = fields.text::<ReceiptId>("cursor");
    let limit = fields.whole("limit", 1, MOST).unwrap_or(MOST);
    fields.finish(Some((cursor, limit.into())))
}

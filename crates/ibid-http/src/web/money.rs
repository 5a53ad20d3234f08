//! `/workspace/receipts` and `/workspace/credits`.

use super::signed_in::SignedIn;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::Service;
use ibid_web::pages::{self, CreditsPage, ReceiptsPage};

/// Number of rows on a page.
const A_PAGE: u32 = 25;

/// `GET /workspace/receipts`, with `cursor`: finished scans and their cost.
pub(crate) async fn receipts(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let cursor = query.0.text("cursor").parse().ok();
    let mut runs = service
        .scans
        .workspace_receipts(signed_in.member.account, cursor, A_PAGE)
        .await?;
    let more = runs.len() > A_PAGE as usize;
    runs.truncate(A_PAGE as usize);
    let last = runs.last().and_then(|run| run.finished).filter(|_| more);
    let next = last.map(|finished| finished.receipt.to_string());
    let page = ReceiptsPage {
        runs: &runs,
        next: next.as_deref(),
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::receipts(frame, &page))
}

/// `GET /workspace/credits`, with `cursor`: the balance and its movements.
pub(crate) async fn credits(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let cursor = query.0.text("cursor").parse().ok();
    let mut movements = service
        .scans
        .movements(signed_in.member.account, cursor, A_PAGE)
        .await?;
    let more = movements.len() > A_PAGE as usize;
    movements.truncate(A_PAGE as usize);
    let next = movements
        .last()
        .filter(|_| more)
        .map(|last| last.entry.to_string());
    let page = CreditsPage {
        balance: signed_in.member.credits,
        movements: &movements,
        next: next.as_deref(),
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::credits(frame, &page))
}

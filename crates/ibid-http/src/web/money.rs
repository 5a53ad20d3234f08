//! `/workspace/receipts` and `/workspace/credits`.

use super::history::time;
use super::signed_in::SignedIn;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::Skill;
use ibid_service::{CreditMovement, MovementKind, RunRecord, Service};
use ibid_web::pages::{self, AmountCharged, CreditsPage, LedgerRow, LedgerScan, ReceiptRow, ReceiptsPage};

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
    let about: Vec<_> = runs.iter().map(|run| about(&run.domain, &run.keyword)).collect();
    let rows: Vec<_> = runs
        .iter()
        .zip(&about)
        .filter_map(|(run, about)| receipt(run, about))
        .collect();
    let next = rows.last().filter(|_| more).map(|row| row.id.to_string());
    let page = ReceiptsPage {
        rows: &rows,
        next: next.as_deref(),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::receipts(&browser.frame(), &page))
}

fn receipt<'a>(run: &RunRecord, about: &'a str) -> Option<ReceiptRow<'a>> {
    Some(ReceiptRow {
        id: run.finished?.receipt,
        at: time(run.ended_at.unwrap_or(run.created_at)),
        skill: Skill::Scan,
        about,
        scan: (!run.deleted).then_some(run.id),
        charge: AmountCharged::Credits(1),
    })
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
    let abouts: Vec<_> = movements
        .iter()
        .map(|movement| {
            let scan = movement.scan.as_ref();
            scan.map(|(id, domain, keyword)| (*id, about(domain, keyword)))
        })
        .collect();
    let ledger: Vec<_> = movements
        .iter()
        .zip(&abouts)
        .map(|(movement, about)| LedgerRow {
            scan: about.as_ref().map(|(id, about)| LedgerScan { id: *id, about }),
            ..ledger_row(movement)
        })
        .collect();
    let page = CreditsPage {
        balance: signed_in.member.credits,
        ledger: &ledger,
        next: next.as_deref(),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::credits(&browser.frame(), &page))
}

fn ledger_row(movement: &CreditMovement) -> LedgerRow<'static> {
    LedgerRow {
        at: time(movement.at),
        kind: match movement.kind {
            MovementKind::Granted => pages::LedgerKind::Granted,
            MovementKind::Withdrawn => pages::LedgerKind::Withdrawn,
            MovementKind::Spent => pages::LedgerKind::Spent,
            MovementKind::Returned => pages::LedgerKind::Returned,
        },
        credits: u32::try_from(movement.amount.unsigned_abs()).unwrap_or(u32::MAX),
        balance: movement.balance,
        scan: None,
    }
}

fn about(domain: &str, keyword: &str) -> String {
    format!("{domain}, {keyword}")
}

//! `/workspace/scans`: the history of an account, with search, tags and pages.

use super::signed_in::SignedIn;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{HistoryQuery, RunRecord, Service};
use ibid_web::pages::{self, HistoryPage, ScanRow, TagCount};
use ibid_web::time;

/// `GET /workspace/scans`, with `q`, `tag` and `page`.
pub(crate) async fn history(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (account, query) = (signed_in.member.account, query.0);
    let text: String = query.text("q").chars().take(200).collect();
    let tag = Some(query.text("tag")).filter(|tag| !tag.is_empty());
    let wanted = HistoryQuery {
        text: text.clone(),
        tag: tag.map(str::to_owned),
        page: query.text("page").parse().unwrap_or(1),
        a_page: super::stored::A_PAGE,
    };
    let found = service.scans.history(account, wanted).await?;
    let tags = service.scans.tags(account).await?;
    let page = HistoryPage {
        rows: &found.rows.iter().map(row).collect::<Vec<_>>(),
        query: &text,
        tag,
        tags: &tags
            .iter()
            .map(|tag| TagCount {
                name: &tag.name,
                scans: tag.scans,
            })
            .collect::<Vec<_>>(),
        page: found.page,
        pages: found.pages,
        total: found.total,
        alerts: super::schedules::unseen(&signed_in, &service).await?,
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::history(&browser.frame(), &page))
}

/// Returns the row of a scan in a list.
pub(crate) fn row(run: &RunRecord) -> ScanRow<'_> {
    ScanRow {
        id: run.id,
        domain: &run.domain,
        keyword: &run.keyword,
        place: run.place.as_deref(),
        title: run.title.as_deref(),
        state: run.state,
        score: run.finished.map(|run| (run.summary.score, run.summary.interval)),
        done: run.done,
        questions: run.questions,
        tags: &run.tags,
        shared: run.share.is_some(),
        at: time(run.created_at),
    }
}

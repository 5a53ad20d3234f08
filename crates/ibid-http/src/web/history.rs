//! `/workspace/scans`: the history of an account, with search, tags and pages.

use super::signed_in::SignedIn;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{HistoryQuery, Service};
use ibid_web::pages::{self, HistoryPage};

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
        rows: &found.rows,
        query: &text,
        tag,
        tags: &tags,
        page: found.page,
        pages: found.pages,
        total: found.total,
        alerts: super::schedules::unseen(&signed_in, &service).await?,
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::history(frame, &page))
}

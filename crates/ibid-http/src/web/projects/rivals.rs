//! `GET /workspace/projects/{id}/rivals` and `…/sources`: counted from what the runs name and cite.

use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{Right, Service};
use ibid_web::pages::{self, RivalsPage, SourcesPage};

pub(crate) async fn rivals(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let rivals = service.projects.rivals_over_time(&scope).await?;
    let page = RivalsPage {
        id: &id,
        name: &view.record.name,
        rivals: &rivals,
        may_write: scope.may(Right::EditProject),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::project_rivals(&browser.frame(), &page))
}

pub(crate) async fn sources(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let sources = service.projects.sources(&scope).await?;
    let page = SourcesPage {
        id: &id,
        name: &view.record.name,
        sources: &sources,
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::project_sources(&browser.frame(), &page))
}

//! `GET /workspace/projects/{id}/runs`: all runs of a project, a page at a time.

use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::answer_tables;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{Right, Service};
use ibid_web::pages::{self, ProjectRunsPage};

/// `GET /workspace/projects/{id}/answers.csv`.
pub(crate) async fn table(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    answer_tables::table(&service, &scope).await
}

/// `GET /workspace/projects/{id}/answers.xlsx`.
pub(crate) async fn workbook(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    answer_tables::workbook(&service, &scope).await
}

pub(crate) async fn show(
    signed_in: SignedIn,
    id: web::Path<String>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let number = query.0.text("page").parse().unwrap_or(1).max(1);
    let (runs, more) = service.projects.run_page(&scope, number).await?;
    let page = ProjectRunsPage {
        id: &id,
        project: &view,
        runs: &runs,
        number,
        more,
        may_run: scope.may(Right::RunProject),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::project_runs(&browser.frame(), &page))
}

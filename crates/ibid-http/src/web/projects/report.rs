//! The report of a run of a project, for everyone who sees the project.

use super::super::report::{File, Report};
use super::super::signed_in::SignedIn;
use super::super::stored::parse_id;
use super::access::scope;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::{HttpResponse, web};
use ibid_model::ScanId;
use ibid_service::{Reader, Right, Service};
use ibid_web::pages::Viewer;

/// `GET /workspace/projects/{id}/runs/{scan}`.
pub(crate) async fn show(
    signed_in: SignedIn,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (scan, reader) = find(&service, &signed_in, &path.0, &path.1).await?;
    let report = Report::of_project(&service, scan, &reader).await?;
    let below = format!("/workspace/projects/{}/runs/{scan}", path.0);
    report.page(&signed_in.browser, viewer(&below))
}

/// `GET /workspace/projects/{id}/runs/{scan}/answers`.
pub(crate) async fn answers(
    signed_in: SignedIn,
    path: web::Path<(String, String)>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (scan, reader) = find(&service, &signed_in, &path.0, &path.1).await?;
    let report = Report::of_project(&service, scan, &reader).await?;
    let below = format!("/workspace/projects/{}/runs/{scan}", path.0);
    report.answers_page(&signed_in.browser, viewer(&below), &query)
}

/// `GET /workspace/projects/{id}/runs/{scan}/{file}`.
pub(crate) async fn file(
    signed_in: SignedIn,
    path: web::Path<(String, String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (scan, reader) = find(&service, &signed_in, &path.0, &path.1).await?;
    let file = File::of(&path.2).ok_or(ApiError::NoSuchPath)?;
    file.download(&service, scan, &reader).await
}

async fn find(
    service: &Service,
    signed_in: &SignedIn,
    id: &str,
    scan: &str,
) -> Result<(ScanId, Reader), ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let scan = parse_id(scan)?;
    Ok((scan, service.projects.run_reader(&scope, scan).await?))
}

/// A reader of the report alone, below a path of its own.
const fn viewer(path: &str) -> Viewer<'_> {
    Viewer::Public { path, open: false }
}

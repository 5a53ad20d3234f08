//! `/workspace/site-audits/{id}`: the progress and the report of a site audit. The form of page audits starts it.

use super::audit::file;
use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use ibid_model::result::SiteAudit;
use ibid_service::{Error, Service, SiteAuditState};
use ibid_web::pages::{self, SiteAuditPage, SiteProgressPage};
use serde::Deserialize;

/// `GET /workspace/site-audits/{id}`.
pub(crate) async fn report(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    let browser = &signed_in.browser;
    let progress = match service.scans.site_audit(signed_in.member.account, id).await? {
        SiteAuditState::Complete(document) => {
            let audit = read(&document)?;
            let page = SiteAuditPage { id, audit: &audit };
            return browser.page(StatusCode::OK, pages::site_audit(&browser.frame(), &page));
        }
        SiteAuditState::Running { address, done, total } => (address, (done, total), None),
        SiteAuditState::Failed { address, reason } => (address, (0, 0), Some(reason)),
    };
    let (address, pages, failure) = progress;
    let page = SiteProgressPage {
        address: &address,
        pages,
        failure: failure.as_deref(),
    };
    browser.page(StatusCode::OK, pages::site_progress(&browser.frame(), &page))
}

/// `GET /workspace/site-audits/{id}/site-audit.json`.
pub(crate) async fn download(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    match service.scans.site_audit(signed_in.member.account, id).await? {
        SiteAuditState::Complete(document) => {
            // The id of a scan or of a page audit is not found on this path.
            read(&document)?;
            Ok(file(id, "site-audit", document))
        }
        SiteAuditState::Running { .. } | SiteAuditState::Failed { .. } => Err(Error::NotFound.into()),
    }
}

#[derive(Deserialize)]
struct Reply {
    result: SiteAudit,
}

/// Reads the document of a site audit. Another document of the account is not found.
fn read(document: &Bytes) -> Result<SiteAudit, ApiError> {
    let members: serde_json::Value = serde_json::from_slice(document).map_err(Error::from)?;
    if members.get("siteAuditId").is_none() {
        return Err(Error::NotFound.into());
    }
    let Reply { result } = serde_json::from_value(members).map_err(Error::from)?;
    Ok(result)
}

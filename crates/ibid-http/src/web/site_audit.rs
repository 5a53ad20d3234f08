//! `/workspace/site-audits/{id}`: how far a site audit is, and its report. The form for page audits starts it.

use super::audit::file;
use super::signed_in::SignedIn;
use super::stored::{parse_id, result_of};
use crate::extract::Asked;
use crate::problem::ApiError;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use ibid_model::result::SiteAudit;
use ibid_service::{Error, SiteAuditState};
use ibid_web::pages::{self, SiteAuditPage, SiteProgressPage};

/// `GET /workspace/site-audits/{id}`.
pub(crate) async fn report(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
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
pub(crate) async fn download(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let id = parse_id(&id)?;
    match service.scans.site_audit(signed_in.member.account, id).await? {
        SiteAuditState::Complete(document) => {
            // On this path the id of a scan or a page audit is not found.
            read(&document)?;
            Ok(file(id, "site-audit", document))
        }
        SiteAuditState::Running { .. } | SiteAuditState::Failed { .. } => Err(Error::NotFound.into()),
    }
}

/// Reads a site audit. Another document of the account is not found.
fn read(document: &Bytes) -> Result<SiteAudit, ApiError> {
    result_of(document, "siteAuditId")
}

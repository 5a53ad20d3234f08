//! Renaming and deleting a scan.

use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::extract::{AuthenticatedThen, Form, SameOrigin};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::Service;
use ibid_web::pages::{self, EditScanPage};

/// `GET /workspace/scans/{id}/edit`.
pub(crate) async fn form(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    let (run, _) = service.scans.workspace_run(signed_in.member.account, id).await?;
    let page = EditScanPage {
        id,
        domain: &run.domain,
        keyword: &run.keyword,
        title: run.title.as_deref().unwrap_or_default(),
        running: run.state.is_open(),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::edit_scan(&browser.frame(), &page))
}

/// `POST /workspace/scans/{id}/title`.
pub(crate) async fn rename(
    _own: SameOrigin,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form<4_096>>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    service
        .scans
        .set_title(signed_in.member.account, id, pairs.text("title"))
        .await?;
    Ok(see_other(&format!("/workspace/scans/{id}")))
}

/// `POST /workspace/scans/{id}/delete`.
pub(crate) async fn delete(
    _own: SameOrigin,
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    service
        .scans
        .delete_scan(signed_in.member.account, parse_id(&id)?)
        .await?;
    Ok(see_other("/workspace/scans"))
}

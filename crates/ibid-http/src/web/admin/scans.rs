//! The queued and running scans of all owners.

use super::AdminBrowser;
use crate::extract::{Form, Posted};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::{HttpResponse, web};
use ibid_service::{Error, Service};
use ibid_web::pages::{self, OpenScansPage};

/// Scans on the page.
const MOST: u32 = 200;

/// `GET /workspace/admin/scans`.
pub(crate) async fn list(admin: AdminBrowser, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let scans = service.scans.open_scans(&admin.admin, MOST + 1).await?;
    let shown = &scans[..scans.len().min(MOST as usize)];
    let page = OpenScansPage {
        scans: shown,
        more: scans.len() > shown.len(),
    };
    admin.page(None, |frame| pages::admin_scans(frame, &page))
}

/// `POST /workspace/admin/scans/cancel`.
pub(crate) async fn cancel(
    Posted(admin, Form(pairs), _, service): Posted<AdminBrowser, Form<4_096>>,
) -> Answer {
    let id = pairs.text("id").parse().map_err(|_| ApiError::NoSuchPath)?;
    match service.scans.cancel_open_scan(&admin.admin, id).await {
        Ok(()) => Ok(see_other("/workspace/admin/scans")),
        Err(Error::NotFound) => Err(ApiError::NoSuchPath),
        Err(error) => Err(error.into()),
    }
}

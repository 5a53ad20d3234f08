//! `/workspace/admin`: people, service keys, open scans, spending and health.
//! Accounts without the role admin get 404.

pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod people;
pub(crate) mod scans;
pub(crate) mod spending;

use super::signed_in::SignedIn;
use crate::extract::Proof;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use ibid_service::Admin;
use ibid_web::{Frame, Notice, RenderError};
use std::future::Future;
use std::pin::Pin;

/// A signed-in admin with a browser. A value of this type is the proof.
pub(crate) struct AdminBrowser {
    pub(crate) signed_in: SignedIn,
    pub(crate) admin: Admin,
}

impl AdminBrowser {
    /// Answers with a page, which has a notice where something was refused.
    fn page(
        &self,
        refused: Option<(StatusCode, &str)>,
        render: impl FnOnce(&Frame<'_>) -> Result<String, RenderError>,
    ) -> Result<HttpResponse, ApiError> {
        let status = refused.map_or(StatusCode::OK, |(status, _)| status);
        let notice = refused.map(|(_, text)| Notice::refused(text));
        self.signed_in.browser.noticed(status, notice, render)
    }
}

impl Proof for AdminBrowser {}

impl FromRequest for AdminBrowser {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed_in = SignedIn::from_request(request, payload);
        Box::pin(async move {
            let signed_in = signed_in.await?;
            match signed_in.member.admin() {
                Some(admin) => Ok(Self { signed_in, admin }),
                None => Err(ApiError::NoSuchPath),
            }
        })
    }
}

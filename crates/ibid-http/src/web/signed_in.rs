//! Somebody signed in, with a browser.

use super::browser::Browser;
use super::sign_in::sign_in_path;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ibid_service::{Member, Reader};
use std::future::Future;
use std::pin::Pin;

/// Somebody signed in, with a browser; having one is the proof. Others are sent to sign in, and come back afterwards.
pub(crate) struct SignedIn {
    pub(crate) browser: Browser,
    pub(crate) member: Member,
}

impl SignedIn {
    /// What they may read.
    pub(crate) fn reader(&self) -> Reader {
        Reader::Account(self.member.account)
    }
}

impl FromRequest for SignedIn {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let browser = Browser::from_request(request, payload);
        // What was posted is gone by then, so whoever posted comes back to the workspace.
        let next = if request.method().is_safe() {
            request
                .uri()
                .path_and_query()
                .map_or("/workspace", |path| path.as_str())
        } else {
            "/workspace"
        };
        let sign_in = sign_in_path(next);
        Box::pin(async move {
            let browser = browser.await?;
            match browser.member().cloned() {
                Some(member) => Ok(Self { browser, member }),
                None => Err(ApiError::SignInFirst(sign_in)),
            }
        })
    }
}

//! A signed-in reader with a browser.

use super::browser::Browser;
use super::sign_in::{HOME, sign_in_path};
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ibid_service::{Error, Member, Reader};
use std::future::Future;
use std::pin::Pin;

/// A signed-in reader with a browser. A value of this type is the proof. Other readers are redirected to sign in, and
/// return afterwards. A viewer is refused every request that changes something, and a guest what is no project's.
pub(crate) struct SignedIn {
    pub(crate) browser: Browser,
    pub(crate) member: Member,
}

impl SignedIn {
    pub(crate) fn reader(&self) -> Reader {
        Reader::Account(self.member.account)
    }
}

impl FromRequest for SignedIn {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let browser = Browser::from_request(request, payload);
        // A posted form is lost after signing in, so its reader returns to the workspace.
        let next = if request.method().is_safe() {
            request.uri().path_and_query().map_or(HOME, |path| path.as_str())
        } else {
            HOME
        };
        let sign_in = sign_in_path(next);
        let changed = (!request.method().is_safe()).then(|| request.path().to_owned());
        Box::pin(async move {
            let browser = browser.await?;
            match browser.member().cloned() {
                Some(member) if changed.as_ref().is_some_and(|path| !member.may_change(path)) => {
                    Err(Error::Forbidden.into())
                }
                Some(member) => Ok(Self { browser, member }),
                None => Err(ApiError::SignInFirst(sign_in)),
            }
        })
    }
}

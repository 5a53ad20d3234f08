//! What the public links of reports share: the password that opens one, and that search engines do not list them.

use super::browser::Browser;
use super::sign_in::set_cookie;
use crate::config::HttpConfig;
use crate::extract::SessionCookie;
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::X_ROBOTS_TAG;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use ibid_service::{Error, SharePass};
use ibid_web::pages::{self, ShareLockPage};

/// Asks for the password of a link.
pub(super) fn locked(browser: &Browser, path: &str) -> Result<HttpResponse, ApiError> {
    refused(browser, path, StatusCode::UNAUTHORIZED, None)
}

/// The answer to a password: the cookie that opens the link, or the question again with the reason of the refusal.
pub(super) fn unlocked(
    browser: &Browser,
    config: &HttpConfig,
    path: &str,
    pass: Result<SharePass, Error>,
) -> Result<HttpResponse, ApiError> {
    match pass {
        Ok(pass) => {
            let mut response = see_other(path);
            let cookie = SessionCookie::of(&config.base_url).set_pass(path, &pass);
            set_cookie(&mut response, &cookie)?;
            Ok(response)
        }
        Err(Error::SignInRefused) => {
            let why = "The password is wrong.";
            refused(browser, path, StatusCode::UNAUTHORIZED, Some(why))
        }
        Err(Error::TooMany { retry_after }) => {
            let seconds = retry_after.as_secs().max(1);
            let why = format!("Too many attempts failed. Try again in {seconds} seconds.");
            let mut page = refused(browser, path, StatusCode::TOO_MANY_REQUESTS, Some(&why))?;
            page.headers_mut().insert(RETRY_AFTER, seconds.into());
            Ok(page)
        }
        Err(error) => Err(error.into()),
    }
}

fn refused(
    browser: &Browser,
    path: &str,
    status: StatusCode,
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let page = ShareLockPage { path, error };
    let page = pages::share_lock(&browser.anonymous(), &page);
    Ok(unlisted(browser.page(status, page)?))
}

/// Marks a report: search engines must not list it.
pub(super) fn unlisted(mut response: HttpResponse) -> HttpResponse {
    response
        .headers_mut()
        .insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    response
}

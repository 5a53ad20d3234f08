//! Signing in and signing out.

use super::browser::Browser;
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, Query, SameOrigin, SessionCookie, device_of, token_of};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::SET_COOKIE;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_service::{CodePass, Error, Service, SignIn, SignInStep};
use ibid_web::pages;
use secrecy::SecretString;
use std::time::Duration;
use url::Url;

/// The page after signing in, where no other page was requested.
pub(super) const HOME: &str = "/workspace/projects";
/// What a person is told who comes back from the provider without a sign-in.
pub(super) const SIGN_IN_BACK: &str = "The sign-in was not finished. Begin again here.";

/// `GET /sign-in`.
pub(crate) async fn form(
    browser: Browser,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let next = own_path(query.0.text("next"));
    if browser.member().is_some() {
        return Ok(see_other(next.as_deref().unwrap_or(HOME)));
    }
    show(
        &browser,
        &service,
        StatusCode::OK,
        ("", next.as_deref().unwrap_or_default()),
        None,
    )
}

/// The page to sign in, with what was entered and the reason of a refusal.
/// It shows no account, also not the previous one.
pub(super) fn show(
    browser: &Browser,
    service: &Service,
    status: StatusCode,
    (email, next): (&str, &str),
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let path = sign_in_path(next).replacen("/sign-in", "/sign-in/openid", 1);
    let page = pages::SignInPage {
        email,
        next,
        error,
        passwords: service.accounts.takes_passwords(),
        provider: service.accounts.openid_host().map(|host| (host, path.as_str())),
    };
    browser.page(status, pages::sign_in(&browser.anonymous(), &page))
}

/// `POST /sign-in`.
pub(crate) async fn sign_in(
    _own: SameOrigin,
    browser: Browser,
    address: ClientAddress,
    form: Form,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let mut form = form.0;
    let password = SecretString::from(form.take("password"));
    let (email, next) = (form.text("email"), own_path(form.text("next")));
    let attempt = SignIn {
        email: email.to_owned(),
        password,
        address: address.0,
        replaces: token_of(&request),
        device: device_of(&request),
    };
    let refused = match service.accounts.sign_in(attempt).await {
        Ok(SignInStep::Code(pass)) => {
            return ask_for_code(&pass, next.as_deref(), &config);
        }
        Ok(SignInStep::SignedIn(signed_in)) => {
            return welcome(&signed_in, next.as_deref(), &config);
        }
        Err(refused @ (Error::SignInRefused | Error::TooMany { .. })) => refused,
        Err(error) => return Err(error.into()),
    };
    let wait = match &refused {
        Error::TooMany { retry_after } => Some(*retry_after),
        _ => None,
    };
    let wrong = match service.accounts.takes_passwords() {
        true => "E-mail or password is wrong.",
        false => "Passwords are not taken here.",
    };
    let message = wait.map_or_else(|| wrong.to_owned(), wait_in_words);
    let status = wait.map_or(StatusCode::UNAUTHORIZED, |_| StatusCode::TOO_MANY_REQUESTS);
    let entered = (email, next.as_deref().unwrap_or_default());
    let mut response = show(&browser, &service, status, entered, Some(&message))?;
    if let Some(wait) = wait {
        let seconds = wait.as_secs().max(1);
        response
            .headers_mut()
            .insert(actix_web::http::header::RETRY_AFTER, seconds.into());
    }
    Ok(response)
}

/// Goes on with a session, on a device that is known from then on.
pub(super) fn welcome(
    signed_in: &ibid_service::SignedIn,
    next: Option<&str>,
    config: &HttpConfig,
) -> Result<HttpResponse, ApiError> {
    let mut response = see_other(next.unwrap_or(HOME));
    let cookies = SessionCookie::of(&config.base_url);
    set_cookie(&mut response, &cookies.set(&signed_in.session))?;
    set_cookie(&mut response, &cookies.set_device(&signed_in.device))?;
    Ok(response)
}

/// Redirects a browser with the right password to the page that asks for a code.
pub(super) fn ask_for_code(
    pass: &CodePass,
    next: Option<&str>,
    config: &HttpConfig,
) -> Result<HttpResponse, ApiError> {
    let path = sign_in_path(next.unwrap_or(HOME)).replacen("/sign-in", "/sign-in/code", 1);
    let mut response = see_other(&path);
    let cookies = SessionCookie::of(&config.base_url);
    set_cookie(&mut response, &cookies.set_code_pass(pass.reveal()))?;
    Ok(response)
}

/// Says how long to wait after too many attempts.
pub(super) fn wait_in_words(wait: Duration) -> String {
    match wait.as_secs().max(1) {
        seconds @ ..=90 => format!("Too many attempts failed. Try again in {seconds} seconds."),
        seconds => format!(
            "Too many attempts failed. Try again in {} minutes.",
            seconds.div_ceil(60)
        ),
    }
}

/// `POST /sign-out`.
pub(crate) async fn sign_out(
    _own: SameOrigin,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    if let Some(token) = token_of(&request) {
        service.accounts.sign_out(&token).await?;
    }
    let mut response = see_other("/");
    set_cookie(&mut response, &SessionCookie::of(&config.base_url).clear())?;
    Ok(response)
}

pub(super) fn set_cookie(response: &mut HttpResponse, cookie: &str) -> Result<(), ApiError> {
    // A token consists of letters, digits, `-` and `_`.
    let value = cookie.parse().map_err(|_| Error::Ended)?;
    response.headers_mut().append(SET_COOKIE, value);
    Ok(())
}

/// Returns the path to sign in first and to continue at `next`.
pub(crate) fn sign_in_path(next: &str) -> String {
    match own_path(next) {
        Some(next) if next != HOME => {
            let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
            format!("/sign-in?next={next}")
        }
        Some(_) | None => "/sign-in".to_owned(),
    }
}

/// Checks that a text is a path of this service, because browsers read `//host`, `/\host` and others as another site.
pub(super) fn own_path(text: &str) -> Option<String> {
    let odd = |c: char| c == '\\' || c.is_control() || c.is_whitespace();
    if !text.starts_with('/') || text.starts_with("//") || text.len() > 2_048 || text.chars().any(odd) {
        return None;
    }
    let here = Url::parse("http://ibid.invalid").ok()?;
    let there = here.join(text).ok()?;
    if there.origin() != here.origin() || there.path().starts_with("//") {
        return None;
    }
    let query = there
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    Some(format!("{}{query}", there.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_this_service() {
        for (next, expected) in [
            (
                "/workspace/scans?q=a%20b&page=2",
                Some("/workspace/scans?q=a%20b&page=2"),
            ),
            ("/", Some("/")),
            ("/a/../workspace#x", Some("/workspace")),
            ("/\u{e6}", Some("/%C3%A6")),
            ("", None),
            ("workspace", None),
            ("//evil.example", None),
            ("///evil.example", None),
            ("/\\evil.example", None),
            ("/\t/evil.example", None),
            ("/ /evil.example", None),
            ("/.//evil.example", None),
            ("/%0d%0aLocation:x", Some("/%0d%0aLocation:x")),
            ("/\r\nSet-Cookie: a=b", None),
            ("https://evil.example", None),
            ("javascript:alert(1)", None),
            ("@evil.example", None),
        ] {
            assert_eq!(own_path(next).as_deref(), expected, "{next:?}");
        }
        assert_eq!(
            sign_in_path("/workspace/scans?q=a&b=c"),
            "/sign-in?next=%2Fworkspace%2Fscans%3Fq%3Da%26b%3Dc"
        );
        assert_eq!(sign_in_path(HOME), "/sign-in");
        assert_eq!(sign_in_path("//evil.example"), "/sign-in");
    }
}

//! `/workspace/account/two-step` and `/sign-in/code`: the second step of signing in.

use super::account::OwnAccount;
use super::browser::Browser;
use super::sign_in::{HOME, own_path, set_cookie, sign_in_path, wait_in_words, welcome};
use crate::config::HttpConfig;
use crate::extract::{
    ClientAddress, Form, Posted, Query, SameOrigin, SessionCookie, code_pass_of, device_of, token_of,
};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::http::header::RETRY_AFTER;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_service::{CodeEntry, Error, SecondStep, Service};
use ibid_web::pages::{self, CodePage, SecondStepPage, SecondStepState};
use secrecy::SecretString;

const HERE: &str = "/workspace/account/two-step";

/// `GET /sign-in/code`.
pub(crate) async fn form(
    browser: Browser,
    query: Query,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let next = own_path(query.0.text("next"));
    if code_pass_of(&request).is_none() {
        return Ok(see_other(&sign_in_path(next.as_deref().unwrap_or(HOME))));
    }
    let page = CodePage {
        next: next.as_deref().unwrap_or_default(),
        error: None,
    };
    browser.page(StatusCode::OK, pages::sign_in_code(&browser.anonymous(), &page))
}

/// `POST /sign-in/code`.
pub(crate) async fn sign_in(
    _own: SameOrigin,
    browser: Browser,
    address: ClientAddress,
    Form(mut pairs): Form<4_096>,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let code = SecretString::from(pairs.take("code"));
    let next = own_path(pairs.text("next"));
    let again = || see_other(&sign_in_path(next.as_deref().unwrap_or(HOME)));
    let Some(pass) = code_pass_of(&request) else {
        return Ok(again());
    };
    let entry = CodeEntry {
        pass,
        code,
        address: address.0,
        replaces: token_of(&request),
        device: device_of(&request),
    };
    let refused = match service.accounts.sign_in_with_code(entry).await {
        Ok(Some(signed_in)) => {
            let mut response = welcome(&signed_in, next.as_deref(), &config)?;
            set_cookie(
                &mut response,
                &SessionCookie::of(&config.base_url).clear_code_pass(),
            )?;
            return Ok(response);
        }
        // The five minutes are over, or the password has changed.
        Ok(None) => return Ok(again()),
        Err(refused @ (Error::SignInRefused | Error::TooMany { .. })) => refused,
        Err(error) => return Err(error.into()),
    };
    let (status, why) = in_words(&refused, "The code is wrong, or was used before.");
    let page = CodePage {
        next: next.as_deref().unwrap_or_default(),
        error: Some(&why),
    };
    let page = browser.page(status, pages::sign_in_code(&browser.anonymous(), &page));
    with_wait(page, &refused)
}

/// `GET /workspace/account/two-step`.
pub(crate) async fn show(own: OwnAccount, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    page(&own, &service, None).await
}

/// `POST /workspace/account/two-step/begin`.
pub(crate) async fn begin(
    Posted(own, Form(mut pairs), _, service): Posted<OwnAccount, Form<4_096>>,
    address: ClientAddress,
) -> Answer {
    let password = SecretString::from(pairs.take("password"));
    match service
        .accounts
        .begin_second_step(&own.member, password, address.0)
        .await
    {
        Ok(()) => Ok(see_other(HERE)),
        Err(refused @ (Error::SignInRefused | Error::TooMany { .. })) => {
            page(
                &own,
                &service,
                Some((&refused, "Nothing was changed: the password is wrong.")),
            )
            .await
        }
        Err(error) => Err(error.into()),
    }
}

/// `POST /workspace/account/two-step/confirm`.
pub(crate) async fn confirm(
    Posted(own, Form(mut pairs), _, service): Posted<OwnAccount, Form<4_096>>,
) -> Answer {
    let code = SecretString::from(pairs.take("code"));
    match service.accounts.confirm_second_step(&own.member, &code).await? {
        Some(codes) => {
            let state = SecondStepState::Confirmed(&codes);
            let page = SecondStepPage { state, error: None };
            let html = pages::second_step(&own.browser.frame(), &page);
            own.browser.page(StatusCode::OK, html)
        }
        None => {
            let why = "The code is wrong. Compare the time of the phone with the time of this computer.";
            page(&own, &service, Some((&Error::SignInRefused, why))).await
        }
    }
}

/// `POST /workspace/account/two-step/end`.
pub(crate) async fn end(
    Posted(own, Form(mut pairs), _, service): Posted<OwnAccount, Form<4_096>>,
    address: ClientAddress,
) -> Answer {
    let password = SecretString::from(pairs.take("password"));
    let code = SecretString::from(pairs.take("code"));
    match service
        .accounts
        .end_second_step(&own.member, password, code, address.0)
        .await
    {
        Ok(()) => Ok(see_other(HERE)),
        Err(refused @ (Error::SignInRefused | Error::TooMany { .. })) => {
            let why = "Nothing was changed: the password or the code is wrong, or the code was used before.";
            page(&own, &service, Some((&refused, why))).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Shows how far the second step is, and why something was refused.
async fn page(
    own: &OwnAccount,
    service: &Service,
    refused: Option<(&Error, &str)>,
) -> Result<HttpResponse, ApiError> {
    let step = service.accounts.second_step(&own.member).await?;
    let state = match &step {
        SecondStep::Off => SecondStepState::Off,
        SecondStep::Begun(enrolment) => SecondStepState::Begun {
            secret: &enrolment.secret,
            uri: &enrolment.uri,
        },
        SecondStep::On { codes_left } => SecondStepState::On {
            codes_left: *codes_left,
        },
    };
    let Some((error, why)) = refused else {
        let page = SecondStepPage { state, error: None };
        let html = pages::second_step(&own.browser.frame(), &page);
        return own.browser.page(StatusCode::OK, html);
    };
    let (status, why) = in_words(error, why);
    // The session is valid: the reader is known, and the entry is refused.
    let status = match status {
        StatusCode::UNAUTHORIZED => StatusCode::FORBIDDEN,
        other => other,
    };
    let page = SecondStepPage {
        state,
        error: Some(&why),
    };
    let html = pages::second_step(&own.browser.frame(), &page);
    with_wait(own.browser.page(status, html), error)
}

fn in_words(refused: &Error, why: &str) -> (StatusCode, String) {
    match refused {
        Error::TooMany { retry_after } => (StatusCode::TOO_MANY_REQUESTS, wait_in_words(*retry_after)),
        _ => (StatusCode::UNAUTHORIZED, why.to_owned()),
    }
}

/// Adds the time to wait to a refusal.
fn with_wait(page: Result<HttpResponse, ApiError>, refused: &Error) -> Result<HttpResponse, ApiError> {
    let mut page = page?;
    if let Error::TooMany { retry_after } = refused {
        let seconds = retry_after.as_secs().max(1);
        page.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    Ok(page)
}

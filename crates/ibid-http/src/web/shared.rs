//! Shared reports: `/s/{token}`, its answers and its downloads, and the password of a link that has one.

use super::browser::Browser;
use super::picture::picture;
use super::report::{File, Report};
use super::sign_in::set_cookie;
use super::stored::Stored;
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, Query, SameOrigin, SessionCookie, pass_of};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_card::{Card, CardError};
use ibid_model::Score;
use ibid_service::{CardKey, Error, Reader, ReportBrand, Service, ShareAccess, SharedReport};
use ibid_web::Preview;
use ibid_web::pages::{self, ShareLockPage, Viewer};
use secrecy::SecretString;

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// `GET /s/{token}`.
pub(crate) async fn report(
    browser: Browser,
    token: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let path = format!("/s/{token}");
    match service
        .accounts
        .shared(&token, pass_of(&request).as_deref())
        .await?
    {
        ShareAccess::Open(shared) => {
            let report = Report::load(&service, shared.id, shared.account).await?;
            unlisted(report.page(&browser, reader_of(&path, &shared)))
        }
        ShareAccess::Locked => locked(&browser, &path, StatusCode::UNAUTHORIZED, None),
    }
}

/// `POST /s/{token}`: the password of the link.
pub(crate) async fn unlock(
    _own: SameOrigin,
    browser: Browser,
    address: ClientAddress,
    Form(mut pairs): Form<4_096>,
    token: web::Path<String>,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let path = format!("/s/{token}");
    let password = SecretString::from(pairs.take("password"));
    match service.accounts.unlock_share(&token, password, address.0).await {
        Ok(pass) => {
            let mut response = see_other(&path);
            set_cookie(
                &mut response,
                &SessionCookie::of(&config.base_url).set_pass(&path, &pass),
            )?;
            Ok(response)
        }
        Err(Error::SignInRefused) => {
            let why = "The password is wrong.";
            locked(&browser, &path, StatusCode::UNAUTHORIZED, Some(why))
        }
        Err(Error::TooMany { retry_after }) => {
            let seconds = retry_after.as_secs().max(1);
            let why = format!("Too many attempts failed. Try again in {seconds} seconds.");
            let mut page = locked(&browser, &path, StatusCode::TOO_MANY_REQUESTS, Some(&why))?;
            page.headers_mut().insert(RETRY_AFTER, seconds.into());
            Ok(page)
        }
        Err(error) => Err(error.into()),
    }
}

/// `GET /s/{token}/answers`.
pub(crate) async fn answers(
    browser: Browser,
    token: web::Path<String>,
    query: Query,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let path = format!("/s/{token}");
    match service
        .accounts
        .shared(&token, pass_of(&request).as_deref())
        .await?
    {
        ShareAccess::Open(shared) => {
            let report = Report::with_answers(&service, shared.id, shared.account).await?;
            unlisted(report.answers_page(&browser, reader_of(&path, &shared), &query))
        }
        ShareAccess::Locked => Ok(see_other(&path)),
    }
}

/// `GET /s/{token}/logo.png`: the logo of the owner.
pub(crate) async fn logo(
    token: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    match service
        .accounts
        .shared(&token, pass_of(&request).as_deref())
        .await?
    {
        ShareAccess::Open(shared) => {
            let brand = service.accounts.report_brand(shared.account).await?;
            let logo = brand.and_then(|brand| brand.logo).ok_or(ApiError::NoSuchPath)?;
            unlisted(Ok(picture(&request, logo.into())))
        }
        ShareAccess::Locked => Ok(see_other(&format!("/s/{token}"))),
    }
}

/// `GET /s/{token}/card.png`: the picture for previews of the link. A link with a password has no picture.
pub(crate) async fn card(
    browser: Browser,
    token: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let shared = match service
        .accounts
        .shared(&token, pass_of(&request).as_deref())
        .await?
    {
        ShareAccess::Open(shared) if !shared.protected => shared,
        ShareAccess::Open(_) => return Err(ApiError::NoSuchPath),
        ShareAccess::Locked => {
            return locked(&browser, &format!("/s/{token}"), StatusCode::UNAUTHORIZED, None);
        }
    };
    let brand = service.accounts.report_brand(shared.account).await?;
    let key = CardKey {
        scan: shared.id,
        brand: brand.as_ref().map(|brand| brand.changed_at),
    };
    let card = match service.scans.kept_card(key) {
        Some(card) => card,
        None => {
            let result = Stored::result(&service, shared.id, &Reader::Account(shared.account)).await?;
            let draw = move || draw_card(&Preview::of(&result), brand.as_ref());
            service.scans.draw_card(key, draw).await??
        }
    };
    unlisted(Ok(picture(&request, card)))
}

fn draw_card(preview: &Preview, brand: Option<&ReportBrand>) -> Result<Vec<u8>, CardError> {
    ibid_card::draw(&Card {
        names: &[&preview.domain, &preview.ascii_domain],
        keyword: &preview.keyword,
        place: preview.place.as_deref(),
        score: preview.score.map(Score::get),
        range: preview.range,
        measured: &preview.measured,
        title: brand.and_then(|brand| brand.title.as_deref()),
        logo: brand.and_then(|brand| brand.logo.as_deref()),
        sandbox: preview.sandbox,
    })
}

fn reader_of<'a>(path: &'a str, shared: &SharedReport) -> Viewer<'a> {
    Viewer::Public {
        path,
        open: !shared.protected,
    }
}

/// `GET /s/{token}/{file}`.
pub(crate) async fn file(
    path: web::Path<(String, String)>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (token, name) = path.into_inner();
    let file = File::of(&name).ok_or(ApiError::NoSuchPath)?;
    match service
        .accounts
        .shared(&token, pass_of(&request).as_deref())
        .await?
    {
        ShareAccess::Open(shared) => {
            let reader = Reader::Account(shared.account);
            unlisted(file.download(&service, shared.id, &reader).await)
        }
        ShareAccess::Locked => Ok(see_other(&format!("/s/{token}"))),
    }
}

/// Asks for the password of a link.
fn locked(
    browser: &Browser,
    path: &str,
    status: StatusCode,
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let page = ShareLockPage { path, error };
    unlisted(browser.page(status, pages::share_lock(&browser.anonymous(), &page)))
}

/// Marks a shared report: search engines must not list it.
fn unlisted(response: Result<HttpResponse, ApiError>) -> Result<HttpResponse, ApiError> {
    let mut response = response?;
    response
        .headers_mut()
        .insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    Ok(response)
}

//! Shared reports: `/s/{token}`, its answers and its downloads, and the password of a link that has one.

use super::browser::Browser;
use super::link::{locked, unlisted, unlocked};
use super::picture::picture;
use super::report::{File, Report};
use super::stored::Stored;
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, Query, SameOrigin, pass_of};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_card::{Card, CardError};
use ibid_model::Score;
use ibid_service::{CardKey, Error, Reader, ReportBrand, Service, ShareAccess, SharedReport};
use ibid_web::Preview;
use ibid_web::pages::Viewer;
use secrecy::SecretString;

/// `GET /s/{token}`.
pub(crate) async fn report(
    browser: Browser,
    token: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let path = format!("/s/{token}");
    match access(&service, &token, &request).await? {
        ShareAccess::Open(shared) => {
            let report = Report::load(&service, shared.id, shared.account).await?;
            Ok(unlisted(report.page(&browser, reader_of(&path, &shared))?))
        }
        ShareAccess::Locked => locked(&browser, &path),
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
    let pass = service.accounts.unlock_share(&token, password, address.0).await;
    unlocked(&browser, &config, &path, pass)
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
    match access(&service, &token, &request).await? {
        ShareAccess::Open(shared) => {
            let report = Report::with_answers(&service, shared.id, shared.account).await?;
            Ok(unlisted(report.answers_page(
                &browser,
                reader_of(&path, &shared),
                &query,
            )?))
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
    match access(&service, &token, &request).await? {
        ShareAccess::Open(shared) => {
            let brand = service.accounts.report_brand(shared.account).await?;
            let logo = brand.and_then(|brand| brand.logo).ok_or(ApiError::NoSuchPath)?;
            Ok(unlisted(picture(&request, logo.into())))
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
    let shared = match access(&service, &token, &request).await? {
        ShareAccess::Open(shared) if !shared.protected => shared,
        ShareAccess::Open(_) => return Err(ApiError::NoSuchPath),
        ShareAccess::Locked => {
            return locked(&browser, &format!("/s/{token}"));
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
    Ok(unlisted(picture(&request, card)))
}

async fn access(service: &Service, token: &str, request: &HttpRequest) -> Result<ShareAccess, Error> {
    service.accounts.shared(token, pass_of(request).as_deref()).await
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
    match access(&service, &token, &request).await? {
        ShareAccess::Open(shared) => {
            let reader = Reader::Account(shared.account);
            Ok(unlisted(file.download(&service, shared.id, &reader).await?))
        }
        ShareAccess::Locked => Ok(see_other(&format!("/s/{token}"))),
    }
}

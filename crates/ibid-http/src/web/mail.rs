//! `/mail/confirm/{token}` and `/mail/unsubscribe/{token}`: the links of mails.
//!
//! A link that is only read changes nothing, because mail programs and scanners open links by themselves. The POST of a mail program
//! has no origin and no cookie; its token alone says which address it is about.

use super::browser::Browser;
use crate::extract::SameOrigin;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{DestinationView, Service};
use ibid_web::pages::{self, MailLinkPage, MailQuestion};

/// `GET /mail/confirm/{token}`.
pub(crate) async fn ask_to_confirm(
    browser: Browser,
    token: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let view = service.projects.destination_of_token(&token).await?;
    let question = match view.state() {
        "waiting" => MailQuestion::Confirm,
        _ => MailQuestion::Confirmed,
    };
    show(&browser, &view, question)
}

/// `POST /mail/confirm/{token}`.
pub(crate) async fn confirm(
    _own: SameOrigin,
    browser: Browser,
    token: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let view = service.projects.confirm_destination(&token).await?;
    show(&browser, &view, MailQuestion::Confirmed)
}

/// `GET /mail/unsubscribe/{token}`.
pub(crate) async fn ask_to_end(
    browser: Browser,
    token: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let view = service.projects.destination_of_token(&token).await?;
    let question = match view.state() {
        "unsubscribed" => MailQuestion::Ended,
        _ => MailQuestion::End,
    };
    show(&browser, &view, question)
}

/// `POST /mail/unsubscribe/{token}`: from the page, or from a mail program by one click (RFC 8058).
pub(crate) async fn end(
    browser: Browser,
    token: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let view = service.projects.end_destination(&token).await?;
    show(&browser, &view, MailQuestion::Ended)
}

fn show(browser: &Browser, view: &DestinationView, question: MailQuestion) -> Result<HttpResponse, ApiError> {
    let page = MailLinkPage {
        address: &view.0.address,
        about: view.about(),
        question,
    };
    browser.page(StatusCode::OK, pages::mail_link(&browser.anonymous(), &page))
}

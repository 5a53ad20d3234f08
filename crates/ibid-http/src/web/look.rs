//! The first look at a website: `GET /look` has the form, `POST /look` what was seen.
//!
//! Looks are bounded by day and address, because each of them fetches a page.

use super::browser::Browser;
use crate::extract::{ClientAddress, Form, Pairs, SameOrigin};
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError as _, web};
use ibid_model::Faults;
use ibid_service::{Error, Look, Looker, Service};
use ibid_web::pages::{self, LookEntries, LookPage, OfferRow, SeenView};
use serde_json::{Map, Value};
use std::net::IpAddr;

const FIELDS: [&str; 4] = ["domain", "keyword", "location", "language"];

/// `GET /look`.
pub(crate) async fn form(browser: Browser, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let error = (!service.scans.offers_looks()).then_some("First looks are closed on this server.");
    show(
        &browser,
        StatusCode::OK,
        LookEntries::default(),
        &Faults::default(),
        error,
    )
}

/// `POST /look`.
pub(crate) async fn look(
    _own: SameOrigin,
    browser: Browser,
    ClientAddress(address): ClientAddress,
    Form(form): Form<4_096>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let entries = LookEntries {
        domain: form.text("domain"),
        keyword: form.text("keyword"),
        location: form.text("location"),
        language: form.text("language"),
    };
    let error = match looked(&service, address, &form).await {
        Ok(look) => return seen(&browser, entries, &look),
        Err(error) => error,
    };
    let mut faults = Faults::default();
    let (sentence, wait) = match &error {
        Error::Invalid(found) => {
            faults = found.clone();
            (None, None)
        }
        Error::Page(error) => (Some(format!("Your page could not be read: {error}.")), None),
        Error::TooMany { retry_after } => {
            let sentence = "The first looks of today are used up. Come back tomorrow.";
            (Some(sentence.to_owned()), Some(*retry_after))
        }
        Error::Overloaded { retry_after } => (
            Some("The server is busy. Try again in a few seconds.".to_owned()),
            Some(*retry_after),
        ),
        Error::AuditsDisabled => (Some("First looks are closed on this server.".to_owned()), None),
        Error::UnknownPlace { .. } => {
            faults = Faults::one(
                "/location",
                ibid_model::FaultCode::LocationNotFound,
                error.to_string(),
            );
            (None, None)
        }
        _ => return Err(error.into()),
    };
    let status = ApiError::from(error).status_code();
    let mut page = show(&browser, status, entries, &faults, sentence.as_deref())?;
    if let Some(wait) = wait {
        page.headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
    }
    Ok(page)
}

async fn looked(service: &Service, address: IpAddr, form: &Pairs) -> Result<Look, Error> {
    let entries = FIELDS
        .iter()
        .map(|name| (*name, form.text(name)))
        .filter(|(_, text)| !text.is_empty());
    let body: Map<String, Value> = entries
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    let order = service.scans.look_order(&body)?;
    service.scans.look(order, Looker::Visitor(address)).await
}

fn seen(browser: &Browser, entries: LookEntries<'_>, look: &Look) -> Result<HttpResponse, ApiError> {
    let findings: Vec<(&str, &str)> = look
        .findings()
        .map(|check| {
            (
                check.title.as_str(),
                check.advice.as_deref().unwrap_or(&check.found),
            )
        })
        .collect();
    let offers: Vec<OfferRow<'_>> = look
        .offers
        .iter()
        .map(|offer| OfferRow {
            name: &offer.name,
            scan: offer.forecast.run_cost,
            month: offer.forecast.month_cost(),
            points: offer.forecast.run_points,
            sees: offer.forecast.sees,
        })
        .collect();
    let place = look.place.as_ref();
    let page = LookPage {
        entries: LookEntries {
            domain: &look.domain,
            keyword: &look.keyword.text,
            location: place.map_or(entries.location, |place| &place.text),
            language: &look.language.text,
        },
        faults: &Faults::default(),
        error: None,
        seen: Some(SeenView {
            audit: &look.audit,
            findings: &findings,
            guessed: look.keyword.guessed
                || look.language.guessed
                || place.is_some_and(|place| place.guessed),
            questions: &look.questions,
            offers: &offers,
        }),
    };
    browser.page(StatusCode::OK, pages::look(&browser.frame(), &page))
}

/// The form with its faults.
fn show(
    browser: &Browser,
    status: StatusCode,
    entries: LookEntries<'_>,
    faults: &Faults,
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let page = LookPage {
        entries,
        faults,
        error,
        seen: None,
    };
    browser.page(status, pages::look(&browser.frame(), &page))
}

//! The free question: `POST /demo`, and its report at `/demo/{id}`.
//!
//! Sending the form waits for the one answer and redirects to the report, so it works without scripts.
//! The id is random, and knowing it is the permission to read the report.

use super::browser::Browser;
use super::open::home_page;
use super::stored::{Stored, parse_id};
use crate::extract::{ClientAddress, Form, SameOrigin};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue, LOCATION, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError as _, web};
use ibid_model::{FaultCode, Faults};
use ibid_service::{Billing, DemoState, Error, Job, Reader, Service};
use ibid_web::pages::{self, Demo, ReportPage, Viewer};

/// Returns the reason why the form is closed, if it is.
pub(crate) fn closed(state: DemoState) -> Option<&'static str> {
    match state {
        DemoState::Open => None,
        DemoState::UsedUp => Some("Today’s free questions are used up. Come back tomorrow."),
        DemoState::Closed => Some("The free question is closed on this server."),
    }
}

/// `GET /demo`: the form is part of the home page. A browser that reloads a refused question requests this path.
pub(crate) async fn form() -> HttpResponse {
    see_other("/#demo")
}

/// `POST /demo`: fields `domain` and `keyword`.
pub(crate) async fn ask(
    _own: SameOrigin,
    browser: Browser,
    ClientAddress(address): ClientAddress,
    Form(form): Form<4_096>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (domain, keyword) = (form.text("domain"), form.text("keyword"));
    let open = async |faults: &Faults, status| {
        let demo = Demo::Open {
            domain,
            keyword,
            faults,
        };
        home_page(&browser, &service, demo, status).await
    };
    if form.all("questions").next().is_some() {
        let message = "questions cannot be worded here; sign in to a workspace, or use the v1 API";
        let faults = Faults::one("", FaultCode::Invalid, message);
        return open(&faults, StatusCode::BAD_REQUEST).await;
    }
    match asked(&service, address, domain, keyword).await {
        Ok(id) => Ok(HttpResponse::SeeOther()
            .insert_header((LOCATION, format!("/demo/{id}")))
            .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
            .finish()),
        Err(Error::Invalid(faults)) => open(&faults, StatusCode::BAD_REQUEST).await,
        Err(Error::TooMany { retry_after }) => {
            let reason = closed(service.scans.demo())
                .unwrap_or("The free questions of your network are used up for today. Come back tomorrow.");
            let demo = Demo::Closed { reason };
            let mut page = home_page(&browser, &service, demo, StatusCode::TOO_MANY_REQUESTS).await?;
            let seconds = HeaderValue::from(retry_after.as_secs() + 1);
            page.headers_mut().insert(RETRY_AFTER, seconds);
            Ok(page)
        }
        Err(Error::DemoDisabled) => {
            let reason = closed(DemoState::Closed).unwrap_or_default();
            let demo = Demo::Closed { reason };
            home_page(&browser, &service, demo, StatusCode::SERVICE_UNAVAILABLE).await
        }
        Err(error @ (Error::NoAnswers(_) | Error::Overloaded { .. })) => {
            let sentence = if matches!(error, Error::NoAnswers(_)) {
                "The model did not answer. Try again in a minute."
            } else {
                "The server is busy. Try again in a few seconds."
            };
            let status = ApiError::from(error).status_code();
            open(&Faults::one("", FaultCode::OutOfRange, sentence), status).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn asked(
    service: &Service,
    address: std::net::IpAddr,
    domain: &str,
    keyword: &str,
) -> Result<ibid_model::ScanId, Error> {
    let plan = service.planner.plan_demo(domain, keyword).await?;
    let job = Job::scan(plan);
    let run = service.scans.perform(job, Billing::Demo { address }).await?;
    Ok(run.finish().await?.id)
}

/// `GET /demo/{id}`.
pub(crate) async fn report(
    id: web::Path<String>,
    browser: Browser,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    let Stored { result, evidence, .. } = Stored::for_report(&service, id, &Reader::Demo).await?;
    let page = ReportPage {
        id,
        result: &result,
        evidence: evidence.as_ref(),
        brand: None,
        viewer: Viewer::Demo,
    };
    browser.page(StatusCode::OK, pages::report(&browser.frame(), &page))
}

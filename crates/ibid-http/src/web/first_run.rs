//! `/first-run/{token}`: the first account of a new server.

use super::browser::Browser;
use super::sign_in::set_cookie;
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, SameOrigin, SessionCookie};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::Model;
use ibid_model::result::Searched;
use ibid_provider::Probe;
use ibid_service::{Error, FirstAccount, FirstRunError, Service};
use ibid_web::pages::{self, FirstRunDone, FirstRunPage, ProbeRow};
use secrecy::SecretString;

/// `GET /first-run/{token}`: the form of the first account.
pub(crate) async fn form(
    browser: Browser,
    token: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    if !service.accounts.is_first_run(&token).await? {
        return Err(Error::NotFound.into());
    }
    show(&browser, &service, &token, "", None)
}

/// `POST /first-run/{token}`: opens the account, signs in, and tests the models where the form asks for it.
pub(crate) async fn open(
    _own: SameOrigin,
    browser: Browser,
    token: web::Path<String>,
    address: ClientAddress,
    form: Form,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let mut form = form.0;
    let first = FirstAccount {
        token: token.clone(),
        email: form.text("email").to_owned(),
        password: SecretString::from(form.take("password")),
        address: address.0,
    };
    let session = match service.accounts.open_first_account(first).await {
        Ok(session) => session,
        Err(FirstRunError::Opened) => return Ok(see_other("/sign-in")),
        Err(FirstRunError::Closed) => return Err(Error::NotFound.into()),
        Err(FirstRunError::Failed(error)) => return Err(error.into()),
        Err(refused @ (FirstRunError::Email | FirstRunError::Password(_))) => {
            let reason = format!("The account was not opened: {refused}.");
            return show(&browser, &service, &token, form.text("email"), Some(&reason));
        }
    };
    let probes = if form.text("probe").is_empty() {
        None
    } else {
        service.probe_models().await
    };
    let probes = probes.map(|probes| probe_rows(&service, &probes));
    let page = FirstRunDone {
        email: form.text("email"),
        has_key: service.scans.most_workspace_cost().is_some(),
        probes: probes.as_deref(),
    };
    let html = pages::first_run_done(&browser.anonymous(), &page);
    let mut response = browser.page(StatusCode::OK, html)?;
    set_cookie(&mut response, &SessionCookie::of(&config.base_url).set(&session))?;
    Ok(response)
}

fn show(
    browser: &Browser,
    service: &Service,
    token: &str,
    email: &str,
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let page = FirstRunPage {
        token,
        email,
        error,
        has_key: service.scans.most_workspace_cost().is_some(),
    };
    let status = error.map_or(StatusCode::OK, |_| StatusCode::BAD_REQUEST);
    browser.page(status, pages::first_run(&browser.anonymous(), &page))
}

/// Returns the outcome of a probe for each model.
pub(super) fn probe_rows(service: &Service, probes: &[Probe]) -> Vec<ProbeRow> {
    let catalog = service.planner.catalog();
    let models = catalog.models().iter();
    models
        .zip(probes)
        .map(|(model, probe)| row(model, probe))
        .collect()
}

fn row(model: &Model, probe: &Probe) -> ProbeRow {
    ProbeRow {
        name: model.name.clone(),
        error: probe.error.map(|code| code.replace('_', " ")),
        searched: match probe.searched {
            Some(Searched::Yes) => "yes",
            Some(Searched::No) => "no",
            Some(Searched::Unknown) | None => "unknown",
        },
    }
}

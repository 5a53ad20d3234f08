//! `/set-password/{token}`: a one-time link of an admin, which sets a password and signs in.

use super::browser::Browser;
use super::sign_in::{ask_for_code, welcome};
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, SameOrigin};
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{Error, LinkError, LinkPassword, Service, SignInStep};
use ibid_web::pages::{self, SetPasswordPage};
use secrecy::SecretString;

/// `GET /set-password/{token}`.
pub(crate) async fn form(
    browser: Browser,
    token: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    show(&browser, &service, &token, None).await
}

/// `POST /set-password/{token}`.
pub(crate) async fn set(
    _own: SameOrigin,
    browser: Browser,
    token: web::Path<String>,
    address: ClientAddress,
    form: Form<4_096>,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let mut form = form.0;
    let entered = LinkPassword {
        token: token.clone(),
        password: SecretString::from(form.take("password")),
        address: address.0,
    };
    let signed_in = match service.accounts.set_password_by_link(entered).await {
        Ok(SignInStep::SignedIn(signed_in)) => signed_in,
        Ok(SignInStep::Code(pass)) => return ask_for_code(&pass, None, &config),
        Err(LinkError::Closed) => return Err(ApiError::NoSuchPath),
        Err(LinkError::Failed(Error::SignInRefused)) => {
            let reason = "This is not the password of the account. If you sign in another way, do so: the invitation waits there.";
            return show(&browser, &service, &token, Some(reason)).await;
        }
        Err(LinkError::Failed(error)) => return Err(error.into()),
        Err(LinkError::Password(refused)) => {
            let reason = format!("The password was not set: {refused}.");
            return show(&browser, &service, &token, Some(&reason)).await;
        }
    };
    welcome(&signed_in, None, &config)
}

async fn show(
    browser: &Browser,
    service: &Service,
    token: &str,
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let email = service
        .accounts
        .link_address(token)
        .await?
        .ok_or(ApiError::NoSuchPath)?;
    let page = SetPasswordPage {
        token,
        email: &email,
        error,
    };
    let status = error.map_or(StatusCode::OK, |_| StatusCode::BAD_REQUEST);
    browser.page(status, pages::set_password(&browser.anonymous(), &page))
}

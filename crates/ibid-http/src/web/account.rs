//! `/workspace/account`: the reader's own data, and the end of the account. Viewers have both, too.

use super::browser::Browser;
use super::sign_in::{set_cookie, sign_in_path};
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, Proof, SameOrigin, SessionCookie, Then};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, X_CONTENT_TYPE_OPTIONS};
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use ibid_service::{Error, Member, SecondStep, Service};
use ibid_web::pages::{self, AccountPage};
use secrecy::SecretString;
use std::future::Future;
use std::pin::Pin;

const HERE: &str = "/workspace/account";

/// The holder of a session of any role, with a browser.
pub(crate) struct OwnAccount {
    pub(super) browser: Browser,
    pub(super) member: Member,
}

impl Proof for OwnAccount {}

impl FromRequest for OwnAccount {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let browser = Browser::from_request(request, payload);
        Box::pin(async move {
            let browser = browser.await?;
            match browser.member().cloned() {
                Some(member) => Ok(Self { browser, member }),
                None => Err(ApiError::SignInFirst(sign_in_path(HERE))),
            }
        })
    }
}

/// `GET /workspace/account`.
pub(crate) async fn show(own: OwnAccount, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    page(&own, &service, StatusCode::OK, None).await
}

/// `GET /workspace/account/export.json`: everything that the account has.
pub(crate) async fn export(own: OwnAccount, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let parts = service.export(own.member.account).await?;
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"ibid-account.json\""))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .streaming(parts))
}

/// `POST /workspace/account/delete`.
pub(crate) async fn delete(
    _site: SameOrigin,
    Then(own, Form(mut pairs)): Then<OwnAccount, Form<4_096>>,
    address: ClientAddress,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let password = SecretString::from(pairs.take("password"));
    match service.delete_own_account(&own.member, password, address.0).await {
        Ok(()) => {
            let mut response = see_other("/");
            set_cookie(&mut response, &SessionCookie::of(&config.base_url).clear())?;
            Ok(response)
        }
        Err(Error::SignInRefused) => {
            let why = "Nothing was deleted: the password is wrong.";
            page(&own, &service, StatusCode::FORBIDDEN, Some(why)).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn page(
    own: &OwnAccount,
    service: &Service,
    status: StatusCode,
    error: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let page = AccountPage {
        email: &own.member.email,
        role: own.member.role.as_str(),
        credits: own.member.credits,
        two_step: matches!(service.second_step(&own.member).await?, SecondStep::On { .. }),
        error,
    };
    own.browser
        .page(status, pages::account(&own.browser.frame(), &page))
}

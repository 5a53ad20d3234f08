//! `/sign-in/openid`: signing in by an OpenID provider, and joining it to an account.

use super::account::OwnAccount;
use super::browser::Browser;
use super::sign_in::{
    SIGN_IN_BACK, ask_for_code, own_path, set_cookie, show, sign_in_path, wait_in_words, welcome,
};
use crate::config::HttpConfig;
use crate::extract::{
    ClientAddress, Query, SameOrigin, SessionCookie, device_of, flow_of, join_of, token_of,
};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_service::{Error, OpenIdEnd, OpenIdError, OpenIdRefusal, OpenIdReturn, Service, SignInStep};
use ibid_web::pages::{self, JoinPage};

const JOIN: &str = "/workspace/account/openid";

/// `GET /sign-in/openid`: to the provider.
pub(crate) async fn begin(
    browser: Browser,
    query: Query,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let next = own_path(query.0.text("next"));
    match service.accounts.begin_openid(next.as_deref()).await {
        Ok((address, pass)) => {
            let mut response = see_other(&address);
            set_cookie(
                &mut response,
                &SessionCookie::of(&config.base_url).set_flow(&pass),
            )?;
            Ok(response)
        }
        Err(error) => refused(&browser, &service, error),
    }
}

/// `GET /sign-in/openid/back`: from the provider.
pub(crate) async fn back(
    browser: Browser,
    query: Query,
    address: ClientAddress,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let returned = OpenIdReturn {
        code: match query.0.text("code") {
            "" => Err(query.0.text("error").to_owned()),
            code => Ok(code.to_owned()),
        },
        state: query.0.text("state").to_owned(),
        pass: flow_of(&request),
        address: address.0,
        replaces: token_of(&request),
        device: device_of(&request),
    };
    let cookies = SessionCookie::of(&config.base_url);
    let mut response = match service.accounts.finish_openid(returned).await {
        Ok((OpenIdEnd::Step(SignInStep::SignedIn(signed_in)), next)) => {
            welcome(&signed_in, next.as_deref(), &config)?
        }
        Ok((OpenIdEnd::Step(SignInStep::Code(pass)), next)) => ask_for_code(&pass, next.as_deref(), &config)?,
        Ok((OpenIdEnd::Join(pass), _)) => {
            // Who is not signed in does that first.
            let mut response = see_other(JOIN);
            set_cookie(&mut response, &cookies.set_join(&pass))?;
            response
        }
        Err(error) => refused(&browser, &service, error)?,
    };
    // A flow ends with its first return.
    set_cookie(&mut response, &cookies.set_flow(""))?;
    Ok(response)
}

/// `GET /workspace/account/openid`: asks whether the account and the person of the provider are to be joined.
pub(crate) async fn form(
    browser: Browser,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let Some(host) = service.accounts.openid_host() else {
        return Err(ApiError::NoSuchPath);
    };
    let Some(member) = browser.member() else {
        return Err(ApiError::SignInFirst(sign_in_path(JOIN)));
    };
    let pass = join_of(&request).unwrap_or_default();
    let page = JoinPage {
        host,
        email: &member.email,
        may_join: service.accounts.may_join(member, &pass).await?,
    };
    browser.page(StatusCode::OK, pages::join(&browser.frame(), &page))
}

/// `POST /workspace/account/openid`: joins both.
pub(crate) async fn join(
    _own: SameOrigin,
    own: OwnAccount,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let pass = join_of(&request).unwrap_or_default();
    if !service.accounts.join_openid(&own.member, &pass).await? {
        return Ok(see_other(JOIN));
    }
    let mut response = see_other("/workspace/account#openid");
    set_cookie(&mut response, &SessionCookie::of(&config.base_url).set_join(""))?;
    Ok(response)
}

/// `POST /workspace/account/openid/part`: takes the person of the provider from the account.
pub(crate) async fn part(
    _own: SameOrigin,
    own: OwnAccount,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    service.accounts.part_openid(own.member.account).await?;
    Ok(see_other("/workspace/account#openid"))
}

/// The page to sign in with the reason of a refusal.
fn refused(browser: &Browser, service: &Service, error: OpenIdError) -> Result<HttpResponse, ApiError> {
    let (status, why) = match error {
        OpenIdError::NoProvider => return Err(ApiError::NoSuchPath),
        OpenIdError::Failed(Error::TooMany { retry_after }) => {
            (StatusCode::TOO_MANY_REQUESTS, wait_in_words(retry_after))
        }
        OpenIdError::Failed(error) => return Err(error.into()),
        OpenIdError::Unfinished => (StatusCode::BAD_REQUEST, SIGN_IN_BACK.to_owned()),
        OpenIdError::Provider(fault) => {
            tracing::warn!(error = %fault, "sign_in.provider.failed");
            let why = "The provider cannot be used at the moment. Try again, or write to the operator.";
            (StatusCode::BAD_GATEWAY, why.to_owned())
        }
        OpenIdError::Refused(refusal) => (StatusCode::FORBIDDEN, words(refusal).to_owned()),
    };
    show(browser, service, status, ("", ""), Some(&why))
}

const fn words(refusal: OpenIdRefusal) -> &'static str {
    match refusal {
        OpenIdRefusal::NoRole => "None of your groups may use this service.",
        OpenIdRefusal::NoGroups => {
            "The provider did not say which groups you are in. The page Health shows an admin why."
        }
        OpenIdRefusal::Unverified => "The provider has not verified your e-mail address.",
        OpenIdRefusal::NoAccount => "There is no account with your e-mail address. An admin can invite you.",
        OpenIdRefusal::Disabled => "Your account is disabled.",
    }
}

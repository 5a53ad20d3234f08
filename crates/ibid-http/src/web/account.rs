//! `/workspace/account`: title and logo for the account's reports, the export of its data, and its deletion.
//! Viewers can also export their data and delete their account.

use super::browser::Browser;
use super::picture::picture;
use super::sign_in::{set_cookie, sign_in_path};
use super::signed_in::SignedIn;
use crate::config::HttpConfig;
use crate::extract::{ClientAddress, Form, Posted, Proof, SessionCookie, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::{Answer, attachment};
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use ibid_service::{
    BrandDraft, Error, LogoDraft, MOST_LOGO_BYTES, MOST_TITLE_CHARS, Member, SecondStep, Service,
};
use ibid_web::pages::{self, AccountPage, BrandForm};
use secrecy::SecretString;
use serde_json::{Map, json};
use std::future::Future;
use std::pin::Pin;

const HERE: &str = "/workspace/account";

/// Anybody with a session, whatever the role, with a browser.
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
    page(&own, &service, StatusCode::OK, Refused::default()).await
}

/// `POST /workspace/account/brand`, with `title`, the file `logo` and `remove`: each may be empty.
pub(crate) async fn brand(
    Posted(signed_in, form, _, service): Posted<SignedIn, Upload<MOST_LOGO_BYTES, 4_096>>,
) -> Answer {
    let file = form.file.filter(|file| file.field == "logo");
    let logo = match (form.texts.text("remove"), file) {
        ("", None) => LogoDraft::Keep,
        ("", Some(file)) => LogoDraft::Upload(file.bytes.to_vec()),
        (_, _) => LogoDraft::Remove,
    };
    let title = form.texts.text("title").to_owned();
    let draft = BrandDraft {
        title: title.clone(),
        logo,
    };
    match service
        .accounts
        .set_report_brand(signed_in.member.account, draft)
        .await
    {
        Ok(()) => Ok(see_other("/workspace/account#brand")),
        Err(Error::Invalid(faults)) => {
            let why: Vec<_> = faults.iter().map(pages::fault_sentence).collect();
            let why = format!("Nothing was changed. {}", why.join(" "));
            let own = OwnAccount {
                browser: signed_in.browser,
                member: signed_in.member,
            };
            let refused = Refused {
                brand: Some((&title, &why)),
                ..Refused::default()
            };
            page(&own, &service, StatusCode::BAD_REQUEST, refused).await
        }
        Err(error) => Err(error.into()),
    }
}

/// `GET /workspace/account/logo.png`.
pub(crate) async fn logo(
    own: OwnAccount,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let brand = service.accounts.report_brand(own.member.account).await?;
    let logo = brand.and_then(|brand| brand.logo).ok_or(ApiError::NoSuchPath)?;
    Ok(picture(&request, logo.into()))
}

/// `GET /workspace/account/export.json`: everything that the account has.
pub(crate) async fn export(own: OwnAccount, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let parts = service.accounts.export(own.member.account).await?;
    Ok(attachment("application/json", "ibid-account.json").streaming(parts))
}

/// `POST /workspace/account/delete`.
pub(crate) async fn delete(
    Posted(own, Form(mut pairs), _, service): Posted<OwnAccount, Form<4_096>>,
    address: ClientAddress,
    config: web::Data<HttpConfig>,
) -> Answer {
    let password = SecretString::from(pairs.take("password"));
    match service
        .accounts
        .delete_own_account(&own.member, password, address.0)
        .await
    {
        Ok(()) => {
            let mut response = see_other("/");
            set_cookie(&mut response, &SessionCookie::of(&config.base_url).clear())?;
            Ok(response)
        }
        Err(error @ (Error::SignInRefused | Error::LastAdmin)) => {
            let why = match error {
                Error::LastAdmin => {
                    "Nothing was deleted: people of your organisation would have no admin. Invite one of them to do everything, in \
                     the settings of a project, and wait until they accept."
                }
                _ => "Nothing was deleted: the password is wrong.",
            };
            let refused = Refused {
                delete: Some(why),
                ..Refused::default()
            };
            page(&own, &service, StatusCode::FORBIDDEN, refused).await
        }
        Err(error) => Err(error.into()),
    }
}

/// `POST /workspace/account/digest`: a digest of all projects that the account sees.
pub(crate) async fn digest(Posted(own, Form(pairs), _, service): Posted<OwnAccount, Form<4_096>>) -> Answer {
    let mut body = Map::new();
    for member in ["kind", "address", "digest", "timeZone"] {
        body.insert(member.to_owned(), json!(pairs.text(member)));
    }
    match service
        .projects
        .add_own_destination(own.member.account, &body)
        .await
    {
        Ok(_) => Ok(see_other("/workspace/account#digest")),
        Err(error) => {
            let faults = faults_of(error)?;
            let why: Vec<_> = faults.iter().map(pages::fault_sentence).collect();
            let why = format!("Nothing was changed. {}", why.join(" "));
            let refused = Refused {
                digest: Some(&why),
                ..Refused::default()
            };
            page(&own, &service, StatusCode::UNPROCESSABLE_ENTITY, refused).await
        }
    }
}

/// `POST /workspace/account/digest/remove`.
pub(crate) async fn end_digest(
    Posted(own, Form(pairs), _, service): Posted<OwnAccount, Form<4_096>>,
) -> Answer {
    let (projects, account) = (&service.projects, own.member.account);
    projects
        .delete_own_destination(account, pairs.text("destination"))
        .await?;
    Ok(see_other("/workspace/account#digest"))
}

/// The reasons why a form of the page was refused.
#[derive(Default)]
struct Refused<'a> {
    /// The title that was sent, and why it or the logo was refused.
    brand: Option<(&'a str, &'a str)>,
    /// Why the account was not deleted.
    delete: Option<&'a str>,
    /// Why no digest was added.
    digest: Option<&'a str>,
}

async fn page(
    own: &OwnAccount,
    service: &Service,
    status: StatusCode,
    refused: Refused<'_>,
) -> Result<HttpResponse, ApiError> {
    let brand = service.accounts.report_brand(own.member.account).await?;
    let kept = brand.as_ref().and_then(|brand| brand.title.as_deref());
    let form = BrandForm {
        title: refused.brand.map_or(kept.unwrap_or_default(), |(title, _)| title),
        most_title: MOST_TITLE_CHARS,
        logo: brand.as_ref().is_some_and(|brand| brand.logo.is_some()),
        most_logo_kib: MOST_LOGO_BYTES >> 10,
        error: refused.brand.map(|(_, why)| why),
    };
    let digests = service.projects.own_destinations(own.member.account).await?;
    let page = AccountPage {
        digests: &digests,
        sends_mail: service.projects.sends_mail(),
        digest_error: refused.digest,
        email: &own.member.email,
        role: own.member.role.as_str(),
        credits: own.member.credits,
        two_step: matches!(
            service.accounts.second_step(&own.member).await?,
            SecondStep::On { .. }
        ),
        provider: match service.accounts.openid_host() {
            Some(host) => Some((host, service.accounts.has_joined(own.member.account).await?)),
            None => None,
        },
        brand: own.member.role.may_change().then_some(form),
        error: refused.delete,
    };
    own.browser
        .page(status, pages::account(&own.browser.frame(), &page))
}

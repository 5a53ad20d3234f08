//! Who reads a page: the data about the server and the reader that every page shows.

use super::encoding::{gzip, takes_gzip};
use crate::config::HttpConfig;
use crate::extract::member_of;
use crate::problem::ApiError;
use crate::respond::Answer;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder, web};
use ibid_model::Faults;
use ibid_service::{Member, Service};
use ibid_web::{AccountView, Frame, Notice, RenderError};
use std::future::Future;
use std::pin::Pin;

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// A reader with a browser.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    base_url: String,
    contact: Option<String>,
    sandbox: bool,
    gzip: bool,
    member: Option<Member>,
}

impl Browser {
    /// Collects the data of a request without access to the store.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let config = request.app_data::<web::Data<HttpConfig>>();
        let service = request.app_data::<web::Data<Service>>();
        Self {
            base_url: config.map_or_else(String::new, |config| {
                config.base_url.as_str().trim_end_matches('/').to_owned()
            }),
            contact: config.and_then(|config| config.contact_email.clone()),
            sandbox: service.is_some_and(|service| service.is_sandbox()),
            gzip: takes_gzip(request.headers()),
            member: None,
        }
    }

    /// Returns the account that is signed in, if any.
    pub(crate) fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    pub(crate) fn frame(&self) -> Frame<'_> {
        Frame {
            account: self.member.as_ref().map(|member| AccountView {
                email: &member.email,
                credits: member.credits,
                admin: member.admin().is_some(),
            }),
            ..self.anonymous()
        }
    }

    /// Returns the frame of a page without an account.
    pub(crate) fn anonymous(&self) -> Frame<'_> {
        Frame {
            base_url: &self.base_url,
            account: None,
            sandbox: self.sandbox,
            contact: self.contact.as_deref(),
            notice: None,
        }
    }

    /// Renders a page for this reader.
    pub(crate) fn show(
        &self,
        status: StatusCode,
        render: impl FnOnce(&Frame<'_>) -> Result<String, RenderError>,
    ) -> Answer {
        self.noticed(status, None, render)
    }

    /// Renders a page that says first what became of a request.
    pub(crate) fn noticed(
        &self,
        status: StatusCode,
        notice: Option<Notice<'_>>,
        render: impl FnOnce(&Frame<'_>) -> Result<String, RenderError>,
    ) -> Answer {
        let frame = Frame {
            notice,
            ..self.frame()
        };
        self.page(status, render(&frame))
    }

    /// Answers with a page that no cache may store.
    pub(crate) fn page(&self, status: StatusCode, html: Result<String, RenderError>) -> Answer {
        Ok(self.answer(status, html?))
    }

    /// Answers with a page and all its headers.
    pub(crate) fn answer(&self, status: StatusCode, html: String) -> HttpResponse {
        let mut response = Self::head(status);
        match self.gzip.then(|| gzip(html.as_bytes())).flatten() {
            Some(packed) => response.insert_header((CONTENT_ENCODING, "gzip")).body(packed),
            None => response.body(html),
        }
    }

    /// Begins an answer with a page that no cache may store.
    pub(crate) fn head(status: StatusCode) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(status);
        response
            .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
            .insert_header((CONTENT_SECURITY_POLICY, ibid_web::CONTENT_SECURITY_POLICY))
            .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((REFERRER_POLICY, "same-origin"))
            .insert_header((OPENER_POLICY, "same-origin"))
            .insert_header((RESOURCE_POLICY, "same-origin"))
            // Pages show the account and its data.
            .insert_header((CACHE_CONTROL, "private, no-store"))
            .insert_header((VARY, "Accept-Encoding, Cookie"));
        response
    }
}

impl FromRequest for Browser {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let mut browser = Self::of(&request);
            browser.member = member_of(&request).await?;
            // If the handler fails, its error page has the same frame.
            request.extensions_mut().insert(browser.clone());
            Ok(browser)
        })
    }
}

/// Returns the status of a form: 422 shows what is wrong with it.
pub(super) fn status_of(faults: &Faults) -> StatusCode {
    match faults.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

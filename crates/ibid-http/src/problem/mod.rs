//! Errors as callers see them: RFC 9457 problem documents.
//!
//! The one table from [`Error`] to status, code and headers is [`service::problem`]. `instance` and `requestId`
//! are filled in by the frame around every request, which is the only one to know them.

mod faults;
mod service;

pub(crate) use faults::faults_of;

use crate::headers::insert_settlement;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use ibid_service::Error;
use ibid_web::RenderError;
use ibid_x402::PAYMENT_REQUIRED;
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Duration;

/// Why a request got no result.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The service said so.
    Service(Error),
    /// The bearer key is missing or wrong.
    Unauthenticated {
        /// Whom to ask for access.
        contact: Option<String>,
    },
    /// Nobody is signed in.
    NotSignedIn,
    /// Nobody is signed in: this path leads there and back.
    SignInFirst(String),
    /// Nothing lives at this path.
    NoSuchPath,
    /// The path does not take this method.
    Method(&'static str),
    /// The body is by its own account not of the type that is taken here.
    ContentType(&'static str),
    /// The body is longer than allowed.
    TooLarge { most: usize },
    /// The body is not a JSON object.
    Malformed(&'static str),
    /// A dependency is not ready.
    NotReady,
    /// A page of another site sent this.
    CrossOrigin,
    /// A page could not be rendered.
    Page(RenderError),
}

/// A problem document in the making.
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) title: &'static str,
    pub(crate) detail: String,
    /// Members beyond those of RFC 9457.
    pub(crate) more: Map<String, Value>,
    /// When the caller may come back.
    retry_after: Option<Duration>,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            title,
            detail: detail.into(),
            more: Map::new(),
            retry_after: None,
        }
    }

    /// The same with members of its own.
    fn with(self, more: Map<String, Value>) -> Self {
        Self { more, ..self }
    }

    /// The same for a caller who is to come back.
    fn after(self, wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..self
        }
    }
}

impl ApiError {
    /// The document. A bad request always lists what is wrong with it, if only one thing.
    fn problem(&self) -> Problem {
        let mut problem = self.entry();
        if problem.status == StatusCode::BAD_REQUEST && !problem.more.contains_key("errors") {
            let field = match problem.code {
                "provider_key_rejected" | "provider_credit_exhausted" => "X-Router-Key",
                "page_refused" => "/url",
                _ => "",
            };
            let fault = json!({"field": field, "code": problem.code, "message": problem.detail});
            problem.more.insert("errors".to_owned(), json!([fault]));
        }
        problem
    }

    /// The table of errors that the service never gets to see.
    fn entry(&self) -> Problem {
        use StatusCode as S;
        match self {
            Self::Service(error) => service::problem(error),
            Self::Unauthenticated { contact } => {
                let ask = contact.as_ref().map_or_else(String::new, |contact| {
                    format!(" Access to the hosted service is private; ask {contact} for a key.")
                });
                let detail = format!("Send a valid key as \"Authorization: Bearer <API_KEY>\".{ask}");
                Problem::new(
                    S::UNAUTHORIZED,
                    "unauthorized",
                    "Bearer key missing or invalid",
                    detail,
                )
            }
            Self::NotSignedIn | Self::SignInFirst(_) => Problem::new(
                S::UNAUTHORIZED,
                "unauthorized",
                "Nobody is signed in",
                "Sign in to the workspace first. The session cookie is missing, or the session has ended.",
            ),
            Self::NoSuchPath => Problem::new(
                S::NOT_FOUND,
                "not_found",
                "Not found",
                "Nothing lives at this path.",
            ),
            Self::Method(allowed) => {
                let detail = format!("This path takes {allowed}.");
                Problem::new(
                    S::METHOD_NOT_ALLOWED,
                    "method_not_allowed",
                    "Method not allowed",
                    detail,
                )
            }
            Self::ContentType(taken) => {
                let detail = format!("Send the body with \"Content-Type: {taken}\", not compressed.");
                Problem::new(
                    S::UNSUPPORTED_MEDIA_TYPE,
                    "unsupported_media_type",
                    "Unsupported media type",
                    detail,
                )
            }
            Self::TooLarge { most } => {
                let detail = format!("The body may have at most {most} bytes.");
                Problem::new(
                    S::PAYLOAD_TOO_LARGE,
                    "payload_too_large",
                    "Body too large",
                    detail,
                )
            }
            Self::Malformed(why) => Problem::new(S::BAD_REQUEST, "malformed_json", "Malformed JSON", *why),
            Self::NotReady => Problem::new(
                S::SERVICE_UNAVAILABLE,
                "not_ready",
                "Not ready",
                "The service cannot take requests yet.",
            ),
            Self::CrossOrigin => Problem::new(
                S::FORBIDDEN,
                "cross_origin",
                "Sent from another site",
                "Only pages of this service may send this. Open the page here and try again.",
            ),
            Self::Page(_) => service::problem(&Error::Ended),
        }
    }

    /// What a stream says of an error, since its status is out already.
    pub(crate) fn summary(error: &Error) -> Value {
        let problem = service::problem(error);
        let mut summary = members([("code", json!(problem.code)), ("message", json!(problem.detail))]);
        if let Some(wait) = problem.retry_after {
            summary.insert("retryAfter".to_owned(), json!(seconds(wait)));
        }
        Value::Object(summary)
    }
}

fn members<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Whole seconds, rounded up, as `Retry-After` takes them.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

impl From<RenderError> for ApiError {
    fn from(error: RenderError) -> Self {
        Self::Page(error)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

impl ApiError {
    /// A 402 is no problem document: it is the offer, in the forms of both versions at once.
    fn demand(&self) -> Option<HttpResponse> {
        let Self::Service(error) = self else { return None };
        let (due, response) = service::due(error)?;
        let code = service::problem(error).code;
        let mut demand = HttpResponse::PaymentRequired();
        demand
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .insert_header((PAYMENT_REQUIRED, due.header(code)));
        if let Some(response) = response {
            insert_settlement(&mut demand, response);
        }
        Some(demand.json(due.body(code)))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.problem().code)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.problem().status
    }

    fn error_response(&self) -> HttpResponse {
        if let Some(response) = self.demand() {
            return response;
        }
        if let Self::SignInFirst(path) = self {
            return see_other(path);
        }
        let problem = self.problem();
        if let Self::Service(error @ (Error::Store(_) | Error::Unwritable(_) | Error::NoEntropy)) = self {
            let source = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(error = %error, source, "request failed inside the service");
        }
        if let Self::Page(error) = self {
            let source = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(error = %error, source, "a page failed");
        }
        let mut response = HttpResponse::new(problem.status);
        let headers = response.headers_mut();
        if let Self::Unauthenticated { .. } = self {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static(r#"Bearer realm="ibid""#),
            );
        }
        if let Self::NotSignedIn = self {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static(r#"Cookie realm="ibid""#),
            );
        }
        if let Self::Method(allowed) = self {
            headers.insert(header::ALLOW, HeaderValue::from_static(allowed));
        }
        if let Some(wait) = problem.retry_after {
            headers.insert(
                HeaderName::from_static("retry-after"),
                HeaderValue::from(seconds(wait)),
            );
        }
        response.extensions_mut().insert(problem);
        response
    }
}

#[cfg(test)]
mod tests;

//! Errors as callers see them: RFC 9457 problem documents.
//!
//! Status, code, title and most sentences are rows of [`ibid_model::contract::PROBLEMS`]. The middleware around every
//! request adds `instance` and `requestId`.

mod faults;
mod service;

pub(crate) use faults::{both, faults_of};

use crate::headers::insert_settlement;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use ibid_card::CardError;
use ibid_model::{ProblemCode, ScanId};
use ibid_service::{Error, chain};
use ibid_web::RenderError;
use ibid_web::workbook::WorkbookError;
use ibid_x402::PAYMENT_REQUIRED;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// Why a request got no result.
#[derive(Debug)]
pub(crate) enum ApiError {
    Service(Error),
    /// The service returned an error after the work of this run had begun.
    Run(ScanId, Error),
    /// The bearer key is missing or wrong.
    Unauthenticated {
        /// The address to ask for access.
        contact: Option<String>,
    },
    /// The request has no session.
    NotSignedIn,
    /// The page needs a session. This path leads to the sign-in page and back, such as `/sign-in?next=%2Fworkspace%2Fscans`.
    SignInFirst(String),
    /// There is no page and no route at this path.
    NoSuchPath,
    /// The path does not take this method.
    Method(Cow<'static, str>),
    /// The body is declared as another type than the one accepted here.
    ContentType(&'static str),
    /// The body is longer than allowed.
    TooLarge {
        most: usize,
    },
    /// The body arrives too slowly.
    BodyTooSlow,
    /// The server stops, and the body is not complete.
    Stopping,
    /// The body is not a JSON object.
    Malformed(&'static str),
    /// A dependency is not ready.
    NotReady,
    /// A page of another site sent this.
    CrossOrigin,
    /// A page could not be rendered.
    Page(RenderError),
    /// A report's card could not be drawn.
    Card(CardError),
    /// A workbook could not be written.
    Workbook(WorkbookError),
}

/// A problem document under construction.
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) code: ProblemCode,
    pub(crate) title: &'static str,
    pub(crate) detail: Cow<'static, str>,
    /// Members beyond those of RFC 9457.
    pub(crate) more: Map<String, Value>,
    /// The time until the same request may succeed.
    retry_after: Option<Duration>,
}

impl Problem {
    /// The problem with the values of its row.
    fn of(code: ProblemCode) -> Self {
        let row = code.row();
        Self {
            status: StatusCode::from_u16(row.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            title: row.title,
            detail: row.detail.into(),
            more: Map::new(),
            retry_after: None,
        }
    }

    /// The same problem with another detail.
    fn saying(self, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            detail: detail.into(),
            ..self
        }
    }
}

impl ApiError {
    /// Returns the problem document. A bad request always lists its faults, even a single one.
    fn problem(&self) -> Problem {
        let mut problem = self.entry();
        if problem.status == StatusCode::BAD_REQUEST && !problem.more.contains_key("errors") {
            let field = match problem.code {
                ProblemCode::ProviderKeyRejected | ProblemCode::ProviderCreditExhausted => "X-Router-Key",
                ProblemCode::PageRefused => "/url",
                _ => "",
            };
            let fault = json!({"field": field, "code": problem.code.word(), "message": problem.detail});
            problem.more.insert("errors".to_owned(), json!([fault]));
        }
        problem
    }

    /// Returns the problem, with the sentences of errors that do not come from the service.
    fn entry(&self) -> Problem {
        use ProblemCode as C;
        match self {
            Self::Service(error) => service::problem(error),
            Self::Run(id, error) => {
                let mut problem = service::problem(error);
                problem.more.insert("scanId".to_owned(), json!(id));
                problem
            }
            Self::Unauthenticated { contact } => {
                let ask = contact.as_ref().map_or_else(String::new, |contact| {
                    format!(" Access to the hosted service is private; ask {contact} for a key.")
                });
                let detail = format!("Send a valid key as \"Authorization: Bearer <API_KEY>\".{ask}");
                Problem::of(C::Unauthorized).saying(detail)
            }
            Self::NotSignedIn | Self::SignInFirst(_) => Problem {
                title: "No session",
                ..Problem::of(C::Unauthorized).saying(
                    "Sign in to the workspace first. The session cookie is missing, or the session has ended.",
                )
            },
            Self::NoSuchPath => Problem::of(C::NotFound),
            Self::Method(allowed) => {
                Problem::of(C::MethodNotAllowed).saying(format!("This path takes {allowed}."))
            }
            Self::ContentType(taken) => Problem::of(C::UnsupportedMediaType).saying(format!(
                "Send the body with \"Content-Type: {taken}\", not compressed."
            )),
            Self::TooLarge { most } => {
                Problem::of(C::PayloadTooLarge).saying(format!("The body may have at most {most} bytes."))
            }
            Self::BodyTooSlow => Problem::of(C::RequestTimeout),
            Self::Stopping => Problem::of(C::NotReady)
                .saying("The server is stopping and did not wait for the rest of the body. Nothing was asked or spent."),
            Self::Malformed(why) => Problem::of(C::MalformedJson).saying(*why),
            Self::NotReady => Problem::of(C::NotReady),
            Self::CrossOrigin => Problem::of(C::CrossOrigin),
            Self::Page(_) | Self::Card(_) | Self::Workbook(_) => Problem::of(C::InternalError),
        }
    }

    /// The members that a stream sends for an error. The status was sent before.
    pub(crate) fn summary(error: &Error) -> Value {
        let problem = service::problem(error);
        let mut summary = Map::new();
        summary.insert("code".to_owned(), json!(problem.code.word()));
        summary.insert("message".to_owned(), json!(problem.detail));
        if let Some(wait) = problem.retry_after {
            summary.insert("retryAfter".to_owned(), json!(seconds(wait)));
        }
        Value::Object(summary)
    }
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

impl From<CardError> for ApiError {
    fn from(error: CardError) -> Self {
        Self::Card(error)
    }
}

impl From<WorkbookError> for ApiError {
    fn from(error: WorkbookError) -> Self {
        Self::Workbook(error)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

impl ApiError {
    fn of_service(&self) -> Option<&Error> {
        match self {
            Self::Service(error) | Self::Run(_, error) => Some(error),
            _ => None,
        }
    }

    /// A 402 is not a problem document but the offer, in the forms of both versions.
    fn demand(&self) -> Option<HttpResponse> {
        let error = self.of_service()?;
        let (due, response) = error.due()?;
        let code = error.code();
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
        f.write_str(self.entry().code.word())
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.entry().status
    }

    fn error_response(&self) -> HttpResponse {
        if let Some(response) = self.demand() {
            return response;
        }
        if let Self::SignInFirst(path) = self {
            return see_other(path);
        }
        let problem = self.problem();
        if let Some(
            error @ (Error::Store(_) | Error::Evidence(_) | Error::Unwritable(_) | Error::NoEntropy),
        ) = self.of_service()
        {
            tracing::error!(error = chain(error), "request.failed");
        }
        if let Self::Page(error) = self {
            tracing::error!(error = chain(error), "page.render_failed");
        }
        if let Self::Card(error) = self {
            tracing::error!(error = chain(error), "card.draw_failed");
        }
        if let Self::Workbook(error) = self {
            tracing::error!(error = chain(error), "workbook.write_failed");
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
        if let Self::Method(allowed) = self
            && let Ok(allowed) = HeaderValue::from_str(allowed)
        {
            headers.insert(header::ALLOW, allowed);
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

//! Errors as callers see them: RFC 9457 problem documents.
//!
//! The one table from [`Error`] to status, code and headers is [`ApiError::parts`]. `instance` and `requestId`
//! are filled in by the frame around every request, which is the only one to know them.

use crate::a2a::paid::tell;
use crate::web::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use ibid_model::{FaultCode, Faults};
use ibid_service::{Due, Error, FetchError};
use ibid_web::RenderError;
use ibid_x402::{PAYMENT_REQUIRED, SettleResponse};
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
}

type Parts = (StatusCode, &'static str, &'static str, String, Map<String, Value>);

impl ApiError {
    /// The one table: status, code, title, detail and further members.
    fn parts(&self) -> Parts {
        use StatusCode as S;
        let plain = |status, code, title, detail: &str| (status, code, title, detail.to_owned(), Map::new());
        match self {
            Self::Service(error) => service_parts(error),
            Self::Unauthenticated { contact } => {
                let ask = contact.as_ref().map_or_else(String::new, |contact| {
                    format!(" Access to the hosted service is private; ask {contact} for a key.")
                });
                let detail = format!("Send a valid key as \"Authorization: Bearer <API_KEY>\".{ask}");
                (
                    S::UNAUTHORIZED,
                    "unauthorized",
                    "Bearer key missing or invalid",
                    detail,
                    Map::new(),
                )
            }
            Self::NotSignedIn | Self::SignInFirst(_) => plain(
                S::UNAUTHORIZED,
                "unauthorized",
                "Nobody is signed in",
                "Sign in to the workspace first. The session cookie is missing, or the session has ended.",
            ),
            Self::NoSuchPath => plain(
                S::NOT_FOUND,
                "not_found",
                "Not found",
                "Nothing lives at this path.",
            ),
            Self::Method(allowed) => {
                let detail = format!("This path takes {allowed}.");
                (
                    S::METHOD_NOT_ALLOWED,
                    "method_not_allowed",
                    "Method not allowed",
                    detail,
                    Map::new(),
                )
            }
            Self::ContentType(taken) => {
                let detail = format!("Send the body with \"Content-Type: {taken}\".");
                (
                    S::UNSUPPORTED_MEDIA_TYPE,
                    "unsupported_media_type",
                    "Unsupported media type",
                    detail,
                    Map::new(),
                )
            }
            Self::TooLarge { most } => {
                let detail = format!("The body may have at most {most} bytes.");
                (
                    S::PAYLOAD_TOO_LARGE,
                    "payload_too_large",
                    "Body too large",
                    detail,
                    Map::new(),
                )
            }
            Self::Malformed(why) => plain(S::BAD_REQUEST, "malformed_json", "Malformed JSON", why),
            Self::NotReady => plain(
                S::SERVICE_UNAVAILABLE,
                "not_ready",
                "Not ready",
                "The service cannot take requests yet.",
            ),
            Self::CrossOrigin => plain(
                S::FORBIDDEN,
                "cross_origin",
                "Sent from another site",
                "Only pages of this service may send this. Open the page here and try again.",
            ),
            Self::Page(_) => service_parts(&Error::Ended),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Service(error) => service_retry_after(error),
            Self::Unauthenticated { .. }
            | Self::NoSuchPath
            | Self::Method(_)
            | Self::ContentType(_)
            | Self::NotSignedIn
            | Self::SignInFirst(_)
            | Self::TooLarge { .. }
            | Self::Malformed(_)
            | Self::NotReady
            | Self::CrossOrigin
            | Self::Page(_) => None,
        }
    }

    /// What a stream says of an error, since its status is out already.
    pub(crate) fn summary(error: &Error) -> Value {
        let (_, code, _, detail, _) = service_parts(error);
        let mut summary = members([("code", json!(code)), ("message", json!(detail))]);
        if let Some(wait) = service_retry_after(error) {
            summary.insert("retryAfter".to_owned(), json!(seconds(wait)));
        }
        Value::Object(summary)
    }
}

fn service_retry_after(error: &Error) -> Option<Duration> {
    match error {
        Error::Twin(error) => service_retry_after(error),
        Error::TooMany { retry_after }
        | Error::Overloaded { retry_after }
        | Error::SettlementUnknown { retry_after } => Some(*retry_after),
        Error::FacilitatorUnavailable(_) => Some(Duration::from_secs(5)),
        Error::Invalid(_)
        | Error::UnknownPlace { .. }
        | Error::PlanTooLarge { .. }
        | Error::NotFound
        | Error::KeyRejected
        | Error::CreditExhausted
        | Error::NoAnswers(_)
        | Error::PaidDisabled
        | Error::DemoClosed
        | Error::AuditUnavailable
        | Error::Page(_)
        | Error::PlanTooExpensive { .. }
        | Error::PaymentRequired(_)
        | Error::PaymentMalformed(_)
        | Error::PaymentRefused { .. }
        | Error::SettlementRefused { .. }
        | Error::SignInRefused
        | Error::CreditsExhausted
        | Error::ScansClosed
        | Error::NoEntropy
        | Error::Store(_)
        | Error::Unwritable(_)
        | Error::Ended => None,
    }
}

fn service_parts(error: &Error) -> Parts {
    use StatusCode as S;
    let plain = |status, code, title, detail: &str| (status, code, title, detail.to_owned(), Map::new());
    match error {
        Error::Invalid(faults) => invalid_parts(faults),
        Error::UnknownPlace { suggestions } => {
            let detail = "The location is unknown. Try \"nearest town, country\" or \"lat, lon\". Nothing was asked or spent.";
            let errors = json!([{"field": "/location", "code": "location_not_found", "message": "location is unknown"}]);
            let more = members([("suggestions", json!(suggestions)), ("errors", errors)]);
            (
                S::BAD_REQUEST,
                "location_not_found",
                "Location not found",
                detail.to_owned(),
                more,
            )
        }
        Error::PlanTooLarge {
            questions,
            most,
            estimate,
        } => {
            let detail = format!(
                "The scan would ask {questions} questions, about {estimate}; at most {most} are allowed. \
                 Ask fewer models, rings, keywords or queries."
            );
            let more = members([
                ("questions", json!(questions)),
                ("mostQuestions", json!(most)),
                ("estimatedCostUsd", json!(estimate.dollars())),
            ]);
            (S::BAD_REQUEST, "plan_too_large", "Plan too large", detail, more)
        }
        Error::NotFound => plain(
            S::NOT_FOUND,
            "scan_not_found",
            "Scan not found",
            "There is no scan with this id on this surface.",
        ),
        Error::KeyRejected => plain(
            S::BAD_REQUEST,
            "provider_key_rejected",
            "Provider key rejected",
            "The model provider rejected the key in X-Router-Key. No answer was paid for.",
        ),
        Error::CreditExhausted => plain(
            S::BAD_REQUEST,
            "provider_credit_exhausted",
            "Provider credit exhausted",
            "The account behind the key in X-Router-Key has no credit left at the model provider.",
        ),
        Error::NoAnswers(none) => {
            let detail = format!(
                "None of the {} questions was answered: {}.",
                none.questions, none.cause
            );
            let more = members([("cause", json!(none.cause.code()))]);
            (
                S::INTERNAL_SERVER_ERROR,
                "provider_unavailable",
                "No model answered",
                detail,
                more,
            )
        }
        Error::PaidDisabled => plain(
            S::SERVICE_UNAVAILABLE,
            "paid_surface_disabled",
            "Paid surface disabled",
            "The operator of this service sells nothing. Nothing was asked or spent.",
        ),
        Error::DemoClosed => plain(
            S::SERVICE_UNAVAILABLE,
            "demo_closed",
            "Free question closed",
            "This server gives no free question away. Nothing was asked or spent.",
        ),
        Error::AuditUnavailable => plain(
            S::SERVICE_UNAVAILABLE,
            "audit_unavailable",
            "Audit unavailable",
            "Page audits cannot be had from this service. Nothing was asked or spent.",
        ),
        Error::Page(error) => {
            let detail = format!("{error}. Nothing was charged.");
            if matches!(error, FetchError::Refused(_) | FetchError::RefusedRedirect(_)) {
                (S::BAD_REQUEST, "page_refused", "Page refused", detail, Map::new())
            } else {
                (
                    S::BAD_GATEWAY,
                    "page_unreachable",
                    "Page unreachable",
                    detail,
                    Map::new(),
                )
            }
        }
        Error::PlanTooExpensive { estimate, most } => {
            let detail = format!(
                "The models would cost about {estimate}; for this price at most {most} is taken on. \
                 Ask fewer models, rings, keywords or queries. Nothing was asked or spent."
            );
            let more = members([
                ("estimatedCostUsd", json!(estimate.dollars())),
                ("mostCostUsd", json!(most.dollars())),
            ]);
            (
                S::BAD_REQUEST,
                "plan_too_expensive",
                "Plan too expensive",
                detail,
                more,
            )
        }
        Error::PaymentRequired(_) => plain(
            S::PAYMENT_REQUIRED,
            "payment_required",
            "Payment required",
            "Pay what the offer asks.",
        ),
        Error::PaymentMalformed(bad) => {
            let detail = format!("{bad}. Nothing was spent.");
            (
                S::BAD_REQUEST,
                "malformed_payment",
                "Malformed payment",
                detail,
                Map::new(),
            )
        }
        Error::PaymentRefused { refusal, .. } => (
            S::PAYMENT_REQUIRED,
            refusal.code(),
            "Payment refused",
            refusal.to_string(),
            Map::new(),
        ),
        Error::SettlementRefused { code, .. } => plain(
            S::PAYMENT_REQUIRED,
            code,
            "Settlement refused",
            "The work is done and the money did not move. Send the same payment again while it is valid.",
        ),
        Error::FacilitatorUnavailable(_) => plain(
            S::BAD_GATEWAY,
            "facilitator_unavailable",
            "Facilitator unavailable",
            "Nobody can tell now whether the payment is good. Send the same payment again; do not sign a new one.",
        ),
        Error::SettlementUnknown { .. } => plain(
            S::BAD_GATEWAY,
            "settlement_unknown",
            "Settlement unknown",
            "The work is done and the outcome of the settlement is not known yet. \
             Send the same request with the same payment after Retry-After; do not sign a new one.",
        ),
        Error::Twin(error) => service_parts(error),
        Error::SignInRefused => plain(
            S::UNAUTHORIZED,
            "sign_in_refused",
            "Signing in was refused",
            "E-mail or password is wrong, or the account is closed.",
        ),
        Error::CreditsExhausted => plain(
            S::PAYMENT_REQUIRED,
            "credits_exhausted",
            "No credit is left",
            "The account has no credit left. Nothing was asked or spent; the operator gives credits.",
        ),
        Error::ScansClosed => plain(
            S::SERVICE_UNAVAILABLE,
            "workspace_disabled",
            "Scans are not open",
            "The operator of this service has set no provider key, so accounts cannot scan. Nothing was asked or spent.",
        ),
        Error::TooMany { retry_after } => {
            let detail = format!("The limit is used up; come back in {} s.", seconds(*retry_after));
            (
                S::TOO_MANY_REQUESTS,
                "rate_limited",
                "Too many requests",
                detail,
                Map::new(),
            )
        }
        Error::Overloaded { .. } => plain(
            S::SERVICE_UNAVAILABLE,
            "overloaded",
            "Overloaded",
            "The service has more work than it can take on now. Nothing was asked or spent.",
        ),
        Error::Store(_) | Error::Unwritable(_) | Error::Ended | Error::NoEntropy => plain(
            S::INTERNAL_SERVER_ERROR,
            "internal_error",
            "Internal error",
            "Something failed inside the service. The request id leads to the log entry.",
        ),
    }
}

fn invalid_parts(faults: &Faults) -> Parts {
    // A fault that stands alone gives the document its own code; several share one.
    let code = match faults.only().map(|fault| fault.code) {
        Some(code @ (FaultCode::ProviderKeyRequired | FaultCode::ProviderKeyInvalid)) => code.as_str(),
        Some(_) | None => "invalid_request",
    };
    let more = members([("errors", json!(faults))]);
    (
        StatusCode::BAD_REQUEST,
        code,
        "Invalid request",
        format!("{faults}."),
        more,
    )
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
        let (due, response) = due(error)?;
        let code = service_parts(error).1;
        let mut demand = HttpResponse::PaymentRequired();
        demand
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .insert_header((PAYMENT_REQUIRED, due.header(code)));
        if let Some(response) = response {
            tell(&mut demand, response);
        }
        Some(demand.json(due.body(code)))
    }
}

/// What is due after an error, and what tells of a settlement that failed.
fn due(error: &Error) -> Option<(&Due, Option<&SettleResponse>)> {
    match error {
        Error::PaymentRequired(due) | Error::PaymentRefused { due, .. } => Some((due, None)),
        Error::SettlementRefused { due, response, .. } => Some((due, Some(response))),
        Error::Twin(error) => due(error),
        Error::Invalid(_)
        | Error::UnknownPlace { .. }
        | Error::PlanTooLarge { .. }
        | Error::NotFound
        | Error::KeyRejected
        | Error::CreditExhausted
        | Error::NoAnswers(_)
        | Error::PaidDisabled
        | Error::DemoClosed
        | Error::AuditUnavailable
        | Error::Page(_)
        | Error::PlanTooExpensive { .. }
        | Error::PaymentMalformed(_)
        | Error::FacilitatorUnavailable(_)
        | Error::SettlementUnknown { .. }
        | Error::TooMany { .. }
        | Error::Overloaded { .. }
        | Error::SignInRefused
        | Error::CreditsExhausted
        | Error::ScansClosed
        | Error::NoEntropy
        | Error::Store(_)
        | Error::Unwritable(_)
        | Error::Ended => None,
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parts().1)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.parts().0
    }

    fn error_response(&self) -> HttpResponse {
        if let Some(response) = self.demand() {
            return response;
        }
        if let Self::SignInFirst(path) = self {
            return see_other(path);
        }
        let (status, code, title, detail, more) = self.parts();
        if let Self::Service(error @ (Error::Store(_) | Error::Unwritable(_) | Error::NoEntropy)) = self {
            let source = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(error = %error, source, "request failed inside the service");
        }
        if let Self::Page(error) = self {
            let source = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(error = %error, source, "a page failed");
        }
        let mut response = HttpResponse::new(status);
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
        if let Some(wait) = self.retry_after() {
            headers.insert(
                HeaderName::from_static("retry-after"),
                HeaderValue::from(seconds(wait)),
            );
        }
        response.extensions_mut().insert(Problem {
            status,
            code,
            title,
            detail,
            more,
        });
        response
    }
}

#[cfg(test)]
mod tests;

//! Errors of the service: the table from [`Error`] to status, code and words, and the offers that some of them carry.

use super::{Problem, members, seconds};
use actix_web::http::StatusCode;
use ibid_model::{FaultCode, Faults};
use ibid_service::{Error, FetchError, PaymentDue};
use ibid_x402::SettleResponse;
use serde_json::json;
use std::time::Duration;

/// The table.
pub(super) fn problem(error: &Error) -> Problem {
    use StatusCode as S;
    match error {
        Error::Invalid(faults) => invalid(faults),
        Error::UnknownPlace { suggestions } => {
            let detail = "The location is unknown. Try \"nearest town, country\" or \"lat, lon\". Nothing was asked or spent.";
            let fault = Faults::one("/location", FaultCode::LocationNotFound, error.to_string());
            let more = members([("suggestions", json!(suggestions)), ("errors", json!(fault))]);
            Problem::new(S::BAD_REQUEST, "location_not_found", "Location not found", detail).with(more)
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
            Problem::new(S::BAD_REQUEST, "plan_too_large", "Plan too large", detail).with(more)
        }
        Error::NotFound => Problem::new(
            S::NOT_FOUND,
            "scan_not_found",
            "Scan not found",
            "There is no scan with this id on this surface.",
        ),
        Error::KeyRejected => Problem::new(
            S::BAD_REQUEST,
            "provider_key_rejected",
            "Provider key rejected",
            "The model provider rejected the key in X-Router-Key. No answer was paid for.",
        ),
        Error::ProviderCreditExhausted => Problem::new(
            S::BAD_REQUEST,
            "provider_credit_exhausted",
            "Provider credit exhausted",
            "The account behind the key in X-Router-Key has no credit left at the model provider.",
        ),
        Error::NoAnswers(none) => {
            let detail = match none.questions {
                1 => format!("The question was not answered: {}.", none.cause),
                questions => format!("None of the {questions} questions was answered: {}.", none.cause),
            };
            let more = members([("cause", json!(none.cause.code()))]);
            Problem::new(S::INTERNAL_SERVER_ERROR, "provider_unavailable", "No model answered", detail).with(more)
        }
        Error::PaidDisabled => Problem::new(
            S::SERVICE_UNAVAILABLE,
            "paid_surface_disabled",
            "Paid surface disabled",
            "The operator of this service does not sell this. Nothing was asked or spent.",
        ),
        Error::DemoDisabled => Problem::new(
            S::SERVICE_UNAVAILABLE,
            "demo_closed",
            "Free question closed",
            "This server gives no free question away. Nothing was asked or spent.",
        ),
        Error::AuditsDisabled => Problem::new(
            S::SERVICE_UNAVAILABLE,
            "audit_unavailable",
            "Audit unavailable",
            "Page audits cannot be had from this service. Nothing was asked or spent.",
        ),
        Error::Page(error) => {
            let detail = format!("{error}. Nothing was charged.");
            if matches!(error, FetchError::Refused(_) | FetchError::RefusedRedirect(_)) {
                Problem::new(S::BAD_REQUEST, "page_refused", "Page refused", detail)
            } else {
                Problem::new(S::BAD_GATEWAY, "page_unreachable", "Page unreachable", detail)
            }
        }
        Error::PlanTooExpensive { estimate, most } => {
            let detail = format!(
                "The models would cost about {estimate}; at most {most} is taken on. \
                 Ask fewer models, rings, keywords or queries. Nothing was asked or spent."
            );
            let more = members([
                ("estimatedCostUsd", json!(estimate.dollars())),
                ("mostCostUsd", json!(most.dollars())),
            ]);
            Problem::new(S::BAD_REQUEST, "plan_too_expensive", "Plan too expensive", detail).with(more)
        }
        Error::PaymentRequired(_) => Problem::new(
            S::PAYMENT_REQUIRED,
            "payment_required",
            "Payment required",
            "Pay what the offer asks.",
        ),
        Error::PaymentMalformed(bad) => {
            let detail = format!("{bad}. Nothing was spent.");
            Problem::new(S::BAD_REQUEST, "malformed_payment", "Malformed payment", detail)
        }
        Error::PaymentRefused { refusal, .. } => Problem::new(S::PAYMENT_REQUIRED, refusal.code(), "Payment refused", refusal.to_string()),
        Error::SettlementRefused { code, .. } => Problem::new(
            S::PAYMENT_REQUIRED,
            code,
            "Settlement refused",
            "The work is done and the money did not move. Send the same payment again while it is valid.",
        ),
        Error::FacilitatorUnavailable(_) => Problem::new(
            S::BAD_GATEWAY,
            "facilitator_unavailable",
            "Facilitator unavailable",
            "Nobody can tell now whether the payment is good. Send the same payment again; do not sign a new one.",
        )
        .after(Duration::from_secs(5)),
        Error::SettlementUnknown { retry_after } => Problem::new(
            S::BAD_GATEWAY,
            "settlement_unknown",
            "Settlement unknown",
            "The work is done and the outcome of the settlement is not known yet. \
             Send the same request with the same payment after Retry-After; do not sign a new one.",
        )
        .after(*retry_after),
        Error::Duplicate(error) => problem(error),
        Error::SignInRefused => Problem::new(
            S::UNAUTHORIZED,
            "sign_in_refused",
            "Signing in was refused",
            "E-mail or password is wrong, or the account is closed.",
        ),
        Error::AccountCreditExhausted => Problem::new(
            S::PAYMENT_REQUIRED,
            "credits_exhausted",
            "No credit is left",
            "The account has no credit left. Nothing was asked or spent; the operator gives credits.",
        ),
        Error::WorkspaceDisabled => Problem::new(
            S::SERVICE_UNAVAILABLE,
            "workspace_disabled",
            "Scans are not open",
            "The operator of this service has set no provider key, so accounts cannot scan. Nothing was asked or spent.",
        ),
        Error::TooMany { retry_after } => {
            let detail = format!("The limit is used up; come back in {} s.", seconds(*retry_after));
            Problem::new(S::TOO_MANY_REQUESTS, "rate_limited", "Too many requests", detail).after(*retry_after)
        }
        Error::Overloaded { retry_after } => Problem::new(
            S::SERVICE_UNAVAILABLE,
            "overloaded",
            "Overloaded",
            "The service has more work than it can take on now. Nothing was asked or spent.",
        )
        .after(*retry_after),
        Error::Store(_) | Error::Unwritable(_) | Error::Ended | Error::NoEntropy => Problem::new(
            S::INTERNAL_SERVER_ERROR,
            "internal_error",
            "Internal error",
            "Something failed inside the service. The request id leads to the log entry.",
        ),
    }
}

fn invalid(faults: &Faults) -> Problem {
    // A fault that stands alone gives the document its own code; several share one.
    let code = match faults.only().map(|fault| fault.code) {
        Some(code @ (FaultCode::ProviderKeyRequired | FaultCode::ProviderKeyInvalid)) => code.as_str(),
        Some(_) | None => "invalid_request",
    };
    let more = members([("errors", json!(faults))]);
    Problem::new(
        StatusCode::BAD_REQUEST,
        code,
        "Invalid request",
        format!("{faults}."),
    )
    .with(more)
}

/// What is due after an error, and what tells of a settlement that failed.
pub(super) fn due(error: &Error) -> Option<(&PaymentDue, Option<&SettleResponse>)> {
    match error {
        Error::PaymentRequired(due) | Error::PaymentRefused { due, .. } => Some((due, None)),
        Error::SettlementRefused { due, response, .. } => Some((due, Some(response))),
        Error::Duplicate(error) => due(error),
        Error::Invalid(_)
        | Error::UnknownPlace { .. }
        | Error::PlanTooLarge { .. }
        | Error::NotFound
        | Error::KeyRejected
        | Error::ProviderCreditExhausted
        | Error::NoAnswers(_)
        | Error::PaidDisabled
        | Error::DemoDisabled
        | Error::AuditsDisabled
        | Error::Page(_)
        | Error::PlanTooExpensive { .. }
        | Error::PaymentMalformed(_)
        | Error::FacilitatorUnavailable(_)
        | Error::SettlementUnknown { .. }
        | Error::TooMany { .. }
        | Error::Overloaded { .. }
        | Error::SignInRefused
        | Error::AccountCreditExhausted
        | Error::WorkspaceDisabled
        | Error::NoEntropy
        | Error::Store(_)
        | Error::Unwritable(_)
        | Error::Ended => None,
    }
}

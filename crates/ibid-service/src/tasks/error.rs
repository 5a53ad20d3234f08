//! Errors of the service as errors of a call or failures of a task.

use crate::Error;
use ibid_a2a::{BadParams, CallError, PaymentFailure, Unavailable};
use ibid_model::{FaultCode, Faults};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A purchase that did not begin.
pub(super) enum NotBegun {
    /// The payment is refused; the task says so.
    Refused(PaymentFailure),
    /// The call has no result, and the task is as it was.
    Call(CallError),
}

/// Logs an internal error.
pub(super) fn broken(error: impl std::error::Error) -> CallError {
    let source = error.source().map(ToString::to_string);
    tracing::error!(error = %error, source, "task.store.failed");
    CallError::Internal
}

impl NotBegun {
    pub(super) fn of(error: Error) -> Self {
        match error {
            Error::PaymentRefused { due: _, refusal } => Self::Refused(PaymentFailure {
                code: refusal.a2a_code().to_owned(),
                detail: refusal.to_string(),
                receipt: None,
            }),
            // The first of several equal calls was refused; this one gets the same refusal.
            Error::Duplicate(error) => match &*error {
                Error::PaymentRefused { due: _, refusal } => Self::Refused(PaymentFailure {
                    code: refusal.a2a_code().to_owned(),
                    detail: refusal.to_string(),
                    receipt: None,
                }),
                other => Self::Call(call_error(other)),
            },
            other => Self::Call(call_error(&other)),
        }
    }
}

/// The one table from errors of the service to errors of a call.
pub(super) fn call_error(error: &Error) -> CallError {
    match error {
        Error::Invalid(faults) => bad("invalid_request", None, faults.clone(), Map::new()),
        Error::UnknownPlace { suggestions } => {
            let faults = Faults::one("/location", FaultCode::LocationNotFound, error.to_string());
            bad(
                "location_not_found",
                None,
                faults,
                members([("suggestions", json!(suggestions))]),
            )
        }
        Error::PlanTooLarge {
            questions,
            most,
            estimate,
        } => {
            let more = members([
                ("questions", json!(questions)),
                ("mostQuestions", json!(most)),
                ("estimatedCostUsd", json!(estimate.dollars())),
            ]);
            bad("plan_too_large", Some(error.to_string()), Faults::default(), more)
        }
        Error::PlanTooExpensive { estimate, most } => {
            let more = members([
                ("estimatedCostUsd", json!(estimate.dollars())),
                ("mostCostUsd", json!(most.dollars())),
            ]);
            bad(
                "plan_too_expensive",
                Some(error.to_string()),
                Faults::default(),
                more,
            )
        }
        Error::PaymentMalformed(malformed) => {
            CallError::misfit("malformed_payment", format!("{malformed}; nothing was spent"))
        }
        Error::PaidDisabled => unavailable(Unavailable::PaidSurfaceDisabled, None),
        Error::AuditsDisabled => CallError::Unsupported("pages cannot be audited here"),
        Error::FacilitatorUnavailable(_) => {
            unavailable(Unavailable::Facilitator, Some(Duration::from_secs(5)))
        }
        Error::TooMany { retry_after } => unavailable(Unavailable::TooMany, Some(*retry_after)),
        Error::Overloaded { retry_after } => unavailable(Unavailable::Overloaded, Some(*retry_after)),
        Error::Duplicate(error) => call_error(error),
        Error::NotFound
        | Error::KeyRejected
        | Error::ProviderCreditExhausted
        | Error::NoAnswers(_)
        | Error::Page(_)
        | Error::PaymentRequired(_)
        | Error::PaymentRefused { .. }
        | Error::SettlementRefused { .. }
        | Error::SettlementUnknown { .. }
        | Error::Store(_)
        | Error::SignInRefused
        | Error::AccountCreditExhausted
        | Error::WorkspaceDisabled
        | Error::DemoDisabled
        | Error::NoEntropy
        | Error::Unwritable(_)
        | Error::Ended => broken(error),
    }
}

/// The word of the payment extension for a settlement that was refused; see [`ibid_x402::Refusal::a2a_code`].
pub(super) fn extension_word(code: &str) -> &'static str {
    match code {
        "insufficient_funds" => "INSUFFICIENT_FUNDS",
        "invalid_signature" => "INVALID_SIGNATURE",
        "payment_expired" => "EXPIRED_PAYMENT",
        "duplicate_nonce" => "DUPLICATE_NONCE",
        "network_mismatch" => "NETWORK_MISMATCH",
        "invalid_amount" => "INVALID_AMOUNT",
        _ => "SETTLEMENT_FAILED",
    }
}

fn bad(code: &'static str, detail: Option<String>, faults: Faults, more: Map<String, Value>) -> CallError {
    CallError::InvalidParams(Box::new(BadParams {
        code: Some(code),
        detail,
        faults,
        more,
    }))
}

pub(super) const fn unavailable(reason: Unavailable, retry_after: Option<Duration>) -> CallError {
    CallError::Unavailable { reason, retry_after }
}

fn members<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    let owned = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    owned.collect()
}

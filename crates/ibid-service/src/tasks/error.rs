//! What an error means to an agent: its call fails, or its task does.

use crate::error::Error;
use ibid_a2a::{BadParams, CallError};
use ibid_model::ProblemCode;
use ibid_model::contract::Rpc;
use std::time::Duration;

/// Logs an internal error.
pub(super) fn internal_error(error: impl std::error::Error) -> CallError {
    tracing::error!(error = crate::failure::chain(&error), "task.store.failed");
    CallError::Internal
}

/// Translates an error as its row in the contract says.
pub(super) fn call_error(error: &Error) -> CallError {
    let code = error.code();
    match code.row().rpc {
        Rpc::Internal => internal_error(error),
        Rpc::InvalidParams => CallError::InvalidParams(Box::new(BadParams {
            code: Some(code.word()),
            detail: detail(error.root()),
            faults: error.faults(),
            more: error.members(),
        })),
        Rpc::Unsupported(why) => CallError::Unsupported(why),
        Rpc::Unavailable { .. } => unavailable(code, error.retry_after()),
    }
}

/// Says more about errors that have no list of faults.
fn detail(error: &Error) -> Option<String> {
    match error {
        Error::PlanTooLarge { .. }
        | Error::PlanTooExpensive { .. }
        | Error::PlanTooSlow { .. }
        | Error::PaymentIdentifierUsed => Some(error.to_string()),
        Error::PaymentMalformed(malformed) => Some(format!("{malformed}; nothing was spent")),
        _ => None,
    }
}

pub(super) const fn unavailable(code: ProblemCode, retry_after: Option<Duration>) -> CallError {
    CallError::Unavailable { code, retry_after }
}

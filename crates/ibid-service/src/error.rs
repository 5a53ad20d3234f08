//! Why there is no run, or no result.

use ibid_engine::NoAnswers;
use ibid_engine::plan::PlanError;
use ibid_model::{Faults, UsdMicros};
use ibid_store::StoreError;
use std::time::Duration;

/// Why there is no run, or no result. What a caller can do differs by variant; how a surface says it is its own.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request has faults.
    #[error("the request is invalid: {0}")]
    Invalid(Faults),
    /// The place is unknown.
    #[error("the location is unknown")]
    UnknownPlace {
        /// Up to five places that it may have meant.
        suggestions: Vec<String>,
    },
    /// The plan is over the ceiling.
    #[error("the plan has {questions} questions, at most {most} are allowed")]
    PlanTooLarge {
        /// Questions planned.
        questions: u64,
        /// The ceiling.
        most: u32,
        /// What they would cost.
        estimate: UsdMicros,
    },
    /// Nothing with this id, or not for this reader.
    #[error("there is no such scan")]
    NotFound,
    /// The provider rejected the caller's key.
    #[error("the provider rejected the key")]
    KeyRejected,
    /// The account behind the caller's key has no credit.
    #[error("the account behind the provider key has no credit")]
    CreditExhausted,
    /// No question was answered.
    #[error("no question was answered")]
    NoAnswers(#[source] NoAnswers),
    /// The caller's limit is used up.
    #[error("the caller's limit is used up")]
    TooMany {
        /// When to come back.
        retry_after: Duration,
    },
    /// The service has more work than it can take on.
    #[error("the service is overloaded")]
    Overloaded {
        /// When to come back.
        retry_after: Duration,
    },
    /// Keeping or finding failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A result that cannot be written as JSON.
    #[error("the result cannot be written")]
    Unwritable(#[from] serde_json::Error),
    /// The run ended without a result: it was cancelled, or the process is going away.
    #[error("the run ended early")]
    Ended,
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::UnknownPlace { suggestions } => Self::UnknownPlace { suggestions },
            PlanError::TooLarge { questions, most, estimate } => Self::PlanTooLarge { questions, most, estimate },
        }
    }
}

impl From<NoAnswers> for Error {
    fn from(error: NoAnswers) -> Self {
        use ibid_provider::ProviderError as P;
        match error.cause {
            P::KeyRejected => Self::KeyRejected,
            P::NoCredit => Self::CreditExhausted,
            P::ModelUnavailable
            | P::RequestRefused { .. }
            | P::RateLimited { .. }
            | P::Unavailable
            | P::Timeout
            | P::Connection
            | P::Unreadable
            | P::Empty => Self::NoAnswers(error),
        }
    }
}

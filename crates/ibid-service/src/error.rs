//! Why there is no run, or no result.

use crate::paid::Due;
use ibid_audit::fetch::FetchError;
use ibid_engine::NoAnswers;
use ibid_engine::plan::PlanError;
use ibid_model::{Faults, UsdMicros};
use ibid_store::StoreError;
use ibid_x402::{BadPayment, Outage, Refusal, SettleResponse};
use std::sync::Arc;
use std::time::Duration;

/// Why there is no run, or no result. What a caller can do differs by variant; how a surface says it is its own.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request has faults.
    #[error("the request is invalid: {0}")]
    Invalid(Faults),
    /// The place is unknown.
    #[error("{}", PlanError::UnknownPlace { suggestions: suggestions.clone() })]
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
    /// It is not sold here: the operator has not said who is paid, or by whom, or has no key to ask models with.
    #[error("the paid surface is not configured")]
    PaidDisabled,
    /// The free question is not given away here.
    #[error("the free question is closed")]
    DemoClosed,
    /// Pages cannot be audited here.
    #[error("page audits are not configured")]
    AuditUnavailable,
    /// The page cannot be had: its address, or one that it leads to, is refused, or nobody answered.
    #[error("the page cannot be audited")]
    Page(#[source] FetchError),
    /// The run would cost the operator more than its price allows for.
    #[error("the plan costs about {estimate}, at most {most} is taken on for this price")]
    PlanTooExpensive {
        /// What it would cost.
        estimate: UsdMicros,
        /// The cap.
        most: UsdMicros,
    },
    /// A payment is due.
    #[error("a payment is required")]
    PaymentRequired(Due),
    /// What was sent is no payment.
    #[error("the payment cannot be read")]
    PaymentMalformed(#[source] BadPayment),
    /// The payment is not taken; another one may be.
    #[error("the payment is refused")]
    PaymentRefused {
        /// What is due.
        due: Due,
        /// Why.
        #[source]
        refusal: Refusal,
    },
    /// Nobody can tell whether the payment is good.
    #[error("the facilitator gives no verdict")]
    FacilitatorUnavailable(#[source] Outage),
    /// The work is done and the money did not move, for certain. The same payment may try again while it is valid.
    #[error("the settlement was refused")]
    SettlementRefused {
        /// What is due.
        due: Due,
        /// Why, as a stable word.
        code: &'static str,
        /// What tells the buyer.
        response: Box<SettleResponse>,
    },
    /// The work is done, and nobody knows yet whether the money moved. The same payment gets the result later.
    #[error("the outcome of the settlement is not known yet")]
    SettlementUnknown {
        /// When to come back.
        retry_after: Duration,
    },
    /// Address and password do not open an account.
    #[error("signing in was refused")]
    SignInRefused,
    /// The account has no credit left.
    #[error("the account has no credit left")]
    CreditsExhausted,
    /// Accounts cannot scan here: the operator has given no key to ask models with.
    #[error("the workspace has no provider key")]
    ScansClosed,
    /// The system has no random bytes.
    #[error("no random bytes could be drawn")]
    NoEntropy,
    /// The same payment was shown for the same thing at the same time, and that came to nothing.
    #[error("the first of several equal requests failed: {0}")]
    Twin(Arc<Error>),
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
            PlanError::TooLarge {
                questions,
                most,
                estimate,
            } => Self::PlanTooLarge {
                questions,
                most,
                estimate,
            },
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

impl Error {
    /// The same failure of a run that the operator's key paid for: a key that the provider rejects is then no fault
    /// of the caller.
    pub(crate) fn of_the_operator(self) -> Self {
        use ibid_provider::ProviderError as P;
        match self {
            Self::KeyRejected => Self::NoAnswers(NoAnswers {
                questions: 0,
                cause: P::KeyRejected,
            }),
            Self::CreditExhausted => Self::NoAnswers(NoAnswers {
                questions: 0,
                cause: P::NoCredit,
            }),
            other => other,
        }
    }
}

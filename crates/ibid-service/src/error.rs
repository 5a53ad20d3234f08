//! Errors of the service.

use crate::evidence::EvidenceFault;
use crate::payment_due::PaymentDue;
use crate::report_printer::PrintFault;
use ibid_audit::fetch::FetchError;
use ibid_engine::NoAnswers;
use ibid_engine::history::NotOneSeries;
use ibid_engine::plan::PlanError;
use ibid_engine::questions::UnreadableImport;
use ibid_model::result::PlaceSuggestion;
use ibid_model::{Counts, FaultCode, Faults, ProblemCode, UsdMicros};
use ibid_store::StoreError;
use ibid_x402::{BadPayment, ChainFault, Outage, Refusal, SettleResponse};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The time after which a dependency of this service may be back.
const AWAY: Duration = Duration::from_secs(5);

/// A failure to start a run or to return a result.
/// Variants differ in what the caller can do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request has faults.
    #[error("the request is invalid: {0}")]
    Invalid(Faults),
    #[error("{}", PlanError::UnknownPlace { reason: reason.clone(), suggestions: suggestions.clone() })]
    UnknownPlace {
        /// The reason, such as a region without a place of this name.
        reason: String,
        /// Up to five places that may have been meant.
        suggestions: Vec<PlaceSuggestion>,
    },
    /// The plan is over the ceiling.
    #[error("the plan has {questions} questions, at most {most} are allowed")]
    PlanTooLarge {
        /// Questions planned.
        questions: u64,
        most: u32,
        /// Their cost.
        estimate: UsdMicros,
    },
    /// No document with this id is visible to the reader.
    #[error("there is no such scan")]
    NotFound,
    /// The provider rejected the caller's key.
    #[error("the provider rejected the key")]
    KeyRejected,
    /// The account behind the caller's key has no credit.
    #[error("the account behind the provider key has no credit")]
    ProviderCreditExhausted,
    /// No question was answered.
    #[error("no question was answered")]
    NoAnswers(#[source] NoAnswers),
    /// The product is not sold here: no receiving wallet, facilitator or provider key is configured.
    #[error("the paid surface is not configured")]
    PaidDisabled,
    /// The free question is not offered here.
    #[error("the free question is closed")]
    DemoDisabled,
    /// The caller has no such subscription, or the subscription no such delivery.
    #[error("there is no such webhook or delivery")]
    WebhookNotFound,
    /// The subscription is disabled.
    #[error("the webhook is disabled")]
    WebhookDisabled,
    /// This server sends no webhooks.
    #[error("webhooks are not configured")]
    WebhooksUnavailable,
    /// This program draws no PDF.
    #[error("this program draws no PDF")]
    PdfUnavailable,
    /// A report could not be drawn.
    #[error(transparent)]
    Print(#[from] PrintFault),
    /// The owner has no such schedule.
    #[error("there is no such schedule")]
    ScheduleNotFound,
    /// There is no such project, or nothing of the id in it, for the reader.
    #[error("no such project")]
    ProjectNotFound,
    /// A run of the schedule is under way.
    #[error("a run of the schedule is under way")]
    ScheduleRunning,
    /// The owner has no such question set, or the set no such version.
    #[error("there is no such question set")]
    QuestionSetNotFound,
    /// The question set has another last version than was expected.
    #[error("the last version of the question set is {latest}")]
    QuestionSetChanged { latest: u32 },
    /// An imported file has no questions that can be read.
    #[error("the import cannot be read")]
    ImportUnreadable(#[source] UnreadableImport),
    /// The model did not answer the request for questions.
    #[error("no proposal came")]
    ProposalFailed,
    /// Scans that measure different things are no history.
    #[error("the scans are not of one series: {0}")]
    NotOneSeries(NotOneSeries),
    /// Page audits are not enabled here.
    #[error("page audits are not configured")]
    AuditsDisabled,
    /// There is no key to seal the provider keys of queued scans with.
    #[error("no key to seal provider keys with is configured")]
    QueueKeysUnavailable,
    /// Too few questions were answered to sell the result.
    #[error("{answered} of {questions} questions were answered, fewer than two thirds")]
    TooFewAnswers {
        /// Questions with an answer.
        answered: u32,
        /// Planned questions.
        questions: u32,
    },
    /// The page cannot be fetched: its address or a redirect is refused, or no server answered.
    #[error("the page cannot be audited")]
    Page(#[source] FetchError),
    /// The run would cost the operator more than its price allows.
    #[error("the plan costs about {estimate}, at most {most} is taken on for this price{}", fitting(fits.as_ref()))]
    PlanTooExpensive {
        estimate: UsdMicros,
        most: UsdMicros,
        /// The largest counts that fit, where they alone make it fit.
        fits: Option<Counts>,
    },
    #[error("a payment is required")]
    PaymentRequired(PaymentDue),
    /// The payment header or object is malformed.
    #[error("the payment cannot be read")]
    PaymentMalformed(#[source] BadPayment),
    /// The payment is refused; another one may be accepted.
    #[error("the payment is refused")]
    PaymentRefused {
        /// The demand for another payment.
        due: PaymentDue,
        #[source]
        refusal: Refusal,
    },
    /// The buyer's identifier names another order of the same wallet.
    #[error("the payment identifier belongs to another order")]
    PaymentIdentifierUsed,
    /// Work and settlement would outlast every accepted payment.
    #[error("the work may take {needed} s, at most {most} s fit the time of a payment")]
    PlanTooSlow {
        /// How long the work may take, in seconds.
        needed: u64,
        /// How much time a payment leaves for work, in seconds.
        most: u64,
    },
    /// The facilitator cannot be reached, so the payment cannot be verified.
    #[error("the facilitator cannot be reached, so the payment is not verified")]
    FacilitatorUnavailable(#[source] Outage),
    /// The work is done, and the facilitator refused the settlement before it sent a transaction.
    /// The same payment may be presented again while it is valid.
    #[error("the settlement was refused")]
    SettlementRefused {
        /// The demand for another payment.
        due: PaymentDue,
        code: ProblemCode,
        /// The answer for the buyer.
        response: Box<SettleResponse>,
    },
    /// The work is done, and the settlement's outcome is not known yet.
    /// The same payment gets the result later.
    #[error("the outcome of the settlement is not known yet")]
    SettlementUnknown {
        /// The time after which to try again.
        retry_after: Duration,
    },
    /// The payment was settled before the work, which failed.
    /// The same payment has it done again.
    #[error("the payment is settled, and the work failed")]
    WorkOwed(#[source] Box<Self>),
    /// The authorization was used, and no sale of this shop used it.
    /// The buyer's money may have moved, so no other payment is asked for.
    #[error("the authorization was used, and not for an order here: the money may have moved")]
    PaymentSpent,
    /// The chain cannot be read.
    #[error("the chain cannot be read")]
    Chain(#[source] ChainFault),
    /// Address and password do not open an account.
    #[error("signing in was refused")]
    SignInRefused,
    /// The account has no credit left.
    #[error("the account has no credit left")]
    AccountCreditExhausted,
    /// The scan would exceed the budget of the account for this month.
    #[error("the plan costs about {estimate}, and {left} of the account's budget is left this month")]
    BudgetExceeded {
        estimate: UsdMicros,
        /// What is left in this month.
        left: UsdMicros,
    },
    /// The account's role does not allow it, for example that of a viewer.
    #[error("the role of the account does not allow this")]
    Forbidden,
    /// The account is the only admin who can sign in.
    #[error("the account is the last admin")]
    LastAdmin,
    /// The address has an account.
    #[error("the address has an account already")]
    AddressTaken,
    /// Accounts cannot scan here: the operator has configured no provider key.
    #[error("the workspace has no provider key")]
    WorkspaceDisabled,
    /// The system has no random bytes.
    #[error("no random bytes could be drawn")]
    NoEntropy,
    /// An equal request with the same payment was first, and it failed.
    #[error("an equal request that this one waited for failed: {0}")]
    Duplicate(Arc<Error>),
    /// The caller's limit is used up.
    #[error("the caller's limit is used up")]
    TooMany {
        /// The time after which to try again.
        retry_after: Duration,
    },
    /// The idempotency key belongs to another request of the caller.
    #[error("the idempotency key was used for another request")]
    IdempotencyConflict,
    /// The service has more work than it can take on.
    #[error("the service is overloaded")]
    Overloaded {
        /// The time after which to try again.
        retry_after: Duration,
    },
    #[error("the store failed")]
    Store(#[source] StoreError),
    /// The evidence store failed, or does not have the evidence moved to it.
    #[error(transparent)]
    Evidence(#[from] EvidenceFault),
    /// The result cannot be written as JSON.
    #[error("the result cannot be written as JSON")]
    Unwritable(#[from] serde_json::Error),
    /// The run ended without a result: it was cancelled, or the process is going away.
    #[error("the run ended early")]
    Ended,
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::UnknownPlace { reason, suggestions } => Self::UnknownPlace { reason, suggestions },
            PlanError::Questions(faults) => Self::Invalid(faults),
            PlanError::TooLarge {
                questions,
                most,
                estimate,
            } => Self::PlanTooLarge {
                questions,
                most,
                estimate,
            },
            PlanError::TooExpensive { estimate, most, fits } => {
                Self::PlanTooExpensive { estimate, most, fits }
            }
        }
    }
}

/// The counts that make an order fit, in words.
fn fitting(counts: Option<&Counts>) -> String {
    counts.map_or_else(String::new, |counts| {
        format!(
            "; it fits with questionsPerModel {}, keywordsPerRing {} and queriesPerKeyword {}",
            counts.questions_per_model.get(),
            counts.keywords_per_ring.get(),
            counts.queries_per_keyword.get()
        )
    })
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Self::Invalid(faults)
    }
}

impl Error {
    /// Refuses a request because of one of its members.
    pub(crate) fn fault(field: impl Into<String>, code: FaultCode, message: impl Into<String>) -> Self {
        Faults::one(field, code, message).into()
    }
}

impl From<NoAnswers> for Error {
    fn from(error: NoAnswers) -> Self {
        use ibid_provider::ProviderError as P;
        match error.cause {
            P::KeyRejected => Self::KeyRejected,
            P::NoCredit => Self::ProviderCreditExhausted,
            _ => Self::NoAnswers(error),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DailyBound(_) => Self::TooMany {
                retry_after: Duration::from_secs(3_600),
            },
            error => Self::Store(error),
        }
    }
}

impl Error {
    /// Returns which problem of the contract this is. Every surface uses its text.
    pub fn code(&self) -> ProblemCode {
        use ProblemCode as C;
        match self {
            Self::Invalid(faults) => match faults.only().map(|fault| fault.code) {
                Some(FaultCode::ProviderKeyRequired) => C::ProviderKeyRequired,
                Some(FaultCode::ProviderKeyInvalid) => C::ProviderKeyInvalid,
                Some(FaultCode::QuestionSetNotFound) => C::QuestionSetNotFound,
                Some(_) | None => C::InvalidRequest,
            },
            Self::UnknownPlace { .. } => C::LocationNotFound,
            Self::PlanTooLarge { .. } => C::PlanTooLarge,
            Self::NotFound => C::ScanNotFound,
            Self::KeyRejected => C::ProviderKeyRejected,
            Self::ProviderCreditExhausted => C::ProviderCreditExhausted,
            // A caller may raise the limit of an own key; the operator's is no caller's fault.
            Self::NoAnswers(none)
                if none.questions > 0 && none.cause == ibid_provider::ProviderError::KeyCapReached =>
            {
                C::ProviderCreditExhausted
            }
            Self::NoAnswers(_) | Self::TooFewAnswers { .. } => C::ProviderUnavailable,
            Self::PaidDisabled => C::PaidSurfaceDisabled,
            Self::DemoDisabled => C::DemoClosed,
            Self::AuditsDisabled => C::AuditUnavailable,
            Self::ScheduleNotFound => C::ScheduleNotFound,
            Self::ProjectNotFound => C::ProjectNotFound,
            Self::QuestionSetNotFound => C::QuestionSetNotFound,
            Self::QuestionSetChanged { .. } => C::QuestionSetChanged,
            Self::ImportUnreadable(_) => C::ImportUnreadable,
            Self::ProposalFailed => C::ProposalFailed,
            Self::ScheduleRunning => C::ScheduleRunning,
            Self::NotOneSeries(_) => C::NotOneSeries,
            Self::WebhookNotFound => C::WebhookNotFound,
            Self::WebhookDisabled => C::WebhookDisabled,
            Self::WebhooksUnavailable => C::WebhooksUnavailable,
            Self::PdfUnavailable => C::PdfUnavailable,
            Self::QueueKeysUnavailable => C::QueueKeysUnavailable,
            Self::WorkspaceDisabled => C::WorkspaceDisabled,
            Self::Page(FetchError::Refused(_) | FetchError::RefusedRedirect(_)) => C::PageRefused,
            Self::Page(FetchError::Failed(_)) => C::PageUnreachable,
            Self::PlanTooExpensive { .. } => C::PlanTooExpensive,
            Self::PaymentIdentifierUsed => C::PaymentIdentifierUsed,
            Self::PlanTooSlow { .. } => C::PlanTooSlow,
            Self::PaymentRequired(_) => C::PaymentRequired,
            Self::PaymentMalformed(_) => C::MalformedPayment,
            Self::PaymentRefused { refusal, .. } => refusal.code(),
            Self::SettlementRefused { code, .. } => *code,
            Self::FacilitatorUnavailable(_) => C::FacilitatorUnavailable,
            Self::SettlementUnknown { .. } => C::SettlementUnknown,
            Self::WorkOwed(_) => C::WorkOwed,
            Self::PaymentSpent => C::PaymentSpent,
            Self::Duplicate(error) => error.code(),
            Self::SignInRefused => C::SignInRefused,
            Self::AccountCreditExhausted => C::CreditsExhausted,
            Self::BudgetExceeded { .. } => C::BudgetExceeded,
            Self::Forbidden | Self::LastAdmin => C::Forbidden,
            Self::AddressTaken => C::InvalidRequest,
            Self::IdempotencyConflict => C::IdempotencyConflict,
            Self::TooMany { .. } => C::RateLimited,
            Self::Overloaded { .. } => C::Overloaded,
            Self::Store(error) if error.is_unavailable() => C::NotReady,
            Self::Store(_)
            | Self::Evidence(_)
            | Self::Chain(_)
            | Self::Unwritable(_)
            | Self::Ended
            | Self::Print(_)
            | Self::NoEntropy => C::InternalError,
        }
    }

    /// The error itself.
    /// For a duplicate request, the error of the first one.
    pub fn root(&self) -> &Self {
        match self {
            Self::Duplicate(error) => error.root(),
            error => error,
        }
    }

    /// How long to wait before the same request may succeed.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.root() {
            Self::TooMany { retry_after }
            | Self::Overloaded { retry_after }
            | Self::SettlementUnknown { retry_after } => Some(*retry_after),
            Self::FacilitatorUnavailable(_) => Some(AWAY),
            Self::Store(error) if error.is_unavailable() => Some(AWAY),
            _ => None,
        }
    }

    pub fn faults(&self) -> Faults {
        match self.root() {
            Self::Invalid(faults) => faults.clone(),
            error @ Self::UnknownPlace { .. } => {
                Faults::one("/location", FaultCode::LocationNotFound, error.to_string())
            }
            _ => Faults::default(),
        }
    }

    /// The members for programs: figures of the plan, suggestions, the cause.
    pub fn members(&self) -> Map<String, Value> {
        let members = match self.root() {
            Self::UnknownPlace { suggestions, .. } => json!({"suggestions": suggestions}),
            Self::PlanTooLarge {
                questions,
                most,
                estimate,
            } => json!({
                "questions": questions,
                "mostQuestions": most,
                "estimatedCostUsd": estimate.dollars(),
            }),
            Self::PlanTooExpensive { estimate, most, fits } => {
                let mut members = json!({
                    "estimatedCostUsd": estimate.dollars(),
                    "mostCostUsd": most.dollars(),
                });
                if let Some(fits) = fits {
                    members["counts"] = json!({
                        "questionsPerModel": fits.questions_per_model.get(),
                        "keywordsPerRing": fits.keywords_per_ring.get(),
                        "queriesPerKeyword": fits.queries_per_keyword.get(),
                    });
                }
                members
            }
            Self::BudgetExceeded { estimate, left } => json!({
                "estimatedCostUsd": estimate.dollars(),
                "budgetLeftUsd": left.dollars(),
            }),
            Self::PlanTooSlow { needed, most } => json!({"seconds": needed, "mostSeconds": most}),
            Self::NoAnswers(none) => json!({"cause": none.cause.code()}),
            Self::NotOneSeries(cause) => json!({"cause": cause.to_string()}),
            _ => Value::Null,
        };
        members.as_object().cloned().unwrap_or_default()
    }

    /// Returns what a 402 offers, and the failed settlement, if there is one.
    pub fn due(&self) -> Option<(&PaymentDue, Option<&SettleResponse>)> {
        match self.root() {
            Self::PaymentRequired(due) | Self::PaymentRefused { due, .. } => Some((due, None)),
            Self::SettlementRefused { due, response, .. } => Some((due, Some(response))),
            _ => None,
        }
    }

    /// Returns why the provider gave a run no answers.
    pub(crate) fn cause(&self) -> Option<ibid_provider::ProviderError> {
        use ibid_provider::ProviderError as P;
        match self {
            Self::KeyRejected => Some(P::KeyRejected),
            Self::ProviderCreditExhausted => Some(P::NoCredit),
            Self::NoAnswers(none) => Some(none.cause.clone()),
            _ => None,
        }
    }

    /// The same failure for a run with the operator's key.
    /// A rejected key is then not the caller's fault.
    pub(crate) fn of_the_operator(self) -> Self {
        use ibid_provider::ProviderError as P;
        match self.cause() {
            Some(cause @ (P::KeyRejected | P::NoCredit | P::KeyCapReached)) => {
                Self::NoAnswers(NoAnswers { questions: 0, cause })
            }
            _ => self,
        }
    }
}

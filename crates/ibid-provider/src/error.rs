//! Errors of providers.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The reason why a question has no answer.
/// It contains no text of the provider, which may hold account data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ProviderError {
    /// 401, or 403 without moderation data: every further call with this key to this model fails as well.
    #[error("the provider rejected the key for this model")]
    KeyRejected,
    /// 402: the account behind the key has too little credit for this model.
    #[error("the account behind the provider key has not enough credit for this model")]
    NoCredit,
    /// The model does not exist, was withdrawn or is barred for this account.
    #[error("the provider does not offer this model")]
    ModelUnavailable,
    /// The provider did not accept the request for this model.
    #[error("the provider refused the request{}", of_status(*status))]
    RequestRefused {
        /// HTTP status, or the code of an error inside a 200; 0 where it is not known.
        status: u16,
    },
    /// 429 until the retries or the time ran out.
    #[error("the provider limits the rate of calls{}", of_wait(*retry_after))]
    RateLimited {
        /// The last waiting time that the provider asked for.
        retry_after: Option<Duration>,
    },
    /// 5xx, overload, or an open circuit breaker.
    #[error("the provider is unavailable")]
    Unavailable,
    /// Earlier calls with this key to this model failed, the last one a moment ago.
    /// The question was not asked, or failed too.
    #[error("calls with the provider key keep failing")]
    KeyFailing,
    /// No answer in time.
    #[error("the provider did not answer in time")]
    Timeout,
    /// No connection, or it broke.
    #[error("the connection to the provider failed")]
    Connection,
    /// An invalid body: not JSON, without choices, or too large.
    #[error("the provider sent an unreadable answer")]
    Unreadable,
    /// The scan has reached its cost cap, so this question was not asked.
    #[error("the cost cap of the scan was reached before this question was asked")]
    CostCapReached,
    /// The caller stopped the scan before this question was answered.
    #[error("the scan was stopped before this question was answered")]
    Stopped,
    /// An answer without text, after the retry.
    #[error("the model answered without text")]
    Empty,
}

/// The status in words; empty where it is not known.
fn of_status(status: u16) -> String {
    match status {
        0 => String::new(),
        status => format!(" (status {status})"),
    }
}

/// A limit that ends after the scan: the cap of a day or a month, which more calls would not lift.
const fn is_daily(wait: Duration) -> bool {
    wait.as_secs() >= 3_600
}

/// The wait for the end of a cap in words; empty for a passing limit.
fn of_wait(wait: Option<Duration>) -> String {
    match wait.filter(|wait| is_daily(*wait)) {
        None => String::new(),
        Some(wait) => format!(": its cap ends in {} h", wait.as_secs().div_ceil(3_600)),
    }
}

/// The calls that a failure affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorScope {
    /// This question only.
    Question,
    /// Every question to this model.
    Model,
    /// Every question to this model, and those to the others if they refuse the key as well.
    Key,
}

impl ProviderError {
    /// Returns the calls that the failure affects.
    #[must_use]
    pub const fn scope(&self) -> ErrorScope {
        match self {
            Self::KeyRejected | Self::NoCredit => ErrorScope::Key,
            Self::ModelUnavailable | Self::RequestRefused { .. } => ErrorScope::Model,
            Self::RateLimited {
                retry_after: Some(wait),
            } if is_daily(*wait) => ErrorScope::Model,
            Self::RateLimited { .. }
            | Self::Unavailable
            | Self::KeyFailing
            | Self::Timeout
            | Self::Connection
            | Self::Unreadable
            | Self::CostCapReached
            | Self::Stopped
            | Self::Empty => ErrorScope::Question,
        }
    }

    /// Returns the failure for a code of [`Self::code`], without its details.
    /// Other words give `None`.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let all = [
            Self::KeyRejected,
            Self::NoCredit,
            Self::ModelUnavailable,
            Self::RequestRefused { status: 0 },
            Self::RateLimited { retry_after: None },
            Self::Unavailable,
            Self::KeyFailing,
            Self::Timeout,
            Self::Connection,
            Self::Unreadable,
            Self::CostCapReached,
            Self::Stopped,
            Self::Empty,
        ];
        all.into_iter().find(|error| error.code() == code)
    }

    /// Stable snake_case word for results, logs and metrics.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::KeyRejected => "provider_key_rejected",
            Self::NoCredit => "provider_credit_exhausted",
            Self::ModelUnavailable => "model_unavailable",
            Self::RequestRefused { .. } => "request_refused",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::KeyFailing => "provider_key_failing",
            Self::Timeout => "timeout",
            Self::Connection => "connection_failed",
            Self::Unreadable => "unreadable_answer",
            Self::CostCapReached => "cost_cap_reached",
            Self::Stopped => "stopped",
            Self::Empty => "empty_answer",
        }
    }
}

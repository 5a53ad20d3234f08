//! Errors of providers.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The reason why a question has no answer. [`CAUSES`] has its words.
/// It contains no text of the provider, which may hold account data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProviderError {
    /// 401, or 403 without a better reason: every further call with this key to this model fails as well.
    KeyRejected,
    /// The key has a limit of its own, and that is used up.
    KeyCapReached,
    /// 402: the account behind the key has too little credit for this model.
    NoCredit,
    /// Web search is off for the account.
    SearchDisabled,
    /// The settings for privacy leave no provider of this model.
    PrivacyRestricted,
    /// The model takes no tools, so it cannot be made to search.
    NoToolSupport,
    /// The account, or its country, may not use the model.
    ModelClosed,
    /// The model was withdrawn.
    ModelRetired,
    /// The model is not on offer.
    ModelUnavailable,
    /// The provider did not accept the request for this model.
    RequestRefused {
        /// HTTP status, or the code of an error inside a 200; 0 where it is not known.
        status: u16,
    },
    /// 429 until the retries or the time ran out.
    RateLimited {
        /// The last waiting time that the provider asked for.
        retry_after: Option<Duration>,
    },
    /// 5xx, overload, or an open circuit breaker.
    Unavailable,
    /// Earlier calls with this key to this model failed, the last one a moment ago.
    /// The question was not asked, or failed too.
    KeyFailing,
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    Connection,
    /// An invalid body: not JSON, without choices, or too large.
    Unreadable,
    /// The scan has reached its cost cap, so this question was not asked.
    CostCapReached,
    /// The caller stopped the scan before this question was answered.
    Stopped,
    /// An answer without text, after the retry.
    Empty,
    /// Texts that stop before they answer, after the second attempt.
    Unfinished,
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

/// What is known of a failure: its word, what it says, and what to do. API, pages and docs/ROUTERS.md are made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The failure, without its details.
    pub error: ProviderError,
    /// Stable snake_case word for results, logs and metrics.
    pub code: &'static str,
    /// The calls that it affects.
    pub scope: ErrorScope,
    /// What happened, as a sentence without its capital and full stop.
    pub sentence: &'static str,
    /// What to do about it, as a sentence.
    pub remedy: &'static str,
}

const fn cause(
    error: ProviderError,
    code: &'static str,
    scope: ErrorScope,
    sentence: &'static str,
    remedy: &'static str,
) -> Cause {
    Cause {
        error,
        code,
        scope,
        sentence,
        remedy,
    }
}

/// Every cause, in the order of the docs.
pub static CAUSES: [Cause; 20] = {
    use ErrorScope::{Key, Model, Question};
    use ProviderError as E;
    [
        cause(
            E::KeyRejected,
            "provider_key_rejected",
            Key,
            "the provider rejected the key for this model",
            "Check the key in the settings of the provider.",
        ),
        cause(
            E::KeyCapReached,
            "provider_key_cap_reached",
            Key,
            "the spending limit of the provider key is used up",
            "Raise or reset the limit of the key in the settings of the provider; the key itself is good.",
        ),
        cause(
            E::NoCredit,
            "provider_credit_exhausted",
            Key,
            "the account behind the provider key has not enough credit for this model",
            "Add credit at the provider, or choose a cheaper model.",
        ),
        cause(
            E::SearchDisabled,
            "search_disabled",
            Model,
            "web search is not enabled for the account behind the provider key",
            "Enable web search in the settings of the provider, or ask this model from memory (`grounding = \"none\"`).",
        ),
        cause(
            E::PrivacyRestricted,
            "privacy_restricted",
            Model,
            "the privacy settings of the account leave no provider of this model",
            "Allow one in the privacy settings of the provider, or choose another model.",
        ),
        cause(
            E::NoToolSupport,
            "no_tool_support",
            Model,
            "the model takes no tools, so it cannot be made to search",
            "Set its `grounding` to `builtin` if it searches by itself, else to `none`.",
        ),
        cause(
            E::ModelClosed,
            "model_closed",
            Model,
            "the model is closed to the account behind the provider key",
            "Ask the provider for access (some verify the organisation first), or choose another model.",
        ),
        cause(
            E::ModelRetired,
            "model_retired",
            Model,
            "the provider has retired this model",
            "Choose its successor.",
        ),
        cause(
            E::ModelUnavailable,
            "model_unavailable",
            Model,
            "the provider does not offer this model",
            "It may be retired or misspelt: choose one of the provider's list.",
        ),
        cause(
            E::RequestRefused { status: 0 },
            "request_refused",
            Model,
            "the provider refused the request",
            "See whether the dialect and the model fit the provider.",
        ),
        cause(
            E::RateLimited { retry_after: None },
            "rate_limited",
            Question,
            "the provider limits the rate of calls",
            "Wait for the end of the limit, or get a higher one at the provider.",
        ),
        cause(
            E::Unavailable,
            "unavailable",
            Question,
            "the provider is unavailable",
            "Try again later.",
        ),
        cause(
            E::KeyFailing,
            "provider_key_failing",
            Question,
            "calls with the provider key keep failing",
            "Check the key in the settings of the provider, and try again later.",
        ),
        cause(
            E::Timeout,
            "timeout",
            Question,
            "the provider did not answer in time",
            "Try again later, or ask fewer questions at a time.",
        ),
        cause(
            E::Connection,
            "connection_failed",
            Question,
            "the connection to the provider failed",
            "Check the address of the provider and the network.",
        ),
        cause(
            E::Unreadable,
            "unreadable_answer",
            Question,
            "the provider sent an unreadable answer",
            "See whether the address is that of an API.",
        ),
        cause(
            E::CostCapReached,
            "cost_cap_reached",
            Question,
            "the cost cap of the scan was reached before this question was asked",
            "Raise the cap, or ask fewer questions.",
        ),
        cause(
            E::Stopped,
            "stopped",
            Question,
            "the scan was stopped before this question was answered",
            "Start it again if you want the rest.",
        ),
        cause(
            E::Empty,
            "empty_answer",
            Question,
            "the model answered without text",
            "Try again later, or choose another model.",
        ),
        cause(
            E::Unfinished,
            "unfinished_answer",
            Question,
            "the model stopped before it answered",
            "Try again later, or choose another model.",
        ),
    ]
};

/// A limit that ends after the scan: the cap of a day or a month, which more calls would not lift.
const fn is_daily(wait: Duration) -> bool {
    wait.as_secs() >= 3_600
}

impl ProviderError {
    /// Returns the row of [`CAUSES`].
    #[must_use]
    pub fn cause(&self) -> &'static Cause {
        let kind = std::mem::discriminant(self);
        let row = CAUSES
            .iter()
            .find(|row| std::mem::discriminant(&row.error) == kind);
        // A test finds every cause in the table.
        row.unwrap_or(&CAUSES[0])
    }

    /// Returns the calls that the failure affects.
    #[must_use]
    pub fn scope(&self) -> ErrorScope {
        match self {
            Self::RateLimited {
                retry_after: Some(wait),
            } if is_daily(*wait) => ErrorScope::Model,
            other => other.cause().scope,
        }
    }

    /// Returns the failure for a code of [`Self::code`], without its details.
    /// Other words give `None`.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let row = CAUSES.iter().find(|row| row.code == code)?;
        Some(row.error.clone())
    }

    /// Stable snake_case word for results, logs and metrics.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.cause().code
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.cause().sentence)?;
        match self {
            Self::RequestRefused { status } if *status > 0 => write!(f, " (status {status})"),
            Self::RateLimited {
                retry_after: Some(wait),
            } if is_daily(*wait) => write!(f, ": its cap ends in {} h", wait.as_secs().div_ceil(3_600)),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ProviderError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_its_own_row() {
        for row in &CAUSES {
            assert_eq!(row.error.cause(), row);
            assert_eq!(ProviderError::of_code(row.code).as_ref(), Some(&row.error));
            assert!(
                row.remedy.ends_with('.') && !row.sentence.ends_with('.'),
                "{row:?}"
            );
        }
        assert_eq!(ProviderError::Unfinished.code(), "unfinished_answer");
    }
}

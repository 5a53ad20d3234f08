//! Errors of providers.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;
use strum::IntoEnumIterator as _;

/// The reason why a question has no answer. [`CAUSES`] has its words.
/// It contains no text of the provider, which may hold account data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ProviderError {
    /// 401, or 403 without a better reason: every further call with this key to this model fails as well.
    #[strum(serialize = "provider_key_rejected")]
    KeyRejected,
    /// The key has a limit of its own, and that is used up.
    #[strum(serialize = "provider_key_cap_reached")]
    KeyCapReached,
    /// 402: the account behind the key has too little credit for this model.
    #[strum(serialize = "provider_credit_exhausted")]
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
    #[strum(serialize = "provider_key_failing")]
    KeyFailing,
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    #[strum(serialize = "connection_failed")]
    Connection,
    /// An invalid body: not JSON, without choices, or too large.
    #[strum(serialize = "unreadable_answer")]
    Unreadable,
    /// The scan has reached its cost cap, so this question was not asked.
    CostCapReached,
    /// The caller stopped the scan before this question was answered.
    Stopped,
    /// An answer without text, after the retry.
    #[strum(serialize = "empty_answer")]
    Empty,
    /// Texts that stop before they answer, after the second attempt.
    #[strum(serialize = "unfinished_answer")]
    Unfinished,
}

/// The calls that a failure affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorScope {
    /// This question only.
    Question,
    /// Every question to this model.
    Model,
    /// Every question to this model, and those to the others if they refuse the key as well.
    Key,
}

/// What is known of a failure.
#[derive(Debug, Deserialize)]
pub struct Cause {
    /// The calls that it affects.
    pub scope: ErrorScope,
    /// What happened, as a sentence without its capital and full stop.
    pub sentence: String,
    /// What to do about it, as a sentence.
    pub remedy: String,
}

/// The causes by their codes, and the words of messages that name one, by its code.
#[derive(Debug, Default, Deserialize)]
pub struct Causes {
    /// API, pages and docs/routers/causes.md are made from these.
    pub causes: BTreeMap<String, Cause>,
    #[cfg(feature = "http")]
    said: Vec<Said>,
}

#[cfg(feature = "http")]
#[derive(Debug, Deserialize)]
struct Said {
    cause: String,
    words: Vec<String>,
}

/// Every cause.
pub static CAUSES: LazyLock<Causes> =
    LazyLock::new(|| toml::from_str(include_str!("causes.toml")).unwrap_or_default());

/// A limit that ends after the scan: the cap of a day or a month, which more calls would not lift.
const fn is_daily(wait: Duration) -> bool {
    wait.as_secs() >= 3_600
}

impl ProviderError {
    /// Returns what is known of it.
    pub fn cause(&self) -> &'static Cause {
        // A test finds every cause in the table.
        static UNKNOWN: Cause = Cause {
            scope: ErrorScope::Question,
            sentence: String::new(),
            remedy: String::new(),
        };
        CAUSES.causes.get(self.code()).unwrap_or(&UNKNOWN)
    }

    /// Returns the calls that the failure affects.
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
        Self::iter().find(|error| error.code() == code)
    }

    /// The failure that the words of a provider's message name.
    #[cfg(feature = "http")]
    pub(crate) fn of_message(message: &str) -> Option<Self> {
        let message = message.to_lowercase();
        let says = |words: &String| words.split('+').all(|word| message.contains(word));
        let row = CAUSES.said.iter().find(|row| row.words.iter().any(says))?;
        Self::of_code(&row.cause)
    }

    /// Stable snake_case word for results, logs and metrics.
    pub fn code(&self) -> &'static str {
        self.into()
    }
}

/// The alternate form (`{:#}`) says what to do, too, and is a whole sentence.
impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause().sentence)?;
        match self {
            Self::RequestRefused { status } if *status > 0 => write!(f, " (status {status})")?,
            Self::RateLimited {
                retry_after: Some(wait),
            } if is_daily(*wait) => write!(f, ": its cap ends in {} h", wait.as_secs().div_ceil(3_600))?,
            _ => {}
        }
        if f.alternate() {
            write!(f, ". {}", self.cause().remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for ProviderError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_its_own_row() {
        for error in ProviderError::iter() {
            let row = &CAUSES.causes[error.code()];
            assert_eq!(ProviderError::of_code(error.code()), Some(error));
            assert!(
                row.remedy.ends_with('.') && !row.sentence.ends_with('.'),
                "{row:?}"
            );
        }
        assert_eq!(CAUSES.causes.len(), ProviderError::iter().count());
        #[cfg(feature = "http")]
        for row in &CAUSES.said {
            assert!(ProviderError::of_code(&row.cause).is_some(), "{row:?}");
        }
    }
}

//! The reaction to each status and error message.

use super::complaint::{Complaint, Kind};
use super::hint::LONGEST;
use crate::completion::Completion;
use crate::error::ProviderError;
use std::time::{Duration, SystemTime};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// An answer, refusals in words included.
    Answered(Completion),
    /// No answer.
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) error: ProviderError,
    pub(super) again: Again,
    /// The waiting time that the provider asks for.
    pub(super) hint: Option<Duration>,
    pub(super) pushback: Pushback,
    pub(super) blame: Blame,
    /// HTTP status of the response, for the log.
    pub(super) status: Option<u16>,
}

/// Whether a failure is worth another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It would fail the same way.
    Never,
    /// Once in the life of a question: the lost answer may already be on the bill.
    Once,
    /// As often as the policy allows.
    Yes,
}

/// The party at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// The caller's key, model name or request, or its rate: the provider works.
    Caller,
    /// The provider. It counts against the health of the model.
    Provider,
    /// This host: no descriptor left, no name resolution.
    /// It is no evidence about the provider.
    ThisHost,
}

/// The limit that should shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pushback {
    /// None, since the failure does not depend on the number of calls.
    NoLimit,
    /// All calls of the key.
    Key,
    /// The key's calls to this model.
    Model,
}

/// Judges an error: an HTTP status, or 200 with an error inside.
pub(super) fn outcome_of_error(status: u16, complaint: &Complaint, header_hint: Option<Duration>) -> Outcome {
    let until = |at: SystemTime| {
        at.duration_since(SystemTime::now())
            .unwrap_or_default()
            .min(LONGEST)
    };
    let hint = header_hint
        .or(complaint.retry_after)
        .or_else(|| complaint.resets_at.map(until));
    let status = match status {
        // An error after generation began comes as 200.
        // Without a known kind it is the provider's.
        200..300 => complaint.status.unwrap_or(match complaint.kind {
            Kind::Policy => 400,
            Kind::Cause(_) | Kind::Other => 502,
        }),
        other => other,
    };
    if complaint.kind == Kind::Policy && matches!(status, 400 | 403 | 422 | 451) {
        return filtered();
    }
    let cause = complaint.cause(status);
    if let Some(cause) = cause.filter(|cause| status < 500 || **cause == ProviderError::NoCredit) {
        return fail(cause.clone(), Again::Never);
    }
    match status {
        401 => fail(ProviderError::KeyRejected, Again::Never),
        402 => fail(ProviderError::NoCredit, Again::Never),
        403 | 404 | 429 | 503 if complaint.retryable == Some(false) => {
            fail(ProviderError::ModelUnavailable, Again::Never)
        }
        403 => fail(ProviderError::KeyRejected, Again::Never),
        404 => fail(ProviderError::ModelUnavailable, Again::Never),
        410 => fail(ProviderError::ModelRetired, Again::Never),
        429 => {
            let error = ProviderError::RateLimited { retry_after: hint };
            let whose = if complaint.upstream {
                Pushback::Model
            } else {
                Pushback::Key
            };
            Outcome::Failed(Failure::passing(error, hint).pushing(whose))
        }
        409 | 425 => Outcome::Failed(Failure::passing(ProviderError::Unavailable, hint)),
        408 | 504 | 524 => Outcome::Failed(Failure::passing(ProviderError::Timeout, hint).unhealthy()),
        503 | 529 => {
            let failure = Failure::passing(ProviderError::Unavailable, hint);
            Outcome::Failed(failure.pushing(Pushback::Model).unhealthy())
        }
        500.. => Outcome::Failed(Failure::passing(ProviderError::Unavailable, hint).unhealthy()),
        // Redirects are not followed, because they would leak key and question.
        _ => fail(ProviderError::RequestRefused { status }, Again::Never),
    }
}

/// A filter refused the question, and no word of a model came back: no answer, and no model's refusal.
pub(super) fn filtered() -> Outcome {
    fail(ProviderError::Empty, Again::Never)
}

/// A failure of this attempt alone.
pub(super) fn fail(error: ProviderError, again: Again) -> Outcome {
    Outcome::Failed(Failure::plain(error, again))
}

impl Failure {
    pub(super) fn plain(error: ProviderError, again: Again) -> Self {
        Self {
            error,
            again,
            hint: None,
            pushback: Pushback::NoLimit,
            blame: Blame::Caller,
            status: None,
        }
    }

    /// One that may pass: tried again, after the wait asked for.
    fn passing(error: ProviderError, hint: Option<Duration>) -> Self {
        Self {
            hint,
            ..Self::plain(error, Again::Yes)
        }
    }

    /// The same, with fewer calls to follow.
    fn pushing(self, pushback: Pushback) -> Self {
        Self { pushback, ..self }
    }

    /// The same, held against the model.
    pub(super) fn unhealthy(self) -> Self {
        Self {
            blame: Blame::Provider,
            ..self
        }
    }

    /// The same, held against this host.
    pub(super) fn local(self) -> Self {
        Self {
            blame: Blame::ThisHost,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProviderError as E;
    use serde_json::{Value, json};

    fn check(status: u16, error: Value, expected: Option<(ProviderError, Again)>) {
        let outcome = outcome_of_error(status, &Complaint::read(&error), None);
        let seen = match outcome {
            Outcome::Answered(_) => None,
            Outcome::Failed(failure) => Some((failure.error, failure.again)),
        };
        assert_eq!(seen, expected, "{status} {error}");
    }

    #[test]
    fn each_status_has_its_class() {
        let limited = || E::RateLimited { retry_after: None };
        for (status, error, again) in [
            (401, E::KeyRejected, Again::Never),
            (402, E::NoCredit, Again::Never),
            (403, E::KeyRejected, Again::Never),
            (404, E::ModelUnavailable, Again::Never),
            (400, E::RequestRefused { status: 400 }, Again::Never),
            (413, E::RequestRefused { status: 413 }, Again::Never),
            (422, E::RequestRefused { status: 422 }, Again::Never),
            (302, E::RequestRefused { status: 302 }, Again::Never),
            (408, E::Timeout, Again::Yes),
            (409, E::Unavailable, Again::Yes),
            (425, E::Unavailable, Again::Yes),
            (429, limited(), Again::Yes),
            (500, E::Unavailable, Again::Yes),
            (502, E::Unavailable, Again::Yes),
            (503, E::Unavailable, Again::Yes),
            (504, E::Timeout, Again::Yes),
            (524, E::Timeout, Again::Yes),
            (529, E::Unavailable, Again::Yes),
        ] {
            check(status, Value::Null, Some((error.clone(), again)));
            // The same inside a 200.
            if status >= 400 {
                check(200, json!({"code": status}), Some((error, again)));
            }
        }
    }

    #[test]
    fn words_change_the_class() {
        check(200, json!({}), Some((E::Unavailable, Again::Yes)));
        check(
            403,
            json!({"metadata": {"reasons": ["x"]}}),
            Some((E::Empty, Again::Never)),
        );
        check(
            403,
            json!({"metadata": {"patterns": ["x"]}}),
            Some((E::Empty, Again::Never)),
        );
        check(
            400,
            json!({"code": "content_filter"}),
            Some((E::Empty, Again::Never)),
        );
        check(
            200,
            json!({"metadata": {"error_type": "content_policy_violation"}}),
            Some((E::Empty, Again::Never)),
        );
        check(
            429,
            json!({"code": "insufficient_quota"}),
            Some((E::NoCredit, Again::Never)),
        );
        check(
            400,
            json!({"code": "invalid_api_key"}),
            Some((E::KeyRejected, Again::Never)),
        );
        check(
            400,
            json!({"code": "model_not_found"}),
            Some((E::ModelUnavailable, Again::Never)),
        );
        let gone = |code: &str| json!({"availability": {"code": code, "retryable": false}});
        check(
            403,
            gone("region_restricted"),
            Some((E::ModelClosed, Again::Never)),
        );
        check(
            404,
            gone("privacy_restricted"),
            Some((E::PrivacyRestricted, Again::Never)),
        );
        check(429, gone("new_word"), Some((E::ModelUnavailable, Again::Never)));
        check(401, gone("new_word"), Some((E::KeyRejected, Again::Never)));
    }

    #[test]
    fn the_message_names_the_cause_that_status_and_code_leave_open() {
        for (status, code, message, error) in [
            (
                403,
                "",
                "Key limit exceeded (monthly limit). Manage it using https://x",
                E::KeyCapReached,
            ),
            (
                400,
                "budget_exceeded",
                "Budget has been exceeded! Current cost: 2, max: 1",
                E::KeyCapReached,
            ),
            (429, "", "Key limit exceeded (daily limit).", E::KeyCapReached),
            (
                400,
                "invalid_request_error",
                "Your credit balance is too low to access the API.",
                E::NoCredit,
            ),
            (
                402,
                "",
                "This request requires more credits, or fewer max_tokens.",
                E::NoCredit,
            ),
            (
                403,
                "permission_error",
                "Web search is not enabled for your organization.",
                E::SearchDisabled,
            ),
            (
                404,
                "",
                "No endpoints found matching your data policy (Paid model training).",
                E::PrivacyRestricted,
            ),
            (
                404,
                "",
                "No endpoints found that support tool use.",
                E::NoToolSupport,
            ),
            (
                403,
                "",
                "Access to model denied. Please make sure you are eligible.",
                E::ModelClosed,
            ),
            (
                403,
                "model_not_found",
                "Your organization must be verified to use the model.",
                E::ModelClosed,
            ),
            (400, "", "The model `x` has been decommissioned.", E::ModelRetired),
            (410, "", "", E::ModelRetired),
            (
                404,
                "model_not_found",
                "The model `x` does not exist or you do not have access to it.",
                E::ModelUnavailable,
            ),
            (404, "", "No endpoints found for a/one.", E::ModelUnavailable),
            (
                401,
                "invalid_api_key",
                "Incorrect key; it has no access to this model.",
                E::KeyRejected,
            ),
            (403, "", "Forbidden", E::KeyRejected),
        ] {
            let error_body = json!({"code": code, "message": message});
            check(status, error_body, Some((error, Again::Never)));
        }
        // A limit that passes is none of the account.
        let free =
            json!({"message": "Rate limit exceeded. Add more credits to unlock more requests to the model"});
        check(
            429,
            free,
            Some((E::RateLimited { retry_after: None }, Again::Yes)),
        );
    }

    #[test]
    fn a_reset_in_the_body_is_waited_for_and_a_daily_cap_ends_the_model() {
        use crate::error::ErrorScope;
        for (wait, scope) in [(4, ErrorScope::Question), (54_000, ErrorScope::Model)] {
            let complaint = Complaint {
                resets_at: Some(SystemTime::now() + Duration::from_secs(wait)),
                ..Complaint::default()
            };
            let Outcome::Failed(failure) = outcome_of_error(429, &complaint, None) else {
                unreachable!()
            };
            let hint = failure.hint.unwrap().as_secs_f64();
            assert!((hint - wait as f64).abs() < 2.0, "{hint}");
            assert_eq!(failure.error.scope(), scope);
        }
    }

    #[test]
    fn pushback_reaches_key_or_model() {
        let pushback = |status, error: Value| match outcome_of_error(status, &Complaint::read(&error), None) {
            Outcome::Answered(_) => None,
            Outcome::Failed(failure) => Some(failure.pushback),
        };
        assert_eq!(pushback(429, Value::Null), Some(Pushback::Key));
        assert_eq!(
            pushback(429, json!({"metadata": {"provider_name": "Acme"}})),
            Some(Pushback::Model)
        );
        assert_eq!(pushback(503, Value::Null), Some(Pushback::Model));
        assert_eq!(pushback(529, Value::Null), Some(Pushback::Model));
        assert_eq!(pushback(500, Value::Null), Some(Pushback::NoLimit));
    }

    #[test]
    fn the_header_outranks_the_body() {
        let complaint = Complaint {
            retry_after: Some(Duration::from_secs(9)),
            ..Complaint::default()
        };
        for (header, expected) in [(None, 9), (Some(Duration::from_secs(2)), 2)] {
            match outcome_of_error(429, &complaint, header) {
                Outcome::Failed(failure) => assert_eq!(failure.hint, Some(Duration::from_secs(expected))),
                Outcome::Answered(_) => unreachable!(),
            }
        }
    }
}

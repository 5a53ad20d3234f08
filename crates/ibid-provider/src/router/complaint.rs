//! Error messages of providers, in all known forms and wordings.

use super::hint::LONGEST;
use crate::error::ProviderError;
use ProviderError as E;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// The machine-readable part of an error.
/// Texts are never kept, because they may hold account data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The status it names: a code, an `http_status`, or the status of its kind.
    pub(super) status: Option<u16>,
    pub(super) kind: Kind,
    /// The cause that the words of the message name.
    pub(super) said: Option<ProviderError>,
    /// Whether the provider advises to retry.
    pub(super) retryable: Option<bool>,
    /// The waiting time that the provider asks for.
    pub(super) retry_after: Option<Duration>,
    /// When the limit ends, where the body says so: OpenRouter has it among the headers that it quotes.
    pub(super) resets_at: Option<SystemTime>,
    /// Whether an upstream provider is at fault rather than the account.
    pub(super) upstream: bool,
}

/// Kinds that matter beyond their status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Other,
    /// Moderation, a guardrail or a content policy.
    Policy,
    /// A cause that codes or words name. The status may differ.
    Cause(ProviderError),
}

impl Complaint {
    /// Reads an error value of any type.
    pub(super) fn read(error: &Value) -> Self {
        let mut complaint = Self::default();
        if !error.is_object() {
            return complaint;
        }
        let metadata = error.get("metadata").unwrap_or(&Value::Null);
        for word in [
            &metadata["error_type"],
            &error["error_type"],
            &error["type"],
            &error["code"],
            &error["status"],
        ] {
            if let Some(word) = word.as_str() {
                complaint.take_word(word);
            }
        }
        // Gemini marks the refusals with 400 that are about the key:
        // https://ai.google.dev/gemini-api/docs/troubleshooting
        let details = error["details"].as_array().into_iter().flatten();
        if details
            .into_iter()
            .any(|detail| detail["reason"] == "API_KEY_INVALID")
        {
            complaint.kind = Kind::Cause(E::KeyRejected);
        }
        let number = number(&error["code"]).or_else(|| number(&error["http_status"]));
        complaint.status = number.or(complaint.status);
        if ["reasons", "flagged_input", "patterns"]
            .iter()
            .any(|name| present(&metadata[*name]))
        {
            complaint.kind = Kind::Policy;
        }
        complaint.upstream = present(&metadata["provider_name"]) || present(&metadata["provider_code"]);
        complaint.resets_at = instant(&metadata["headers"]["X-RateLimit-Reset"]);
        complaint.take_availability(&error["availability"]);
        complaint.said = ProviderError::of_message(error["message"].as_str().unwrap_or_default());
        complaint
    }

    /// The cause by code or words, for an error with this status. Words count where status and code leave it open:
    /// a passing limit may speak about credit, and a wrong key about models.
    pub(super) fn cause(&self, status: u16) -> Option<&ProviderError> {
        let coded = match &self.kind {
            Kind::Cause(cause) => Some(cause),
            Kind::Other | Kind::Policy => None,
        };
        let said = self.said.as_ref().filter(|said| match status {
            429 => **said == E::KeyCapReached,
            status => status < 500 && status != 401,
        });
        match coded {
            None | Some(E::ModelUnavailable) => said.or(coded),
            Some(_) => coded,
        }
    }

    fn take_availability(&mut self, availability: &Value) {
        if !availability.is_object() {
            return;
        }
        self.retryable = availability["retryable"].as_bool();
        self.upstream = true;
        let seconds = availability["retry_after"].as_f64();
        self.retry_after = seconds
            .filter(|seconds| (0.0..LONGEST.as_secs_f64()).contains(seconds))
            .map(Duration::from_secs_f64);
        let code = availability["code"].as_str().unwrap_or_default();
        let (status, cause) = match code {
            "model_not_found" | "wrong_endpoint" => (400, Some(E::ModelUnavailable)),
            "no_endpoints" | "model_unavailable_upstream" | "constraint_filtered" => {
                (404, Some(E::ModelUnavailable))
            }
            "model_deprecated" | "free_variant_ended" => (404, Some(E::ModelRetired)),
            "privacy_restricted" => (404, Some(E::PrivacyRestricted)),
            "region_restricted" => (403, Some(E::ModelClosed)),
            "capacity_exhausted" => (429, None),
            "temporarily_unavailable" => (503, None),
            _ => return,
        };
        self.status = self.status.or(Some(status));
        self.kind = cause.map_or_else(|| std::mem::take(&mut self.kind), Kind::Cause);
    }

    /// Reads an error code.
    /// Codes come from OpenRouter, OpenAI, Anthropic, Azure and compatible services.
    fn take_word(&mut self, word: &str) {
        let (status, kind) = match word {
            "content_policy_violation" | "refusal" | "content_filter" | "moderation" | "guardrail" => {
                (400, Kind::Policy)
            }
            "insufficient_quota" | "payment_required" | "insufficient_credits" => {
                (402, Kind::Cause(E::NoCredit))
            }
            "billing_hard_limit_reached" | "budget_exceeded" => (402, Kind::Cause(E::KeyCapReached)),
            "authentication"
            | "authentication_error"
            | "invalid_api_key"
            | "invalid_authentication"
            | "UNAUTHENTICATED" => (401, Kind::Cause(E::KeyRejected)),
            "model_not_found" => (404, Kind::Cause(E::ModelUnavailable)),
            "not_found" | "not_found_error" => (404, Kind::Other),
            "context_length_exceeded"
            | "max_tokens_exceeded"
            | "token_limit_exceeded"
            | "string_too_long"
            | "invalid_request"
            | "invalid_request_error"
            | "invalid_prompt" => (400, Kind::Other),
            "permission_denied" | "permission_error" => (403, Kind::Other),
            "precondition_failed" => (412, Kind::Other),
            "payload_too_large" | "request_too_large" => (413, Kind::Other),
            "unprocessable" => (422, Kind::Other),
            "rate_limit_exceeded" | "rate_limit_error" | "too_many_requests" => (429, Kind::Other),
            "server" | "unmapped" | "server_error" | "internal_error" | "api_error" => (500, Kind::Other),
            "provider_unavailable" => (502, Kind::Other),
            "provider_overloaded" | "overloaded" | "overloaded_error" => (503, Kind::Other),
            "timeout" => (504, Kind::Other),
            _ => return,
        };
        // The first word is the most exact one.
        // OpenAI's type is wide, its code narrow, so a kind may follow.
        self.status = self.status.or(Some(status));
        if self.kind == Kind::Other {
            self.kind = kind;
        }
    }
}

/// A status as a number or as its digits.
fn number(code: &Value) -> Option<u16> {
    let number = match code {
        Value::String(text) => text.trim().parse().ok()?,
        Value::Number(_) => u16::try_from(code.as_u64()?).ok()?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (400..600).contains(&number).then_some(number)
}

/// Neither absent nor null nor empty.
fn present(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}

/// A time since 1970 in milliseconds, or in seconds where that many milliseconds are before 1973.
fn instant(value: &Value) -> Option<SystemTime> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    let millis = if number < 100_000_000_000 {
        number.checked_mul(1_000)?
    } else {
        number
    };
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(error: Value, status: Option<u16>, kind: Kind) -> Complaint {
        let complaint = Complaint::read(&error);
        assert_eq!((complaint.status, &complaint.kind), (status, &kind), "{error}");
        complaint
    }

    #[test]
    fn reads_codes_of_any_type() {
        check(json!({"code": 429, "message": "x"}), Some(429), Kind::Other);
        check(json!({"code": "502"}), Some(502), Kind::Other);
        check(json!({"code": "rate_limit_exceeded"}), Some(429), Kind::Other);
        check(json!({"code": null, "http_status": 503}), Some(503), Kind::Other);
        check(json!({"code": 7}), None, Kind::Other);
        check(json!({"code": 1.5}), None, Kind::Other);
        check(json!("model 'x' not found"), None, Kind::Other);
        check(json!(null), None, Kind::Other);
        check(json!([1]), None, Kind::Other);
        check(
            json!({"code": {"deep": []}, "metadata": "odd", "availability": 3}),
            None,
            Kind::Other,
        );
    }

    #[test]
    fn reads_the_end_of_a_limit() {
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        for (reset, expected) in [
            (json!("1790000000000"), at(1_790_000_000)),
            (json!(1_790_000_000), at(1_790_000_000)),
            (json!("soon"), None),
            (json!(-1), None),
        ] {
            let error = json!({"code": 429, "metadata": {"headers": {"X-RateLimit-Reset": reset}}});
            assert_eq!(Complaint::read(&error).resets_at, expected, "{error}");
        }
    }

    #[test]
    fn reads_kinds() {
        check(
            json!({"code": 403, "metadata": {"reasons": ["violence"]}}),
            Some(403),
            Kind::Policy,
        );
        check(
            json!({"code": 403, "metadata": {"reasons": []}}),
            Some(403),
            Kind::Other,
        );
        check(
            json!({"code": 400, "metadata": {"error_type": "refusal"}}),
            Some(400),
            Kind::Policy,
        );
        check(
            json!({"type": "insufficient_quota", "code": "insufficient_quota"}),
            Some(402),
            Kind::Cause(E::NoCredit),
        );
        check(
            json!({"type": "invalid_request_error", "code": "model_not_found"}),
            Some(400),
            Kind::Cause(E::ModelUnavailable),
        );
        check(
            json!({"type": "invalid_request_error", "code": "invalid_api_key"}),
            Some(400),
            Kind::Cause(E::KeyRejected),
        );
        check(
            json!({"code": 400, "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}),
            Some(400),
            Kind::Cause(E::KeyRejected),
        );
        let upstream = check(
            json!({"code": 429, "metadata": {"provider_name": "Acme", "raw": "secret"}}),
            Some(429),
            Kind::Other,
        );
        assert!(upstream.upstream && !format!("{upstream:?}").contains("secret"));
    }

    #[test]
    fn reads_availability() {
        let gone = check(
            json!({"code": 404, "availability": {"code": "no_endpoints", "retryable": false}}),
            Some(404),
            Kind::Cause(E::ModelUnavailable),
        );
        assert_eq!(gone.retryable, Some(false));
        let busy = check(
            json!({"availability": {"code": "capacity_exhausted", "retryable": true, "retry_after": 2.5}}),
            Some(429),
            Kind::Other,
        );
        assert_eq!(busy.retry_after, Some(Duration::from_millis(2_500)));
        let odd = check(
            json!({"availability": {"code": "new", "retry_after": -1e300}}),
            None,
            Kind::Other,
        );
        assert_eq!(odd.retry_after, None);
    }
}

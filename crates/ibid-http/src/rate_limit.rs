//! What a rate limit leaves, as headers: the `RateLimit` fields of the IETF HTTPAPI draft
//! (draft-ietf-httpapi-ratelimit-headers).

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use ibid_service::LimitStatus;

/// Adds `RateLimit-Policy` and `RateLimit` where a limit applies.
pub(crate) fn report(headers: &mut HeaderMap, status: Option<LimitStatus>) {
    let Some(LimitStatus {
        quota,
        window,
        remaining,
        reset,
        at_once,
    }) = status
    else {
        return;
    };
    let policy = format!(
        r#""hour";q={quota};w={}, "concurrent";q={at_once};qu="requests""#,
        window.as_secs()
    );
    let left = format!(r#""hour";r={remaining};t={}"#, reset.as_secs());
    for (name, text) in [("ratelimit-policy", policy), ("ratelimit", left)] {
        if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(text)) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

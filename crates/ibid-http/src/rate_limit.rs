//! How much is left, as headers: the `RateLimit` fields of the IETF HTTPAPI draft
//! (draft-ietf-httpapi-ratelimit-headers).

use actix_web::HttpResponseBuilder;
use ibid_service::LimitStatus;

/// Adds `RateLimit-Policy` and `RateLimit`, when anything is counted.
pub(crate) fn report(response: &mut HttpResponseBuilder, status: Option<LimitStatus>) {
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
    response.insert_header(("RateLimit-Policy", policy));
    response.insert_header((
        "RateLimit",
        format!(r#""hour";r={remaining};t={}"#, reset.as_secs()),
    ));
}

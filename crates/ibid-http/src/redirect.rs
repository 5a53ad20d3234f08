//! Redirects after a form was sent.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, LOCATION};

/// Answers 303: the browser continues with GET at `path`. No cache stores the answer.
pub(crate) fn see_other(path: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, path))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .finish()
}

//! Pictures: PNGs of this server, for readers who may see the page that shows them.

use crate::conditional::is_known;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use sha2::{Digest as _, Sha256};

/// Answers with a PNG, or with 304 if the browser has it.
/// Caches must revalidate it, so a reader without the permission no longer gets it.
pub(super) fn picture(request: &HttpRequest, png: Bytes) -> HttpResponse {
    let digest = Sha256::digest(&png);
    let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{digest}\"");
    let known = is_known(request.headers(), &tag);
    let mut response = if known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((CACHE_CONTROL, "private, no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, ibid_web::CONTENT_SECURITY_POLICY))
        .insert_header((ETAG, tag))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    if known {
        return response.finish();
    }
    response.insert_header((CONTENT_TYPE, "image/png")).body(png)
}

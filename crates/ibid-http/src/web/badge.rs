//! `GET /badge/{token}.svg`: a project's badge, for other websites.

use crate::conditional::is_known;
use crate::problem::ApiError;
use crate::respond::X_ROBOTS_TAG;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_service::Service;
use ibid_web::Badge;
use ibid_web::time;
use sha2::{Digest as _, Sha256};

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// A badge that is switched off is gone everywhere an hour later.
const KEPT: &str = "public, max-age=3600";
/// The picture has a style of its own, and loads and runs nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

pub(crate) async fn show(
    token: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let numbers = service.projects.badge(&token).await?;
    let numbers = numbers.ok_or(ApiError::NoSuchPath)?;
    let svg = Badge {
        level: numbers.level.as_ref(),
        at: numbers.last_run_at.map(time),
        sandbox: service.is_sandbox(),
    }
    .draw();
    let digest = Sha256::digest(&svg);
    let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{digest}\"");
    let is_known = is_known(request.headers(), &tag);
    let mut response = match is_known {
        true => HttpResponse::NotModified(),
        false => HttpResponse::Ok(),
    };
    response
        .insert_header((CACHE_CONTROL, KEPT))
        .insert_header((ETAG, tag))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((RESOURCE_POLICY, "cross-origin"))
        .insert_header((X_ROBOTS_TAG, "noindex"));
    Ok(match is_known {
        true => response.finish(),
        false => response.insert_header((CONTENT_TYPE, "image/svg+xml")).body(svg),
    })
}

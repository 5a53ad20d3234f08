//! Helpers for routes and answers that several surfaces share.

use crate::problem::ApiError;
use actix_web::http::header::HeaderValue;
use actix_web::{HttpResponse, Resource, Route, guard, web};

/// Mounts one path with one method; any other method is answered 405 with `Allow`.
pub(crate) fn resource(path: &str, allowed: &'static str, route: Route) -> Resource {
    web::resource(path)
        .route(route)
        .default_service(web::to(move || async move {
            Err::<HttpResponse, _>(ApiError::Method(allowed))
        }))
}

/// A route for GET and HEAD.
pub(crate) fn reading() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// A route for POST.
pub(crate) fn posting() -> Route {
    web::post()
}

/// The media type of JSON answers.
pub(crate) const fn json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

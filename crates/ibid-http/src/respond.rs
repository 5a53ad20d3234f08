//! Helpers for routes and answers that several surfaces share.

use crate::problem::ApiError;
use actix_web::http::header::HeaderValue;
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder, Route, guard, web};
use ibid_model::contract;
use ibid_model::contract::route::Method;

/// Mounts one path with one method; any other method is answered 405 with `Allow`.
pub(crate) fn resource(path: &str, allowed: &'static str, route: Route) -> Resource {
    web::resource(path)
        .route(route)
        .default_service(web::to(move || async move {
            Err::<HttpResponse, _>(ApiError::Method(allowed))
        }))
}

/// Mounts the handler of a route of the contract; any other method is answered 405 with `Allow`.
pub(crate) fn handle<F, Args>(route: &'static contract::Route, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let methods = match route.method {
        Method::Get => reading(),
        Method::Post => posting(),
    };
    resource(route.path, route.method.allow(), methods.to(handler))
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

//! Helpers for routes and answers that several surfaces share.

use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, HeaderName, HeaderValue, LOCATION};
use actix_web::{
    FromRequest, Handler, HttpResponse, HttpResponseBuilder, Resource, Responder, Route, guard, web,
};
use ibid_model::contract;
use ibid_model::contract::route::Method;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What most handlers return.
pub(crate) type Answer = Result<HttpResponse, ApiError>;

// A time in a reply. A doc comment would describe every member that has one.
#[derive(Serialize, JsonSchema)]
#[schemars(inline, extend("format" = "date-time"))]
pub(crate) struct At(String);

impl At {
    /// Reads the milliseconds of a record.
    pub(crate) fn of(millis: i64) -> Self {
        Self(ibid_model::time::text(
            Timestamp::from_millisecond(millis).unwrap_or_default(),
        ))
    }
}

/// Answers one caller with JSON.
pub(crate) fn private(status: StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(body)
}

/// Tells search engines what not to list.
/// Begins a file that a browser saves under its name. No cache keeps it.
pub(crate) fn attachment(kind: &'static str, name: &str) -> HttpResponseBuilder {
    let mut head = HttpResponse::Ok();
    head.content_type(kind)
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")));
    head
}

/// Answers with what was made, and where it is.
pub(crate) fn created(path: String, body: &impl Serialize) -> HttpResponse {
    HttpResponse::Created()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((LOCATION, path))
        .json(body)
}

pub(crate) const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Mounts one path with one method; any other method is answered 405 with `Allow`.
pub(crate) fn resource(path: &str, allowed: &'static str, route: Route) -> Resource {
    web::resource(path)
        .route(route)
        .default_service(web::to(move || async move {
            Err::<HttpResponse, _>(ApiError::Method(allowed.into()))
        }))
}

/// Mounts a route's handler; any other method is answered 405 with `Allow`.
pub(crate) fn handle<F, Args>(route: &'static contract::Route, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    SamePath::of(route, handler).resource()
}

/// Routes that share a path, with their handlers.
pub(crate) struct SamePath {
    path: &'static str,
    allowed: String,
    routes: Vec<Route>,
}

impl SamePath {
    pub(crate) fn of<F, Args>(route: &'static contract::Route, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        Self {
            path: route.path,
            allowed: route.method.allow().to_owned(),
            routes: vec![method(route, handler)],
        }
    }

    /// The same path with another route.
    pub(crate) fn and<F, Args>(mut self, route: &'static contract::Route, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.allowed = format!("{}, {}", self.allowed, route.method.allow());
        self.routes.push(method(route, handler));
        self
    }

    /// Mounts the path; any other method is answered 405 with `Allow`.
    pub(crate) fn resource(self) -> Resource {
        let allowed = self.allowed;
        let other = web::to(move || {
            let allowed = allowed.clone();
            async move { Err::<HttpResponse, _>(ApiError::Method(allowed.into())) }
        });
        let resource = web::resource(self.path).default_service(other);
        self.routes.into_iter().fold(resource, Resource::route)
    }
}

fn method<F, Args>(route: &'static contract::Route, handler: F) -> Route
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let methods = match route.method {
        Method::Get => reading(),
        Method::Post => posting(),
        Method::Put => web::put(),
        Method::Patch => web::patch(),
        Method::Delete => web::delete(),
    };
    methods.to(handler)
}

/// A route for GET and HEAD.
pub(crate) fn reading() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

pub(crate) fn posting() -> Route {
    web::post()
}

pub(crate) const fn json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

//! Which path leads where.

use crate::a2a::catalogue::{Catalogue, listings};
use crate::config::HttpConfig;
use crate::cors::cors;
use crate::frame::frame;
use crate::problem::ApiError;
use crate::{a2a, health, openapi, v1};
use actix_web::http::Method;
use actix_web::http::header::HeaderValue;
use actix_web::middleware::{Condition, from_fn};
use actix_web::{HttpResponse, Resource, Route, guard, web};
use ibid_service::Service;
use std::sync::Arc;

/// Mounts every surface into an actix application.
///
/// Start the application with `HttpServer::h1_allow_half_closed(false)`: only then does a client that hangs up
/// cancel the scan it was paying for.
pub fn routes(service: Service, config: HttpConfig) -> impl FnOnce(&mut web::ServiceConfig) + Clone {
    let catalogue = web::Data::new(Catalogue::new(&config.base_url, &service.catalog()));
    let tasks = web::Data::new(service.tasks(Arc::new(listings(&config.base_url))));
    let card = web::Data::new(a2a::card::Card::new(&service, &config.base_url));
    let other_origins = config.cors_origins.any();
    move |app: &mut web::ServiceConfig| {
        app.app_data(catalogue).app_data(tasks).app_data(card);
        app.app_data(web::Data::new(service))
            .app_data(web::Data::new(config))
            .service(
                web::scope("")
                    .wrap(Condition::new(other_origins, from_fn(cors)))
                    .wrap(from_fn(frame))
                    // Paths are tried in turn, and those with an id in them cost more than the plain ones.
                    .service(resource(
                        "/api/a2a/jsonrpc",
                        "POST",
                        posting().to(a2a::jsonrpc::call),
                    ))
                    .service(resource("/healthz", "GET, HEAD", reading().to(health::healthz)))
                    .service(resource("/api/v1/scan", "POST", posting().to(v1::scan::create)))
                    .service(resource(
                        "/api/v1/models",
                        "GET, HEAD",
                        reading().to(v1::models::list),
                    ))
                    .service(resource(
                        "/api/v1/scan/{id}",
                        "GET, HEAD",
                        reading().to(v1::scan::read),
                    ))
                    .service(resource(
                        "/api/v1/scan/{id}/answers",
                        "GET, HEAD",
                        reading().to(v1::scan::answers),
                    ))
                    .service(resource(
                        "/api/v1/scan/{id}/rescored",
                        "GET, HEAD",
                        reading().to(v1::scan::rescored),
                    ))
                    .service(resource(
                        "/api/v1/scan/{id}/compare/{other}",
                        "GET, HEAD",
                        reading().to(v1::scan::compare),
                    ))
                    .service(resource("/api/a2a/scan", "POST", posting().to(a2a::paid::scan)))
                    .service(resource(
                        "/api/a2a/radius",
                        "POST",
                        posting().to(a2a::paid::radius),
                    ))
                    .service(resource("/api/a2a/full", "POST", posting().to(a2a::paid::full)))
                    .service(resource("/api/a2a/audit", "POST", posting().to(a2a::paid::audit)))
                    .service(resource(
                        "/api/a2a/watch",
                        "POST",
                        posting().to(a2a::watch::watch),
                    ))
                    .service(resource(
                        "/api/a2a/my-receipts",
                        "POST",
                        posting().to(a2a::receipts::list),
                    ))
                    .service(resource(
                        "/api/a2a/scan/{id}",
                        "GET, HEAD",
                        reading().to(a2a::paid::read),
                    ))
                    .configure(a2a::card::mount)
                    .service(resource(
                        "/openapi.json",
                        "GET, HEAD",
                        reading().to(openapi::serve),
                    ))
                    .service(resource("/readyz", "GET, HEAD", reading().to(health::readyz)))
                    .configure(crate::app::mount)
                    .configure(crate::web::mount)
                    .default_service(web::to(no_such_path)),
            );
    }
}

/// One path with one method; any other is answered 405 with `Allow`.
pub(crate) fn resource(path: &str, allowed: &'static str, route: Route) -> Resource {
    web::resource(path)
        .route(route)
        .default_service(web::to(move || async move {
            Err::<HttpResponse, _>(ApiError::Method(allowed))
        }))
}

/// GET and, as every path that takes it, HEAD.
pub(crate) fn reading() -> Route {
    taking([Method::GET, Method::HEAD])
}

/// POST.
pub(crate) fn posting() -> Route {
    taking([Method::POST])
}

/// The guards of the library would note in every request which methods they let pass, for an answer that [`resource`]
/// gives itself.
fn taking<const N: usize>(methods: [Method; N]) -> Route {
    web::route().guard(guard::fn_guard(move |context| {
        methods.contains(&context.head().method)
    }))
}

/// The type of most answers, which need not be written anew for each.
pub(crate) const fn json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

async fn no_such_path() -> Result<HttpResponse, ApiError> {
    Err(ApiError::NoSuchPath)
}

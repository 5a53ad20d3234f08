//! The application: every surface with what it shares.

use crate::a2a::listings::{RouteListings, listings};
use crate::config::HttpConfig;
use crate::cors::cors;
use crate::middleware::handle;
use crate::problem::ApiError;
use crate::public_documents::PublicDocuments;
use crate::{a2a, health, mcp, openapi, v1, v2};
use actix_web::middleware::{Condition, from_fn};
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::CALL_AGENT;
use ibid_service::Service;
use std::sync::Arc;

/// Mounts every surface into an actix application.
///
/// [`serve`](crate::serve()) is its server. Another server has two limitations.
/// Clients that do not read their answers take unbounded memory.
/// Without `HttpServer::h1_allow_half_closed(false)`, a client that hangs up does not cancel the scan it pays for.
pub fn routes(service: Service, config: HttpConfig) -> impl FnOnce(&mut web::ServiceConfig) + Clone {
    let offers = web::Data::new(RouteListings::new(&config.base_url, &service.planner.catalog()));
    let tasks = web::Data::new(service.tasks(Arc::new(listings(&config.base_url, CALL_AGENT.path))));
    let card = web::Data::new(a2a::card::Card::new(&service, &config));
    let agents = web::Data::new(mcp::endpoint(&service, &config));
    let documents = web::Data::new(PublicDocuments::default());
    let other_origins = config.cors_origins.any();
    move |app: &mut web::ServiceConfig| {
        app.app_data(offers)
            .app_data(tasks)
            .app_data(card)
            .app_data(agents)
            .app_data(documents);
        let health_only = config.health_only;
        app.app_data(web::Data::new(service))
            .app_data(web::Data::new(config));
        let scope = web::scope("")
            .wrap(Condition::new(other_origins, from_fn(cors)))
            .wrap(from_fn(handle))
            .configure(health::mount);
        let scope = match health_only {
            true => scope,
            false => scope.configure(surfaces),
        };
        app.service(scope.default_service(web::to(no_such_path)));
    }
}

fn surfaces(app: &mut web::ServiceConfig) {
    app.configure(a2a::jsonrpc::mount)
        .configure(a2a::http::mount)
        .configure(v1::scan::mount)
        .configure(v1::plan::mount)
        .configure(v1::models::mount)
        .configure(v2::mount)
        .configure(crate::feed::mount)
        .configure(a2a::paid::mount)
        .configure(a2a::watch::mount)
        .configure(a2a::receipts::mount)
        .configure(a2a::resources::mount)
        .configure(a2a::card::mount)
        .configure(mcp::mount)
        .configure(openapi::mount)
        .configure(crate::app::scan::mount)
        .configure(crate::app::plan::mount)
        .configure(crate::web::mount);
}

async fn no_such_path() -> Result<HttpResponse, ApiError> {
    Err(ApiError::NoSuchPath)
}

//! Health checks: whether the process is alive, and whether it can handle requests.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use crate::respond::handle;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{READ_HEALTH, READ_READINESS};
use ibid_service::Service;

/// Mounts the routes.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&READ_HEALTH, healthz))
        .service(handle(&READ_READINESS, readyz));
}

/// `GET /healthz`: the process is running.
async fn healthz() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body("ok\n")
}

/// `GET /readyz`: the server can handle requests.
/// It is not about to stop, the store has written and read a row, and the model router has answered recently.
async fn readyz(
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    if config.shutdown.is_announced() {
        return Err(ApiError::NotReady);
    }
    match service.store_readiness().await.fault {
        None if !service.router_reachable() => {
            tracing::warn!(cause = "the model router does not answer", "server.not_ready");
            Err(ApiError::NotReady)
        }
        None => Ok(HttpResponse::Ok()
            .content_type("text/plain; charset=utf-8")
            .body("ready\n")),
        Some(error) => {
            tracing::warn!(error, "server.not_ready");
            Err(ApiError::NotReady)
        }
    }
}

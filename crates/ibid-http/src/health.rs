//! Is the process alive, can it take requests.

use crate::problem::ApiError;
use actix_web::{HttpResponse, web};
use ibid_service::Service;

/// `GET /healthz`: the process runs.
pub(crate) async fn healthz() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body("ok\n")
}

/// `GET /readyz`: the store can be read and written, and the model router answered lately.
pub(crate) async fn readyz(service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    match service.ready().await {
        Ok(()) if !service.router_reachable() => {
            tracing::warn!("not ready: the model router has not answered lately");
            Err(ApiError::NotReady)
        }
        Ok(()) => Ok(HttpResponse::Ok()
            .content_type("text/plain; charset=utf-8")
            .body("ready\n")),
        Err(error) => {
            tracing::warn!(error = %error, "not ready");
            Err(ApiError::NotReady)
        }
    }
}

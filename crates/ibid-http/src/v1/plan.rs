//! `POST /api/v1/plan`: a dry run of a scan. It asks no model, needs no provider key and is not counted.

use crate::extract::{ApiCaller, AuthenticatedThen, OrderObject};
use crate::problem::ApiError;
use crate::respond::handle;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use ibid_model::ScanForm;
use ibid_model::contract::field::ROUTER_API_KEY;
use ibid_model::contract::routes::PLAN_V1_SCAN;
use ibid_service::Service;

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&PLAN_V1_SCAN, plan));
}

/// Returns every question with the cost of all of them.
async fn plan(
    AuthenticatedThen(caller, OrderObject(mut body)): AuthenticatedThen<ApiCaller, OrderObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    body.remove(ROUTER_API_KEY.name);
    let plan = service
        .questions
        .plan(caller.id(), &mut body, ScanForm::Byok, false)
        .await?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(plan.report()))
}

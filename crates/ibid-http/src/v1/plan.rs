//! `POST /api/v1/plan`: a dry run of a scan. It asks no model, needs no provider key and is not counted.

use crate::extract::{ApiCaller, AuthenticatedThen, OrderObject};
use crate::problem::ApiError;
use crate::respond::{handle, private};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::ScanForm;
use ibid_model::contract::field::ROUTER_API_KEY;
use ibid_model::contract::routes::PLAN_V1_SCAN;
use ibid_service::Service;

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&PLAN_V1_SCAN, plan));
}

/// Returns every question, and what all of them cost.
async fn plan(
    AuthenticatedThen(caller, OrderObject(mut body)): AuthenticatedThen<ApiCaller, OrderObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    body.remove(ROUTER_API_KEY.name);
    let plan = service
        .questions
        .plan(caller.id(), &mut body, ScanForm::Byok, false)
        .await?;
    Ok(private(StatusCode::OK, &plan.report()))
}

//! `GET /api/v1/models`: the alias table.

use actix_web::{HttpResponse, web};
use ibid_model::ModelAlias;
use ibid_service::Service;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Models<'a> {
    byok: Vec<Entry<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    id: &'a ModelAlias,
    name: &'a str,
    model: &'a str,
    cost_per_query: f64,
}

pub(crate) async fn list(service: web::Data<Service>) -> HttpResponse {
    let (catalog, web_search) = (service.catalog(), service.web_search());
    let byok = catalog
        .models()
        .iter()
        .map(|model| Entry {
            id: &model.alias,
            name: &model.name,
            model: model.first_candidate(),
            cost_per_query: model.cost_per_question(web_search).dollars(),
        })
        .collect();
    HttpResponse::Ok().json(Models { byok })
}

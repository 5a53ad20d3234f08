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

/// Lists the aliases, each with the first model that the router offers for it.
pub(crate) async fn list(service: web::Data<Service>) -> HttpResponse {
    let catalog = service.catalog();
    let entries = catalog.models().iter().map(|model| Entry {
        id: &model.alias,
        name: &model.name,
        model: model.first_candidate(),
        cost_per_query: model.cost_per_question(service.web_search()).dollars(),
    });
    HttpResponse::Ok().json(Models {
        byok: entries.collect(),
    })
}

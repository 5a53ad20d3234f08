//! `GET /api/v1/models`: the alias table.

use crate::respond::handle;
use actix_web::{HttpResponse, web};
use ibid_model::ModelAlias;
use ibid_model::contract::routes::LIST_MODELS;
use ibid_service::Service;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Models<'a> {
    byok: Vec<Entry<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Entry<'a> {
    /// The alias, usable in `models`.
    id: &'a ModelAlias,
    name: &'a str,
    /// Resolved model identifier at the provider.
    model: &'a str,
    /// Estimated cost per question, in US dollars.
    cost_per_query: f64,
}

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&LIST_MODELS, list));
}

/// Lists the aliases, each with the first model that the router offers for it.
async fn list(service: web::Data<Service>) -> HttpResponse {
    let catalog = service.planner.catalog();
    let entries = catalog.models().iter().map(|model| Entry {
        id: &model.alias,
        name: &model.name,
        model: model.first_candidate(),
        cost_per_query: model.cost_per_question(service.planner.web_search()).dollars(),
    });
    HttpResponse::Ok().json(Models {
        byok: entries.collect(),
    })
}

//! `GET /.well-known/x402`: the addresses of products that are sold and can be delivered, for catalogues.

use super::listings::absolute;
use crate::config::HttpConfig;
use crate::respond::handle;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use ibid_model::Skill;
use ibid_model::contract::routes::READ_PAID_RESOURCES;
use ibid_model::contract::{Access, ROUTES};
use ibid_service::Service;
use serde_json::json;

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&READ_PAID_RESOURCES, read));
}

async fn read(config: web::Data<HttpConfig>, service: web::Data<Service>) -> HttpResponse {
    let can_be_had = |skill: Skill| service.shop.offering().has(skill);
    let routes = ROUTES
        .iter()
        .filter(|route| route.access == Access::Payment && route.skill.is_some_and(can_be_had));
    let resources: Vec<String> = routes
        .map(|route| absolute(&config.base_url, route.path).to_string())
        .collect();
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .json(json!({"version": 1, "resources": resources}))
}

//! `GET /api/v1/models`: the alias table.

use crate::problem::ApiError;
use crate::respond::json;
use actix_web::{HttpResponse, web};
use ibid_model::{Catalog, ModelAlias};
use ibid_service::{Error, Service};
use serde::Serialize;
use std::cell::RefCell;
use std::sync::Arc;

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

thread_local! {
    /// The page as this worker last rendered it, and the table it shows: tables change every few hours at most.
    static RENDERED: RefCell<Option<(Arc<Catalog>, web::Bytes)>> = const { RefCell::new(None) };
}

pub(crate) async fn list(service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let catalog = service.catalog();
    let kept = RENDERED.with_borrow(|rendered| {
        let current = rendered
            .as_ref()
            .filter(|(shown, _)| Arc::ptr_eq(shown, &catalog));
        current.map(|(_, page)| page.clone())
    });
    let page = match kept {
        Some(page) => page,
        None => {
            let page = web::Bytes::from(render(&catalog, service.web_search()).map_err(Error::from)?);
            RENDERED.set(Some((catalog, page.clone())));
            page
        }
    };
    Ok(HttpResponse::Ok().content_type(json()).body(page))
}

fn render(catalog: &Catalog, web_search: bool) -> serde_json::Result<Vec<u8>> {
    let entries = catalog.models().iter().map(|model| Entry {
        id: &model.alias,
        name: &model.name,
        model: model.first_candidate(),
        cost_per_query: model.cost_per_question(web_search).dollars(),
    });
    serde_json::to_vec(&Models {
        byok: entries.collect(),
    })
}

//! `/openapi.json`: the API described by the code that serves it.
//!
//! Schemas come from the types (OpenAPI 3.1 uses JSON Schema 2020-12, which is what they derive); paths are listed
//! here, and a test asks the running service for each of them.

mod agents;
mod app;
mod paid;
mod schemas;
mod v1;

pub(crate) use schemas::paid_bodies;

use crate::config::HttpConfig;
use crate::extract::SessionCookie;
use actix_web::{HttpResponse, web};
use ibid_model::Catalog;
use ibid_service::Service;
use serde_json::{Value, json};
use url::Url;

/// The whole document for a service reached at `base_url` that knows the models of `catalog`.
#[must_use]
pub fn document(base_url: &Url, catalog: &Catalog) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "ibid",
            "summary": "Measures whether, how prominently and how far around a place AI answers cite a website.",
            "description": "Scans are synchronous and paid by the caller's own provider key (BYOK). \
                Errors are RFC 9457 problem documents with a stable `code`.",
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
        },
        "servers": [{"url": base_url.as_str().trim_end_matches('/')}],
        "tags": [
            {"name": "v1", "description": "Bearer-authenticated REST API"},
            {"name": "a2a", "description": "Paid by the call with x402, versions 1 and 2, over REST or over JSON-RPC (A2A 0.2 and 0.3)"},
            {"name": "app", "description": "The workspace, for whoever is signed in"},
            {"name": "operations", "description": "For whoever runs the service"}
        ],
        "paths": paths(),
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "The key the server was configured with."},
                "session": app::session_scheme(SessionCookie::of(base_url).name())
            },
            "schemas": schemas::schemas(catalog)
        }
    })
}

/// The paths of all surfaces.
fn paths() -> Value {
    let mut all = v1::paths();
    for more in [paid::paths(), agents::paths(), app::paths()] {
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
    }
    all
}

/// Serves the document.
pub(crate) async fn serve(config: web::Data<HttpConfig>, service: web::Data<Service>) -> HttpResponse {
    HttpResponse::Ok().json(document(&config.base_url, &service.catalog()))
}

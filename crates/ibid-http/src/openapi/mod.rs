//! `/openapi.json`: the API described by the code that serves it.
//!
//! Paths and request bodies are rows of [`ibid_model::contract`], results derive their schemas. A test asks the running
//! service for every path.
//! No derive describes the requests, because they are parsed member by member to report every fault.

mod paths;
mod refine;
mod schemas;
mod webhooks;

use crate::config::HttpConfig;
use crate::extract::SessionCookie;
use crate::problem::ApiError;
use crate::public_documents::PublicDocuments;
use crate::respond::{handle, json as json_type};
use crate::web::Browser;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_model::contract::routes::READ_OPENAPI;
use ibid_model::{Catalog, Offering};
use ibid_service::Service;
use serde_json::{Value, json};
use url::Url;

/// The whole document for a service reached at `base_url` that knows the models of `catalog` and sells `sold`.
pub fn document(base_url: &Url, catalog: &Catalog, sold: Offering) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "ibid",
            "summary": "Measures whether, how prominently and how far around a place AI answers cite a website.",
            "description": "Scans of v1 are synchronous, those of v2 are queued; the caller's own provider key (BYOK) pays both. \
                Errors are RFC 9457 problem documents with a stable `code`.",
            "version": env!("CARGO_PKG_VERSION"),
            "contact": {"name": "The operator of this server", "url": base_url.as_str()},
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
        },
        "servers": [{"url": base_url.as_str().trim_end_matches('/')}],
        "tags": [
            {"name": "v1", "description": "Bearer-authenticated REST API"},
            {"name": "v2", "description": "Queued scans of the same bearer-authenticated API"},
            {"name": "a2a", "description": "Paid by the call with x402, versions 1 and 2, over REST or over JSON-RPC (A2A 0.2, 0.3 and 1.0)"},
            {"name": "mcp", "description": "The Model Context Protocol, for agents and the programs that host them"},
            {"name": "app", "description": "The workspace, for accounts with a session"},
            {"name": "operations", "description": "For the operator of the service"}
        ],
        "paths": paths::paths(sold),
        "webhooks": webhooks::webhooks(),
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "The key the server was configured with."},
                "session": {"type": "apiKey", "in": "cookie", "name": SessionCookie::of(base_url).name(),
                    "description": "The session of the workspace, from `/sign-in`."}
            },
            "schemas": schemas::schemas(catalog)
        }
    })
}

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&READ_OPENAPI, serve));
}

async fn serve(
    request: HttpRequest,
    config: web::Data<HttpConfig>,
    service: web::Data<Service>,
    documents: web::Data<PublicDocuments>,
) -> Result<HttpResponse, ApiError> {
    let frame = Browser::of(&request);
    let rendered = documents.current(&service, &config, &frame.anonymous())?;
    let mut head = HttpResponse::Ok();
    head.content_type(json_type())
        .insert_header((CACHE_CONTROL, "public, max-age=300"));
    Ok(rendered.openapi.answer(&request, head))
}

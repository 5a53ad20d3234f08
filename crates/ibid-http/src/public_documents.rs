//! Public documents that follow from the alias table: rendered once for each table instead of for each request.

use crate::conditional::Prepared;
use crate::config::HttpConfig;
use crate::openapi;
use crate::problem::ApiError;
use ibid_model::{Catalog, Offering};
use ibid_service::Service;
use ibid_web::Frame;
use ibid_web::pages::{self, DocsPage, ModelChoice};
use std::sync::{Arc, Mutex, PoisonError};

/// Documents for the current alias table.
#[derive(Debug, Default)]
pub(crate) struct PublicDocuments(Mutex<Option<Arc<Rendered>>>);

/// Rendered documents, with the data that they follow from.
#[derive(Debug)]
pub(crate) struct Rendered {
    catalog: Arc<Catalog>,
    sold: Offering,
    /// `/openapi.json`.
    pub(crate) openapi: Prepared,
    /// `/docs`, for readers that are not signed in.
    pub(crate) docs: Prepared,
    /// `/docs/schemas`, for readers that are not signed in.
    pub(crate) schemas: Prepared,
}

impl PublicDocuments {
    /// Returns the documents of the current table. The first request after a change renders them, and others wait for it.
    pub(crate) fn current(
        &self,
        service: &Service,
        config: &HttpConfig,
        frame: &Frame<'_>,
    ) -> Result<Arc<Rendered>, ApiError> {
        let (catalog, sold) = (service.planner.catalog(), service.shop.offering());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rendered) = kept.as_ref()
            && Arc::ptr_eq(&rendered.catalog, &catalog)
            && rendered.sold == sold
        {
            return Ok(Arc::clone(rendered));
        }
        let document = openapi::document(&config.base_url, &catalog, sold);
        let rendered = Arc::new(Rendered {
            openapi: Prepared::new(document.to_string()),
            docs: Prepared::new(docs(service, &catalog, &document, frame)?),
            schemas: Prepared::new(pages::docs_schemas(frame, &document)?),
            catalog,
            sold,
        });
        *kept = Some(Arc::clone(&rendered));
        Ok(rendered)
    }
}

/// Renders `/docs`.
pub(crate) fn docs(
    service: &Service,
    catalog: &Catalog,
    openapi: &serde_json::Value,
    frame: &Frame<'_>,
) -> Result<String, ApiError> {
    let network = service.shop.network().map(|network| network.to_string());
    let page = DocsPage {
        openapi,
        models: &choices(catalog, service),
        sold: service.shop.offering(),
        network: network.as_deref(),
    };
    Ok(pages::docs(frame, &page)?)
}

/// Returns the alias table for pages.
pub(crate) fn choices<'a>(catalog: &'a Catalog, service: &Service) -> Vec<ModelChoice<'a>> {
    let models = catalog.models().iter();
    models
        .map(|model| ModelChoice::of(model, None, service.planner.web_search()))
        .collect()
}

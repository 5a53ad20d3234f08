//! Orders of callers: read, planned and estimated.

use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::Job;
use crate::page::PageOrder;
use ibid_engine::plan::Plan;
use ibid_model::result::{LocationReport, PlaceQuestion};
use ibid_model::{Catalog, Domain, LocationText, Product, ScanDraft, ScanForm};
use serde_json::{Map, Value};
use std::sync::Arc;

impl Scans {
    /// Plans a draft: its questions, their number and their price.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, an unknown place among them; [`Error::UnknownPlace`] if it is the
    /// only fault; [`Error::PlanTooLarge`]; [`Error::Overloaded`] when too many places are being looked up.
    pub async fn plan(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<Plan, Error> {
        self.planner.plan(draft, form).await
    }

    /// Plans the body of a purchase.
    /// Members that the buyer left out are fitted to the price.
    pub async fn job(&self, product: Product, body: &Map<String, Value>) -> Result<Job, Error> {
        self.planner
            .job(product, body, self.sales()?.settings.orders())
            .await
    }

    /// Plans the free question: one question to the first model of the alias table.
    pub async fn plan_demo(&self, domain: &str, keyword: &str) -> Result<Plan, Error> {
        self.planner.plan_demo(domain, keyword).await
    }

    /// The plan of a product's default order, with a place.
    pub fn default_plan(&self, product: Product) -> Result<Plan, Error> {
        let orders = self.sales()?.settings.orders();
        self.planner.default_plan(product, orders)
    }

    /// Looks a place up: its interpretation, and the question to ask back for an ambiguous text.
    pub async fn locate(&self, text: LocationText) -> Result<(LocationReport, Option<PlaceQuestion>), Error> {
        self.planner.locate(text).await
    }

    /// The place that a text means, in words, or `None` for an unknown place.
    pub async fn place_of(&self, text: LocationText) -> Result<Option<String>, Error> {
        self.planner.place_of(text).await
    }

    /// Reads the page to audit: `url` or `html`.
    /// A bundle without either audits the front page of its domain.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for an address that must not be fetched; [`Error::AuditsDisabled`].
    pub fn page(&self, body: &Map<String, Value>, domain: Option<&Domain>) -> Result<PageOrder, Error> {
        self.planner.page(body, domain)
    }

    /// The current alias table.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.planner.catalog()
    }

    /// Replaces the alias table, after the model list of the router was read.
    pub fn set_catalog(&self, catalog: Catalog) {
        self.planner.set_catalog(catalog);
    }

    /// Whether web search is on. Prices depend on it.
    pub fn web_search(&self) -> bool {
        self.planner.web_search()
    }

    /// Whether pages are audited.
    pub fn audits(&self) -> bool {
        self.planner.audits()
    }
}

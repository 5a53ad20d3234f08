//! Planning: from a caller's draft to a job with a known size and price, before any question or payment.

use crate::bounded_planning::{BoundedPlanning, PlanBounds};
use crate::error::Error;
use crate::job::Job;
use crate::page::{PageOrder, Pages};
use crate::paid::SoldOrders;
use ibid_audit::PageSubject;
use ibid_engine::plan::{Located, Plan, PlanOptions};
use ibid_model::result::{AuditReport, LocationReport, PlaceQuestion};
use ibid_model::{Catalog, Domain, FaultCode, LocationText, Product, ScanDraft, ScanForm, UsdMicros};
use serde_json::{Map, Value, json};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::runtime::Handle;

/// Plans jobs. Owns the alias table and the settings of plans.
pub(crate) struct Planner {
    catalog: RwLock<Arc<Catalog>>,
    options: PlanOptions,
    pages: Option<Pages>,
    room: BoundedPlanning,
}

impl Planner {
    /// Plans are made on `runtime`.
    pub(crate) fn new(catalog: Catalog, options: PlanOptions, pages: Option<Pages>, runtime: Handle) -> Self {
        Self {
            catalog: RwLock::new(Arc::new(catalog)),
            options,
            pages,
            room: BoundedPlanning::new(runtime),
        }
    }

    /// The current alias table.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set_catalog(&self, catalog: Catalog) {
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }

    /// Whether web search is on.
    pub(crate) const fn web_search(&self) -> bool {
        self.options.web_search
    }

    /// Whether pages are audited.
    pub(crate) const fn audits(&self) -> bool {
        self.pages.is_some()
    }

    pub(crate) async fn plan(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<Plan, Error> {
        self.plan_within(draft, form, PlanBounds::None).await
    }

    /// Plans the body of a purchase, fitted to its price.
    pub(crate) async fn job(
        &self,
        product: Product,
        body: &Map<String, Value>,
        orders: SoldOrders<'_>,
    ) -> Result<Job, Error> {
        let Some(form) = product.form() else {
            return Ok(Job::Audit(self.page(body, None)?));
        };
        let draft = ScanDraft(body);
        let fit = orders.fit(product, draft, &self.catalog(), self.options);
        let plan = Box::new(self.plan_within(draft, form, PlanBounds::Price(fit)).await?);
        if product.skill().row().takes_page() {
            let page = self.page(body, Some(plan.order().domain()))?;
            return Ok(Job::Full(plan, page));
        }
        Ok(Job::Scan(product, plan))
    }

    /// Plans an order within bounds.
    pub(crate) async fn plan_within(
        &self,
        draft: ScanDraft<'_>,
        form: ScanForm,
        bounds: PlanBounds,
    ) -> Result<Plan, Error> {
        match draft.parse(&self.catalog(), form) {
            Ok(order) => {
                let plan = self.room.plan(order, self.options, bounds).await?;
                Ok(plan.noted(draft.misspelt()))
            }
            Err(mut faults) => {
                // The place is still looked up: the caller gets all faults in one answer.
                if let Some(text) = draft.location()
                    && let Err(error) = self.room.locate(text).await?
                {
                    faults.push("/location", FaultCode::LocationNotFound, error.to_string());
                }
                Err(Error::Invalid(faults))
            }
        }
    }

    /// The estimated cost of a product's default order, with a place; zero for a product without models.
    pub(crate) fn default_estimate(
        &self,
        product: Product,
        orders: SoldOrders<'_>,
    ) -> Result<UsdMicros, Error> {
        orders.default_estimate(product, &self.catalog(), self.options)
    }

    /// Looks a place up, with the question to ask back for an ambiguous text.
    pub(crate) async fn locate(
        &self,
        text: LocationText,
    ) -> Result<(LocationReport, Option<PlaceQuestion>), Error> {
        let located = self.room.locate(text).await??;
        Ok((located.report(), located.question()))
    }

    /// Looks a place up.
    pub(crate) async fn located(&self, text: LocationText) -> Result<Located, Error> {
        Ok(self.room.locate(text).await??)
    }

    /// Runs a computation off the threads of connections.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.room.compute(work).await
    }

    /// The place that a text means, in words, or `None` for an unknown place.
    pub(crate) async fn place_of(&self, text: LocationText) -> Result<Option<String>, Error> {
        let located = self.room.locate(text).await?;
        Ok(located.ok().map(|located| located.spoken()))
    }

    /// Plans the free question: one question to the first model of the table.
    pub(crate) async fn plan_demo(&self, domain: &str, keyword: &str) -> Result<Plan, Error> {
        let catalog = self.catalog();
        let alias = catalog.models().first().map_or("", |model| model.alias.as_str());
        let draft = demo_draft(domain, keyword, alias);
        self.plan(ScanDraft(&draft), ScanForm::Scan).await
    }

    /// Audits the page of a look, and reads what it says about its owner.
    pub(crate) async fn look(&self, page: &PageOrder) -> Result<(AuditReport, PageSubject), Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        pages.look(page).await
    }

    pub(crate) fn page(
        &self,
        body: &Map<String, Value>,
        domain: Option<&Domain>,
    ) -> Result<PageOrder, Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        PageOrder::read(body, domain, pages).map_err(Error::Invalid)
    }
}

/// The order of the free question.
fn demo_draft(domain: &str, keyword: &str, alias: &str) -> Map<String, Value> {
    let members = [
        ("domain", json!(domain)),
        ("keyword", json!(keyword)),
        ("models", json!([alias])),
        ("questionsPerModel", json!(1)),
        ("rings", json!([])),
    ];
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

//! Planning: from the draft of a caller to a job with a known size and price. Nothing is asked or paid here.

use crate::plan_room::PlanRoom;
use crate::{Error, Job, PageOrder, Pages};
use ibid_engine::plan::{Plan, PlanOptions};
use ibid_model::result::{LocationReport, PlaceQuestion};
use ibid_model::{Catalog, Domain, FaultCode, LocationText, Product, ScanDraft, ScanForm, UsdMicros};
use serde_json::{Map, Value, json};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::runtime::Handle;

/// Plans jobs. Owns the alias table and the settings of plans.
pub(crate) struct Planner {
    catalog: RwLock<Arc<Catalog>>,
    options: PlanOptions,
    pages: Option<Pages>,
    room: PlanRoom,
}

impl Planner {
    /// Plans are made on `runtime`.
    pub(crate) fn new(catalog: Catalog, options: PlanOptions, pages: Option<Pages>, runtime: Handle) -> Self {
        Self {
            catalog: RwLock::new(Arc::new(catalog)),
            options,
            pages,
            room: PlanRoom::new(runtime),
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
        match draft.parse(&self.catalog(), form) {
            Ok(order) => self.room.plan(order, self.options).await,
            Err(mut faults) => {
                // The place is looked up even so: the caller gets all faults in one answer.
                if let Some(text) = draft.location()
                    && let Err(error) = self.room.locate(text).await?
                {
                    faults.push("/location", FaultCode::LocationNotFound, error.to_string());
                }
                Err(Error::Invalid(faults))
            }
        }
    }

    pub(crate) async fn job(&self, product: Product, body: &Map<String, Value>) -> Result<Job, Error> {
        let draft = ScanDraft(body);
        match product {
            Product::Scan => Ok(Job::Scan(Box::new(self.plan(draft, ScanForm::Scan).await?))),
            Product::Radius => Ok(Job::Radius(Box::new(self.plan(draft, ScanForm::Radius).await?))),
            Product::Audit => Ok(Job::Audit(self.page(body, None)?)),
            Product::Full => {
                let plan = self.plan(draft, ScanForm::Radius).await?;
                let page = self.page(body, Some(plan.order().domain()))?;
                Ok(Job::Full(Box::new(plan), page))
            }
        }
    }

    /// The estimated cost of the default order of a product, with a place; zero for a product that asks no model.
    pub(crate) fn default_estimate(&self, product: Product) -> Result<UsdMicros, Error> {
        let form = match product {
            Product::Scan => ScanForm::Scan,
            Product::Radius | Product::Full => ScanForm::Radius,
            Product::Audit => return Ok(UsdMicros::ZERO),
        };
        let order = ScanDraft(&default_draft()).parse(&self.catalog(), form);
        Ok(Plan::of(order.map_err(Error::Invalid)?, self.options)?.estimate())
    }

    /// Looks a place up, with the question to ask back where the text may mean several.
    pub(crate) async fn locate(
        &self,
        text: LocationText,
    ) -> Result<(LocationReport, Option<PlaceQuestion>), Error> {
        let located = self.room.locate(text).await??;
        Ok((located.report(), located.question()))
    }

    /// The place that a text means, in words; `None` for an unknown place.
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

    pub(crate) fn page(
        &self,
        body: &Map<String, Value>,
        domain: Option<&Domain>,
    ) -> Result<PageOrder, Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        PageOrder::read(body, domain, pages).map_err(Error::Invalid)
    }
}

/// An order with the fields that every product needs, in a town with markets around it. The domain and the keyword do
/// not change the estimate.
fn default_draft() -> Map<String, Value> {
    let members = [
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", "Lyon, France"),
    ];
    members
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .into_iter()
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CostCaps, WorkspaceRuns};

    fn planner() -> Planner {
        Planner::new(
            Catalog::builtin(),
            PlanOptions::default(),
            None,
            Handle::current(),
        )
    }

    #[tokio::test]
    async fn the_default_order_of_every_surface_costs_less_than_its_default_cap() {
        let (planner, caps) = (planner(), CostCaps::default());
        for product in [Product::Scan, Product::Radius, Product::Full] {
            let (estimate, most) = (
                planner.default_estimate(product).unwrap(),
                caps.of(product).unwrap(),
            );
            assert!(
                estimate > UsdMicros::ZERO && estimate <= most,
                "{product}: {estimate} of {most}"
            );
        }
        // A credit of the workspace pays for everything that one scan of the API asks by default.
        let draft = default_draft();
        let largest = planner
            .plan(ScanDraft(&draft), ScanForm::Workspace)
            .await
            .unwrap();
        assert_eq!(largest.len(), 99);
        assert!(
            largest.estimate() <= WorkspaceRuns::USUAL_COST,
            "{}",
            largest.estimate()
        );
    }
}

//! Planning: from the draft of a caller to a job with a known size and price. Nothing is asked or paid here.

use crate::{Error, Job, PageOrder, Pages};
use ibid_engine::plan::{Located, Plan, PlanError, PlanOptions};
use ibid_model::{
    Catalog, Domain, FaultCode, LocationText, Product, ScanDraft, ScanForm, ScanOrder, UsdMicros,
};
use serde_json::{Map, Value, json};
use std::sync::{Arc, PoisonError, RwLock};

/// Plans jobs. Owns the alias table and the settings of plans.
pub(crate) struct Planner {
    catalog: RwLock<Arc<Catalog>>,
    options: PlanOptions,
    pages: Option<Pages>,
}

impl Planner {
    pub(crate) fn new(catalog: Catalog, options: PlanOptions, pages: Option<Pages>) -> Self {
        Self {
            catalog: RwLock::new(Arc::new(catalog)),
            options,
            pages,
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

    pub(crate) fn plan(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<Plan, Error> {
        Ok(Plan::of(self.order(draft, form)?, self.options)?)
    }

    fn order(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<ScanOrder, Error> {
        draft.parse(&self.catalog(), form).map_err(|mut faults| {
            // The place is looked up even so: the caller gets all faults in one answer.
            if let Some(error @ PlanError::UnknownPlace { .. }) =
                draft.location().and_then(|text| Located::find(&text).err())
            {
                faults.push("/location", FaultCode::LocationNotFound, error.to_string());
            }
            Error::Invalid(faults)
        })
    }

    pub(crate) fn job(&self, product: Product, body: &Map<String, Value>) -> Result<Job, Error> {
        let draft = ScanDraft(body);
        match product {
            Product::Scan => Ok(Job::Scan(Box::new(self.plan(draft, ScanForm::Scan)?))),
            Product::Radius => Ok(Job::Radius(Box::new(self.plan(draft, ScanForm::Radius)?))),
            Product::Audit => Ok(Job::Audit(self.page(body, None)?)),
            Product::Full => {
                let plan = self.plan(draft, ScanForm::Radius)?;
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
        Ok(self.plan(ScanDraft(&default_draft()), form)?.estimate())
    }

    /// Plans the free question: one question to the first model of the table.
    pub(crate) fn plan_demo(&self, domain: &str, keyword: &str) -> Result<Plan, Error> {
        let catalog = self.catalog();
        let alias = catalog.models().first().map_or("", |model| model.alias.as_str());
        self.plan(ScanDraft(&demo_draft(domain, keyword, alias)), ScanForm::Scan)
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

/// The place that a text means, in words; `None` for an unknown place.
pub(crate) fn place_of(text: &LocationText) -> Option<String> {
    Located::find(text).ok().map(|located| located.spoken())
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
        Planner::new(Catalog::builtin(), PlanOptions::default(), None)
    }

    #[test]
    fn the_default_order_of_every_surface_costs_less_than_its_default_cap() {
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
        let largest = planner.plan(ScanDraft(&default_draft()), ScanForm::Byok).unwrap();
        assert_eq!(largest.len(), 99);
        assert!(
            largest.estimate() <= WorkspaceRuns::USUAL_COST,
            "{}",
            largest.estimate()
        );
    }
}

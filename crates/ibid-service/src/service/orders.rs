//! What callers ask for: read, planned and estimated. Nothing is asked and nothing is paid here.

use super::Service;
use crate::{Error, Job, PageOrder, demo};
use ibid_engine::plan::{Located, Plan, PlanError};
use ibid_model::{Domain, FaultCode, LocationText, Product, ScanDraft, ScanForm, ScanOrder, UsdMicros};
use serde_json::{Map, Value};

impl Service {
    /// Plans a draft: its questions, their number and their price.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, an unknown place among them; [`Error::UnknownPlace`] when that is the
    /// only one; [`Error::PlanTooLarge`].
    pub fn plan(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<Plan, Error> {
        Ok(Plan::of(self.order(draft, form)?, self.inner.plan_options)?)
    }

    /// Reads a draft, whatever it comes to.
    fn order(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<ScanOrder, Error> {
        draft.parse(&self.catalog(), form).map_err(|mut faults| {
            // The place is looked up even so: the caller gets all the bad news at once.
            if let Some(error @ PlanError::UnknownPlace { .. }) =
                draft.location().and_then(|text| find(&text))
            {
                faults.push("/location", FaultCode::LocationNotFound, error.to_string());
            }
            Error::Invalid(faults)
        })
    }

    /// What the body of a purchase asks for, planned.
    ///
    /// # Errors
    /// As [`Self::plan`] and [`Self::page`].
    pub fn job(&self, product: Product, body: &Map<String, Value>) -> Result<Job, Error> {
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

    /// The estimated cost of [`Self::job`] at the provider.
    pub(crate) fn estimate(&self, product: Product, body: &Map<String, Value>) -> Result<UsdMicros, Error> {
        Ok(self.job(product, body)?.estimate())
    }

    /// Plans the free question: one question to the first model of the table.
    ///
    /// # Errors
    /// As [`Self::plan`].
    pub fn plan_demo(&self, domain: &str, keyword: &str) -> Result<Plan, Error> {
        let catalog = self.catalog();
        let alias = catalog.models().first().map_or("", |model| model.alias.as_str());
        self.plan(ScanDraft(&demo::draft(domain, keyword, alias)), ScanForm::Scan)
    }

    /// What a place is taken for, in words; nothing when it is unknown.
    #[must_use]
    pub fn place_of(&self, text: &LocationText) -> Option<String> {
        Located::find(text).ok().map(|located| located.spoken())
    }

    /// Reads which page is to be audited: `url` or `html`; for a bundle the front page of the domain, if neither.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for an address that must not be fetched; [`Error::AuditUnavailable`].
    pub fn page(&self, body: &Map<String, Value>, domain: Option<&Domain>) -> Result<PageOrder, Error> {
        let pages = self.inner.pages.as_ref().ok_or(Error::AuditUnavailable)?;
        PageOrder::read(body, domain, pages).map_err(Error::Invalid)
    }
}

/// Why a place cannot be found, if it cannot.
fn find(text: &LocationText) -> Option<PlanError> {
    Located::find(text).err()
}

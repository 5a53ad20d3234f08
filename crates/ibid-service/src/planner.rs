//! Planning: from a caller's draft to a job with a known size and price, before any question or payment.
//!
//! A misspelt place takes a thousand times as long to look up as a known one, and anonymous callers may send any text.
//! So plans are made on the scoring runtime, few at a time, and texts without a place are remembered.

use crate::bounded_blocking::BoundedBlocking;
use crate::error::Error;
use crate::job::Job;
use crate::page::{PageOrder, Pages};
use crate::paid::SoldOrders;
use ibid_audit::PageSubject;
use ibid_engine::plan::{Fit, Located, Plan, PlanError, PlanOptions};
use ibid_model::result::{AuditReport, LocationReport, PlaceQuestion};
use ibid_model::{Catalog, Domain, FaultCode, LocationText, Product, ScanDraft, ScanForm, ScanOrder};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::runtime::Handle;

/// Plans jobs, with bounds. Owns the alias table and the settings of plans.
pub struct Planner {
    catalog: RwLock<Arc<Catalog>>,
    options: PlanOptions,
    pages: Option<Pages>,
    blocking: BoundedBlocking,
    unknown: Mutex<VecDeque<(LocationText, PlanError)>>,
}

impl Planner {
    /// Plans are made on `runtime`, on at most half of the processors.
    pub(crate) fn new(catalog: Catalog, options: PlanOptions, pages: Option<Pages>, runtime: Handle) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            catalog: RwLock::new(Arc::new(catalog)),
            options,
            pages,
            blocking: BoundedBlocking::new(processors.div_ceil(2), MOST_WAITING).on(runtime),
            unknown: Mutex::default(),
        }
    }

    /// The current alias table.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the alias table, after the model list of the router was read.
    pub fn set_catalog(&self, catalog: Catalog) {
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }

    /// Whether web search is on. Prices depend on it.
    pub const fn web_search(&self) -> bool {
        self.options.web_search
    }

    /// Whether pages are audited.
    pub const fn audits(&self) -> bool {
        self.pages.is_some()
    }

    /// Plans a draft: its questions, their number and their price.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, an unknown place among them; [`Error::UnknownPlace`] if it is the
    /// only fault; [`Error::PlanTooLarge`]; [`Error::Overloaded`] when too many places are being looked up.
    pub async fn plan(&self, draft: ScanDraft<'_>, form: ScanForm) -> Result<Plan, Error> {
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
                let plan = self.plan_order(order, bounds).await?;
                Ok(plan.noted(draft.misspelt()))
            }
            Err(mut faults) => {
                // The place is still looked up: the caller gets all faults in one answer.
                if let Some(text) = draft.location()
                    && let Err(error) = self.sought(text).await?
                {
                    faults.push("/location", FaultCode::LocationNotFound, error.to_string());
                }
                Err(Error::Invalid(faults))
            }
        }
    }

    /// Plans a product's default order, with a place.
    pub(crate) fn default_plan(&self, product: Product, orders: SoldOrders<'_>) -> Result<Plan, Error> {
        orders.default_plan(product, &self.catalog(), self.options)
    }

    /// Looks a place up, with the question to ask back for an ambiguous text.
    pub async fn locate(&self, text: LocationText) -> Result<(LocationReport, Option<PlaceQuestion>), Error> {
        let located = self.located(text).await?;
        Ok((located.report(), located.question()))
    }

    /// Looks a place up.
    pub(crate) async fn located(&self, text: LocationText) -> Result<Located, Error> {
        Ok(self.sought(text).await??)
    }

    /// The place that a text means, in words, or `None` for an unknown place.
    pub async fn place_of(&self, text: LocationText) -> Result<Option<String>, Error> {
        let located = self.sought(text).await?;
        Ok(located.ok().map(|located| located.spoken()))
    }

    /// Plans the free question: one question to the first model of the table.
    pub async fn plan_demo(&self, domain: &str, keyword: &str) -> Result<Plan, Error> {
        let catalog = self.catalog();
        let alias = catalog.models().first().map_or("", |model| model.alias.as_str());
        let draft = json!({
            "domain": domain,
            "keyword": keyword,
            "models": [alias],
            "questionsPerModel": 1,
            "rings": [],
        });
        let draft = draft.as_object().cloned().unwrap_or_default();
        self.plan(ScanDraft(&draft), ScanForm::Scan).await
    }

    /// Audits the page of a look, and reads what it says about its owner.
    pub(crate) async fn look(&self, page: &PageOrder) -> Result<(AuditReport, PageSubject), Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        pages.look(page).await
    }

    /// Reads the page to audit: `url` or `html`.
    /// A bundle without either audits the front page of its domain.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for an address that must not be fetched; [`Error::AuditsDisabled`].
    pub fn page(&self, body: &Map<String, Value>, domain: Option<&Domain>) -> Result<PageOrder, Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        PageOrder::read(body, domain, pages).map_err(Error::Invalid)
    }
}

/// Most plans that wait for their turn.
/// A plan takes a few milliseconds at most.
const MOST_WAITING: usize = 128;
/// Unknown places that are remembered, the latest ones.
const MOST_REMEMBERED: usize = 256;

/// Bounds of a plan in addition to its order.
#[derive(Debug)]
pub(crate) enum PlanBounds {
    None,
    /// The order is fitted to its price.
    Price(Fit),
    /// At most so many markets: the order was fitted when it was stored.
    Markets(u8),
    /// A run of a schedule, by its number.
    Run(u32),
}

impl PlanBounds {
    fn plan(self, order: ScanOrder, options: PlanOptions) -> Result<Plan, PlanError> {
        match self {
            Self::None => Plan::of(order, options),
            Self::Price(fit) => Plan::fitted(order, options, &fit),
            Self::Markets(most) => Plan::of(order.with_most_markets(Some(most)), options),
            Self::Run(number) => Plan::of_run(order, options, number),
        }
    }
}

impl Planner {
    async fn plan_order(&self, order: ScanOrder, bounds: PlanBounds) -> Result<Plan, Error> {
        let options = self.options;
        let Some(text) = order.location().cloned() else {
            return Ok(bounds.plan(order, options)?);
        };
        if let Some(error) = self.remembered(&text) {
            return Err(error.into());
        }
        let planned = self.compute(move || bounds.plan(order, options)).await?;
        Ok(planned.inspect_err(|error| self.remember(text, error))?)
    }

    /// Looks a place up. The inner error is an unknown place.
    async fn sought(&self, text: LocationText) -> Result<Result<Located, PlanError>, Error> {
        if let Some(error) = self.remembered(&text) {
            return Ok(Err(error));
        }
        let sought = text.clone();
        let located = self.compute(move || Located::find(&sought)).await?;
        Ok(located.inspect_err(|error| self.remember(text, error)))
    }

    /// Runs a computation off the threads of connections, when it is its turn.
    /// It goes on, and keeps its turn, when the caller hangs up.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.blocking.run(work).await
    }

    fn remembered(&self, text: &LocationText) -> Option<PlanError> {
        let unknown = self.lock();
        let found = unknown.iter().find(|(known, _)| known == text);
        found.map(|(_, error)| error.clone())
    }

    fn remember(&self, text: LocationText, error: &PlanError) {
        if let PlanError::UnknownPlace { .. } = error {
            let mut unknown = self.lock();
            unknown.truncate(MOST_REMEMBERED - 1);
            unknown.push_front((text, error.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(LocationText, PlanError)>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{Catalog, ScanDraft, ScanForm};
    use serde_json::{Map, Value, json};

    fn order(location: &str) -> ScanOrder {
        let body: Map<String, Value> = [
            ("domain", "example.com"),
            ("keyword", "k"),
            ("location", location),
        ]
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .into_iter()
        .collect();
        ScanDraft(&body)
            .parse(&Catalog::builtin(), ScanForm::Scan)
            .unwrap()
    }

    fn planner() -> Planner {
        Planner::new(
            Catalog::builtin(),
            PlanOptions::default(),
            None,
            Handle::current(),
        )
    }

    #[tokio::test]
    async fn unknown_places_are_remembered_and_known_ones_are_not() {
        let room = planner();
        for _ in 0..2 {
            let unknown = room.plan_order(order("Qqqq, Nowhere"), PlanBounds::None).await;
            assert!(matches!(unknown, Err(Error::UnknownPlace { .. })));
            let known = room.plan_order(order("Leeds, UK"), PlanBounds::None).await;
            assert!(known.is_ok());
        }
        assert_eq!(room.lock().len(), 1);
        assert!(room.remembered(&"Qqqq, Nowhere".parse().unwrap()).is_some());
        for n in 0..MOST_REMEMBERED + 9 {
            let error = PlanError::UnknownPlace {
                reason: String::new(),
                suggestions: Vec::new(),
            };
            room.remember(format!("Nowhere {n}").parse().unwrap(), &error);
        }
        assert_eq!(room.lock().len(), MOST_REMEMBERED);
        assert!(room.remembered(&"Qqqq, Nowhere".parse().unwrap()).is_none());
    }

    #[tokio::test]
    async fn beyond_the_bound_a_plan_is_refused_and_nothing_waits() {
        let room = planner();
        let plan = || room.plan_order(order("Leeds, UK"), PlanBounds::None);
        let taken = room.blocking.fill();
        assert!(matches!(plan().await, Err(Error::Overloaded { .. })));
        drop(taken);
        assert!(plan().await.is_ok());
    }
}

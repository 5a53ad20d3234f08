//! The service: one handle for every surface.

use crate::accounts::{Hashing, Throttle};
use crate::admit::{OpenCount, admit_byok, admit_demo};
use crate::counts::Counts;
use crate::demo::{self, Demos};
use crate::paid::{self, Inflight, Offer, Paid, ProofOffer, ReceiptPage, ReceiptsOrder};
use crate::run::start;
use crate::tasks::{Listings, TaskRoom, Tasks};
use crate::workspace::{self, LiveRuns, WorkspaceRuns};
use crate::{
    Billing, CallerId, CountsNow, DemoState, Due, Error, Job, LimitStatus, Limits, PageOrder, Pages, Reader,
    Run, Stored,
};
use bytes::Bytes;
use ibid_engine::compare::{Side, compare};
use ibid_engine::plan::{Located, Plan, PlanError, PlanOptions, estimate};
use ibid_model::result::Comparison;
use ibid_model::{
    Assortment, Catalog, Domain, FaultCode, LocationText, Network, Product, ScanDraft, ScanForm, ScanId,
    ScanOrder, ScanResult, UsdMicros,
};
use ibid_provider::Provider;
use ibid_store::{Db, Origin};
use ibid_x402::{Listing, Quote};
use jiff::Timestamp;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::{Map, Value};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// Everything a surface may ask for. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) db: Db,
    pub(crate) width: NonZeroUsize,
    pub(crate) limits: Limits,
    /// Page audits of accounts cost nothing, so their number is bounded whatever the operator says of scans.
    pub(crate) audit_limits: Limits,
    pub(crate) retain_answers: bool,
    pub(crate) runtime: Handle,
    /// Where answers are scored.
    pub(crate) scoring: Handle,
    pub(crate) runs: TaskTracker,
    pub(crate) open_questions: OpenCount,
    pub(crate) counts: Counts,
    pub(crate) router_reachable: AtomicBool,
    pub(crate) most_open_questions: usize,
    pub(crate) open_audits: OpenCount,
    pub(crate) most_open_audits: usize,
    /// What is needed to sell; nothing when the paid surface is not configured.
    pub(crate) paid: Option<Paid>,
    pub(crate) inflight: Inflight,
    pub(crate) pages: Option<Pages>,
    /// What is needed to work for accounts.
    pub(crate) workspace: Option<WorkspaceRuns>,
    pub(crate) live: LiveRuns,
    pub(crate) hashing: Hashing,
    pub(crate) throttle: Throttle,
    pub(crate) tasks: TaskRoom,
    pub(crate) demos: Option<Demos>,
    pub(crate) plan_options: PlanOptions,
    pub(crate) catalog: RwLock<Arc<Catalog>>,
    /// Documents never change once kept, so a copy is as good as the row.
    pub(crate) documents: Documents,
}

/// Documents that were read lately, with who may read them.
pub(crate) type Documents = Cache<ScanId, (Origin, Stored), BySize>;

/// Memory for documents that were read lately.
const CACHE_BYTES: u64 = 64 << 20;
/// Documents expected in it, for sizing its tables.
const CACHE_ITEMS: usize = 4_096;

#[derive(Clone)]
pub(crate) struct BySize;

impl Weighter<ScanId, (Origin, Stored)> for BySize {
    fn weight(&self, _id: &ScanId, (_, stored): &(Origin, Stored)) -> u64 {
        stored.document.len() as u64 + 128
    }
}

/// An empty cache.
pub(crate) fn documents() -> Documents {
    Cache::with_weighter(CACHE_ITEMS, CACHE_BYTES, BySize)
}

impl Service {
    /// Does a job for a caller. Every refusal that can be told early happens before the run exists.
    ///
    /// # Errors
    /// With the caller's own key, and for the free question: [`Error::TooMany`] or [`Error::Overloaded`]; nothing has
    /// been asked then. For the free question also [`Error::DemoClosed`]. With a payment also everything that can be
    /// wrong with it, up to the facilitator's verdict. With a credit [`Error::CreditsExhausted`],
    /// [`Error::PlanTooExpensive`] or [`Error::ScansClosed`].
    pub async fn perform(&self, job: Job, billing: Billing) -> Result<Run, Error> {
        match billing {
            Billing::Byok { caller, key } => {
                let permit = admit_byok(&self.inner, job, &caller, key)?;
                Ok(start(&self.inner, permit))
            }
            Billing::Payment(offer) => paid::buy(&self.inner, job, *offer, None).await,
            Billing::Credit(account) => workspace::spend(&self.inner, job, account).await,
            Billing::Demo { address } => Ok(start(&self.inner, admit_demo(&self.inner, job, address)?)),
        }
    }

    /// The receipts of whoever signed the proof. The proof is verified, never settled, and good for once.
    ///
    /// # Errors
    /// Everything that can be wrong with a payment; [`Error::PaidDisabled`].
    pub async fn receipts(&self, offer: Offer, order: ReceiptsOrder) -> Result<ReceiptPage, Error> {
        paid::receipts(&self.inner, ProofOffer { offer, order }).await
    }

    /// The price of a product, for callers who only ask.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`].
    pub fn price(&self, product: Product, listing: &Arc<Listing>) -> Result<Due, Error> {
        let paid = self.inner.paid.as_ref().filter(|paid| paid.sells(product));
        let paid = paid.ok_or(Error::PaidDisabled)?;
        Ok(Due::Sale(Box::new(Quote::sale(
            product,
            Arc::clone(&paid.terms),
            Arc::clone(listing),
        ))))
    }

    /// The tasks of agents, with what is sold to them in words.
    #[must_use]
    pub fn tasks(&self, listings: Arc<Listings>) -> Tasks {
        Tasks::new(self.clone(), listings)
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// Whether pages are audited.
    #[must_use]
    pub fn audits(&self) -> bool {
        self.inner.pages.is_some()
    }

    /// What a scan of an account may cost the operator; nothing when accounts cannot scan.
    #[must_use]
    pub fn most_workspace_cost(&self) -> Option<UsdMicros> {
        let workspace = self.inner.workspace.as_ref()?;
        workspace.key.is_some().then_some(workspace.most_cost)
    }

    /// How much of the price list is sold: what asks models takes a key of the operator.
    #[must_use]
    pub fn assortment(&self) -> Assortment {
        let paid = self.inner.paid.as_ref();
        paid.map_or(Assortment::Nothing, |paid| paid.assortment())
    }

    /// Whether a product is sold.
    #[must_use]
    pub fn sells(&self, product: Product) -> bool {
        self.assortment().has(product.skill())
    }

    /// The chain that payments are taken on; `None` when nothing is sold.
    #[must_use]
    pub fn network(&self) -> Option<Network> {
        self.inner.paid.as_ref().map(|paid| paid.terms.network())
    }

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

    /// What [`Self::job`] would cost at the provider, about, for callers who only ask: its questions are counted, not
    /// written.
    pub(crate) fn estimate(&self, product: Product, body: &Map<String, Value>) -> Result<UsdMicros, Error> {
        let asked = |form| {
            let order = self.order(ScanDraft(body), form)?;
            Ok::<_, Error>((estimate(&order, self.inner.plan_options)?, order))
        };
        match product {
            Product::Scan => Ok(asked(ScanForm::Scan)?.0),
            Product::Radius => Ok(asked(ScanForm::Radius)?.0),
            Product::Audit => {
                self.page(body, None)?;
                Ok(UsdMicros::ZERO)
            }
            Product::Full => {
                let (estimate, order) = asked(ScanForm::Radius)?;
                self.page(body, Some(order.domain()))?;
                Ok(estimate)
            }
        }
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

    /// Whether the free question can be asked now.
    #[must_use]
    pub fn demo(&self) -> DemoState {
        let demos = self.inner.demos.as_ref();
        demos.map_or(DemoState::Closed, |demos| demos.state(Instant::now()))
    }

    /// What a place is taken for, in words; nothing when it is unknown.
    #[must_use]
    pub fn place_of(&self, text: &LocationText) -> Option<String> {
        Located::find(text).ok().map(|located| located.spoken())
    }

    /// Compares two scans: how the second differs from the first.
    #[must_use]
    pub fn compare(&self, first: (ScanId, &ScanResult), second: (ScanId, &ScanResult)) -> Comparison {
        let side = |(id, result)| Side { id: Some(id), result };
        compare(side(first), side(second))
    }

    /// Reads which page is to be audited: `url` or `html`; for a bundle the front page of the domain, if neither.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for an address that must not be fetched; [`Error::AuditUnavailable`].
    pub fn page(&self, body: &Map<String, Value>, domain: Option<&Domain>) -> Result<PageOrder, Error> {
        let pages = self.inner.pages.as_ref().ok_or(Error::AuditUnavailable)?;
        PageOrder::read(body, domain, pages).map_err(Error::Invalid)
    }

    /// The document of a scan.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan of another surface; [`Error::Store`].
    pub async fn scan(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        Ok(self.stored(id, reader).await?.document)
    }

    /// The document of a scan, and the version of the method that scored it.
    ///
    /// # Errors
    /// As [`Self::scan`].
    pub async fn stored(&self, id: ScanId, reader: &Reader) -> Result<Stored, Error> {
        if let Some((origin, stored)) = self.inner.documents.get(&id) {
            return if reader.may_read(&origin) {
                Ok(stored)
            } else {
                Err(Error::NotFound)
            };
        }
        let record = self
            .inner
            .db
            .call(move |store| store.scan(id))
            .await?
            .ok_or(Error::NotFound)?;
        let stored = Stored {
            document: record.reply.into(),
            method: record.method,
        };
        let shown = reader.may_read(&record.origin);
        self.inner.documents.insert(id, (record.origin, stored.clone()));
        if shown { Ok(stored) } else { Err(Error::NotFound) }
    }

    /// The evidence of a scan, as a JSON document.
    ///
    /// # Errors
    /// As [`Self::scan`]; [`Error::NotFound`] as well when answers were not kept.
    pub async fn answers(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        let reader = reader.clone();
        let found = self.inner.db.call(move |store| match store.scan(id)? {
            Some(record) if reader.may_read(&record.origin) => store.answers(id),
            Some(_) | None => Ok(None),
        });
        Ok(found.await?.ok_or(Error::NotFound)?.into())
    }

    /// Where everything is kept.
    pub(crate) fn db(&self) -> &Db {
        &self.inner.db
    }

    /// The alias table as it stands.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.inner.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the alias table, after the router's model list was read.
    pub fn set_catalog(&self, catalog: Catalog) {
        *self.inner.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }

    /// Whether the model router answered lately; true until somebody says otherwise.
    #[must_use]
    pub fn router_reachable(&self) -> bool {
        self.inner.router_reachable.load(Ordering::Relaxed)
    }

    /// Notes whether the model router answers.
    pub fn set_router_reachable(&self, reachable: bool) {
        self.inner.router_reachable.store(reachable, Ordering::Relaxed);
    }

    /// Whether web search is on, as prices depend on it.
    #[must_use]
    pub fn web_search(&self) -> bool {
        self.inner.plan_options.web_search
    }

    /// Whether answers are invented.
    #[must_use]
    pub fn is_sandbox(&self) -> bool {
        self.inner.provider.is_sandbox()
    }

    /// How much of its hour a caller has left.
    #[must_use]
    pub fn limit_status(&self, caller: &CallerId) -> Option<LimitStatus> {
        self.inner.limits.status(caller, Instant::now())
    }

    /// What has happened since the process started.
    #[must_use]
    pub fn counts(&self) -> CountsNow {
        let open_questions = self.inner.open_questions.load(Ordering::Relaxed);
        self.inner.counts.now(self.inner.runs.len(), open_questions)
    }

    /// Checks that the store can be read and written.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn ready(&self) -> Result<(), Error> {
        Ok(self.inner.db.call(|store| store.ping()).await?)
    }

    /// Waits until every run has ended, at most `within`. Returns how many are still open.
    pub async fn drain(&self, within: Duration) -> usize {
        self.inner.runs.close();
        // Runs that are still open are counted below, so the time-out itself says nothing new.
        let _ = tokio::time::timeout(within, self.inner.runs.wait()).await;
        self.inner.runs.len()
    }
}

/// Why a place cannot be found, if it cannot.
fn find(text: &LocationText) -> Option<PlanError> {
    Located::find(text).err()
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Service(..)")
    }
}

/// Now, as stores count.
pub(crate) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

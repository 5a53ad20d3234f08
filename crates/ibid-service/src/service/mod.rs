//! The service: one handle for every surface.

mod documents;
mod orders;

pub(crate) use documents::{Documents, documents};

use crate::accounts::{Hashing, Throttle};
use crate::admit::{OpenCount, admit_byok, admit_demo};
use crate::counts::Counts;
use crate::demo::Demos;
use crate::paid::{self, Inflight, Offer, Paid, ProofOffer, ReceiptPage, ReceiptsOrder};
use crate::run::start;
use crate::tasks::{Listings, TaskRoom, Tasks};
use crate::workspace::{self, LiveRuns, WorkspaceRuns};
use crate::{Billing, CallerId, CountsNow, DemoState, Due, Error, Job, LimitStatus, Limits, Pages, Run};
use ibid_engine::compare::{Side, compare};
use ibid_engine::plan::PlanOptions;
use ibid_model::result::Comparison;
use ibid_model::{Assortment, Catalog, Network, Product, ScanId, ScanResult, UsdMicros};
use ibid_provider::Provider;
use ibid_store::Db;
use ibid_x402::{Listing, Quote};
use jiff::Timestamp;
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

    /// Whether the free question can be asked now.
    #[must_use]
    pub fn demo(&self) -> DemoState {
        let demos = self.inner.demos.as_ref();
        demos.map_or(DemoState::Closed, |demos| demos.state(Instant::now()))
    }

    /// Compares two scans: how the second differs from the first.
    #[must_use]
    pub fn compare(&self, first: (ScanId, &ScanResult), second: (ScanId, &ScanResult)) -> Comparison {
        let side = |(id, result)| Side { id: Some(id), result };
        compare(side(first), side(second))
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

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Service(..)")
    }
}

/// Now, as stores count.
pub(crate) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

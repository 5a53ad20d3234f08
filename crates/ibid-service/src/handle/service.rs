//! The handle that surfaces hold.

use crate::accounts::{FirstRun, SignInGuard};
use crate::caller_limits::CallerLimits;
use crate::demo::Demos;
use crate::durable::Queue;
use crate::idempotency::{HeldKey, IdempotencyKeys, KeyedRun};
use crate::measurements::Measurements;
use crate::paid::{PaymentFigures, PaymentOffer, ReceiptPage, ReceiptsOrder, Sales};
use crate::payment_due::PaymentDue;
use crate::pictures::Pictures;
use crate::planner::Planner;
use crate::readiness::{Readiness, StoreReadiness};
use crate::recent::{ListedRun, RecentScan, RecentScans};
use crate::runs::Runs;
use crate::runs::UnstoredRun;
use crate::runs::permit::Permit;
use crate::schedules::ScheduleKeeper;
use crate::service_keys::KeyRing;
use crate::stored_scans::{StoredScan, StoredScans, is_audit, read_result};
use crate::tasks::TaskKeeper;
use crate::webhooks::WebhookSender;
use crate::workspace::AccountRuns;
use crate::{
    Billing, CallerId, CountsNow, DemoState, Document, Error, Finished, Job, LimitStatus, Output, Reader, Run,
};
use bytes::Bytes;
use ibid_engine::compare::{Side, compare};
use ibid_model::result::Comparison;
use ibid_model::{AccountId, Network, Offering, Product, ScanId, ScanResult, UsdMicros};
use ibid_provider::{Probe, ProviderLoad};
use ibid_store::{Connections, Db};
use ibid_x402::Listing;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The use cases of ibid. Cheap to clone.
///
/// It joins parts with separate state.
/// They do not depend on each other, but all use the same runs.
#[derive(Clone)]
pub struct Service {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) stored_scans: Arc<StoredScans>,
    /// The limits of callers who bring a provider key.
    pub(crate) limits: Arc<CallerLimits>,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) repeatable: Arc<IdempotencyKeys>,
    /// `None` if selling is off.
    pub(crate) sales: Option<Arc<Sales>>,
    pub(crate) account_runs: Arc<AccountRuns>,
    pub(crate) schedules: Arc<ScheduleKeeper>,
    /// The last scans of callers who bring a provider key.
    pub(crate) recent: Arc<RecentScans>,
    pub(crate) demos: Option<Demos>,
    pub(crate) sign_ins: Arc<SignInGuard>,
    /// Reads and draws pictures.
    pub(crate) pictures: Arc<Pictures>,
    pub(crate) first_run: Arc<FirstRun>,
    pub(crate) tasks: Arc<TaskKeeper>,
    pub(crate) router_reachable: Arc<AtomicBool>,
    /// The last probe of each model.
    pub(crate) probes: Arc<Mutex<Vec<Probe>>>,
    pub(crate) readiness: Arc<Readiness>,
    /// `None` when no webhooks are sent.
    pub(crate) webhooks: Option<Arc<WebhookSender>>,
    pub(crate) queue: Arc<Queue>,
    /// The scan that the home page shows as a sample, where there is one.
    pub(crate) sample: Arc<OnceLock<(AccountId, ScanId)>>,
}

impl Service {
    /// Starts a job for a caller.
    /// Every early refusal happens before the run exists.
    ///
    /// # Errors
    /// With the caller's own key, and for the free question:
    /// [`Error::TooMany`] or [`Error::Overloaded`], before any call.
    /// For the free question also [`Error::DemoDisabled`].
    /// With a payment also every fault of the payment, up to the facilitator's verdict.
    /// With a credit [`Error::AccountCreditExhausted`], [`Error::PlanTooExpensive`] or [`Error::WorkspaceDisabled`].
    pub async fn perform(&self, job: Job, billing: Billing) -> Result<Run, Error> {
        self.perform_as(ScanId::random(), job, billing, None).await
    }

    /// Starts a job under an id, and holds an idempotency key until it is stored.
    pub(crate) async fn perform_as(
        &self,
        id: ScanId,
        job: Job,
        billing: Billing,
        held: Option<HeldKey>,
    ) -> Result<Run, Error> {
        match billing {
            Billing::Byok { caller, key } => {
                let reserved = self.runs.reserve(job)?;
                let counted = self.limits.start(&caller, id).await?;
                let permit =
                    Permit::byok(reserved, id, key, (&caller, counted)).outliving_caller_if(held.is_some());
                let cancel = CancellationToken::new();
                let listed = (permit.run(), cancel.clone());
                let listed = ListedRun::new(&self.recent, caller, permit.job(), listed);
                let hooks = KeyedRun::new(listed, held);
                Ok(self.runs.start_with(permit, cancel, hooks))
            }
            Billing::Payment(offer) => self.sales()?.purchase(job, *offer, None).await,
            Billing::Credit(account) => self.account_runs.start((id, None), job, account, held).await,
            Billing::FreeAudit { caller } => {
                // An audit asks no model; other jobs need a payment.
                if job.plan().is_some() {
                    return Err(Error::AuditsDisabled);
                }
                let reserved = self.runs.reserve(job)?;
                let counted = self.limits.start(&caller, id).await?;
                let permit = Permit::counted_audit(reserved, id, counted);
                Ok(self
                    .runs
                    .start_with(permit, CancellationToken::new(), UnstoredRun))
            }
            Billing::Demo { address } => {
                let demos = self.demos.as_ref().ok_or(Error::DemoDisabled)?;
                // The operator pays for one question and no more.
                if job.questions() != 1 {
                    return Err(Error::DemoDisabled);
                }
                let reserved = self.runs.reserve(job)?;
                let turn = demos.begin(address, Instant::now())?;
                Ok(self.runs.start(Permit::demo(reserved, turn)))
            }
        }
    }

    /// The last scans of a service key's holder in this process's memory, newest first.
    #[must_use]
    pub fn recent_scans(&self, caller: &CallerId) -> Vec<RecentScan> {
        self.recent.of(caller)
    }

    /// One of the last scans of a service key's holder.
    #[must_use]
    pub fn recent_scan(&self, caller: &CallerId, id: ScanId) -> Option<RecentScan> {
        self.recent.find(caller, id)
    }

    /// Stops a scan of a service key's holder. Returns whether it exists.
    #[must_use]
    pub fn stop_scan(&self, caller: &CallerId, id: ScanId) -> bool {
        self.recent.stop(caller, id)
    }

    /// The receipts of the wallet that signed the proof.
    /// The proof is verified, valid once, and never settled.
    ///
    /// # Errors
    /// Every fault of a payment; [`Error::PaidDisabled`].
    pub async fn receipts(&self, offer: PaymentOffer, order: ReceiptsOrder) -> Result<ReceiptPage, Error> {
        self.sales()?.receipts(offer, order).await
    }

    /// The price of a product.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`].
    pub fn price(&self, product: Product, listing: &Arc<Listing>) -> Result<PaymentDue, Error> {
        self.sales()?.price(product, listing)
    }

    /// Asks the facilitator now for its networks.
    /// This happens at the start and every hour by itself.
    pub async fn check_networks(&self) {
        if let Some(sales) = &self.sales {
            sales.check_networks().await;
        }
    }

    /// The most that an account's scan may cost the operator, or `None` if accounts cannot scan.
    #[must_use]
    pub fn most_workspace_cost(&self) -> Option<UsdMicros> {
        self.account_runs.most_cost()
    }

    /// The sold part of the price list.
    /// With audits switched off, it has no product with a page.
    #[must_use]
    pub fn offering(&self) -> Offering {
        let sales = self.sales.as_ref();
        let part = sales.map_or(Offering::NOTHING, |sales| sales.settings.offering());
        if self.audits() { part } else { part.without_pages() }
    }

    /// Refuses a product that is not sold.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`]; [`Error::AuditsDisabled`] for a product that would be sold if audits were on.
    pub fn check_sold(&self, product: Product) -> Result<(), Error> {
        if self.sells(product) {
            return Ok(());
        }
        match self.sales()?.settings.sells(product) {
            true => Err(Error::AuditsDisabled),
            false => Err(Error::PaidDisabled),
        }
    }

    /// Whether a product is sold.
    #[must_use]
    pub fn sells(&self, product: Product) -> bool {
        self.offering().has(product.skill())
    }

    /// The chain of payments, or `None` if selling is off.
    #[must_use]
    pub fn network(&self) -> Option<Network> {
        self.sales.as_ref().map(|sales| sales.settings.terms.network())
    }

    /// Whether the free question can be asked now.
    #[must_use]
    pub fn demo(&self) -> DemoState {
        let demos = self.demos.as_ref();
        demos.map_or(DemoState::Closed, |demos| demos.state(Instant::now()))
    }

    /// The document of a scan.
    ///
    /// # Errors
    /// As [`Self::stored`].
    pub async fn scan(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        Ok(self.stored(id, reader).await?.document)
    }

    /// The document of a scan, and the version of the method that scored it.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan of another surface; [`Error::Store`].
    pub async fn stored(&self, id: ScanId, reader: &Reader) -> Result<StoredScan, Error> {
        self.stored_scans.get(id, reader).await
    }

    /// The result of a scan.
    ///
    /// # Errors
    /// As [`Self::stored`]; [`Error::NotFound`] also for the id of a page audit.
    pub async fn result(&self, id: ScanId, reader: &Reader) -> Result<ScanResult, Error> {
        let document = self.scan(id, reader).await?;
        if is_audit(&document) {
            return Err(Error::NotFound);
        }
        Ok(read_result(&document)?)
    }

    /// A finished scan of an earlier request, as its run returned it.
    ///
    /// # Errors
    /// As [`Self::stored`]; [`Error::Unwritable`] for a document that this program cannot read.
    pub async fn finished(&self, id: ScanId, reader: &Reader) -> Result<Finished, Error> {
        let document = Document::stored(self.scan(id, reader).await?);
        let output = Output::Scan(Arc::new(read_result(document.bytes())?));
        Ok(Finished {
            id,
            document,
            output,
            settlement: None,
            stored: true,
        })
    }

    /// The evidence of a scan, as a JSON document.
    ///
    /// # Errors
    /// As [`Self::stored`]; [`Error::NotFound`] also when answers were not stored; [`Error::Evidence`] if the
    /// evidence store has them and cannot be read.
    pub async fn answers(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        self.stored_scans.evidence(id, reader).await
    }

    /// Compares two results: the differences of the second from the first.
    #[must_use]
    pub fn compare(&self, first: (ScanId, &ScanResult), second: (ScanId, &ScanResult)) -> Comparison {
        let side = |(id, result)| Side { id: Some(id), result };
        compare(side(first), side(second))
    }

    /// Whether the model router answered lately; true until [`Self::set_router_reachable`] sets it.
    #[must_use]
    pub fn router_reachable(&self) -> bool {
        self.router_reachable.load(Ordering::Relaxed)
    }

    /// Notes whether the model router answers.
    pub fn set_router_reachable(&self, reachable: bool) {
        self.router_reachable.store(reachable, Ordering::Relaxed);
    }

    /// The outcome of the last probe of each model; empty until [`Self::set_probes`].
    /// For the operator only.
    #[must_use]
    pub fn probes(&self) -> Vec<Probe> {
        self.probes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps the outcome of a probe of all models.
    pub fn set_probes(&self, probes: Vec<Probe>) {
        *self.probes.lock().unwrap_or_else(PoisonError::into_inner) = probes;
    }

    /// Whether webhooks and push notifications are sent.
    #[must_use]
    pub const fn notifies(&self) -> bool {
        self.webhooks.is_some()
    }

    /// Whether answers are invented.
    #[must_use]
    pub fn is_sandbox(&self) -> bool {
        self.runs.is_sandbox()
    }

    /// The rest of a caller's hourly quota, or `None` if counting is off.
    #[must_use]
    pub fn limit_status(&self, caller: &CallerId) -> Option<LimitStatus> {
        self.limits.status(caller, Instant::now())
    }

    /// Counts since the process started.
    #[must_use]
    pub fn counts(&self) -> CountsNow {
        self.runs.counts()
    }

    /// The figures of payments, or `None` if selling is off.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn payment_figures(&self) -> Result<Option<PaymentFigures>, Error> {
        match &self.sales {
            Some(sales) => sales.figures().await.map(Some),
            None => Ok(None),
        }
    }

    /// Counts and times since the process started.
    #[must_use]
    pub fn measurements(&self) -> &Measurements {
        &self.runs.measurements
    }

    /// The calls of the model provider that are under way and waiting.
    #[must_use]
    pub fn load(&self) -> ProviderLoad {
        self.runs.load()
    }

    /// The connections of the store.
    #[must_use]
    pub fn connections(&self) -> Connections {
        self.db().connections()
    }

    /// Checks with a written row that the store works.
    /// All requests within a second share one check.
    pub async fn store_readiness(&self) -> StoreReadiness {
        self.readiness.check(self.db()).await
    }

    /// Waits until every run has ended, at most `within`.
    /// Returns how many are still open.
    pub async fn drain(&self, within: Duration) -> usize {
        let ((), open) = tokio::join!(
            async {
                let begun = Instant::now();
                // Buyers wait for sold scans.
                // Half of the time is left for calls under way.
                self.queue.finish_sold(within / 2).await;
                // Other workers repeat the steps that are still under way.
                let rest = within.saturating_sub(begun.elapsed());
                let _ = tokio::time::timeout(rest, self.queue.stop()).await;
            },
            self.runs.drain(within),
        );
        open
    }

    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }

    pub(crate) fn webhook_sender(&self) -> Result<&Arc<WebhookSender>, Error> {
        self.webhooks.as_ref().ok_or(Error::WebhooksUnavailable)
    }

    pub(crate) fn sales(&self) -> Result<&Arc<Sales>, Error> {
        self.sales.as_ref().ok_or(Error::PaidDisabled)
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Service(..)")
    }
}

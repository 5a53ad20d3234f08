//! The handle of orders and reports.

use crate::caller_limits::CallerLimits;
use crate::daily_turns::DailyTurns;
use crate::demo::{DemoState, Demos};
use crate::document::Document;
use crate::durable::Queue;
use crate::error::Error;
use crate::handle::billing::Billing;
use crate::idempotency::{HeldKey, IdempotencyKeys};
use crate::job::{CallerId, Job, Reader};
use crate::limits::LimitStatus;
use crate::paid::Sales;
use crate::pictures::Pictures;
use crate::planner::Planner;
use crate::recent::{ListedRun, RecentScan, RecentScans};
use crate::runs::permit::Permit;
use crate::runs::run::{Finished, Run};
use crate::runs::{Runs, UnstoredRun};
use crate::stored_scans::{StoredScan, StoredScans, is_audit, read_output, read_result};
use crate::workspace::AccountRuns;
use bytes::Bytes;
use ibid_engine::compare::{Side, compare};
use ibid_model::result::Comparison;
use ibid_model::{AccountId, ScanId, ScanResult, UsdMicros};
use ibid_store::Db;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Orders of callers, their runs and their reports. Cheap to clone.
#[derive(Clone)]
pub struct Scans {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) stored_scans: Arc<StoredScans>,
    /// The limits of callers who bring a provider key.
    pub(crate) limits: Arc<CallerLimits>,
    pub(crate) repeatable: Arc<IdempotencyKeys>,
    /// `None` if selling is off.
    pub(crate) sales: Option<Arc<Sales>>,
    pub(crate) account_runs: Arc<AccountRuns>,
    /// The last scans of callers who bring a provider key.
    pub(crate) recent: Arc<RecentScans>,
    pub(crate) demos: Option<Demos>,
    /// The first looks of visitors; `None` if there are none.
    pub(crate) looks: Option<DailyTurns>,
    /// Draws cards.
    pub(crate) pictures: Arc<Pictures>,
    pub(crate) queue: Arc<Queue>,
    /// The scan that the home page shows as a sample, where there is one.
    pub(crate) sample: Arc<OnceLock<(AccountId, ScanId)>>,
}

impl Scans {
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
                let listed = (id, self.runs.feeds.of(id), cancel.clone());
                let listed = ListedRun::new(&self.recent, caller, permit.job(), listed, held);
                Ok(self.runs.start_with(permit, cancel, listed))
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

    /// The most that an account's scan may cost the operator, or `None` if accounts cannot scan.
    #[must_use]
    pub fn most_workspace_cost(&self) -> Option<UsdMicros> {
        self.account_runs.most_cost()
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
        Ok(Finished {
            id,
            output: read_output(document.bytes())?,
            document,
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

    /// The rest of a caller's hourly quota, or `None` if counting is off.
    #[must_use]
    pub fn limit_status(&self, caller: &CallerId) -> Option<LimitStatus> {
        self.limits.status(caller, Instant::now())
    }

    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }

    pub(crate) fn sales(&self) -> Result<&Arc<Sales>, Error> {
        self.sales.as_ref().ok_or(Error::PaidDisabled)
    }
}

impl std::fmt::Debug for Scans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scans(..)")
    }
}

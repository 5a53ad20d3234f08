//! The state of the workspace: scans of accounts, from a credit to a report.

use super::audits::{PageAudit, SiteAudits};
use super::ends::{finished_run, reason};
use super::imports::Imports;
use super::live::{LiveRuns, Underway};
use super::settings::WorkspaceRuns;
use crate::clock::{millis, now_ms};
use crate::credit::SpentCredit;
use crate::durable::{Queue, QueueOrder, RunOwner};
use crate::idempotency::{HeldKey, KeyedRun};
use crate::runs::output::{JobOutput, StoreStep};
use crate::runs::permit::Permit;
use crate::runs::run::Run;
use crate::runs::{RunHooks, Runs};
use crate::{CallerId, Error, Job, LimitMode, Limits};
use ibid_engine::Progress;
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ScanId, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_store::{EndedRun, RunEnd, RunRecord, StoreError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The state of the workspace: its settings, and the accounts' scans in this process.
pub(crate) struct AccountRuns {
    /// `None` if accounts cannot start jobs.
    settings: Option<WorkspaceRuns>,
    pub(super) live: LiveRuns,
    /// The limits on page audits.
    /// Audits cost no credit, so their number is always limited.
    pub(super) audit_limits: Limits,
    pub(super) sites: SiteAudits,
    pub(super) imports: Imports,
    pub(super) runs: Arc<Runs>,
    /// The queue that works on scans.
    pub(super) queue: Arc<Queue>,
}

impl AccountRuns {
    /// Starts the workspace, with a background task that renews the leases of this process
    /// and returns the credits of lost scans.
    pub(crate) fn start_service(
        settings: Option<WorkspaceRuns>,
        live: LiveRuns,
        queue: Arc<Queue>,
        runs: Arc<Runs>,
    ) -> Arc<Self> {
        let lease = settings
            .as_ref()
            .map_or(WorkspaceRuns::USUAL_LEASE, |settings| settings.lease);
        let account_runs = Arc::new(Self {
            settings,
            live,
            queue,
            audit_limits: Limits::new(LimitMode::Enforce),
            sites: SiteAudits::default(),
            imports: Imports::on(runs.scoring.clone()),
            runs: Arc::clone(&runs),
        });
        runs.repeat(&account_runs, lease / 4, move |account_runs| async move {
            if let Err(error) = account_runs.recover(lease).await {
                tracing::warn!(error = crate::chain(&error), "workspace.recover.failed");
            }
        });
        account_runs
    }

    /// Whether accounts can start jobs.
    pub(super) fn is_open(&self) -> bool {
        self.settings.is_some()
    }

    /// The most that a scan may cost the operator, or `None` if accounts cannot scan.
    pub(crate) fn most_cost(&self) -> Option<UsdMicros> {
        let settings = self.settings.as_ref()?;
        settings.key.is_some().then_some(settings.most_cost)
    }

    /// The operator's key, which pays for scans.
    pub(crate) fn key(&self) -> Option<&ProviderKey> {
        self.settings.as_ref()?.key.as_ref()
    }

    /// Starts a job for a credit.
    /// A page audit asks no model and costs no credit.
    /// A scan stops at the cap, too.
    ///
    /// # Errors
    /// [`Error::WorkspaceDisabled`]; [`Error::PlanTooExpensive`]; [`Error::AccountCreditExhausted`];
    /// [`Error::BudgetExceeded`]; [`Error::TooMany`] for audits; [`Error::Overloaded`].
    pub(crate) async fn start(
        &self,
        (id, cap): (ScanId, Option<UsdMicros>),
        job: Job,
        account: AccountId,
        key: Option<HeldKey>,
    ) -> Result<Run, Error> {
        let settings = self.settings.as_ref().ok_or(Error::WorkspaceDisabled)?;
        let job = match job {
            Job::Audit(page) => {
                let running = self.audit_limits.start(&CallerId::of(account), Instant::now())?;
                let permit = Permit::audit(&self.runs.capacity, page, account, (id, running))?;
                let hooks = KeyedRun::new(PageAudit(account), key);
                return Ok(self.runs.start_with(permit, CancellationToken::new(), hooks));
            }
            job @ (Job::Scan(_) | Job::Radius(_) | Job::Full(..)) => job,
        };
        let idempotency = key;
        let key = settings.key.clone().ok_or(Error::WorkspaceDisabled)?;
        let most = cap.map_or(settings.most_cost, |cap| cap.min(settings.most_cost));
        let estimate = job.estimate();
        if estimate > most {
            return Err(Error::PlanTooExpensive {
                estimate,
                most,
                fits: None,
            });
        }
        if let Job::Scan(plan) = job {
            return self
                .queue_scan((id, account), *plan, (settings, most), idempotency)
                .await;
        }
        let reserved = self.runs.reserve(job)?;
        let plan = reserved.plan().ok_or(Error::WorkspaceDisabled)?;
        // Registered before its row is written: the row must never lack a process that renews its lease.
        let underway = self.live.enter(id, plan);
        let credit = SpentCredit::take(&self.runs.db, (id, account), plan, settings.lease).await?;
        let permit = Permit::credited(reserved, key, credit).with_cost_cap(Some(most));
        let stop = underway.live.stop.clone();
        let hooks = CreditRun {
            runs: Arc::clone(&self.runs),
            id,
            underway,
        };
        Ok(self
            .runs
            .start_with(permit, stop, KeyedRun::new(hooks, idempotency)))
    }

    /// Takes a credit and queues a scan, which goes on in any process.
    async fn queue_scan(
        &self,
        (id, account): (ScanId, AccountId),
        plan: Plan,
        (settings, most): (&WorkspaceRuns, UsdMicros),
        idempotency: Option<HeldKey>,
    ) -> Result<Run, Error> {
        let job = Job::Scan(Box::new(plan));
        let reserved = self.runs.reserve(job)?;
        let plan = reserved.plan().ok_or(Error::WorkspaceDisabled)?;
        let order = QueueOrder {
            plan: plan.clone(),
            owner: RunOwner::Account(account),
            key: None,
            deadline: None,
            max_cost: Some(most),
            tag: None,
            webhook: None,
            schedule: None,
            priority: 3,
        };
        let (run, reporter) = Run::new(id, reserved.job(), None);
        // Registered before its row is written: the row must never lack a process that renews its lease.
        let underway = self.live.enter(id, plan);
        let credit = SpentCredit::take(&self.runs.db, (id, account), plan, settings.lease).await?;
        // If the scan is not queued, its row loses its lease, and the credit comes back.
        self.queue.open_for_credit(credit, &order).await?;
        let follower = self.queue.follower();
        follower.report(id, underway, reporter, (reserved, idempotency));
        Ok(run)
    }

    /// Finds the scan of an account.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Store`].
    pub(super) async fn find(&self, account: AccountId, id: ScanId) -> Result<RunRecord, Error> {
        let found = self.runs.db.call(move |store| store.run(account, id)).await?;
        found.ok_or(Error::NotFound)
    }

    /// One round: renews the leases of this process, stops scans ended by another process,
    /// gives back the credits of scans without a process.
    /// The first round runs at start-up.
    async fn recover(&self, lease: Duration) -> Result<(), StoreError> {
        let running = self.live.counts();
        if !running.is_empty() {
            let until = now_ms() + millis(lease);
            let renewed = self.runs.db.call(move |store| store.renew_runs(&running, until));
            for live in renewed.await?.into_iter().filter_map(|id| self.live.get(id)) {
                live.stop.cancel();
            }
        }
        let failed = self.runs.db.call(|store| store.fail_abandoned_runs(now_ms()));
        let failed = failed.await?;
        if failed > 0 {
            tracing::info!(failed, "credit.recover.returned");
        }
        Ok(())
    }
}

/// The hooks of a scan that a credit pays for.
struct CreditRun {
    runs: Arc<Runs>,
    id: ScanId,
    underway: Underway,
}

impl RunHooks for CreditRun {
    fn progress(&self, event: &Progress) {
        self.underway.live.push(event);
    }

    fn store(&self, output: &JobOutput) -> Result<StoreStep, Error> {
        let finished = finished_run(output.scan_result().ok_or(Error::Ended)?);
        Ok(Box::new(move |store, scan| {
            store.finish_run(scan, &finished, now_ms())
        }))
    }

    /// Stores the failure and gives the credit back.
    /// If this fails, recovery does it when the lease ends.
    async fn failed(&self, error: &Error) {
        let (id, reason, done) = (self.id, reason(error), self.underway.live.done());
        let ended = self.runs.db.call(move |store| {
            let ended = EndedRun {
                end: RunEnd::Failed(&reason),
                done,
                give_back: true,
            };
            store.end_run(id, &ended, now_ms())
        });
        match ended.await {
            // Another process ended it in the same way.
            Ok(()) | Err(StoreError::Lost) => {}
            Err(error) => tracing::error!(error = crate::chain(&error), "credit.return.failed"),
        }
    }
}

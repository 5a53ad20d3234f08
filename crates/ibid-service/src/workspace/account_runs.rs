//! Scans that accounts start, from a credit to a report.

use super::audits::SiteAudits;
use super::settings::WorkspaceRuns;
use crate::durable::{Queue, QueueOrder, RunOwner};
use crate::error::Error;
use crate::job::{CallerId, Job};
use crate::limits::{LimitMode, Limits};
use crate::request_hash::{RepeatableRequest, Started};
use crate::runs::Runs;
use crate::runs::run::Run;
use ibid_model::{AccountId, Product, ScanId, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_store::RunRecord;
use std::sync::Arc;
use std::time::Instant;

/// Starts scans and audits for accounts.
pub(crate) struct AccountRuns {
    /// `None` if accounts cannot start jobs.
    settings: Option<WorkspaceRuns>,
    /// The limits on page audits.
    /// Audits cost no credit, so their number is always limited.
    pub(super) audit_limits: Limits,
    pub(super) sites: SiteAudits,
    pub(super) runs: Arc<Runs>,
    /// The queue that works on scans.
    pub(super) queue: Arc<Queue>,
}

impl AccountRuns {
    pub(crate) fn new(settings: Option<WorkspaceRuns>, queue: Arc<Queue>, runs: Arc<Runs>) -> Self {
        Self {
            settings,
            queue,
            audit_limits: Limits::new(LimitMode::Enforce),
            sites: SiteAudits::default(),
            runs,
        }
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

    /// Starts a job for a credit, unless an equal request has a scan: then the job comes back.
    /// A page audit asks no model, costs no credit and has no idempotency key.
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
        once: Option<&RepeatableRequest>,
    ) -> Result<Started<Run, (ScanId, Job)>, Error> {
        let settings = self.settings.as_ref().ok_or(Error::WorkspaceDisabled)?;
        let plan = match job {
            Job::Audit(_) => {
                let running = self.audit_limits.start(&CallerId::of(account), Instant::now())?;
                let reserved = self.runs.reserve(job)?;
                let feed = self.runs.feeds.of(id);
                let (run, end) = Run::new((id, Arc::clone(&feed)), &reserved.job, None);
                self.queue.open_audit(id, account, &reserved.job).await?;
                self.queue.report((id, feed), end, (reserved, running));
                return Ok(Started::New(run));
            }
            Job::Scan(_, plan) => plan,
            // Accounts order scans and audits.
            Job::Full(..) => return Err(Error::WorkspaceDisabled),
        };
        if settings.key.is_none() {
            return Err(Error::WorkspaceDisabled);
        }
        let most = cap.map_or(settings.most_cost, |cap| cap.min(settings.most_cost));
        let estimate = plan.estimate();
        if estimate > most {
            return Err(Error::PlanTooExpensive {
                estimate,
                most,
                fits: None,
            });
        }
        let order = QueueOrder {
            plan: (*plan).clone(),
            owner: RunOwner::Account(account),
            key: None,
            deadline: None,
            max_cost: Some(most),
            tag: None,
            webhook: None,
            schedule: None,
            priority: 3,
        };
        let reserved = self.runs.reserve(Job::Scan(Product::Scan, plan))?;
        let feed = self.runs.feeds.of(id);
        feed.set_plan(&order.plan);
        let (run, end) = Run::new((id, Arc::clone(&feed)), &reserved.job, None);
        let opened = self.queue.open_for_credit(id, account, &order, once).await?;
        if let Started::Replayed(before) = opened {
            return Ok(Started::Replayed((before, reserved.job)));
        }
        self.queue.report((id, feed), end, reserved);
        Ok(Started::New(run))
    }

    pub(super) async fn find(&self, account: AccountId, id: ScanId) -> Result<RunRecord, Error> {
        let found = self.runs.db.call(move |store| store.run(account, id)).await?;
        found.ok_or(Error::NotFound)
    }
}

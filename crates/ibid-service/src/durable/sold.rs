//! Jobs that the operator pays for: queued under the id of their purchase or their request, which follows them.

use super::document::RunOwner;
use super::document::{OrderDocument, packed};
use super::follow::failure_of;
use super::queue::{Queue, Stored};
use crate::error::Error;
use crate::job::Job;
use crate::runs::permit::SoldPermit;
use ibid_model::{AccountId, RunState, ScanId, UsdMicros};
use ibid_store::StoreError;
use jiff::Timestamp;

/// How urgent a job is whose caller waits for it.
const PRIORITY: u8 = 1;

/// How a sold job ends for its purchase.
pub(crate) enum SoldEnd {
    /// Its hidden result is stored.
    Result,
    /// It has no result.
    Failed(Error),
    /// The process stops, no worker ends the job, or the database takes no writes.
    /// The job goes on later, or in another process.
    Stopped,
}

impl Queue {
    /// Queues a sold job, unless it is queued already, and waits for its end.
    /// No call begins after the deadline.
    pub(crate) async fn sell(&self, permit: SoldPermit, deadline: Timestamp) -> SoldEnd {
        let _working = self.buyers.token();
        let SoldPermit { run: id, job, .. } = &permit;
        let feed = self.runs.feeds.of(*id);
        if let Some(plan) = job.plan() {
            feed.set_plan(plan);
        }
        let owner = RunOwner::Sold {
            payer: permit.payer.clone(),
            product: job.product(),
        };
        let opened = self.open_job(*id, owner, job, Some(deadline), Some(permit.cost_cap));
        match opened.await {
            // An earlier process of the same purchase has queued it.
            Ok(()) | Err(Error::Store(StoreError::Exists)) => {}
            Err(error) => return SoldEnd::Failed(error),
        }
        match self.end_of(&feed, *id, Some(deadline)).await {
            None => SoldEnd::Stopped,
            Some(run) => match run.state {
                RunState::Complete | RunState::Partial => SoldEnd::Result,
                RunState::Queued | RunState::Running | RunState::Failed | RunState::Cancelled => {
                    SoldEnd::Failed(failure_of(run.state, run.error.as_deref(), run.calls))
                }
            },
        }
    }

    /// Queues the page audit of an account.
    ///
    /// # Errors
    /// [`Error::TooMany`] when too many runs of the account are open; [`Error::Store`].
    pub(crate) async fn open_audit(&self, id: ScanId, account: AccountId, job: &Job) -> Result<(), Error> {
        self.open_job(id, RunOwner::Account(account), job, None, None)
            .await
    }

    /// Ends the wait of all purchases in this process, because the database takes no writes.
    /// Their jobs stay queued.
    pub(crate) fn let_buyers_go(&self) {
        self.let_go.notify_waiters();
    }

    async fn open_job(
        &self,
        id: ScanId,
        owner: RunOwner,
        job: &Job,
        deadline: Option<Timestamp>,
        max_cost: Option<UsdMicros>,
    ) -> Result<(), Error> {
        let tenant = owner.tenant();
        let document = OrderDocument {
            owner,
            operator_pays: true,
            deadline,
            max_cost,
            webhook: None,
            is_audit: job.plan().is_none(),
        };
        let stored = Stored {
            id,
            tenant,
            document: serde_json::to_vec(&document)?,
            plan: match job {
                Job::Scan(_, plan) => packed(plan)?,
                Job::Audit(_) | Job::Full(..) => packed(job)?,
            },
            calls: u32::try_from(job.questions()).unwrap_or(u32::MAX),
            secret: None,
            subject: job.subject(),
            priority: PRIORITY,
            counts: false,
        };
        self.open(vec![stored], None).await.map(drop)
    }
}

//! Sold scans: queued under the id of their purchase, which follows them.

use super::document::{OrderDocument, packed};
use super::follow::failure_of;
use super::owner::RunOwner;
use super::queue::{Queue, Stored, subject_of};
use crate::Error;
use crate::runs::permit::QueuedPermit;
use ibid_store::{DurableRunState, StoreError};
use jiff::Timestamp;

/// The priority of a sold scan: its buyer waits for it.
const PRIORITY: u8 = 1;

/// The end of a sold scan for its purchase.
pub(crate) enum SoldEnd {
    /// Its hidden result is stored.
    Result,
    /// It has no result.
    Failed(Error),
    /// The process stops, no worker ends the scan, or the database takes no writes.
    /// The scan goes on later, or in another process.
    Stopped,
}

impl Queue {
    /// Queues a sold scan, unless it is queued already, and waits for its end.
    /// No call begins after the deadline.
    pub(crate) async fn sell(&self, permit: QueuedPermit, deadline: Timestamp) -> SoldEnd {
        let _working = self.buyers.token();
        let id = permit.run();
        let feed = self.runs.feeds.of(id);
        feed.set_plan(permit.plan());
        if let Err(error) = self.open_sold(&permit, deadline).await {
            return SoldEnd::Failed(error);
        }
        match self.end_of(&feed, id, Some(deadline)).await {
            None => SoldEnd::Stopped,
            Some(run) => match run.state {
                DurableRunState::Complete | DurableRunState::Partial => SoldEnd::Result,
                DurableRunState::Queued
                | DurableRunState::Running
                | DurableRunState::Failed
                | DurableRunState::Cancelled => SoldEnd::Failed(failure_of(&run)),
            },
        }
    }

    /// Ends the wait of all purchases in this process, because the database takes no writes.
    /// Their scans stay queued.
    pub(crate) fn let_buyers_go(&self) {
        self.let_go.notify_waiters();
    }

    async fn open_sold(&self, permit: &QueuedPermit, deadline: Timestamp) -> Result<(), Error> {
        let (id, plan) = (permit.run(), permit.plan());
        let owner = RunOwner::Sold {
            payer: permit.payer().to_owned(),
            product: permit.product(),
        };
        let tenant = owner.tenant();
        let document = OrderDocument {
            owner,
            operator_pays: true,
            deadline: Some(deadline),
            max_cost: permit.cost_cap(),
            webhook: None,
        };
        let stored = Stored {
            id,
            tenant,
            document: serde_json::to_vec(&document)?,
            plan: packed(plan)?,
            calls: u32::try_from(plan.len()).unwrap_or(u32::MAX),
            secret: None,
            subject: subject_of(plan),
            priority: PRIORITY,
            counts: false,
        };
        match self.open(vec![stored], None).await {
            // An earlier process of the same purchase has queued it.
            Ok(_) | Err(Error::Store(StoreError::Exists)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

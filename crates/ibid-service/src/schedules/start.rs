//! Starts the scan of a schedule, with its owner's way to pay.

use super::ScheduleOwner;
use crate::durable::{Queue, QueueOrder, RunOwner};
use crate::error::Error;
use crate::job::Job;
use crate::request_hash::{RepeatableRequest, Started};
use crate::runs::run::Run;
use futures_util::future::BoxFuture;
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ScanId, ScheduleId, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_store::SealedSecret;
use jiff::Timestamp;
use std::sync::Arc;

/// No caller waits for these scans, so others go first.
const PRIORITY: u8 = 4;

/// A planned scan of a schedule.
pub(super) struct DueScan {
    pub(super) plan: Plan,
    pub(super) owner: ScheduleOwner,
    /// An API caller's key.
    pub(super) key: Option<ProviderKey>,
    /// The time after which no call begins.
    pub(super) deadline: Timestamp,
    /// The most that the scan may cost.
    pub(super) max_cost: Option<UsdMicros>,
    pub(super) schedule: ScheduleId,
}

/// Starts an account's job for a credit, with an id and a cost cap.
pub(crate) type StartForCredit = dyn Fn(
        (ScanId, Option<UsdMicros>),
        Job,
        AccountId,
        RepeatableRequest,
    ) -> BoxFuture<'static, Result<Started<Run, (ScanId, Job)>, Error>>
    + Send
    + Sync;

/// Starts scans of schedules.
pub(crate) struct ScanStarter {
    pub(crate) for_credit: Arc<StartForCredit>,
    pub(crate) queue: Arc<Queue>,
}

impl ScanStarter {
    /// Starts a scan. A repeated request gets the scan of the first.
    ///
    /// # Errors
    /// As [`crate::Scans::perform_once`] for accounts, as [`crate::Scans::queue`] for callers of the API.
    pub(super) async fn start(&self, scan: DueScan, once: &RepeatableRequest) -> Result<ScanId, Error> {
        match &scan.owner {
            ScheduleOwner::Account(account) => {
                let (id, job) = (ScanId::random(), Job::scan(scan.plan));
                let started = (self.for_credit)((id, scan.max_cost), job, *account, once.clone());
                match started.await? {
                    // The run goes on without a handle.
                    Started::New(_) => Ok(id),
                    Started::Replayed((before, _)) => Ok(before),
                }
            }
            ScheduleOwner::Api(_) | ScheduleOwner::Project(_) => {
                let (owner, key) = match scan.owner {
                    ScheduleOwner::Project(project) => (RunOwner::Project(project), None),
                    ScheduleOwner::Api(caller) => {
                        let key = scan.key.ok_or(Error::QueueKeysUnavailable)?;
                        (RunOwner::Api(caller), Some(key))
                    }
                    ScheduleOwner::Account(account) => (RunOwner::Account(account), None),
                };
                let order = QueueOrder {
                    owner,
                    key,
                    plan: scan.plan,
                    deadline: Some(scan.deadline),
                    max_cost: scan.max_cost,
                    tag: None,
                    webhook: None,
                    schedule: Some(scan.schedule),
                    priority: PRIORITY,
                };
                Ok(self.queue.put(&order, Some(once)).await?.id())
            }
        }
    }

    pub(super) fn seal(&self, schedule: ScheduleId, key: &ProviderKey) -> Result<SealedSecret, Error> {
        self.queue.seal(sealed_for(schedule), key)
    }

    /// Opens the sealed key of a schedule.
    /// `None` if no configured key opens it.
    pub(super) fn open(&self, schedule: ScheduleId, secret: &SealedSecret) -> Option<ProviderKey> {
        self.queue.open_key(sealed_for(schedule), secret)
    }
}

/// The id for which a schedule's key is sealed.
/// Ids are random, so it differs from every run's id.
fn sealed_for(schedule: ScheduleId) -> ScanId {
    ScanId::from_bytes(*schedule.as_bytes())
}

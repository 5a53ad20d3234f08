use crate::clock::now_ms;
use crate::daily_turns::DailyTurns;
use crate::demo::{DemoState, Demos};
use crate::document::is_audit;
use crate::durable::Queue;
use crate::error::Error;
use crate::handle::billing::Billing;
use crate::job::{CallerId, Job, Reader};
use crate::limits::LimitStatus;
use crate::paid::Sales;
use crate::pictures::Pictures;
use crate::planner::Planner;
use crate::project_numbers::side;
use crate::request_hash::{RepeatableRequest, Started};
use crate::runs::Runs;
use crate::runs::permit::Permit;
use crate::runs::pinned::{PinnedOrder, PinnedRuns};
use crate::runs::run::{Finished, Run};
use crate::stored_scans::{StoredScan, StoredScans, read_result};
use crate::workspace::AccountRuns;
use bytes::Bytes;
use ibid_engine::compare::compare;
use ibid_model::result::Comparison;
use ibid_model::{AccountId, ScanId, ScanResult, UsdMicros};
use ibid_store::{Db, KeyedOutcome, Store, StoreError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a request that waits for an equal one pauses at first.
/// It doubles up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// The time after which a caller may try again after a failed look-up of its key.
const RETRY: Duration = Duration::from_secs(5);

/// What comes of a request for a job.
enum Begun {
    /// It is the first.
    Run(Run),
    /// An equal request has begun a run. The job is not done.
    Before(Job, Billing),
}

/// Orders of callers, their runs and their reports. Cheap to clone.
#[derive(Clone)]
pub struct Scans {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) stored_scans: Arc<StoredScans>,
    /// Runs with a provider key that the caller brings, and these callers' limits.
    pub(crate) pinned: Arc<PinnedRuns>,
    /// `None` if selling is off.
    pub(crate) sales: Option<Arc<Sales>>,
    pub(crate) account_runs: Arc<AccountRuns>,
    pub(crate) demos: Option<Demos>,
    /// Bounds how often visitors look; `None` if they cannot.
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
        match self.begin(job, billing, None).await? {
            Begun::Run(run) => Ok(run),
            // A request without a key equals no other.
            Begun::Before(..) => Err(Error::IdempotencyConflict),
        }
    }

    /// Starts a job as [`Self::perform`], unless an equal request of the last 24 hours did so. While that one is
    /// under way, this call waits for its end; if it ends without a result, this one begins. The run goes on when its
    /// caller hangs up, who comes back for it with the same key.
    /// The job is a scan with the caller's own key or for a credit.
    ///
    /// # Errors
    /// As [`Self::perform`]; [`Error::IdempotencyConflict`] for another request with the key; [`Error::Overloaded`] when
    /// the key cannot be looked up.
    pub async fn perform_once(
        &self,
        request: &RepeatableRequest,
        mut job: Job,
        mut billing: Billing,
    ) -> Result<Started<Run>, Error> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.keyed_scan(request).await? {
                KeyedOutcome::Finished(scan) => return Ok(Started::Replayed(scan)),
                KeyedOutcome::Conflict => return Err(Error::IdempotencyConflict),
                KeyedOutcome::Running(_) => {}
                KeyedOutcome::Free => match self.begin(job, billing, Some(request)).await? {
                    Begun::Run(run) => return Ok(Started::New(run)),
                    // Another request was faster.
                    Begun::Before(back, unpaid) => (job, billing) = (back, unpaid),
                },
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    async fn keyed_scan(&self, request: &RepeatableRequest) -> Result<KeyedOutcome, Error> {
        let request = request.clone();
        let found = self.runs.db.call(move |store| {
            let now = now_ms();
            store.keyed_scan(&request.keyed(ScanId::random(), now), now)
        });
        found.await.map_err(|error| {
            tracing::warn!(%error, "idempotency.not_claimed");
            Error::Overloaded { retry_after: RETRY }
        })
    }

    async fn begin(
        &self,
        job: Job,
        billing: Billing,
        once: Option<&RepeatableRequest>,
    ) -> Result<Begun, Error> {
        let visitors = CallerId::visitors();
        let (caller, counts) = match billing {
            Billing::Payment(offer) => {
                let run = self.sales()?.purchase(job, *offer, None).await?;
                return Ok(Begun::Run(run));
            }
            Billing::Credit(account) => {
                let started = self
                    .account_runs
                    .start((ScanId::random(), None), job, account, once);
                return match started.await? {
                    Started::New(run) => Ok(Begun::Run(run)),
                    Started::Replayed((_, job)) => Ok(Begun::Before(job, billing)),
                };
            }
            // An audit asks no model; other jobs need a payment.
            Billing::FreeAudit { .. } if job.plan().is_some() => return Err(Error::AuditsDisabled),
            // The operator pays for one question and no more.
            Billing::Demo { .. } if job.questions() != 1 => return Err(Error::DemoDisabled),
            Billing::Byok { ref caller, .. } | Billing::FreeAudit { ref caller } => (caller, true),
            Billing::Demo { .. } => (&visitors, false),
        };
        let reserved = self.runs.reserve(job)?;
        let turn = match billing {
            Billing::Demo { address } => {
                let demos = self.demos.as_ref().ok_or(Error::DemoDisabled)?;
                Some(demos.begin(address, Instant::now())?)
            }
            _ => None,
        };
        let id = ScanId::random();
        let order = PinnedOrder {
            id,
            caller,
            counts,
            once,
            subject: reserved.job.subject(),
            calls: u32::try_from(reserved.job.questions()).unwrap_or(u32::MAX),
        };
        let Some(pinned) = self.pinned.open(order).await? else {
            return Ok(Begun::Before(reserved.job, billing));
        };
        let permit = match (billing, turn) {
            (Billing::Byok { caller, key }, _) => {
                Permit::byok(reserved, id, key, &caller).outliving_caller_if(once.is_some())
            }
            (_, Some(turn)) => Permit::demo(reserved, id, turn),
            (_, None) => Permit::counted_audit(reserved, id),
        };
        Ok(Begun::Run(self.runs.start(permit, pinned)))
    }

    /// The most that an account's scan may cost the operator, or `None` if accounts cannot scan.
    pub fn most_workspace_cost(&self) -> Option<UsdMicros> {
        self.account_runs.most_cost()
    }

    /// Whether the free question can be asked now.
    pub fn demo(&self) -> DemoState {
        let demos = self.demos.as_ref();
        demos.map_or(DemoState::Closed, |demos| demos.state(Instant::now()))
    }

    pub async fn scan(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        Ok(self.stored(id, reader).await?.document)
    }

    /// Reads a scan's document, and which version of the method scored it.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan of another surface; [`Error::Store`].
    pub async fn stored(&self, id: ScanId, reader: &Reader) -> Result<StoredScan, Error> {
        self.stored_scans.get(id, reader).await
    }

    /// Reads a scan's result.
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
        Ok(Finished::read(id, self.scan(id, reader).await?)?)
    }

    /// Reads a scan's evidence, as a JSON document.
    ///
    /// # Errors
    /// As [`Self::stored`]; [`Error::NotFound`] also when answers were not stored; [`Error::Evidence`] if the
    /// evidence store has them and cannot be read.
    pub async fn answers(&self, id: ScanId, reader: &Reader) -> Result<Bytes, Error> {
        self.stored_scans.evidence(id, reader).await
    }

    /// Compares two results: the differences of the second from the first.
    pub fn compare(&self, first: (ScanId, &ScanResult), second: (ScanId, &ScanResult)) -> Comparison {
        compare(side(first.0, first.1), side(second.0, second.1))
    }

    /// Returns how much of the hourly quota a caller has left, or `None` if counting is off.
    pub fn limit_status(&self, caller: &CallerId) -> Option<LimitStatus> {
        self.pinned.limits.status(caller, Instant::now())
    }

    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }

    pub(crate) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        self.runs.in_store(work).await
    }

    pub(crate) fn sales(&self) -> Result<&Arc<Sales>, Error> {
        self.sales.as_ref().ok_or(Error::PaidDisabled)
    }
}

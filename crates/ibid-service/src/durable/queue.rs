//! Storing orders, and reading, listing and cancelling them.

use super::administration::{end_scan, end_unbegun};
use super::document::RunOwner;
use super::document::{OrderDocument, packed, stored_job};
use super::keys;
use super::planless::PlanlessOrder;
use super::steps::Steps;
use super::view::QueuedAnswer;
use crate::clock::{millis, now_ms};
use crate::credit::CreditedRow;
use crate::error::Error;
use crate::job::{CallerId, subject_of};
use crate::limits::Limits;
use crate::planner::Planner;
use crate::request_hash::{RepeatableRequest, Started};
use crate::runs::Runs;
use crate::runs::engine::{EmbeddedEngine, EngineSettings, RunEngine, RunSteps};
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, BatchId, Product, RunState, ScanId, ScheduleId, UsdMicros, WebhookId};
use ibid_provider::ProviderKey;
use ibid_store::{
    CountedRuns, Db, DurableRunView, NewDurableRun, OpenedRuns, PackedAnswers, RunFilter, RunKeys,
    RunSubject, SealedSecret, StoreError,
};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Most queued scans of one owner that have not ended.
const MOST_OPEN: u32 = 5_000;
/// The time after which an owner with too many open scans may try again.
const RETRY: Duration = Duration::from_secs(30);
/// The time for which a scan's sealed key is kept, unless the scan ends first.
const KEY_KEPT: Duration = Duration::from_secs(8 * 24 * 3_600);
/// The pause between two looks at a scan that another process works on.
pub(super) const LOOK: Duration = Duration::from_secs(1);

/// Starts an engine that calls the given steps.
pub type StartEngine = Box<dyn FnOnce(Db, Arc<dyn RunSteps>, &Handle) -> Arc<dyn RunEngine> + Send>;

#[derive(Default)]
pub struct QueueSettings {
    /// The keys that seal provider keys.
    /// `None` forbids queued scans with a caller's key.
    pub keys: Option<Arc<RunKeys>>,
    pub engine: EngineSettings,
    /// Another engine; `None` for the embedded one.
    pub start: Option<StartEngine>,
}

/// The operator's key, and the maximum cost of a scan that it pays for.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) key: ProviderKey,
    pub(crate) most_cost: UsdMicros,
}

#[derive(Debug)]
pub struct QueueOrder {
    pub plan: Plan,
    pub owner: RunOwner,
    /// The owner's key, which pays the models; `None` if the operator pays.
    pub key: Option<ProviderKey>,
    /// The time after which no call begins.
    pub deadline: Option<Timestamp>,
    /// The most that the provider may bill.
    pub max_cost: Option<UsdMicros>,
    /// The owner's label.
    pub tag: Option<String>,
    /// The one subscription that gets its events, or `None` for all that list them.
    pub webhook: Option<WebhookId>,
    pub schedule: Option<ScheduleId>,
    /// From 1 (first) to 5.
    pub priority: u8,
}

pub(crate) struct Queue {
    pub(super) runs: Arc<Runs>,
    planner: Arc<Planner>,
    limits: Limits,
    keys: Option<Arc<RunKeys>>,
    /// `None` if the operator pays for no scan.
    operator: Option<Operator>,
    /// Counts this process's purchases that follow a queued scan.
    pub(super) buyers: TaskTracker,
    /// Ends the wait of all buyers.
    pub(super) let_go: Notify,
    /// Set when the process stops.
    pub(super) stopping: CancellationToken,
    engine: Arc<dyn RunEngine>,
}

/// What a queue uses from its service.
pub(crate) struct QueueParts {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) limits: Limits,
    pub(crate) operator: Option<Operator>,
    /// The operator's key for sold scans, or `None` if selling is off.
    pub(crate) sold_key: Option<ProviderKey>,
}

impl Queue {
    /// Starts the engine.
    pub(crate) fn start(settings: QueueSettings, parts: QueueParts, runtime: &Handle) -> Arc<Self> {
        let steps = Steps {
            runs: Arc::clone(&parts.runs),
            planner: Arc::clone(&parts.planner),
            keys: settings.keys.clone(),
            operator: parts.operator.as_ref().map(|operator| operator.key.clone()),
            sold_key: parts.sold_key,
        };
        let (db, steps) = (parts.runs.db.clone(), Arc::new(steps));
        let engine = match settings.start {
            Some(start) => start(db, steps, runtime),
            None => Arc::new(EmbeddedEngine::start(db, steps, settings.engine, runtime)),
        };
        Arc::new(Self {
            runs: parts.runs,
            planner: parts.planner,
            limits: parts.limits,
            keys: settings.keys,
            operator: parts.operator,
            buyers: TaskTracker::new(),
            let_go: Notify::new(),
            stopping: CancellationToken::new(),
            engine,
        })
    }

    /// Waits until the sold scans that this process follows have ended, at most `within`.
    pub(crate) async fn finish_sold(&self, within: Duration) {
        // Those that have not ended then go on in another process.
        self.buyers.close();
        let _ = tokio::time::timeout(within, self.buyers.wait()).await;
    }

    /// Stops taking up work and waits for the calls under way.
    pub(crate) async fn stop(&self) {
        self.engine.stop().await;
        self.stopping.cancel();
    }

    /// Queues an account's scan, takes its credit and uses the key of its request, in one transaction.
    /// An equal request before has taken the credit.
    pub(crate) async fn open_for_credit(
        &self,
        id: ScanId,
        account: AccountId,
        order: &QueueOrder,
        once: Option<&RepeatableRequest>,
    ) -> Result<Started<ScanId>, Error> {
        let stored = self.stored(id, order, now_ms())?;
        self.check_open(&stored.tenant, 1).await?;
        let (row, once) = (CreditedRow::of((id, account), &order.plan), once.cloned());
        let begun = self.runs.db.call(move |store| {
            let now = now_ms();
            let once = once.as_ref().map(|once| once.keyed(id, now));
            store.begin_run(&row.as_new(now), &stored.as_new(now), once.as_ref())
        });
        let refusal = |error| CreditedRow::refusal(order.plan.estimate(), error);
        match begun.await.map_err(refusal)? {
            OpenedRuns::Opened => {
                self.start_run(id).await;
                Ok(Started::New(id))
            }
            OpenedRuns::Before(before) => Ok(Started::Replayed(before)),
            OpenedRuns::Conflict => Err(Error::IdempotencyConflict),
        }
    }

    /// Refuses new runs of an owner with too many open ones.
    async fn check_open(&self, tenant: &CallerId, new: u32) -> Result<(), Error> {
        let owner = tenant.clone();
        let open = self.runs.db.call(move |store| store.open_runs_of(owner.as_str()));
        match open.await?.saturating_add(new) > MOST_OPEN {
            true => Err(Error::TooMany { retry_after: RETRY }),
            false => Ok(()),
        }
    }

    /// Lets the engine start a stored run.
    async fn start_run(&self, id: ScanId) {
        if let Err(error) = self.engine.start(id).await {
            // The engine finds it by itself a little later.
            tracing::warn!(scan.id = %id, %error, "run.not_started");
        }
    }

    /// Cancels an open scan and returns its ended calls.
    /// `None` if there is no such scan.
    ///
    /// # Errors
    /// [`Error::Store`]; [`Error::Overloaded`] when the engine cannot be reached.
    pub(crate) async fn cancel_open(&self, id: ScanId) -> Result<Option<u32>, Error> {
        let found = self.runs.db.call(move |store| store.durable_run(id)).await?;
        let Some(run) = found.filter(|run| run.ended_at.is_none()) else {
            return Ok(None);
        };
        self.cancel(id).await?;
        Ok(Some(run.stored))
    }

    /// Ends an open scan at once, without a result. Its workers lose their steps.
    pub(crate) async fn end_now(&self, id: ScanId) -> Result<(), Error> {
        // Calls of this process stop before their next lease.
        self.cancel_open(id).await?;
        self.runs.db.call(move |store| end_scan(store, id)).await?;
        self.runs.feeds.end(id);
        Ok(())
    }

    /// Cancels a scan. One that has not begun ends at once.
    pub(super) async fn cancel(&self, id: ScanId) -> Result<(), Error> {
        if self.runs.db.call(move |store| end_unbegun(store, id)).await? {
            self.runs.feeds.end(id);
            return Ok(());
        }
        self.engine.cancel(id).await.map_err(|error| {
            tracing::warn!(scan.id = %id, %error, "run.not_cancelled");
            Error::Overloaded { retry_after: LOOK }
        })
    }

    /// Stores an order and lets the engine start it, as [`Scans::queue`].
    pub(crate) async fn put(
        &self,
        order: &QueueOrder,
        once: Option<&RepeatableRequest>,
    ) -> Result<Started<ScanId>, Error> {
        let id = ScanId::random();
        let stored = self.stored(id, order, now_ms())?;
        let once = once.map(|request| (request, id));
        match self.open(vec![stored], once).await? {
            OpenedRuns::Opened => Ok(Started::New(id)),
            OpenedRuns::Before(before) => Ok(Started::Replayed(before)),
            OpenedRuns::Conflict => Err(Error::IdempotencyConflict),
        }
    }

    /// Seals a key for `id`, which alone can open it.
    pub(crate) fn seal(&self, id: ScanId, key: &ProviderKey) -> Result<SealedSecret, Error> {
        self.seal_until(i64::MAX, id, key)
    }

    fn seal_until(&self, expires: i64, id: ScanId, key: &ProviderKey) -> Result<SealedSecret, Error> {
        let keys = self.keys.as_ref().ok_or(Error::QueueKeysUnavailable)?;
        keys::seal(keys, id, key, expires).ok_or(Error::NoEntropy)
    }

    /// Opens a key that was sealed for `id`.
    /// `None` if no configured key opens it.
    pub(crate) fn open_key(&self, id: ScanId, sealed: &SealedSecret) -> Option<ProviderKey> {
        keys::open(self.keys.as_ref()?, id, sealed)
    }

    /// Checks who pays and how much, and seals the key of the owner.
    pub(super) fn stored(&self, id: ScanId, order: &QueueOrder, now: i64) -> Result<Stored, Error> {
        let expires = now.saturating_add(millis(KEY_KEPT));
        let secret = order.key.as_ref().map(|key| self.seal_until(expires, id, key));
        let secret = secret.transpose()?;
        let of_operator = match (&order.key, &self.operator) {
            (Some(_), _) => None,
            // A project's budget was reserved before.
            (None, Some(_)) if matches!(order.owner, RunOwner::Project(_)) => None,
            (None, Some(operator)) => Some(operator.most_cost),
            (None, None) => return Err(Error::WorkspaceDisabled),
        };
        let max_cost = of_operator.into_iter().chain(order.max_cost).min();
        let estimate = order.plan.estimate();
        if let Some(most) = max_cost.filter(|most| estimate > *most) {
            return Err(Error::PlanTooExpensive {
                estimate,
                most,
                fits: None,
            });
        }
        let document = OrderDocument {
            owner: order.owner.clone(),
            operator_pays: order.key.is_none(),
            deadline: order.deadline,
            max_cost,
            webhook: order.webhook,
            is_audit: false,
        };
        Ok(Stored {
            id,
            tenant: order.owner.tenant(),
            document: serde_json::to_vec(&document)?,
            plan: packed(&order.plan)?,
            calls: u32::try_from(order.plan.len()).unwrap_or(u32::MAX),
            secret,
            subject: RunSubject {
                tag: order.tag.clone().map(Into::into),
                schedule: order.schedule,
                ..subject_of(&order.plan)
            },
            priority: order.priority,
            counts: matches!(order.owner, RunOwner::Api(_)),
        })
    }

    pub(super) async fn open(
        &self,
        stored: Vec<Stored>,
        once: Option<(&RepeatableRequest, ScanId)>,
    ) -> Result<OpenedRuns, Error> {
        let Some(tenant) = stored.first().map(|stored| stored.tenant.clone()) else {
            return Ok(OpenedRuns::Opened);
        };
        let new = u32::try_from(stored.len()).unwrap_or(u32::MAX);
        self.check_open(&tenant, new).await?;
        let ids: Vec<ScanId> = stored.iter().map(|stored| stored.id).collect();
        let once = once.map(|(request, scan)| (request.clone(), scan));
        // A credit bounds the scans of an account.
        let counts = stored.iter().all(|stored| stored.counts);
        let (limits, caller) = (self.limits.clone(), tenant.clone());
        let opened = self.runs.db.call(move |store| -> Result<_, StoreError> {
            let now = now_ms();
            let runs: Vec<_> = stored.iter().map(|stored| stored.as_new(now)).collect();
            let keyed = once.as_ref().map(|(request, scan)| request.keyed(*scan, now));
            let Some(count) = limits.of_orders(&caller).filter(|_| counts) else {
                return Ok((store.open_runs(&runs, keyed.as_ref(), now)?, None));
            };
            Ok(
                match store.open_counted_runs(&runs, keyed.as_ref(), &count, now)? {
                    CountedRuns::Opened(counted) => (OpenedRuns::Opened, Some(counted)),
                    CountedRuns::Before(scan) => (OpenedRuns::Before(scan), None),
                    CountedRuns::Conflict => (OpenedRuns::Conflict, None),
                },
            )
        });
        let (opened, counted) = opened.await?;
        let mut taken = ids.len();
        if let Some(counted) = counted {
            self.limits.counted(&tenant, counted)?;
            taken = counted.taken as usize;
        }
        if opened == OpenedRuns::Opened {
            for id in ids.into_iter().take(taken) {
                self.start_run(id).await;
            }
        }
        Ok(opened)
    }

    pub(super) async fn find(&self, owner: &RunOwner, id: ScanId) -> Result<DurableRunView, Error> {
        let found = self.runs.db.call(move |store| store.durable_run(id)).await?;
        found
            .filter(|run| run.tenant == owner.tenant().as_str())
            .ok_or(Error::NotFound)
    }

    /// Reads an open run's plan. `None` for an audit, and if the run has ended meanwhile.
    pub(super) async fn planned(&self, run: &DurableRunView) -> Result<Option<Plan>, Error> {
        if let Some(job) = stored_job(&self.runs.db, run.id, Product::Scan).await? {
            return Ok(job.into_plan());
        }
        match serde_json::from_slice::<PlanlessOrder>(&run.document) {
            Ok(order) => order.planned(&self.planner).await.map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Reads which calls of an open run have ended.
    pub(super) async fn answers(
        &self,
        run: &DurableRunView,
        plan: &Plan,
    ) -> Result<Vec<QueuedAnswer>, Error> {
        let (id, calls) = (run.id, run.calls);
        let kept = self.runs.db.call(move |store| store.calls(id, 0, calls)).await?;
        let answers = kept
            .iter()
            .filter_map(|kept| QueuedAnswer::read(plan, &kept.outcome));
        Ok(answers.collect())
    }
}

/// An order as it is stored.
pub(super) struct Stored {
    pub(super) id: ScanId,
    pub(super) tenant: CallerId,
    pub(super) document: Vec<u8>,
    pub(super) plan: PackedAnswers,
    pub(super) calls: u32,
    pub(super) secret: Option<SealedSecret>,
    pub(super) subject: RunSubject<'static>,
    pub(super) priority: u8,
    /// Whether it counts against the limits of its caller.
    pub(super) counts: bool,
}

impl Stored {
    fn as_new(&self, now: i64) -> NewDurableRun<'_> {
        NewDurableRun {
            id: self.id,
            tenant: self.tenant.as_str(),
            priority: self.priority,
            document: &self.document,
            plan: Some(self.plan.as_bytes()),
            calls: self.calls,
            created_at: now,
            secret: self.secret.as_ref(),
            subject: &self.subject,
        }
    }
}

/// Which scans a list has.
/// A field that is `None` matches all.
#[derive(Clone, Debug, Default)]
pub struct QueueFilter {
    /// The domain, in its canonical form.
    pub domain: Option<String>,
    /// The keyword; case is ignored.
    pub keyword: Option<String>,
    /// The place as ordered; case is ignored.
    pub place: Option<String>,
    /// The owner's label.
    pub tag: Option<String>,
    pub state: Option<RunState>,
    pub schedule: Option<ScheduleId>,
    pub batch: Option<BatchId>,
    /// The order came then or later.
    pub from: Option<Timestamp>,
    /// The order came before it.
    pub until: Option<Timestamp>,
}

impl QueueFilter {
    pub(super) fn as_filter(&self) -> RunFilter<'_> {
        RunFilter {
            domain: self.domain.as_deref(),
            keyword: self.keyword.as_deref(),
            place: self.place.as_deref(),
            tag: self.tag.as_deref(),
            state: self.state,
            schedule: self.schedule,
            batch: self.batch,
            from: self.from.map(Timestamp::as_millisecond),
            until: self.until.map(Timestamp::as_millisecond),
        }
    }
}

//! Permits: the only way to start a job.

use super::capacity::{Capacity, OpenWork, ReservedJob};
use super::output::RunIdentity;
use crate::caller_limits::CountedRun;
use crate::demo::DemoTurn;
use crate::limits::Running;
use crate::{CallerId, Error, Job, PageOrder};
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, Product, ScanId, UsdMicros};
use ibid_provider::{ProviderKey, Share, ShareKind};
use ibid_store::{Lease, Origin};
use ibid_x402::Verified;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;

/// The right to do one job, once.
/// It is not `Clone`, and every constructor takes the proof of a payment.
pub(crate) struct Permit {
    pub(super) run: ScanId,
    pub(super) job: Job,
    /// The key that pays the models, or `None` for a job without models.
    pub(super) key: Option<ProviderKey>,
    pub(super) origin: Origin,
    /// Whether the key belongs to the caller.
    /// A rejected key is then the caller's fault.
    pub(super) caller_pays: bool,
    /// Whether the run goes on when its caller hangs up.
    pub(super) outlives_caller: bool,
    /// The largest bill of the operator's key for the run, or `None` for a key of the caller.
    pub(super) cost_cap: Option<UsdMicros>,
    /// The caller and run whose share of the calls in flight this is.
    pub(super) share: Share,
    pub(super) held: Held,
}

/// The right to queue one sold scan.
/// Its reservations end when it is dropped.
pub(crate) struct QueuedPermit {
    run: ScanId,
    product: Product,
    plan: Box<Plan>,
    payer: String,
    cost_cap: Option<UsdMicros>,
    _held: Held,
}

impl QueuedPermit {
    /// The id of the run.
    pub(crate) const fn run(&self) -> ScanId {
        self.run
    }

    /// The product.
    pub(crate) const fn product(&self) -> Product {
        self.product
    }

    /// The plan.
    pub(crate) const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The wallet that pays.
    pub(crate) fn payer(&self) -> &str {
        &self.payer
    }

    /// The most that the operator's key may be billed.
    pub(crate) const fn cost_cap(&self) -> Option<UsdMicros> {
        self.cost_cap
    }
}

/// Counts that go down when the run ends, however it ends.
pub(super) struct Held {
    _open: OpenWork,
    _counted: Option<CountedRun>,
    _running: Option<Running>,
    _turn: Option<DemoTurn>,
}

impl Permit {
    /// The permit of a caller who brings a provider key.
    pub(crate) fn byok(
        reserved: ReservedJob,
        id: ScanId,
        key: ProviderKey,
        (caller, counted): (&CallerId, CountedRun),
    ) -> Self {
        let mut permit = Self::of(reserved, id, Some(key), Origin::V1);
        permit.caller_pays = true;
        permit.share.caller = number(caller);
        permit.outlives_caller = false;
        permit.held._counted = Some(counted);
        permit
    }

    /// The permit of a page audit for a service key's holder.
    /// It asks no model and counts as one scan.
    pub(crate) fn counted_audit(reserved: ReservedJob, id: ScanId, counted: CountedRun) -> Self {
        let mut permit = Self::of(reserved, id, None, Origin::V1);
        permit.held._counted = Some(counted);
        permit
    }

    /// The same permit.
    /// With `outlives` the run goes on when its caller hangs up.
    pub(crate) fn outliving_caller_if(mut self, outlives: bool) -> Self {
        self.outlives_caller |= outlives;
        self
    }

    /// The permit of the free question. The operator's key pays.
    pub(crate) fn demo(reserved: ReservedJob, turn: DemoTurn) -> Self {
        let key = Some(turn.key().clone());
        let mut permit = Self::of(reserved, ScanId::random(), key, Origin::Demo);
        permit.held._turn = Some(turn);
        permit
    }

    /// The permit of a verified payment.
    /// The operator's key pays, and the run outlives its caller.
    pub(crate) fn bought(
        reserved: ReservedJob,
        key: Option<ProviderKey>,
        lease: &Lease,
        verified: &Verified,
    ) -> Self {
        let origin = Origin::Paid(verified.key().payer.to_string());
        Self::of(reserved, lease.run, key, origin)
    }

    /// The permit of a page audit for an account.
    /// It asks no model and costs no credit, so its number is limited.
    ///
    /// # Errors
    /// [`Error::Overloaded`].
    pub(crate) fn audit(
        capacity: &Arc<Capacity>,
        page: PageOrder,
        account: AccountId,
        (id, running): (ScanId, Running),
    ) -> Result<Self, Error> {
        let reserved = capacity.reserve(Job::Audit(page))?;
        let mut permit = Self::of(reserved, id, None, Origin::Workspace(account));
        permit.held._running = Some(running);
        Ok(permit)
    }

    /// The same permit with a cap on the bill of the run.
    pub(crate) fn with_cost_cap(mut self, cost_cap: Option<UsdMicros>) -> Self {
        self.cost_cap = cost_cap;
        self
    }

    /// Turns the permit of a sold scan or radius analysis into one for the queue.
    /// Returns any other permit unchanged.
    pub(crate) fn into_queued(self: Box<Self>) -> Result<QueuedPermit, Box<Self>> {
        if !matches!(self.job, Job::Scan(..)) || !matches!(self.origin, Origin::Paid(_)) {
            return Err(self);
        }
        let product = self.job.product();
        match *self {
            Self {
                run,
                job: Job::Scan(_, plan),
                origin: Origin::Paid(payer),
                cost_cap,
                held,
                ..
            } => Ok(QueuedPermit {
                run,
                product,
                plan,
                payer,
                cost_cap,
                _held: held,
            }),
            other => Err(Box::new(other)),
        }
    }

    /// The job.
    pub(crate) const fn job(&self) -> &Job {
        &self.job
    }

    /// The run as its record and its counts name it.
    pub(crate) fn identity(&self) -> RunIdentity {
        RunIdentity {
            id: self.run,
            product: self.job.product(),
            origin: self.origin.clone(),
        }
    }

    fn of(reserved: ReservedJob, run: ScanId, key: Option<ProviderKey>, origin: Origin) -> Self {
        let ReservedJob { job, open } = reserved;
        let (kind, caller) = match &origin {
            Origin::V1 => (ShareKind::Plain, 0),
            Origin::V2(caller) => (ShareKind::Plain, number(caller)),
            Origin::Paid(payer) => (ShareKind::Sold, number(payer)),
            Origin::Workspace(account) => (ShareKind::Plain, number(account)),
            Origin::Demo => (ShareKind::Interactive, 0),
        };
        Self {
            share: Share {
                kind,
                caller,
                run: number(&run),
            },
            run,
            job,
            key,
            origin,
            caller_pays: false,
            outlives_caller: true,
            cost_cap: None,
            held: Held {
                _open: open,
                _counted: None,
                _running: None,
                _turn: None,
            },
        }
    }
}

/// The share of a caller's run that is not sold.
pub(crate) fn share_of(caller: &CallerId, run: ScanId) -> Share {
    Share {
        kind: ShareKind::Plain,
        caller: number(caller),
        run: number(&run),
    }
}

/// The share of a sold run.
pub(crate) fn share_of_buyer(payer: &str, run: ScanId) -> Share {
    Share {
        kind: ShareKind::Sold,
        caller: number(&payer),
        run: number(&run),
    }
}

/// Hashes the name of a caller or a run.
fn number(name: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

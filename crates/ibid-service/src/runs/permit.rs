//! Permits: the only way to start a job.

use super::capacity::{OpenWork, ReservedJob};
use super::output::RunIdentity;
use crate::demo::DemoTurn;
use crate::job::{CallerId, Job};
use ibid_model::{ScanId, UsdMicros, Wallet};
use ibid_provider::{ProviderKey, Share, ShareKind};
use ibid_store::{Lease, Origin, OwedWork};
use ibid_x402::Verified;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The right to do one job, once.
/// It is not `Clone`, and every constructor takes the proof of a payment.
pub(crate) struct Permit {
    pub(super) job: Job,
    /// The key that pays the models, or `None` for a job without models.
    pub(super) key: Option<ProviderKey>,
    pub(super) origin: Origin,
    /// Whether the key belongs to the caller.
    /// A rejected key is then the caller's fault.
    pub(super) caller_pays: bool,
    /// Whether the run goes on when its caller hangs up.
    pub(super) outlives_caller: bool,
    /// The caller and run whose share of the calls in flight this is.
    pub(super) share: Share,
    pub(super) held: Held,
}

/// The right to queue one sold job: the proof of a verified payment.
/// Its reservation ends when it is dropped.
pub(crate) struct SoldPermit {
    pub(crate) run: ScanId,
    pub(crate) job: Job,
    /// The wallet that pays.
    pub(crate) payer: String,
    /// The most that the operator's key may be billed.
    pub(crate) cost_cap: UsdMicros,
    _open: OpenWork,
}

impl SoldPermit {
    /// Permits what a verified payment buys. The operator's key pays the models.
    pub(crate) fn new(
        reserved: ReservedJob,
        lease: &Lease,
        verified: &Verified,
        cost_cap: UsdMicros,
    ) -> Self {
        Self::of(reserved, lease.run, verified.key().payer, cost_cap)
    }

    /// Permits work that is owed, because its payment was settled before.
    pub(crate) fn owed(reserved: ReservedJob, owed: &OwedWork, cost_cap: UsdMicros) -> Self {
        Self::of(reserved, owed.lease.run, owed.lease.key.payer, cost_cap)
    }

    fn of(reserved: ReservedJob, run: ScanId, payer: Wallet, cost_cap: UsdMicros) -> Self {
        let ReservedJob { job, open } = reserved;
        Self {
            run,
            job,
            payer: payer.to_string(),
            cost_cap,
            _open: open,
        }
    }
}

/// Counts that go down when the run ends, however it ends.
pub(super) struct Held {
    _open: OpenWork,
    _turn: Option<DemoTurn>,
}

impl Permit {
    /// Permits a scan to a caller who brings a provider key.
    pub(crate) fn byok(reserved: ReservedJob, id: ScanId, key: ProviderKey, caller: &CallerId) -> Self {
        let mut permit = Self::of(reserved, id, Some(key), Origin::V1);
        permit.caller_pays = true;
        permit.share.caller = number(caller);
        permit.outlives_caller = false;
        permit
    }

    /// Permits a page audit to the holder of a service key.
    /// It asks no model and counts as one scan.
    pub(crate) fn counted_audit(reserved: ReservedJob, id: ScanId) -> Self {
        Self::of(reserved, id, None, Origin::V1)
    }

    /// The same permit.
    /// With `outlives` the run goes on when its caller hangs up.
    pub(crate) fn outliving_caller_if(mut self, outlives: bool) -> Self {
        self.outlives_caller |= outlives;
        self
    }

    /// Permits the free question. The operator's key pays.
    pub(crate) fn demo(reserved: ReservedJob, id: ScanId, turn: DemoTurn) -> Self {
        let key = Some(turn.key().clone());
        let mut permit = Self::of(reserved, id, key, Origin::Demo);
        permit.held._turn = Some(turn);
        permit
    }

    /// The run as its record and its counts name it.
    pub(super) fn identity(&self, id: ScanId) -> RunIdentity {
        RunIdentity {
            id,
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
            share: share(kind, caller, run),
            job,
            key,
            origin,
            caller_pays: false,
            outlives_caller: true,
            held: Held {
                _open: open,
                _turn: None,
            },
        }
    }
}

/// Returns the share for a caller's run that is not sold.
pub(crate) fn share_of(caller: &CallerId, run: ScanId) -> Share {
    share(ShareKind::Plain, number(caller), run)
}

pub(crate) fn share_of_buyer(payer: &str, run: ScanId) -> Share {
    share(ShareKind::Sold, number(&payer), run)
}

fn share(kind: ShareKind, caller: u64, run: ScanId) -> Share {
    let run = number(&run);
    Share { kind, caller, run }
}

/// Hashes the name of a caller or a run.
fn number(name: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

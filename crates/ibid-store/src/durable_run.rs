//! Durable runs: work in steps whose progress survives the process that does it.
//!
//! A run has one plan step, then its shards, then one aggregate step.
//! A step has a row until it is done.
//! A worker claims a step with a lease.
//! Every claim raises the epoch of the step, and every write names its epoch:
//! a worker that lost its step gets [`StoreError::Lost`].

use crate::purchase::Millis;
use crate::workspace::{FinishedRun, NewAudit};
use crate::{CountedOrders, NewScan};
use ibid_model::{BatchId, RunState, ScanId, ScheduleId};
use serde::Deserialize;
use std::borrow::Cow;

/// A worker: one engine in one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkerId([u8; 16]);

impl WorkerId {
    pub fn random() -> Self {
        Self(*ScanId::random().as_bytes())
    }

    pub(crate) const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStep {
    /// Finds the number of shards.
    Plan,
    /// Makes the calls of one shard.
    Shard(u32),
    /// Turns the stored calls into a result.
    Aggregate,
}

#[derive(Clone, Copy, Debug)]
pub enum RunResult<'a> {
    /// Of a scan that a caller of the API ordered or a buyer pays for. A sold result is hidden until its settlement.
    Scan(&'a NewScan<'a>),
    /// Of the scan of an account, whose row shows it.
    OfAccount(&'a NewScan<'a>, &'a FinishedRun),
    /// Of the page audit of an account. It is dropped if the account was deleted meanwhile.
    Audit(&'a NewScan<'a>, &'a NewAudit<'a>),
}

/// The properties by which a caller finds a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RunSubject<'a> {
    /// The domain, in its canonical form.
    pub domain: Cow<'a, str>,
    /// The keyword as ordered.
    pub keyword: Cow<'a, str>,
    /// The place as ordered.
    pub place: Option<Cow<'a, str>>,
    /// The caller's own label.
    pub tag: Option<Cow<'a, str>>,
    /// The schedule that queued the run.
    pub schedule: Option<ScheduleId>,
    /// The batch that it belongs to, and its position there.
    #[serde(skip)]
    pub batch: Option<(BatchId, u32)>,
}

/// The runs that a list shows. A field that is `None` shows all.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunFilter<'a> {
    pub domain: Option<&'a str>,
    /// The keyword; case is ignored.
    pub keyword: Option<&'a str>,
    /// The place as ordered; case is ignored.
    pub place: Option<&'a str>,
    pub tag: Option<&'a str>,
    pub state: Option<RunState>,
    pub schedule: Option<ScheduleId>,
    pub batch: Option<BatchId>,
    /// Ordered at this time or later.
    pub from: Option<Millis>,
    /// Ordered before this time.
    pub until: Option<Millis>,
}

/// What an order of runs did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenedRuns {
    /// The runs are stored.
    Opened,
    /// An equal request with the same key has stored its runs before. The id is that of the request.
    Before(ScanId),
    /// The key belongs to another request. No run is stored.
    Conflict,
}

/// What an order did whose runs count against the limit of their caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedRuns {
    /// As many runs are stored as were taken, from the first on.
    Opened(CountedOrders),
    /// As [`OpenedRuns::Before`]. No run is counted.
    Before(ScanId),
    /// As [`OpenedRuns::Conflict`]. No run is counted.
    Conflict,
}

/// A run to store.
#[derive(Clone, Copy, Debug)]
pub struct NewDurableRun<'a> {
    pub id: ScanId,
    /// The caller it belongs to. Tenants share the workers fairly.
    pub tenant: &'a str,
    /// From 1 (first) to 5.
    pub priority: u8,
    /// The order, which the store does not read.
    pub document: &'a [u8],
    /// Its planned calls, which the store does not read; `None` leaves them to the plan step.
    pub plan: Option<&'a [u8]>,
    /// Calls planned.
    pub calls: u32,
    pub created_at: Millis,
    /// The sealed provider key; `None` if the operator pays.
    pub secret: Option<&'a SealedSecret>,
    /// The properties by which its caller finds it.
    pub subject: &'a RunSubject<'a>,
}

impl<'a> NewDurableRun<'a> {
    /// Describes a run that ended before it is stored, because its answers came from elsewhere: it has no order.
    pub const fn past(id: ScanId, tenant: &'a str, calls: u32, created_at: Millis) -> Self {
        const UNNAMED: &RunSubject<'static> = &RunSubject {
            domain: Cow::Borrowed(""),
            keyword: Cow::Borrowed(""),
            place: None,
            tag: None,
            schedule: None,
            batch: None,
        };
        Self {
            id,
            tenant,
            priority: 1,
            document: b"{}",
            plan: None,
            calls,
            created_at,
            secret: None,
            subject: UNNAMED,
        }
    }
}

/// A provider key, sealed with a key that is not in the database.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct SealedSecret {
    /// Names the key that seals it.
    pub kek: String,
    /// Nonce and ciphertext.
    pub ciphertext: Vec<u8>,
    /// The time from which it is not handed out.
    pub expires: Millis,
}

impl std::fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedSecret(..)")
    }
}

/// A step that a worker holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeldStep {
    pub run: ScanId,
    pub step: RunStep,
    /// The claim under which the worker holds it.
    pub epoch: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedStep {
    pub held: HeldStep,
    /// Attempts since the step last stored a call, this one included.
    /// Only claims that had begun a call or a write count, and steps given back as counted.
    pub attempts: u32,
    /// Whether the caller has cancelled the run.
    pub cancelled: bool,
}

/// How many further steps a worker can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRoom {
    /// Steps of any kind.
    pub steps: usize,
    /// Shards among them. Shards of cancelled runs make no call and do not count.
    pub shards: usize,
    /// Shards among them that only tenants without a claimed shard get, so that a large order does not lock the others out.
    pub kept: usize,
    /// Lost attempts after which a step is claimed alone.
    pub suspect: u32,
    /// Whether the worker has lived long enough to claim such a step: in one that is killed soon the step is not to blame.
    pub proven: bool,
    /// Whether the worker has no step under way.
    pub idle: bool,
}

impl StepRoom {
    /// Room for so many steps of any kind and tenant.
    pub const fn of_any(steps: usize) -> Self {
        Self {
            steps,
            shards: steps,
            kept: 0,
            suspect: u32::MAX,
            proven: true,
            idle: true,
        }
    }
}

/// The answer to a worker that asks for one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BegunStep {
    Done,
    /// A worker holds the step until this time, and may renew its lease before.
    Held(Millis),
    /// The asking worker holds the step.
    Claimed(ClaimedStep),
}

/// A run that has not ended, as an engine needs it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpenRun {
    pub id: ScanId,
    /// The caller it belongs to.
    pub tenant: String,
    /// From 1 (first) to 5.
    pub priority: u8,
}

/// What one call came to. The store does not read it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CallOutcome {
    /// Its number in the run.
    pub call: u32,
    pub outcome: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The run will end as cancelled, or was cancelled before.
    Cancelled,
    /// The run has ended.
    Ended,
    /// There is no such run.
    Unknown,
}

/// A run as its caller sees it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DurableRunView {
    pub id: ScanId,
    /// The caller it belongs to.
    pub tenant: String,
    /// The order; empty in a list.
    #[serde(skip)]
    pub document: Vec<u8>,
    pub state: RunState,
    /// Whether its caller has cancelled it.
    pub cancelled: bool,
    /// Calls planned.
    pub calls: u32,
    /// Calls with a stored outcome; once the run has ended, the number of them at its end.
    pub stored: u32,
    /// Why it failed, as a code such as `worker_lost`.
    pub error: Option<String>,
    pub created_at: Millis,
    pub ended_at: Option<Millis>,
    /// What a pinned run scored, in thousandths of a point.
    pub score: Option<u32>,
    /// The properties by which its caller finds it.
    pub subject: RunSubject<'static>,
}

//! Pinned runs: work of one process, whose provider key and calls stay in its memory.
//!
//! A run is written when it opens and when it ends, so a process that ends loses its runs.

use crate::purchase::Millis;
use crate::{KeyedRequest, NewDurableRun};
use ibid_model::{RunState, ScanId};

/// A pinned run to open.
#[derive(Clone, Copy, Debug)]
pub struct NewPinnedRun<'a> {
    /// The run, without plan, key and steps.
    pub run: &'a NewDurableRun<'a>,
    /// The time up to which its process lives, unless it renews the lease.
    pub lease_until: Millis,
    /// The request with the idempotency key that opens it.
    pub once: Option<&'a KeyedRequest<'a>>,
    /// The limits that it counts against.
    pub count: Option<&'a PinnedCount<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct PinnedCount<'a> {
    pub caller: &'a str,
    /// The limits, if they are enforced.
    pub limits: Option<CallerLimits>,
    /// How long `per_hour` counts, in milliseconds.
    pub window: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerLimits {
    /// Scans in a window.
    pub per_hour: u32,
    /// Pinned runs under way.
    pub at_once: u32,
}

/// How much a caller has used when a scan opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerUse {
    /// Scans of the current window, with this one if it was opened.
    pub used: u32,
    /// Time since the window began.
    pub age: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenedPinned {
    /// It is open. `None` if it is not counted.
    Opened(Option<CallerUse>),
    /// It would exceed the limits of its caller. Nothing is stored, and the idempotency key stays free.
    OverLimit(CallerUse),
    /// An equal request with the same key has this scan, which is under way or has its result.
    Before(ScanId),
    /// The idempotency key belongs to another request.
    Conflict,
}

#[derive(Clone, Copy, Debug)]
pub struct PinnedEnd<'a> {
    pub run: ScanId,
    pub state: RunState,
    /// Why it failed, as a code such as `worker_lost`.
    pub error: Option<&'a str>,
    /// Calls that have ended.
    pub done: u32,
    /// Its overall score, in thousandths of a point.
    pub score: Option<u32>,
}

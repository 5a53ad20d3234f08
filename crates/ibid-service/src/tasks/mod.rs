//! Tasks of agents: what A2A messages do.
//!
//! ```text
//! message -> read the task -> decide -> plan and price -> write the next revision          (free)
//!                                   \-> claim, verify -> begin (written) -> run -> settle -> end   (paid)
//! ```
//! What a message means is decided by `ibid-a2a` from the stored task; this module does it. Every write swaps one
//! revision for the next, so of two writers one wins, and the other reads and decides again. Work is bought through
//! [`crate::paid`], the purchase of every paid surface; it starts only if the task was written as begun, and it is
//! the request stored with the task that runs. From the claim on a purchase is a task of the service, so a client
//! that hangs up changes nothing. What a crash leaves behind is found by [`watch_over`].
//!
//! It refuses to know HTTP, and keeps no signed payment: payments pass through in memory only.

mod batch;
mod cache;
mod drive;
mod error;
mod opening;
mod pay;
mod price;
mod room;
mod send;
mod show;
mod stream;
mod summary;
mod watch;
mod write;

pub(crate) use room::TaskRoom;
pub(crate) use watch::watch_over;

use crate::Service;
use crate::service::Inner;
use cache::Cached;
use ibid_a2a::{CallError, HistoryLimit, Incoming, Task, TaskRecord};
use ibid_model::{Skill, TaskId};
use ibid_store::Room;
use ibid_x402::{Listing, Payment};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::Arc;

/// The tasks of agents. Cheap to clone.
#[derive(Clone)]
pub struct Tasks {
    inner: Arc<Inner>,
    service: Service,
    listings: Arc<Listings>,
    demands: Arc<price::Demands>,
}

/// What is sold to agents, in words.
#[derive(Clone, Debug)]
pub struct Listings {
    /// A scan.
    pub scan: Arc<Listing>,
    /// A radius analysis.
    pub radius: Arc<Listing>,
    /// A page audit.
    pub audit: Arc<Listing>,
    /// A full bundle.
    pub full: Arc<Listing>,
    /// The caller's own purchases.
    pub my_receipts: Arc<Listing>,
}

/// How much anonymous callers may leave behind or keep open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLimits {
    /// Tasks of one caller that nobody has paid for; the oldest go first.
    pub per_caller: Room,
    /// Tasks of all callers that nobody has paid for; the oldest go first.
    pub all: Room,
    /// Streams and waiting calls that one caller may have open.
    pub calls_per_caller: u32,
}

impl Default for TaskLimits {
    /// 1,000 tasks and 32 MiB a caller, 200,000 tasks and 2 GiB in all, 256 open calls a caller.
    fn default() -> Self {
        Self {
            per_caller: Room {
                tasks: 1_000,
                bytes: 32 << 20,
            },
            all: Room {
                tasks: 200_000,
                bytes: 2 << 30,
            },
            calls_per_caller: 256,
        }
    }
}

/// Who calls, as far as bounds go: a hash of the address, so that no store keeps addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller([u8; 16]);

impl Caller {
    /// The caller at an address. A network of 2^64 addresses is one caller: that is what one customer gets.
    #[must_use]
    pub fn at(address: IpAddr) -> Self {
        let mut hash = Sha256::new();
        match address {
            IpAddr::V4(address) => hash.update(address.octets()),
            IpAddr::V6(address) => match address.to_ipv4_mapped() {
                Some(address) => hash.update(address.octets()),
                None => hash.update(&address.octets()[..8]),
            },
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hash.finalize()[..16]);
        Self(short)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// A message with what came along.
#[derive(Debug)]
pub struct MessageCall {
    /// The message.
    pub incoming: Incoming,
    /// The payment of a header, if the message says that there is one.
    pub header: Option<Payment>,
    /// Who sent it.
    pub caller: Caller,
}

pub use show::Shown;

impl Tasks {
    pub(crate) fn new(service: Service, listings: Arc<Listings>) -> Self {
        let inner = Arc::clone(service.inner());
        Self {
            inner,
            service,
            listings,
            demands: Arc::default(),
        }
    }

    /// `tasks/get`.
    ///
    /// # Errors
    /// No such task, or no longer; the store failed.
    pub async fn get(&self, id: TaskId, history: HistoryLimit) -> Result<Shown, CallError> {
        let cache = &self.inner.tasks.cache;
        let now = cache.now();
        let Cached {
            record,
            answer,
            known,
        } = match cache.get(id) {
            Some(cached) => cached,
            None => Cached {
                record: self.inner.task(id).await?.ok_or(CallError::TaskNotFound)?,
                answer: None,
                known: now,
            },
        };
        record.shown(Timestamp::now())?;
        if history != HistoryLimit::All {
            return self.show(record, history).await;
        }
        if let Some(answer) = answer {
            return Ok(Shown::again(record, answer));
        }
        let shown = self.show(Arc::clone(&record), history).await?;
        let answer = shown.body();
        cache.put(&record, Some(Arc::clone(&answer)), known);
        Ok(Shown::again(record, answer))
    }

    /// What is sold as a skill, in words.
    fn listing(&self, skill: Skill) -> &Arc<Listing> {
        match skill {
            Skill::Scan => &self.listings.scan,
            Skill::Radius => &self.listings.radius,
            Skill::Audit => &self.listings.audit,
            Skill::Full => &self.listings.full,
            Skill::MyReceipts => &self.listings.my_receipts,
        }
    }
}

/// Whether nobody has paid for it: such tasks are bounded.
fn waits(task: &Task) -> bool {
    use ibid_a2a::TaskState as S;
    match task.state() {
        // Who cancels what he opened leaves it behind all the same.
        S::Submitted | S::InputRequired | S::Canceled => true,
        S::Working | S::Completed | S::Failed => false,
    }
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tasks(..)")
    }
}

/// A record that several may look at.
type Shared = Arc<TaskRecord>;

//! Tasks that agents order, and what A2A messages do to them.
//!
//! ```text
//! message -> read the task -> decide -> plan and price -> store the next revision                (free)
//!                                   \-> claim, verify -> begin (stored) -> run -> settle -> end   (paid)
//! ```
//! `ibid-a2a` decides from the stored task what a message means; this module carries it out.
//! Every write swaps one revision for the next.
//! Of two writers one wins, and the other reads and decides again.
//! Work is bought through [`crate::paid`], as on every paid surface.
//! It starts only after the task was stored as begun, and runs the request stored with the task.
//! From the claim on, a purchase is a task of the service, so a client's disconnect has no effect.
//! [`orphans`] finds the remains of a crash.
//!
//! This module is independent of HTTP and stores no signed payment.

mod error;
mod follow_run;
mod handle;
mod keeper;
mod limits;
mod named_hosts;
mod notices;
mod orphans;
mod price;
mod purchase;
mod push;
mod send;
mod show;
mod stream;
mod task_registry;
mod watch;

pub use handle::{Listings, MessageCall, Tasks};
pub(crate) use keeper::TaskKeeper;
pub use limits::{Caller, TaskLimits};
pub use show::Shown;

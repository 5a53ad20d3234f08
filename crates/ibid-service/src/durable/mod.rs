//! Queued scans: orders in the store, carried out call by call by workers of any process.
//!
//! [`Scans::queue`](crate::Scans::queue) stores an order with its plan and lets the engine start it. An upgrade changes
//! no question of a stored plan. A worker keeps every call as it ends, and scores them like any other scan. A process that
//! ends loses only the calls under way.

mod administration;
#[cfg(test)]
mod crash_tests;
mod document;
mod follow;
mod keys;
mod planless;
mod queue;
mod requests;
mod sold;
mod steps;
#[cfg(test)]
mod tests;
mod view;

pub use administration::{OpenScan, cancel_scan, end_scan, open_scans, revoke_key};
pub use document::RunOwner;
pub use queue::{QueueFilter, QueueOrder, QueueSettings, StartEngine};
pub use view::{QueuedAnswer, QueuedScan};

pub(crate) use follow::failure_of;
pub(crate) use queue::{Operator, Queue, QueueParts};
pub(crate) use sold::SoldEnd;

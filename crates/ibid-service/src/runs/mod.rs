//! The kernel that every job goes through: reserve, permit, start, output.
//!
//! A job starts only with a [`permit::Permit`], and starting consumes it.
//! A permit takes the proof that it is paid: a caller's provider key, a verified payment,
//! a turn for the free question, or a free and counted audit. A credit is taken when the run is stored.
//! The kernel runs permitted jobs as tasks of a separate runtime and hands their output to the store.

pub(crate) mod capacity;
pub(crate) mod counts;
pub mod engine;
pub(crate) mod kernel;
pub(crate) mod output;
pub(crate) mod permit;
pub(crate) mod pinned;
pub(crate) mod run;
pub(crate) mod watch;
pub(crate) mod work;

pub(crate) use kernel::Runs;
pub(crate) use permit::{share_of, share_of_buyer};

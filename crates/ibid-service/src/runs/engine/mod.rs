//! Runs work in steps that survive the process that does it.
//! The store has the plan of each run, its state, and what came of every call.
//! An engine decides which process does which step, and when a step is repeated.
//!
//! [`RunEngine`] is the driven side and [`RunSteps`] the driving side of an engine.
//! An engine gets a run and the number of a shard.
//! Its error codes are `&'static str`.
//! No text of a caller and no secret passes through it.
//!
//! [`EmbeddedEngine`] claims steps in the store with leases. A process that is killed loses the calls under way. Another
//! process, or the same one after a restart, continues once the lease has ended.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
mod port;
mod runner;
mod work;

pub use embedded::{EmbeddedEngine, EngineSettings};
pub use port::{EngineError, EngineView, RunEngine, RunFuture, RunSteps, StepCtx, StepError};
pub use runner::{StepEnd, StepRunner, after};

#![doc = include_str!("../README.md")]
//!
//! [`RunEngine`] is the driven side and [`RunSteps`] the driving side of an engine.
//! An engine gets a run and the number of a shard.
//! Its error codes are `&'static str`.
//! No text of a caller and no secret passes through it.
//!
//! The crate makes no call to a model and reads no order.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
mod port;
mod runner;
mod work;

pub use embedded::{EmbeddedEngine, EngineSettings};
pub use port::{EngineError, EngineView, RunEngine, RunFuture, RunSteps, StepCtx, StepError};
pub use runner::{StepEnd, StepRunner, after, now};

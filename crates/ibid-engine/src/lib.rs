#![doc = include_str!("../README.md")]
//!
//! The ibid scan engine: it plans questions, asks them, reads the answers and scores them.
//!
//! This crate is made for embedding.
//! `plan` turns an order into questions, and `Engine::run` asks them with limits.
//! [`read`] finds the recommendations of an answer, and the scores with their intervals follow from its readings.
//! Planning, reading and scoring are pure: same input, same output.
//! The only network traffic is the provider's.
//! `import` reads answers that another tool has logged.
//!
//! Feature `scan` (on by default) has planning and asking.
//! Without it the crate reads, scores, compares and scores again,
//! and depends on no runtime, no provider and no place data.
//!
//! HTTP, accounts, payment and storage are out of scope.
//! No model judges an answer.

#[cfg(feature = "scan")]
mod aggregate;
#[cfg(feature = "scan")]
mod ask;
#[cfg(feature = "scan")]
mod batches;
pub mod compare;
mod evidence;
mod hash;
pub mod history;
#[cfg(feature = "scan")]
pub mod import;
mod insights;
pub mod mentions;
mod numbers;
#[cfg(feature = "scan")]
pub mod plan;
#[cfg(feature = "scan")]
pub mod questions;
pub mod radius;
pub mod read;
pub mod rescore;
#[cfg(feature = "scan")]
mod run;
mod scanned;
pub mod score;
mod slot;

#[cfg(feature = "scan")]
pub use ask::{EndedCall, InterimReading, Progress};
pub use evidence::{Evidence, EvidenceAnswer, EvidenceMethod};
#[cfg(feature = "scan")]
pub use ibid_gazetteer::{ATTRIBUTION, LICENSES};
#[cfg(feature = "scan")]
pub use run::{Asked, Engine, NoAnswers, Rest};
pub use scanned::Scanned;
pub use slot::Slot;

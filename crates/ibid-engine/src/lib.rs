#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! The ibid scan engine: it plans questions, asks them, reads the answers and scores them.
//!
//! This crate is made for embedding. Its modules, in the order in which a scan passes through them:
//!
//! 1. `plan` turns an order into questions with a known size and price; `questions` checks those of a caller.
//! 2. `Engine` asks them with limits. The only network traffic is that of its provider. `import` takes answers that another
//!    tool has logged instead.
//! 3. [`read`] finds the recommendations of an answer.
//! 4. [`score`] folds readings into scores with intervals; [`radius`] is the distance within which a website is cited.
//! 5. [`compare`] sets two results against each other, [`history`] finds the changes of a series and [`mentions`] the rivals and
//!    sources in it, and [`rescore`] reads an old result again with the current method.
//!
//! Planning, reading and scoring are pure: same input, same output.
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
pub mod report;
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
pub use ibid_gazetteer::{ATTRIBUTION, KnownPlace, LICENSES};
#[cfg(feature = "scan")]
pub use run::{Asked, Engine, NoAnswers, Rest};
pub use scanned::Scanned;
pub use slot::{RingPlaces, Slot};

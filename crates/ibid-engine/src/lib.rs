//! The ibid scan engine: plan questions, ask them, read the answers, score them.
//!
//! The crate that others embed. [`plan`] turns an order into every question, [`Engine::run`] asks them all with a
//! bound, [`read`] finds in an answer who is recommended and how, and the scores with their intervals follow from
//! that. Planning, reading and scoring are pure: same input, same output. The only network traffic is the
//! provider's.
//!
//! It refuses to know HTTP, accounts, payment and storage, and it never asks a model to judge an answer.

mod ask;
pub mod compare;
mod evidence;
mod hash;
pub mod plan;
pub mod radius;
pub mod read;
pub mod rescore;
mod run;
pub mod score;
mod tally;

pub use ask::{Glimpse, Progress};
pub use evidence::{Evidence, EvidenceAnswer, EvidenceMethod};
pub use ibid_gazetteer::{ATTRIBUTION, LICENSES};
pub use run::{Asked, Engine, NoAnswers, Scanned};

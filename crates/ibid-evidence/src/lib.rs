#![doc = include_str!("../README.md")]
//!
//! The crate does not read the documents and uses no database.
//! The service decides when evidence moves here.

mod address;
#[cfg(feature = "s3")]
mod s3;
mod store;

pub use address::{BadAddress, EvidenceAddress};
pub use store::{EvidenceError, EvidenceStore};

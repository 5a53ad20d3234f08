#![doc = include_str!("../README.md")]
//!
//! The crate does not look into the documents, and knows no database: the service decides when evidence moves here.

mod address;
#[cfg(feature = "s3")]
mod s3;
mod store;

pub use address::{BadAddress, EvidenceAddress};
pub use store::{EvidenceError, EvidenceStore};

//! What surfaces hold: one handle for each kind of use case.

pub(crate) mod billing;
mod cards;
mod first_account;
mod keys;
mod orders;
mod sample;
pub(crate) mod scans;
pub(crate) mod service;
pub(crate) mod settings;

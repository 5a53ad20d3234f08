//! The handle of the surfaces, and its builder.

pub(crate) mod billing;
pub(crate) mod builder;
mod cards;
mod first_account;
mod keys;
mod orders;
mod sample;
pub(crate) mod scans;
pub(crate) mod service;

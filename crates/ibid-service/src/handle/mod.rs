//! The handle that surfaces hold, and the builder that makes it.

pub(crate) mod builder;
mod cards;
mod first_account;
mod keys;
mod orders;
mod repeat;
mod sample;
pub(crate) mod service;

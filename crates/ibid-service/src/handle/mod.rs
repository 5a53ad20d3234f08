//! The handle that surfaces hold, and the builder that makes it.

pub(crate) mod builder;
mod orders;
pub(crate) mod service;

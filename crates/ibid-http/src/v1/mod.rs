//! The v1 REST API: bearer-authenticated, synchronous, the caller's provider key pays.

pub(crate) mod models;
pub(crate) mod plan;
pub(crate) mod scan;

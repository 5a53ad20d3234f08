#![doc = include_str!("../README.md")]

pub use ibid_engine::*;

/// The checks of the page audit, and with feature `fetch` the page fetcher.
#[cfg(feature = "audit")]
pub use ibid_audit as audit;
/// Domains, orders, models, money and results.
pub use ibid_model as model;
/// The port to language models: its sandbox, and with feature `router` the client of a model router.
#[cfg(feature = "scan")]
pub use ibid_provider as provider;

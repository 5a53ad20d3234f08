#![doc = include_str!("../README.md")]

pub use ibid_engine::*;

/// Compiles the programs of the page on embedding.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/EMBEDDING.md")]
struct EmbeddingPage;

/// The checks of the page audit.
/// Feature `fetch` adds the page fetcher.
#[cfg(feature = "audit")]
pub use ibid_audit as audit;
/// Domains, orders, models, money and results.
pub use ibid_model as model;
/// The port to language models, with its sandbox.
/// Feature `router` adds the client of a model router.
#[cfg(feature = "scan")]
pub use ibid_provider as provider;

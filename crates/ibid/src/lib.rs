#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! The modules, in the order in which programs need them:
//!
//! 1. [`read`] finds what one answer says about a website, and [`score`] folds readings into a score with its interval.
//! 2. `plan` writes the questions of an order, a `provider` answers them, and `Engine` runs both to a result.
//!    `import` makes the same result out of a log, and `questions` checks questions in your own words.
//! 3. [`compare`] sets two results against each other, [`history`] finds the changes of a series and [`mentions`] the rivals and sources
//!    in it, [`radius`] is the distance of citations, and [`rescore`] reads an old result again.
//! 4. [`model`] has the values that all of them use, and `audit` the checks on a page.

pub use ibid_engine::*;

/// Compiles the programs of the page on embedding.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/EMBEDDING.md")]
struct EmbeddingPage;

/// Checks for the page audit.
/// Feature `fetch` adds the page fetcher.
#[cfg(feature = "audit")]
pub use ibid_audit as audit;
/// Domains, orders, models, money and results.
pub use ibid_model as model;
/// The port to language models, with its sandbox.
/// Feature `router` adds the client of a model router.
#[cfg(feature = "scan")]
pub use ibid_provider as provider;

#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! Port of ibid: ask a language model one question.
//!
//! [`Provider`] is the port; [`FnProvider`] makes one out of an async function.
//! [`Sandbox`] answers in process, as a pure function of seed, model and question.
//! `Router` (feature `http`) asks a router, or a vendor's own API, over HTTP.
//!
//! Only this crate talks to models during a scan.
//! It does not know the purpose of a question and computes no scores.
//! A [`ProviderKey`] never gets into logs, errors or results.

pub mod annotations;
mod completion;
mod decimal;
mod error;
mod function;
mod key;
mod load;
mod models;
mod probe;
mod prompt;
#[cfg(test)]
mod round_trip_tests;
#[cfg(feature = "http")]
mod router;
mod sandbox;

pub use completion::{Completion, TokenUsage};
pub use error::{CAUSES, Cause, Causes, ErrorScope, ProviderError};
pub use function::FnProvider;
pub use ibid_model::Finish;
pub use key::{BadKey, ProviderKey};
pub use load::{ModelLoad, ProviderLoad};
pub use models::{RouterModel, available, read_models};
pub use probe::{Probe, ProbedPlace, probe_all};
pub use prompt::{Coordinates, PROPOSAL_TASK, Prompt, Scene, Share, ShareKind, UserPlace, WebSearch};
#[cfg(feature = "http")]
pub use router::{
    BreakerPolicy, Dialect, ReservedPlaces, RetryPolicy, Router, RouterConfig, RouterError, UnknownDialect,
};
pub use sandbox::{Propose, Sandbox, Visibility, sample_shop};

use std::future::Future;
use std::pin::Pin;

/// A boxed future, written out so that the port stays object safe.
pub type ProviderFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Asks models.
///
/// An implementation bounds every call in time and size.
/// It retries transient failures within the prompt's deadline.
/// It stops at once when its future is dropped.
pub trait Provider: Send + Sync + 'static {
    /// Asks one question with the caller's key.
    ///
    /// # Errors
    /// [`ProviderError`] names the scope of the failure: this question, this model, or this key.
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>>;

    /// Whether [`Prompt::force_search`] is supported for a question after an answer from memory.
    fn can_force_search(&self, _prompt: &Prompt) -> bool {
        false
    }

    /// Returns the calls under way and waiting, for the operator.
    /// It is empty for a provider without limits.
    fn load(&self) -> ProviderLoad {
        ProviderLoad::default()
    }

    /// Whether answers are invented. Results then state this.
    fn is_sandbox(&self) -> bool {
        false
    }
}

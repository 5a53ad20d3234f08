//! A provider out of an async function.

use crate::completion::Completion;
use crate::error::ProviderError;
use crate::key::ProviderKey;
use crate::prompt::Prompt;
use crate::{Provider, ProviderFuture};
use std::future::Future;

/// A provider out of an async function from a prompt to an answer.
///
/// The function bounds its calls in time and size, and repeats what is worth it, as [`Provider`] demands.
/// Its answers count as not known to rest on a web search, unless it sets [`Completion::retrieval`].
///
/// ```
/// use ibid_provider::{FnProvider, Prompt, Provider};
///
/// let provider = FnProvider::new(|prompt: Prompt| async move {
///     Ok(format!("{} says: I recommend Acme.", prompt.model).into())
/// });
/// assert!(!provider.is_sandbox());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FnProvider<F>(F);

impl<F, Answer> FnProvider<F>
where
    F: Fn(Prompt) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Completion, ProviderError>> + Send,
{
    /// A provider that asks with this function.
    #[must_use]
    pub const fn new(ask: F) -> Self {
        Self(ask)
    }
}

impl<F, Answer> Provider for FnProvider<F>
where
    F: Fn(Prompt) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Completion, ProviderError>> + Send,
{
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move { (self.0)(prompt.clone()).await })
    }
}

impl From<String> for Completion {
    /// An answer that is a text alone.
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

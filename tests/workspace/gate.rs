//! A provider that answers when it is told to.

use futures_util::future::BoxFuture;
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderKey, Sandbox};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The sandbox behind a gate: each permit lets one answer through.
pub(crate) struct Gate {
    sandbox: Sandbox,
    pub(crate) open: Arc<Semaphore>,
}

impl Gate {
    pub(crate) fn shut() -> Self {
        Self {
            sandbox: Sandbox::new(7),
            open: Arc::new(Semaphore::new(0)),
        }
    }
}

impl Provider for Gate {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> BoxFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            self.open.acquire().await.unwrap().forget();
            self.sandbox.ask(key, prompt).await
        })
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

/// A provider that gives the same answer to every question.
pub(crate) struct Parrot(pub(crate) Result<String, ProviderError>);

impl Provider for Parrot {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        _: &'a Prompt,
    ) -> BoxFuture<'a, Result<Completion, ProviderError>> {
        let answer = self.0.clone().map(|text| Completion {
            text,
            ..Completion::default()
        });
        Box::pin(std::future::ready(answer))
    }
}

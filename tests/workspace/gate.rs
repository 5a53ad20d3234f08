//! A provider that answers when it is told to.

use futures_util::future::BoxFuture;
use ibid_model::UsdMicros;
use ibid_model::result::{Retrieval, Searched};
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderKey, Sandbox, TokenUsage};
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

/// A provider whose models search in this share of the questions, in per cent, and bill this many dollars an answer.
pub(crate) struct Searcher {
    pub(crate) percent: u32,
    pub(crate) dollars: u64,
}

impl Provider for Searcher {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> BoxFuture<'a, Result<Completion, ProviderError>> {
        let sum: u32 = prompt
            .text
            .bytes()
            .chain(prompt.model.bytes())
            .map(u32::from)
            .sum();
        let searched = sum * 71 % 100 < self.percent;
        let (text, searched) = match searched {
            true => (
                "1. Example - the best choice\n2. Rival Works - also good",
                Searched::Yes,
            ),
            false => (
                "1. Rival Works - the best choice\n2. Third House - good",
                Searched::No,
            ),
        };
        let answer = Completion {
            text: text.to_owned(),
            retrieval: Retrieval {
                searched,
                ..Retrieval::default()
            },
            usage: TokenUsage {
                cost: Some(UsdMicros::new(self.dollars * 1_000_000)),
                ..TokenUsage::default()
            },
            ..Completion::default()
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

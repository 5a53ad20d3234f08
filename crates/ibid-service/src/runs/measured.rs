//! A provider that counts the questions of one run by the alias of their model.

use crate::measurements::Measurements;
use ibid_engine::plan::Plan;
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey, ProviderLoad};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// A provider that counts.
pub(super) struct Measured {
    provider: Arc<dyn Provider>,
    /// From identifiers at the provider to aliases.
    aliases: HashMap<String, String>,
    measurements: Measurements,
}

impl Measured {
    /// Counts the questions of a plan.
    pub(super) fn of(provider: Arc<dyn Provider>, plan: &Plan, measurements: Measurements) -> Self {
        let names = plan.models().iter();
        Self {
            aliases: names
                .map(|model| {
                    (
                        model.first_candidate().to_owned(),
                        model.alias.as_str().to_owned(),
                    )
                })
                .collect(),
            provider,
            measurements,
        }
    }
}

impl Provider for Measured {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            let begun = Instant::now();
            let answer = self.provider.ask(key, prompt).await;
            let alias = self.aliases.get(&prompt.model).map_or("other", String::as_str);
            self.measurements
                .asked(alias, answer.as_ref().map(drop), begun.elapsed());
            answer
        })
    }

    fn can_force_search(&self, prompt: &Prompt) -> bool {
        self.provider.can_force_search(prompt)
    }

    fn load(&self) -> ProviderLoad {
        self.provider.load()
    }

    fn is_sandbox(&self) -> bool {
        self.provider.is_sandbox()
    }
}

//! Ctrl-C during a scan: the answers so far are scored, the other questions end unasked.

use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A provider that can be stopped.
pub(super) struct Stoppable {
    pub(super) provider: Arc<dyn Provider>,
    /// Ends open calls and refuses later ones.
    pub(super) stop: CancellationToken,
}

impl Provider for Stoppable {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => Err(ProviderError::Stopped),
                answer = self.provider.ask(key, prompt) => answer,
            }
        })
    }

    fn can_force_search(&self, prompt: &Prompt) -> bool {
        !self.stop.is_cancelled() && self.provider.can_force_search(prompt)
    }

    fn is_sandbox(&self) -> bool {
        self.provider.is_sandbox()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_engine::Engine;
    use ibid_engine::plan::{Plan, PlanOptions};
    use ibid_model::{Catalog, ScanDraft, ScanForm, ScanId};
    use ibid_provider::Sandbox;
    use serde_json::{Value, json};
    use std::num::NonZeroUsize;

    #[tokio::test]
    async fn a_stopped_scan_has_the_answers_up_to_then() {
        let body =
            json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 5, "rings": []});
        let Value::Object(body) = body else { panic!() };
        let order = ScanDraft(&body)
            .parse(&Catalog::builtin(), ScanForm::Byok)
            .unwrap();
        let plan = Plan::of(order, PlanOptions::default()).unwrap();
        let stop = CancellationToken::new();
        let stoppable = Stoppable {
            provider: Arc::new(Sandbox::new(1)),
            stop: stop.clone(),
        };
        let engine = Engine::new(Arc::new(stoppable), NonZeroUsize::MIN);
        let key = "sandbox".parse().unwrap();
        let scan = engine.run(ScanId::random(), &plan, &key, |progress| {
            if progress.done == 4 {
                stop.cancel();
            }
        });
        let scanned = scan.await.unwrap();
        let answers = &scanned.evidence.answers;
        assert_eq!(answers.iter().filter(|answer| answer.text.is_some()).count(), 4);
        let stopped = answers
            .iter()
            .filter(|answer| answer.error.as_deref() == Some("stopped"));
        assert_eq!(stopped.count(), plan.len() - 4);
    }
}

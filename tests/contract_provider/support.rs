//! Questions and routers for the tests of the port.

use ibid_provider::{
    BreakerPolicy, Completion, Dialect, Prompt, Provider as _, ProviderError, ProviderKey, RetryPolicy,
    Router, RouterConfig, Scene, WebSearch,
};
use ibid_tests::fake_router::FakeRouter;
use std::time::Duration;
use tokio::time::Instant;

/// The scanned domain of every question; must never leave the process.
pub(crate) const TARGET: &str = "scanned-target.example";

/// A key of the provider.
pub(crate) fn key(text: &str) -> ProviderKey {
    text.parse().expect("a key")
}

/// A question that may take ten seconds.
pub(crate) fn question(model: &str) -> Prompt {
    within(model, Duration::from_secs(10))
}

/// A question that may take so long.
pub(crate) fn within(model: &str, time: Duration) -> Prompt {
    Prompt {
        model: model.to_owned(),
        text: "Which dentist in Sevilla would you recommend? Name several.".to_owned(),
        search: WebSearch::Tool,
        engine: None,
        force_search: false,
        resume: None,
        place: None,
        max_tokens: 500,
        deadline: Instant::now() + time,
        share: ibid_provider::Share::default(),
        scene: Scene {
            domain: TARGET.parse().expect("a domain"),
            keyword: "dentist".to_owned(),
            place: Some("Sevilla".to_owned()),
            distance_km: Some(0.0),
            language: "en".to_owned(),
        },
    }
}

/// Settings for tests: short waits between attempts, and a breaker that stays closed.
pub(crate) fn config(fake: &FakeRouter) -> RouterConfig {
    RouterConfig {
        dialect: Dialect::OpenRouter,
        attempt_timeout: Duration::from_secs(5),
        retry: RetryPolicy {
            base: Duration::from_millis(4),
            cap: Duration::from_millis(20),
            ..RetryPolicy::default()
        },
        breaker: BreakerPolicy::off(),
        ..RouterConfig::new(fake.base_url())
    }
}

/// A router client for a fake router.
pub(crate) fn router(config: &RouterConfig) -> Router {
    Router::new(config).expect("a router")
}

/// Asks one question.
pub(crate) async fn ask(
    router: &Router,
    key_text: &str,
    prompt: &Prompt,
) -> Result<Completion, ProviderError> {
    router.ask(&key(key_text), prompt).await
}

/// Asks the same question so often at once.
pub(crate) async fn ask_many(
    router: &Router,
    key_text: &str,
    prompt: &Prompt,
    times: usize,
) -> Vec<Result<Completion, ProviderError>> {
    let key = key(key_text);
    let mut asked: Vec<_> = (0..times).map(|_| router.ask(&key, prompt)).collect();
    let mut answers: Vec<Option<_>> = (0..times).map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (ask, answer) in asked.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let std::task::Poll::Ready(ready) = ask.as_mut().poll(context)
            {
                *answer = Some(ready);
            }
        }
        if answers.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    answers.into_iter().flatten().collect()
}

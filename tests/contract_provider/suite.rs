//! The contract of every provider.

use crate::support::{config, key, question, router, within};
use ibid_provider::{Prompt, Provider, ProviderError, Sandbox};
use ibid_tests::fake_router::{FakeRouter, Reply, Script};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// An implementation of the port, set up so that the keys `invalid` and `broke` fail.
struct Subject {
    /// Answers at once.
    quick: Box<dyn Provider>,
    /// Takes longer than every timeout.
    slow: Box<dyn Provider>,
    sandbox: bool,
    /// Kept alive for the router's sake.
    _fake: Option<FakeRouter>,
}

fn sandbox() -> Subject {
    Subject {
        quick: Box::new(Sandbox::new(11)),
        slow: Box::new(Sandbox::new(11).with_latency(Duration::from_secs(60))),
        sandbox: true,
        _fake: None,
    }
}

fn http() -> Subject {
    let fake = FakeRouter::spawn();
    let answer = Reply::message(json!({
        "role": "assistant",
        "content": "1. **Acme** – good. 2. **Bolt**.",
        "annotations": [{"type": "url_citation", "url_citation": {"url": "https://acme.example/", "title": "Acme"}}],
    }));
    fake.on_key("sandbox", Script::always(answer))
        .on_key("invalid", Script::always(Reply::error(401, json!({}))))
        .on_key("broke", Script::always(Reply::error(402, json!({}))));
    let slow = FakeRouter::spawn();
    slow.on_key("sandbox", Script::always(Reply::hang()));
    let mut patient = config(&slow);
    patient.attempt_timeout = Duration::from_secs(60);
    Subject {
        quick: Box::new(router(&config(&fake))),
        slow: Box::new(KeepsFake {
            router: router(&patient),
            _fake: slow,
        }),
        sandbox: false,
        _fake: Some(fake),
    }
}

/// A router together with the fake it talks to.
struct KeepsFake {
    router: ibid_provider::Router,
    _fake: FakeRouter,
}

impl Provider for KeepsFake {
    fn ask<'a>(
        &'a self,
        key: &'a ibid_provider::ProviderKey,
        prompt: &'a Prompt,
    ) -> ibid_provider::ProviderFuture<'a, Result<ibid_provider::Completion, ProviderError>> {
        self.router.ask(key, prompt)
    }
}

async fn answers_within_the_bounds(subject: &Subject) {
    let key = key("sandbox");
    for model in ["openai/gpt-6-sol", "perplexity/sonar-pro", "x-ai/grok-4.6"] {
        let answer = subject
            .quick
            .ask(&key, &question(model))
            .await
            .expect("an answer");
        assert!(!answer.text.trim().is_empty() && answer.text.len() <= 256 * 1024);
        assert!(answer.citations.len() <= 100);
        assert!(answer.citations.iter().all(|citation| !citation.url.is_empty()));
        assert!(
            answer
                .model
                .as_deref()
                .is_some_and(|model| !model.starts_with('~'))
        );
        assert!(answer.usage.prompt_tokens > 0 && answer.usage.completion_tokens > 0);
        assert!(answer.usage.cost.is_some());
    }
}

async fn bad_keys_have_distinct_errors(subject: &Subject) {
    let ask = async |text: &str| subject.quick.ask(&key(text), &question("openai/gpt-6-sol")).await;
    assert_eq!(ask("invalid").await, Err(ProviderError::KeyRejected));
    assert_eq!(ask("broke").await, Err(ProviderError::NoCredit));
    // A bad key of one caller does not affect other callers.
    assert!(ask("sandbox").await.is_ok());
}

async fn keeps_the_deadline(subject: &Subject) {
    let key = key("sandbox");
    let passed = within("openai/gpt-6-sol", Duration::ZERO);
    assert_eq!(
        subject.quick.ask(&key, &passed).await,
        Err(ProviderError::Timeout)
    );
    let begin = Instant::now();
    let short = within("openai/gpt-6-sol", Duration::from_millis(120));
    assert_eq!(subject.slow.ask(&key, &short).await, Err(ProviderError::Timeout));
    let took = begin.elapsed();
    assert!(
        (Duration::from_millis(110)..Duration::from_secs(2)).contains(&took),
        "{took:?}"
    );
}

async fn a_dropped_call_stops(subject: &Subject) {
    let key = key("sandbox");
    let prompt = question("openai/gpt-6-sol");
    for _ in 0..3 {
        let ask = subject.slow.ask(&key, &prompt);
        assert!(
            tokio::time::timeout(Duration::from_millis(20), ask)
                .await
                .is_err()
        );
    }
    assert!(subject.quick.ask(&key, &prompt).await.is_ok());
}

async fn the_sandbox_is_marked(subject: &Subject) {
    assert_eq!(subject.quick.is_sandbox(), subject.sandbox);
}

macro_rules! suite {
    ($($subject:ident),*) => {$(
        mod $subject {
            #[tokio::test]
            async fn answers_within_the_bounds() {
                super::answers_within_the_bounds(&super::$subject()).await;
            }

            #[tokio::test]
            async fn bad_keys_have_distinct_errors() {
                super::bad_keys_have_distinct_errors(&super::$subject()).await;
            }

            #[tokio::test]
            async fn keeps_the_deadline() {
                super::keeps_the_deadline(&super::$subject()).await;
            }

            #[tokio::test]
            async fn a_dropped_call_stops() {
                super::a_dropped_call_stops(&super::$subject()).await;
            }

            #[tokio::test]
            async fn the_sandbox_is_marked() {
                super::the_sandbox_is_marked(&super::$subject()).await;
            }
        }
    )*};
}

suite!(sandbox, http);

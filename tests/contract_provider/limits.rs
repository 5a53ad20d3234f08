//! Limits of calls in flight, for each key, and their end.

use crate::support::{ask, ask_many, config, key, question, router, within};
use ibid_provider::{Provider as _, ProviderError};
use ibid_tests::fake_router::{End, FakeRouter, Reply, Script};
use serde_json::json;
use std::time::Duration;

fn slow_answer() -> Script {
    Script::always(Reply::text("fine").after(Duration::from_millis(30)))
}

#[tokio::test]
async fn a_refused_crowd_becomes_as_small_as_the_provider_wants_it() {
    let fake = FakeRouter::spawn();
    let refusal = Reply::error(429, json!({})).with_header("retry-after-ms", "80");
    fake.on_key("k", slow_answer()).limit_key("k", 4, refusal);
    let router = router(&config(&fake));

    let answers = ask_many(&router, "k", &question("m"), 40).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let refused = fake.log().ended(End::Answered(429));
    assert!(refused >= 30, "a cold key starts at the ceiling: {refused}");

    fake.reset_peaks();
    let answers = ask_many(&router, "k", &question("m"), 40).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let log = fake.log();
    let again = log.ended(End::Answered(429)) - refused;
    assert!(again <= 8, "{again} of 40 refused by now");
    assert!(log.peak() <= 8, "{}", log.peak());
}

/// Lets `k` run into refusals of model `a`, then counts how many calls to `b` it makes at once.
async fn peak_after(refusal: Reply) -> (usize, usize) {
    let fake = FakeRouter::spawn();
    fake.on_model("a", Script::always(refusal))
        .on_model("b", slow_answer());
    let mut config = config(&fake);
    config.retry.extra_attempts = 0;
    let router = router(&config);
    for _ in 0..2 {
        assert!(ask(&router, "k", &question("a")).await.is_err());
    }
    ask_many(&router, "k", &question("b"), 8).await;
    let own = fake.log().peak_of_model("b");
    fake.reset_peaks();
    ask_many(&router, "other", &question("b"), 8).await;
    (own, fake.log().peak_of_model("b"))
}

#[tokio::test]
async fn a_limit_of_the_account_slows_all_its_models_and_no_other_account() {
    assert_eq!(peak_after(Reply::error(429, json!({}))).await, (1, 8));
}

#[tokio::test]
async fn a_limit_upstream_slows_that_model_only() {
    let upstream = json!({"metadata": {"provider_name": "Acme", "raw": "x"}});
    assert_eq!(peak_after(Reply::error(429, upstream)).await, (8, 8));
    assert_eq!(peak_after(Reply::error(503, json!({}))).await, (8, 8));
    assert_eq!(peak_after(Reply::error(529, json!({}))).await, (8, 8));
}

#[tokio::test]
async fn plain_failures_leave_the_limits_unchanged() {
    assert_eq!(peak_after(Reply::error(500, json!({}))).await, (8, 8));
    assert_eq!(peak_after(Reply::error(404, json!({}))).await, (8, 8));
}

#[tokio::test]
async fn the_process_has_a_ceiling() {
    let fake = FakeRouter::spawn();
    fake.on_model("m", slow_answer());
    let mut config = config(&fake);
    config.max_in_flight = 3;
    let router = router(&config);
    let (one, other) = (question("m"), question("m"));
    let (one, other) = tokio::join!(ask_many(&router, "k", &one, 6), ask_many(&router, "l", &other, 6));
    assert!(one.iter().chain(&other).all(Result::is_ok));
    assert_eq!(fake.log().peak(), 3);
}

#[tokio::test]
async fn the_breaker_opens_for_a_model_that_keeps_failing() {
    let fake = FakeRouter::spawn();
    fake.on_model("sick", Script::always(Reply::error(500, json!({}))));
    let mut config = config(&fake);
    config.retry.extra_attempts = 0;
    config.breaker = ibid_provider::BreakerPolicy::default();
    let router = router(&config);
    for number in 0..8 {
        let prompt = within("sick", Duration::from_millis(100));
        let answer = ask(&router, "k", &prompt).await;
        let error = if number < 5 {
            ProviderError::Unavailable
        } else {
            ProviderError::KeyFailing
        };
        assert_eq!(answer.map(|answer| answer.text), Err(error));
    }
    assert_eq!(fake.log().attempts.len(), 5);
    assert!(ask(&router, "k", &question("well")).await.is_ok());
    // A caller with another key is asked as before.
    fake.on_key("other", Script::always(Reply::text("fine")));
    assert!(ask(&router, "other", &question("sick")).await.is_ok());
}

#[tokio::test]
async fn no_caller_can_open_the_breaker_of_a_model() {
    let fake = FakeRouter::spawn();
    for (key, status) in [("a", 401), ("b", 402), ("c", 403), ("d", 429), ("e", 400)] {
        fake.on_key(key, Script::always(Reply::error(status, json!({}))));
    }
    let mut config = config(&fake);
    config.breaker = ibid_provider::BreakerPolicy::default();
    let router = router(&config);
    for key in ["a", "b", "c", "d", "e"] {
        for _ in 0..6 {
            assert!(ask(&router, key, &question("m")).await.is_err());
        }
    }
    assert!(ask(&router, "good", &question("m")).await.is_ok());
}

#[tokio::test]
async fn retries_have_a_budget() {
    let fake = FakeRouter::spawn();
    fake.on_model("m", Script::always(Reply::error(500, json!({}))));
    let mut config = config(&fake);
    config.retry.budget_percent = 20;
    let router = router(&config);
    let answers = ask_many(&router, "k", &question("m"), 100).await;
    assert!(answers.iter().all(Result::is_err));
    // Ten to begin with, and twenty for a hundred questions; without a budget it would be 300 attempts.
    assert_eq!(fake.log().attempts.len(), 130);
}

#[tokio::test]
async fn a_dropped_question_is_aborted_at_the_router() {
    let fake = FakeRouter::spawn();
    fake.on_model("m", Script::always(Reply::hang()));
    let mut config = config(&fake);
    config.attempt_timeout = Duration::from_secs(30);
    let router = router(&config);
    let (key, prompt) = (key("k"), question("m"));
    let mut asked: Vec<_> = (0..5).map(|_| router.ask(&key, &prompt)).collect();
    for ask in &mut asked {
        tokio::select! {
            answer = ask => panic!("an answer: {answer:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    let waiting = std::future::poll_fn(|context| {
        asked
            .iter_mut()
            .for_each(|ask| assert!(ask.as_mut().poll(context).is_pending()));
        std::task::Poll::<()>::Pending
    });
    tokio::select! {
        () = waiting => {}
        _ = fake.until(|log| log.in_flight() == 5) => {}
    }
    assert_eq!(router.in_flight(), 5);
    drop(asked);
    assert_eq!(router.in_flight(), 0);
    let log = fake.until(|log| log.ended(End::Aborted) == 5).await;
    assert_eq!(log.attempts.len(), 5);
}

//! Every fault of a real router, what it becomes, and how many attempts it costs.

use crate::support::{ask, config, question, router, within};
use ibid_provider::{Finish, ProviderError as E};
use ibid_tests::fake_router::{End, FakeRouter, Reply, Script};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Asks once under a script; compares the text or the error, and the number of attempts.
async fn check(script: Script, expected: Result<&str, E>, attempts: usize) -> FakeRouter {
    check_within(Duration::from_secs(5), script, expected, attempts).await
}

/// The same with so much patience for an attempt.
async fn check_within(
    patience: Duration,
    script: Script,
    expected: Result<&str, E>,
    attempts: usize,
) -> FakeRouter {
    let fake = FakeRouter::spawn();
    fake.on_model("m", script);
    let mut config = config(&fake);
    config.attempt_timeout = patience;
    let router = router(&config);
    let begin = Instant::now();
    let answer = ask(&router, "k", &question("m")).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert_eq!(answer.map(|answer| answer.text), expected.map(str::to_owned));
    let log = fake.until(|log| log.in_flight() == 0).await;
    assert_eq!(log.attempts.len(), attempts, "{:#?}", log.attempts);
    assert_eq!(router.in_flight(), 0);
    fake
}

/// The same failure for ever.
async fn fails(reply: Reply, error: E, attempts: usize) {
    check(Script::always(reply), Err(error), attempts).await;
}

/// A failure, then an answer.
async fn recovers(reply: Reply) {
    check(Script::sequence([reply, Reply::text("fine")]), Ok("fine"), 2).await;
}

fn status(status: u16) -> Reply {
    Reply::error(status, json!({}))
}

#[tokio::test]
async fn key_and_credit_end_at_once() {
    fails(status(401), E::KeyRejected, 1).await;
    fails(status(403), E::KeyRejected, 1).await;
    fails(status(402), E::NoCredit, 1).await;
    fails(
        Reply::error(429, json!({"code": "insufficient_quota"})),
        E::NoCredit,
        1,
    )
    .await;
    fails(Reply::error_in_200(json!(401), json!({})), E::KeyRejected, 1).await;
}

#[tokio::test]
async fn model_and_request_end_at_once() {
    fails(status(404), E::ModelUnavailable, 1).await;
    fails(
        Reply::raw(404, "application/json", r#"{"error":"model 'm' not found"}"#),
        E::ModelUnavailable,
        1,
    )
    .await;
    let region = json!({"availability": {"code": "region_restricted", "retryable": false}});
    fails(Reply::error(403, region), E::ModelClosed, 1).await;
    fails(status(400), E::RequestRefused { status: 400 }, 1).await;
    fails(status(413), E::RequestRefused { status: 413 }, 1).await;
    fails(status(422), E::RequestRefused { status: 422 }, 1).await;
}

#[tokio::test]
async fn a_filter_without_words_is_no_answer_and_a_refusal_in_words_is_one() {
    let moderated = json!({"metadata": {"reasons": ["violence"], "flagged_input": "x"}});
    fails(Reply::error(403, moderated), E::Empty, 1).await;
    let filtered = json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]});
    fails(
        Reply::raw(200, "application/json", filtered.to_string()),
        E::Empty,
        2,
    )
    .await;

    let fake = FakeRouter::spawn();
    fake.on_model(
        "m",
        Script::always(Reply::message(json!({"content": null, "refusal": "I can't."}))),
    );
    let answer = ask(&router(&config(&fake)), "k", &question("m")).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.finish),
        ("I can't.", Finish::Refused)
    );
}

#[tokio::test]
async fn trouble_at_the_provider_is_tried_three_times() {
    for code in [408, 500, 502, 503, 504, 524, 529] {
        let error = if [408, 504, 524].contains(&code) {
            E::Timeout
        } else {
            E::Unavailable
        };
        fails(status(code), error, 3).await;
        recovers(status(code)).await;
    }
    fails(
        Reply::raw(502, "text/html", "<html>Bad gateway</html>"),
        E::Unavailable,
        3,
    )
    .await;
}

#[tokio::test]
async fn errors_inside_a_200_are_errors() {
    recovers(Reply::error_in_200(json!(502), json!({}))).await;
    recovers(Reply::error_in_200(json!("503"), json!({}))).await;
    recovers(Reply::error_in_200(
        Value::Null,
        json!({"http_status": 503, "error_type": "provider_overloaded"}),
    ))
    .await;
    recovers(Reply::json(
        json!({"choices": [{"error": {"code": 502}, "finish_reason": "error",
        "message": {"content": "half an ans"}}]}),
    ))
    .await;
    fails(Reply::error_in_200(json!(404), json!({})), E::ModelUnavailable, 1).await;
}

#[tokio::test]
async fn an_empty_answer_is_tried_once_more() {
    for empty in [json!(""), json!(null), json!(" \n"), json!([])] {
        fails(Reply::message(json!({"content": empty})), E::Empty, 2).await;
    }
    recovers(Reply::json(json!({"choices": []}))).await;
    recovers(Reply::json(json!({}))).await;
}

#[tokio::test]
async fn an_unreadable_answer_is_tried_once_more() {
    fails(
        Reply::raw(200, "text/html", "<html>hello</html>"),
        E::Unreadable,
        2,
    )
    .await;
    fails(Reply::raw(200, "application/json", ""), E::Unreadable, 2).await;
    recovers(Reply::raw(200, "application/json", r#"{"choices":[{"mes"#)).await;
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    fails(Reply::raw(200, "application/json", deep), E::Unreadable, 2).await;
}

#[tokio::test]
async fn a_broken_connection_is_tried_once_more() {
    fails(Reply::truncated(), E::Connection, 2).await;
    fails(Reply::reset(), E::Connection, 2).await;
    recovers(Reply::truncated()).await;
    recovers(Reply::reset()).await;
    // A lost answer may be on the bill: two different losses are not two reasons.
    let script = Script::sequence([
        Reply::reset(),
        Reply::raw(200, "text/html", "<html>"),
        Reply::text("fine"),
    ]);
    check(script, Err(E::Unreadable), 2).await;
    // Other trouble in between is.
    let script = Script::sequence([Reply::reset(), status(502), Reply::text("fine")]);
    check(script, Ok("fine"), 3).await;
}

#[tokio::test]
async fn an_unreachable_router_is_a_connection_failure() {
    let fake = FakeRouter::spawn();
    let config = config(&fake);
    drop(fake);
    let answer = ask(&router(&config), "k", &question("m")).await;
    assert_eq!(answer.map(|answer| answer.text), Err(E::Connection));
}

#[tokio::test]
async fn silence_ends_with_the_attempt_and_is_tried_once_more() {
    let patience = Duration::from_millis(200);
    let hang = Script::always(Reply::hang());
    let fake = check_within(patience, hang, Err(E::Timeout), 2).await;
    assert_eq!(fake.log().ended(End::Aborted), 2);
    let drip = Script::always(Reply::drip(Duration::from_millis(50)));
    check_within(patience, drip, Err(E::Timeout), 2).await;
    let late = Script::sequence([Reply::hang(), Reply::text("fine")]);
    check_within(Duration::from_millis(500), late, Ok("fine"), 2).await;
}

#[tokio::test]
async fn the_deadline_ends_everything() {
    let fake = FakeRouter::spawn();
    fake.on_model("m", Script::always(Reply::hang()));
    let mut config = config(&fake);
    config.attempt_timeout = Duration::from_secs(30);
    let begin = Instant::now();
    let answer = ask(&router(&config), "k", &within("m", Duration::from_millis(100))).await;
    assert_eq!(answer.map(|answer| answer.text), Err(E::Timeout));
    assert!(begin.elapsed() < Duration::from_secs(2));
    let log = fake.until(|log| log.ended(End::Aborted) == 1).await;
    assert_eq!(log.attempts.len(), 1);
}

#[tokio::test]
async fn a_large_body_is_not_read_to_the_end() {
    fails(Reply::huge(5_000_000), E::Unreadable, 1).await;
    let announced = Reply::raw(200, "application/json", vec![b' '; 5_000_000]);
    fails(announced, E::Unreadable, 1).await;
}

#[tokio::test]
async fn a_wait_that_is_asked_for_is_kept() {
    let refusal = status(429).with_header("retry-after-ms", "150");
    let fake = check(Script::sequence([refusal, Reply::text("fine")]), Ok("fine"), 2).await;
    let attempts = fake.log().attempts;
    let gap = attempts[1].at - attempts[0].at;
    assert!(
        (Duration::from_millis(150)..Duration::from_secs(1)).contains(&gap),
        "{gap:?}"
    );

    let hinted =
        json!({"availability": {"code": "capacity_exhausted", "retryable": true, "retry_after": 0.1}});
    let script = Script::sequence([Reply::error(429, hinted), Reply::text("fine")]);
    let attempts = check(script, Ok("fine"), 2).await.log().attempts;
    assert!(attempts[1].at - attempts[0].at >= Duration::from_millis(100));
}

#[tokio::test]
async fn a_wait_that_does_not_fit_is_not_begun() {
    let refusal = status(429).with_header("Retry-After", "60");
    let retry_after = Some(Duration::from_secs(60));
    fails(refusal, E::RateLimited { retry_after }, 1).await;
    fails(status(429), E::RateLimited { retry_after: None }, 3).await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = FakeRouter::spawn();
    let location = elsewhere.base_url().to_string();
    for code in [301, 302, 307, 308] {
        let moved = Reply::raw(code, "text/plain", "").with_header("Location", &location);
        fails(moved, E::RequestRefused { status: code }, 1).await;
    }
    assert!(elsewhere.log().attempts.is_empty());
}

#[tokio::test]
async fn odd_annotations_do_not_spoil_an_answer() {
    let fake = FakeRouter::spawn();
    let message = json!({"content": [{"type": "text", "text": "Acme [1]"}], "annotations": [
        {"type": "file", "file": {}}, null, 7, "https://a.example/", {"type": "url_citation", "url_citation": {"url": 5}},
        {"type": "url_citation", "url_citation": {"url": "https://b.example/", "title": "B", "start_index": 0, "end_index": 0}},
        {"type": "url_citation", "url": "https://c.example/", "start_index": 9, "end_index": 1},
    ]});
    fake.on_model("m", Script::always(Reply::message(message)));
    let answer = ask(&router(&config(&fake)), "k", &question("m")).await.unwrap();
    let urls: Vec<_> = answer
        .citations
        .iter()
        .map(|c| (c.url.as_str(), c.span))
        .collect();
    assert_eq!(
        urls,
        [
            ("https://a.example/", None),
            ("https://b.example/", Some((0, 0))),
            ("https://c.example/", None)
        ]
    );
    assert_eq!(answer.text, "Acme [1]");
    assert_eq!(answer.model.as_deref(), Some("resolved/m"));
    assert_eq!(answer.usage.cost.map(|cost| cost.get()), Some(12_300));
}

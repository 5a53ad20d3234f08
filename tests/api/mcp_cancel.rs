//! `/mcp`: every way of cancelling a call ends the calls to the model router.

use crate::mcp::{call, keyed, message, modern, result};
use ibid_provider::{Router, RouterConfig};
use ibid_tests::fake_router::{End, FakeRouter, Reply as Answer, Script};
use ibid_tests::{ApiClient, Reply, Setup, TestServer, small_order};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Questions of the scan, which are all asked at once.
const QUESTIONS: usize = 5;

fn order() -> Value {
    let mut order = small_order();
    order["questionsPerModel"] = json!(QUESTIONS);
    order
}

/// A router that answers no question in the time of a test, and a server before it.
fn hanging() -> (FakeRouter, TestServer) {
    ibid_tests::install_tls();
    let fake = FakeRouter::spawn();
    fake.on_key("sk-test", Script::always(Answer::hang()));
    let mut config = RouterConfig::new(fake.base_url());
    // Longer than the test waits, so that only a cancellation ends a call.
    config.attempt_timeout = Duration::from_secs(600);
    let router = Router::new(&config).unwrap();
    let server = Setup::default().provider(Arc::new(router)).spawn();
    (fake, server)
}

/// Waits until every question has reached the router.
async fn asked(fake: &FakeRouter) {
    fake.until(|log| log.in_flight() == QUESTIONS).await;
}

/// Waits until the router is left alone: every question was hung up on, and no other came.
async fn left(fake: &FakeRouter) {
    let log = fake.until(|log| log.in_flight() == 0).await;
    assert_eq!(
        (log.attempts.len(), log.ended(End::Aborted)),
        (QUESTIONS, QUESTIONS)
    );
}

fn run(client: &ApiClient, session: &str, id: &Value) -> RequestBuilder {
    let params = json!({"name": "run_scan", "arguments": order()});
    named(
        client,
        session,
        &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}),
    )
}

/// A message of a client that repeats its session id.
fn named(client: &ApiClient, session: &str, body: &Value) -> RequestBuilder {
    let request = keyed(message(client, "", &json!({}))).json(body);
    match session {
        "" => request,
        session => request.header("Mcp-Session-Id", session),
    }
}

fn cancellation(client: &ApiClient, session: &str, id: &Value) -> RequestBuilder {
    let params = json!({"requestId": id, "reason": "the user pressed stop"});
    named(
        client,
        session,
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
    )
}

/// Opens a session as clients of the older revision do.
async fn session(client: &ApiClient) -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let opened = Reply::of(keyed(message(client, "initialize", &params))).await;
    assert_eq!(opened.status, 200, "{}", opened.text);
    opened.header("mcp-session-id").to_owned()
}

#[tokio::test]
async fn a_cancellation_of_the_older_revision_ends_the_calls() {
    for (with_session, id) in [(true, json!(7)), (true, json!("seven")), (false, json!(7))] {
        let (fake, server) = hanging();
        let client = ApiClient::of(&server);
        let session = match with_session {
            true => session(&client).await,
            false => String::new(),
        };
        let (answer, ()) = tokio::join!(Reply::of(run(&client, &session, &id)), async {
            asked(&fake).await;
            let accepted = Reply::of(cancellation(&client, &session, &id)).await;
            assert_eq!((accepted.status.as_u16(), &*accepted.text), (202, ""));
        });
        assert_eq!(answer.status, 200, "{}", answer.text);
        left(&fake).await;
    }
}

#[tokio::test]
async fn a_cancellation_of_another_session_key_or_request_ends_nothing() {
    let (fake, server) = hanging();
    let client = ApiClient::of(&server);
    let (one, other) = (session(&client).await, session(&client).await);
    assert_ne!(one, other);
    let (_, ()) = tokio::join!(Reply::of(run(&client, &one, &json!(7))), async {
        asked(&fake).await;
        let anonymous = message(&client, "notifications/cancelled", &json!({"requestId": 7}));
        for strange in [
            cancellation(&client, &other, &json!(7)),
            cancellation(&client, &one, &json!(8)),
            cancellation(&client, &one, &json!("7")),
            cancellation(&client, "", &json!(7)),
            anonymous.header("Mcp-Session-Id", &one).json(&json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}
            })),
        ] {
            assert_eq!(Reply::of(strange).await.status, 202);
        }
        assert_eq!(fake.log().in_flight(), QUESTIONS);
        assert_eq!(
            Reply::of(cancellation(&client, &one, &json!(7))).await.status,
            202
        );
    });
    left(&fake).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_or_has_waited_long_enough_ends_the_calls() {
    // A client of the newer revision cancels by closing the response; with a progress token it is a stream.
    for progress in [false, true] {
        let (fake, server) = hanging();
        fake.on_key(
            "sk-test",
            match progress {
                true => Script::sequence([Answer::text("example.com"), Answer::hang()]),
                false => Script::always(Answer::hang()),
            },
        );
        let client = ApiClient::of(&server);
        let mut params = json!({"name": "run_scan", "arguments": order()});
        if progress {
            params["_meta"] = json!({"progressToken": "p"});
        }
        let open = QUESTIONS - usize::from(progress);
        let sent = keyed(message(&client, "tools/call", &params)).send();
        if progress {
            let mut response = sent.await.unwrap();
            assert!(response.chunk().await.unwrap().is_some());
            fake.until(|log| log.in_flight() == open).await;
            drop(response);
        } else {
            tokio::select! {
                answer = sent => unreachable!("the router hangs, so there is no {answer:?}"),
                () = asked(&fake) => {}
            }
        }
        let log = fake.until(|log| log.in_flight() == 0).await;
        assert_eq!((log.attempts.len(), log.ended(End::Aborted)), (QUESTIONS, open));
    }
    let (fake, server) = hanging();
    let client = ApiClient::of(&server);
    let params = json!({"name": "run_scan", "arguments": order()});
    let sent = modern(&client, "tools/call", "run_scan", params, &json!({})).send();
    tokio::select! {
        answer = sent => unreachable!("the router hangs, so there is no {answer:?}"),
        () = asked(&fake) => {}
    }
    left(&fake).await;
}

#[tokio::test]
async fn a_cancelled_task_ends_the_calls() {
    let (fake, server) = hanging();
    let client = ApiClient::of(&server);
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let params = json!({"name": "run_scan", "arguments": order()});
    let created = result(modern(&client, "tools/call", "run_scan", params, &capabilities)).await;
    asked(&fake).await;
    let id = created["taskId"].as_str().unwrap();
    result(modern(
        &client,
        "tasks/cancel",
        id,
        json!({"taskId": id}),
        &capabilities,
    ))
    .await;
    left(&fake).await;
}

#[tokio::test]
async fn a_scan_that_outlived_its_call_is_cancelled_by_its_id() {
    let (fake, server) = hanging();
    let client = ApiClient::of(&server);
    let mut order = order();
    order["waitSeconds"] = json!(0);
    let working = call(&client, "run_scan", order).await["structuredContent"].clone();
    assert_eq!(working["status"], "working");
    asked(&fake).await;
    let name = json!({"scanId": working["scanId"]});
    let without_key = json!({"name": "cancel_scan", "arguments": name});
    let refused = result(message(&client, "tools/call", &without_key)).await;
    assert_eq!(refused["isError"], true);
    assert_eq!(fake.log().in_flight(), QUESTIONS);
    let stopped = call(&client, "cancel_scan", name.clone()).await;
    assert_eq!(stopped["isError"], false, "{stopped}");
    left(&fake).await;
    loop {
        let scan = call(&client, "get_scan", name.clone()).await["structuredContent"].clone();
        match scan["status"].as_str().unwrap() {
            "working" => tokio::task::yield_now().await,
            status => break assert_eq!(status, "cancelled"),
        }
    }
}

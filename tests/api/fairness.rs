//! Callers whose provider keys get no answers, beside others.

use crate::v2_caller::{Caller, SCANS};
use ibid_provider::{Router, RouterConfig};
use ibid_service::{EngineSettings, QueueSettings, RunKeys};
use ibid_tests::fake_router::{FakeRouter, Log, Reply as Answer, Script};
use ibid_tests::member::Member;
use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The key whose calls are never answered.
const HANGING: &str = "hanging-key";

/// A server with 32 calls and two parts of queued scans at one time, and one more for callers without any.
fn narrow(fake: &FakeRouter) -> TestServer {
    ibid_tests::install_tls();
    let mut config = RouterConfig::new(fake.base_url());
    config.max_in_flight = 32;
    // A call that hangs outlives the test, however busy the machine is.
    config.attempt_timeout = Duration::from_secs(600);
    config.retry.base = Duration::from_millis(4);
    Setup::default()
        .provider(Arc::new(Router::new(&config).unwrap()))
        .workspace()
        .tune(|service| {
            service.queue = QueueSettings {
                keys: Some(Arc::new(RunKeys::random().unwrap())),
                engine: EngineSettings {
                    slots: 2,
                    spare_slots: 1,
                    ..EngineSettings::default()
                },
                ..QueueSettings::default()
            }
        })
        .spawn()
}

fn order(questions: u32) -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"], "questionsPerModel": questions})
}

/// Checks that calls of the hanging key have as many places as one caller may have, and that none has ended.
fn hangs(log: &Log) -> bool {
    let mut calls = log.attempts.iter();
    log.in_flight_of_key(HANGING) == 28
        && calls.all(|call| call.key.as_deref() != Some(HANGING) || call.end.is_none())
}

#[tokio::test]
async fn a_key_whose_calls_hang_stops_no_other_scan() {
    let fake = FakeRouter::spawn();
    fake.on_key(HANGING, Script::always(Answer::hang()));
    let server = narrow(&fake);
    let (hanging, polite) = (
        Caller::named(&server, "hanging"),
        Caller::named(&server, "polite"),
    );
    let mut large = order(10);
    large["models"] = json!(["model-1-latest", "model-2-latest"]);
    let queue = async || {
        let queued = hanging
            .request(Method::POST, SCANS)
            .header("X-Router-Key", HANGING)
            .json(&large);
        let queued = Reply::of(queued).await;
        assert_eq!(queued.status, 202, "{}", queued.text);
        queued.header("location").to_owned()
    };
    for _ in 0..4 {
        queue().await;
    }
    fake.until(hangs).await;
    // Queued, direct, and of the workspace: each ends while all calls of the other key are under way.
    for _ in 0..3 {
        let path = polite.accepted(&order(6)).await;
        assert_eq!(polite.ended(&path).await["status"], "complete");
    }
    assert_eq!(ApiClient::of(&server).scan(&order(6)).await.status, 200);
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let small = [
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("models", "model-1-latest"),
        ("questionsPerModel", "2"),
        ("keywordsPerRing", "1"),
        ("queriesPerKeyword", "1"),
    ];
    let scan = ada.start(&small).await;
    assert!(ada.listen(&scan).await.contains(r#""status":"complete""#));
    // A scan that waits behind them ends when it is cancelled.
    let waiting = queue().await;
    assert_eq!(hanging.delete(&waiting).await.status, 202);
    assert_eq!(hanging.ended(&waiting).await["status"], "cancelled");
    let log = fake.log();
    assert!(hangs(&log), "{} calls hang", log.in_flight_of_key(HANGING));
}

#[tokio::test]
async fn every_scan_of_a_dead_key_fails_at_once_and_names_the_key() {
    let fake = FakeRouter::spawn();
    fake.on_key(PROVIDER_KEY, Script::always(Answer::error(500, json!({}))));
    let server = narrow(&fake);
    let client = ApiClient::of(&server);
    let first = client.scan(&order(5)).await;
    assert_eq!(
        (first.status.as_u16(), first.code()),
        (500, "provider_unavailable".into())
    );
    for _ in 0..3 {
        let before = fake.log().attempts.len();
        let next = client.scan(&order(5)).await;
        assert_eq!(
            (next.status.as_u16(), next.code()),
            (500, "provider_unavailable".into())
        );
        assert_eq!(next.json()["cause"], "provider_key_failing");
        assert_eq!(
            next.json()["detail"],
            "None of the 5 questions was answered: calls with the provider key keep failing. Check the key in the settings of the provider, and try again later."
        );
        // One question probes at most, and no other waits for its turn.
        assert!(fake.log().attempts.len() <= before + 1);
    }
    let caller = Caller::of(&server);
    let path = caller.accepted(&order(5)).await;
    let ended = caller.ended(&path).await;
    assert_eq!(
        ended["error"],
        json!({"code": "provider_key_failing",
               "message": "No question was answered: calls with the provider key keep failing. Check the key in the settings of the provider, and try again later."})
    );
    // Another key is asked as before.
    let other = client
        .bare(Method::POST, "/api/v1/scan")
        .bearer_auth(API_KEY)
        .header("X-Router-Key", "other-key")
        .json(&order(5));
    assert_eq!(Reply::of(other).await.status, 200);
}

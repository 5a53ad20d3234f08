//! Requests that callers repeat: one scan for each key.

use ibid_provider::Sandbox;
use ibid_service::ServiceKey;
use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

async fn scan(client: &ApiClient, key: &str, body: &Value) -> Reply {
    Reply::of(client.scan_request(body).header("Idempotency-Key", key)).await
}

fn id(reply: &Reply) -> String {
    reply.json()["scanId"].as_str().unwrap_or_default().to_owned()
}

/// A server whose scans take a while.
fn slow() -> TestServer {
    let sandbox = Sandbox::new(7).with_latency(Duration::from_millis(400));
    Setup::default().provider(Arc::new(sandbox)).spawn()
}

#[tokio::test]
async fn the_same_key_and_body_get_the_same_scan_and_another_body_is_a_conflict() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let first = scan(&client, "order-1", &small_order()).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let again = scan(&client, "order-1", &small_order()).await;
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    // The order of members and an absent member as null make no other request.
    let mut reordered = small_order();
    reordered["location"] = Value::Null;
    assert_eq!(id(&scan(&client, "order-1", &reordered).await), id(&first));
    let mut other = small_order();
    other["keyword"] = json!("roofer");
    let refused = scan(&client, "order-1", &other).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (409, "idempotency_conflict".into())
    );
    assert_ne!(id(&scan(&client, "order-2", &small_order()).await), id(&first));
    assert_eq!(server.service.counts().answered, 2);
}

#[tokio::test]
async fn keys_of_different_callers_are_different_keys() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let key = ServiceKey::random().unwrap();
    server
        .store
        .add_service_key(&"shop".parse().unwrap(), &key.hash(), 1)
        .unwrap();
    let first = scan(&client, "order-1", &small_order()).await;
    let request = client
        .bare(Method::POST, "/api/v1/scan")
        .bearer_auth(key.reveal())
        .header("X-Router-Key", PROVIDER_KEY)
        .header("Idempotency-Key", "order-1");
    let other = Reply::of(request.json(&small_order())).await;
    assert_eq!(other.status, 200);
    assert_ne!(id(&other), id(&first));
}

#[tokio::test]
async fn equal_requests_at_one_time_share_one_scan() {
    let server = slow();
    let client = ApiClient::of(&server);
    let order = small_order();
    let (first, second, third) = tokio::join!(
        scan(&client, "order-1", &order),
        scan(&client, "order-1", &order),
        scan(&client, "order-1", &order)
    );
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!((&second.text, &third.text), (&first.text, &first.text));
    assert_eq!(server.service.counts().answered, 1);
}

#[tokio::test]
async fn a_caller_that_hangs_up_gets_its_scan_with_the_same_key() {
    let server = slow();
    let client = ApiClient::of(&server);
    let request = client
        .scan_request(&small_order())
        .header("Idempotency-Key", "order-1");
    let waiting = tokio::runtime::Handle::current().spawn(request.send());
    let start = Instant::now();
    while server.service.counts().runs.iter().all(|run| run.started == 0) {
        assert!(start.elapsed() < Duration::from_secs(60), "the scan never began");
        tokio::task::yield_now().await;
    }
    // The connection is closed with the request.
    waiting.abort();
    let again = scan(&client, "order-1", &small_order()).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(server.service.counts().answered, 1);
}

#[tokio::test]
async fn a_failed_scan_names_its_id_and_gives_its_key_back() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let with = |provider_key: &'static str| {
        let request = client.bare(Method::POST, "/api/v1/scan").bearer_auth(API_KEY);
        let request = request
            .header("X-Router-Key", provider_key)
            .header("Idempotency-Key", "order-1");
        Reply::of(request.json(&small_order()))
    };
    let failed = with("invalid").await;
    assert_eq!(
        (failed.status.as_u16(), failed.code()),
        (400, "provider_key_rejected".into())
    );
    assert_eq!(id(&failed).len(), 36, "{}", failed.text);
    let again = with(PROVIDER_KEY).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_ne!(id(&again), id(&failed));
}

#[tokio::test]
async fn unusable_keys_are_a_fault() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for key in ["", "a b", &"x".repeat(256)] {
        let reply = scan(&client, key, &small_order()).await;
        assert_eq!(reply.status, 400, "{key}");
        assert_eq!(reply.faults(), ["Idempotency-Key: invalid"], "{key}");
    }
}

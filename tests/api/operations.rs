//! Tests for operators: health, readiness, a store that fails, open runs at exit.

use ibid_model::ScanId;
use ibid_store::Store;
use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_healthy_service_is_ready() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            Reply::of(client.bare(Method::GET, path)).await.status,
            200,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_store_that_fails_costs_no_paid_answer_and_is_not_ready() {
    let store = Arc::new(Store::in_memory().unwrap());
    store.sqlite().unwrap().ruin().unwrap();
    let server = Setup::default().store(store).spawn();
    let client = ApiClient::of(&server);
    let reply = client.scan(&small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), is_warned(&reply)),
        (200, true),
        "{}",
        reply.text
    );
    let read = client.get(&format!("/api/v1/scan/{}", ScanId::random())).await;
    assert_eq!(
        (read.status.as_u16(), read.code()),
        (500, "internal_error".into())
    );
    assert!(!read.text.contains("table"), "{}", read.text);
    let ready = Reply::of(client.bare(Method::GET, "/readyz")).await;
    assert_eq!((ready.status.as_u16(), ready.code()), (503, "not_ready".into()));
    assert_eq!(Reply::of(client.bare(Method::GET, "/healthz")).await.status, 200);
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_handed_out_with_a_warning_and_stored_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let store = Arc::new(Store::in_file(&path).unwrap());
    let server = Setup::default().store(Arc::clone(&store) as Arc<Store>).spawn();
    let client = ApiClient::of(&server);
    let kept = client.scan(&small_order()).await.json();
    store.sqlite().unwrap().refuse_writes().unwrap();
    let unkept = client.scan(&small_order()).await;
    assert_eq!(
        (unkept.status.as_u16(), is_warned(&unkept)),
        (200, true),
        "{}",
        unkept.text
    );
    // Scans that were stored before can still be read.
    let path = |scan: &Value| format!("/api/v1/scan/{}", scan["scanId"].as_str().unwrap());
    assert_eq!(client.get(&path(&kept)).await.status, 200);
    let late = path(&unkept.json());
    assert_eq!(client.get(&late).await.status, 404);
    store.sqlite().unwrap().accept_writes().unwrap();
    let start = Instant::now();
    let stored = loop {
        let stored = client.get(&late).await;
        if stored.status == 200 {
            break stored.json();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it is never stored");
    };
    assert_eq!(stored["result"], unkept.json()["result"]);
}

fn is_warned(reply: &Reply) -> bool {
    let warning = &reply.json()["warning"];
    warning
        .as_str()
        .is_some_and(|text| text.contains("keep this document"))
}

#[tokio::test]
async fn draining_waits_for_every_run() {
    let server = TestServer::spawn();
    assert_eq!(ApiClient::of(&server).scan(&small_order()).await.status, 200);
    assert_eq!(server.service.drain(Duration::from_secs(5)).await, 0);
}

#[tokio::test]
async fn a_router_that_is_silent_for_long_makes_it_not_ready() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    server.service.set_router_reachable(false);
    let reply = Reply::of(client.bare(Method::GET, "/readyz")).await;
    assert_eq!((reply.status.as_u16(), reply.code()), (503, "not_ready".into()));
    server.service.set_router_reachable(true);
    assert_eq!(Reply::of(client.bare(Method::GET, "/readyz")).await.status, 200);
}

#[tokio::test]
async fn orders_that_the_database_does_not_take_come_again_later() {
    let store = Arc::new(Store::in_memory().unwrap());
    let server = Setup::default().store(Arc::clone(&store) as Arc<Store>).spawn();
    let client = ApiClient::of(&server);
    store.sqlite().unwrap().refuse_writes().unwrap();
    let order = || {
        let request = client.bare(Method::POST, "/api/v2/scans").bearer_auth(API_KEY);
        Reply::of(request.header("X-Router-Key", PROVIDER_KEY).json(&small_order()))
    };
    let refused = order().await;
    assert_eq!(
        (
            refused.status.as_u16(),
            refused.code(),
            refused.header("retry-after")
        ),
        (503, "not_ready".to_owned(), "5"),
        "{}",
        refused.text
    );
    store.sqlite().unwrap().accept_writes().unwrap();
    assert_eq!(order().await.status, 202);
}

//! Tests for operators: health, readiness, a store that fails, open runs at exit.

use ibid_model::ScanId;
use ibid_store::{Sqlite, Store};
use ibid_tests::{ApiClient, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use std::sync::Arc;

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
async fn a_store_that_fails_is_a_clear_500_and_not_ready() {
    let store = Arc::new(Sqlite::in_memory().unwrap());
    store.ruin().unwrap();
    let server = Setup::default().store(store).spawn();
    let client = ApiClient::of(&server);
    let reply = client.scan(&small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (500, "internal_error".into())
    );
    assert!(!reply.text.contains("table"), "{}", reply.text);
    assert_eq!(
        client
            .get(&format!("/api/v1/scan/{}", ScanId::random()))
            .await
            .status,
        500
    );
    let ready = Reply::of(client.bare(Method::GET, "/readyz")).await;
    assert_eq!((ready.status.as_u16(), ready.code()), (503, "not_ready".into()));
    assert_eq!(Reply::of(client.bare(Method::GET, "/healthz")).await.status, 200);
}

#[tokio::test]
async fn a_read_only_database_is_a_clear_500() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let store = Arc::new(Sqlite::open(&path).unwrap());
    let server = Setup::default()
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .spawn();
    let client = ApiClient::of(&server);
    let kept = client.scan(&small_order()).await.json();
    store.refuse_writes().unwrap();
    assert_eq!(client.scan(&small_order()).await.status, 500);
    // What was kept before can still be read.
    let id = kept["scanId"].as_str().unwrap();
    assert_eq!(client.get(&format!("/api/v1/scan/{id}")).await.status, 200);
}

#[tokio::test]
async fn draining_waits_for_every_run() {
    let server = TestServer::spawn();
    assert_eq!(ApiClient::of(&server).scan(&small_order()).await.status, 200);
    assert_eq!(server.service.drain(std::time::Duration::from_secs(5)).await, 0);
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

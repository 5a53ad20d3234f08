//! For whoever runs the service: health, readiness, a store that fails, open runs at exit.

use ibid_model::ScanId;
use ibid_model::{PaymentKey, Receipt, ReceiptId, Transaction, Wallet};
use ibid_store::{
    Books, Entry, Expired, Lease, Millis, NewScan, Purchases, Receipts, ScanRecord, Settled, Step, Store,
    StoreError, Unsettled, Visit, Visited,
};
use ibid_tests::{ApiClient, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use std::sync::Arc;

#[tokio::test]
async fn a_healthy_service_says_so() {
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

/// A store whose disk is full.
struct Full;

fn full<T>() -> Result<T, StoreError> {
    Err(StoreError::Damaged("disk"))
}

impl Purchases for Full {
    fn visit(&self, _: &Visit<'_>, _: Entry) -> Result<Visited, StoreError> {
        full()
    }

    fn take(&self, _: &Lease, _: &[Step], _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn hold(&self, _: &Lease, _: &NewScan<'_>, _: &[u8], _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn hold_again(&self, _: &Lease, _: &[u8], _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn pend(&self, _: &Lease, _: Option<&Transaction>, _: Millis, _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn settle(&self, _: &Lease, _: &Settled<'_>, _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn deliver(&self, _: &PaymentKey, _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn renew(&self, _: &[Lease], _: Millis) -> Result<(), StoreError> {
        full()
    }

    fn free_abandoned(&self, _: Millis) -> Result<u64, StoreError> {
        full()
    }

    fn take_due(&self, _: Millis, _: Millis, _: u32) -> Result<Vec<Unsettled>, StoreError> {
        full()
    }

    fn expire(&self, _: Millis, _: Millis) -> Result<Expired, StoreError> {
        full()
    }

    fn receipts(&self, _: &Wallet, _: Option<ReceiptId>, _: u16) -> Result<Receipts, StoreError> {
        full()
    }

    fn receipt_of(&self, _: &PaymentKey) -> Result<Option<Receipt>, StoreError> {
        full()
    }

    fn books(&self) -> Result<Books, StoreError> {
        full()
    }
}

impl Store for Full {
    fn put_scan(&self, _: &NewScan<'_>) -> Result<(), StoreError> {
        Err(StoreError::Damaged("disk"))
    }

    fn scan(&self, _: ScanId) -> Result<Option<ScanRecord>, StoreError> {
        Err(StoreError::Damaged("disk"))
    }

    fn answers(&self, _: ScanId) -> Result<Option<Vec<u8>>, StoreError> {
        Err(StoreError::Damaged("disk"))
    }

    fn ping(&self) -> Result<(), StoreError> {
        Err(StoreError::Damaged("disk"))
    }
}

#[tokio::test]
async fn a_store_that_fails_is_a_clear_500_and_not_ready() {
    let server = Setup::default().store(Arc::new(Full)).spawn();
    let client = ApiClient::of(&server);
    let reply = client.scan(&small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (500, "internal_error".into())
    );
    assert!(!reply.text.contains("disk"), "{}", reply.text);
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
    let store = Arc::new(ibid_store::Sqlite::open(&path).unwrap());
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
async fn the_service_drains_to_nothing() {
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

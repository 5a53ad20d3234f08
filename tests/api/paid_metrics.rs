//! The figures of payments on the address for the operator.

use crate::paid::{Obscured, SCAN, shop};
use actix_web::App;
use actix_web::test::{TestRequest, call_and_read_body, init_service};
use ibid_http::{Metrics, metrics_routes};
use ibid_model::{Network, Product, X402Version};
use ibid_tests::buyer::small_purchase;
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::{Buyer, Setup, TestServer, logs};
use ibid_x402::sandbox::Script;
use ibid_x402::{ChainEvidence, Outage, RemoteFacilitator, RemoteOptions, RpcReader, SandboxFacilitator};
use std::sync::Arc;
use std::time::{Duration, Instant};

async fn metrics(server: &TestServer) -> String {
    let routes = metrics_routes(server.service.clone(), Metrics::default());
    let app = init_service(App::new().configure(routes)).await;
    let page = call_and_read_body(&app, TestRequest::get().uri("/metrics").to_request()).await;
    String::from_utf8(page.to_vec()).unwrap()
}

/// Reads the page until it has all rows: a delivery is stored after its answer was sent.
async fn until(server: &TestServer, rows: &[&str]) -> String {
    let start = Instant::now();
    loop {
        let page = metrics(server).await;
        if rows.iter().all(|row| page.lines().any(|line| line == *row)) {
            return page;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{rows:?} are missing in\n{page}"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn payments_are_counted_by_state_and_by_value() {
    let (server, facilitator) = shop();
    until(
        &server,
        &[
            "ibid_payments_exposure_usdc_atomic 0.0",
            "ibid_payments_oldest_unknown_seconds 0.0",
            "ibid_payments_inferred 0.0",
            "ibid_payments_network_served 1.0",
            "ibid_facilitator_calls_total{call=\"verify\"} 0",
        ],
    )
    .await;
    let buyer = Buyer::of(&server);
    let reply = buyer
        .buy(SCAN, Product::Scan, X402Version::V1, &small_purchase())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    // A settlement whose outcome stays unknown: the facilitator answers nothing for long.
    for _ in 0..200 {
        facilitator.script_settle(Script::Fail(Outage::Timeout));
    }
    let reply = buyer
        .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    assert_eq!(reply.code(), "settlement_unknown", "{}", reply.text);
    let page = until(
        &server,
        &[
            "ibid_payments{state=\"delivered\",skill=\"scan\"} 1.0",
            "ibid_payments_exposure_usdc_atomic 150000.0",
            "ibid_facilitator_calls_total{call=\"verify\"} 2",
        ],
    )
    .await;
    let settles = page
        .lines()
        .find_map(|line| line.strip_prefix("ibid_facilitator_calls_total{call=\"settle\"} "));
    assert!(settles.unwrap().parse::<u32>().unwrap() >= 2, "{page}");
    let seconds = page
        .lines()
        .find_map(|line| line.strip_prefix("ibid_facilitator_seconds{call=\"settle\"} "));
    assert!(seconds.unwrap().parse::<f64>().unwrap() > 0.0, "{page}");
}

#[tokio::test]
async fn a_receipt_without_a_transfer_comes_to_the_notice_of_the_operator() {
    let logs = logs::capture();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let facilitator = RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap();
    let reader = RpcReader::new(Network::BaseSepolia, fake.node_url().parse().unwrap()).unwrap();
    let server = Setup::default()
        .selling_by(Arc::new(facilitator), Arc::new(reader))
        .spawn();
    let invented = format!(
        r#"{{"success":true,"transaction":"0x{:064x}","network":"eip155:84532"}}"#,
        94
    );
    fake.fail("/settle", Fault::Answer(200, invented));
    let buyer = Buyer::of(&server);
    for _ in 0..2 {
        let reply = buyer
            .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    let sold = server.store.recorded_since(0).unwrap();
    assert_eq!((sold.len(), fake.sandbox.transfers().len()), (2, 1));
    // The authorization can never be used from here on. Otherwise it would count ten minutes later.
    fake.sandbox.cancel(sold[0].key);
    until(&server, &["ibid_payments_without_transfer 1.0"]).await;
    let lines = logs.lines_with("payment.receipt.without_transfer");
    let about = |at: usize| {
        let id = sold[at].receipt.id.to_string();
        lines.iter().filter(|line| line.contains(&id)).count()
    };
    assert_eq!((about(0), about(1)), (1, 0), "{lines:?}");
}

#[tokio::test]
async fn a_transfer_without_a_receipt_comes_to_the_notice_of_the_operator() {
    let logs = logs::capture();
    let sandbox = Arc::new(SandboxFacilitator::new());
    let before = Setup::default()
        .selling_by(sandbox.clone(), sandbox.clone())
        .spawn();
    let buyer = Buyer::of(&before);
    let sold = buyer
        .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    assert_eq!(sold.status, 200, "{}", sold.text);
    let stray = buyer.pay(Product::Scan, X402Version::V1);
    let quote = ibid_tests::buyer::quote(Product::Scan);
    assert!(
        sandbox
            .settle_as_stranger(&stray.facilitator_body(&quote))
            .success
    );
    // The daily look is also one of the start.
    let after = Setup::default()
        .store(before.store.clone())
        .selling_by(sandbox.clone(), sandbox.clone())
        .spawn();
    until(&after, &["ibid_payments_unrecorded 1.0"]).await;
    let lines = logs.lines_with("payment.transfer.unrecorded");
    let transfers = sandbox.transfers();
    let about = |at: usize| {
        let key = transfers[at].key.to_string();
        lines.iter().filter(|line| line.contains(&key)).count()
    };
    assert_eq!((about(0), about(1)), (0, 1), "{lines:?}");
}

#[tokio::test]
async fn a_receipt_is_looked_up_until_its_block_is_final() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    // The chain is reorganized: the block of the transfer is not final for two looks.
    let chain = Arc::new(Obscured::new(facilitator.clone(), Ok(ChainEvidence::Open), 2));
    let server = Setup::default().selling_by(facilitator, chain.clone()).spawn();
    let reply = Buyer::of(&server)
        .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let start = Instant::now();
    while chain.looks() < 3 {
        let page = metrics(&server).await;
        assert!(page.contains("ibid_payments_without_transfer 0.0"), "{page}");
        assert!(start.elapsed() < Duration::from_secs(20), "no third look");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Every receipt that is due some time; the last look leaves none.
    while !server
        .store
        .take_reported(i64::MAX, i64::MAX, 9)
        .unwrap()
        .is_empty()
    {
        assert!(start.elapsed() < Duration::from_secs(20), "a look after the last");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    until(&server, &["ibid_payments_without_transfer 0.0"]).await;
}

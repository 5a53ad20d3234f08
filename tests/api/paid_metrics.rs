//! The figures of payments on the address for the operator.

use crate::paid::{SCAN, shop};
use actix_web::App;
use actix_web::test::{TestRequest, call_and_read_body, init_service};
use ibid_http::{Metrics, metrics_routes};
use ibid_model::{Product, X402Version};
use ibid_tests::buyer::small_purchase;
use ibid_tests::{Buyer, TestServer};
use ibid_x402::Outage;
use ibid_x402::sandbox::Script;
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

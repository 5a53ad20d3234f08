//! The examples of docs/API.md work as printed.

use ibid_tests::{ApiClient, TestServer};
use serde_json::Value;

/// The bodies of all `-d '…'` in a page.
fn bodies(page: &str) -> Vec<Value> {
    let parts = page.split("-d '").skip(1);
    parts
        .map(|part| serde_json::from_str(part.split('\'').next().unwrap()).unwrap())
        .collect()
}

#[tokio::test]
async fn every_printed_order_is_accepted() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let pages = [include_str!("../../docs/API.md"), include_str!("../../README.md")];
    // The body of a schedule holds its order.
    let orders: Vec<Value> = pages
        .iter()
        .flat_map(|page| bodies(page))
        .map(|body| body.get("order").unwrap_or(&body).clone())
        .collect();
    assert!(orders.len() >= 3, "{orders:?}");
    for order in orders {
        let reply = client.scan(&order).await;
        assert_eq!(reply.status, 200, "{order}: {}", reply.text);
    }
}

#[tokio::test]
async fn every_result_field_named_in_the_page_exists() {
    let server = TestServer::spawn();
    let order = &bodies(include_str!("../../docs/API.md"))[0];
    let result = ApiClient::of(&server).scan(order).await.json()["result"].clone();
    for path in [
        "/overallScore",
        "/interval",
        "/retrieval/headline",
        "/retrieval/memoryScore",
        "/models/0/retrieval/searchAsked",
        "/models/0/answers/0/retrieval/searched",
        "/models/0/resolvedModel",
        "/models/0/answers/0/breakdown",
        "/radius/rings/0/citedRateInformative",
        "/radius/citationRadiusKm",
        "/radius/topCompetitors/0/rankInterval",
        "/location/alternatives",
        "/usage/costUsd",
        "/usage/estimatedCostUsd",
        "/method/version",
        "/brandNames/0/source",
        "/warnings",
        "/sandbox",
    ] {
        assert!(result.pointer(path).is_some(), "{path}");
    }
}

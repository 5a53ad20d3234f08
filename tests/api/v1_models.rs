//! The alias table as served.

use ibid_tests::{ApiClient, Reply, TestServer};
use reqwest::Method;

#[tokio::test]
async fn six_aliases_in_order_without_a_key() {
    let server = TestServer::spawn();
    let reply = Reply::of(ApiClient::of(&server).bare(Method::GET, "/api/v1/models")).await;
    assert_eq!(reply.status, 200);
    let body = reply.json();
    assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["byok"]);
    let entries = body["byok"].as_array().unwrap();
    let ids: Vec<_> = entries
        .iter()
        .map(|entry| entry["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "model-1-latest",
            "model-2-latest",
            "model-3-latest",
            "model-4-latest",
            "model-5-latest",
            "model-6-latest"
        ]
    );
    for entry in entries {
        assert!(!entry["name"].as_str().unwrap().is_empty() && !entry["model"].as_str().unwrap().is_empty());
        let cost = entry["costPerQuery"].as_f64().unwrap();
        assert!(cost > 0.0 && cost < 1.0, "{cost}");
    }
}

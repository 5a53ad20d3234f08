//! Members that an order does not have: refused by the tools of MCP, warned about elsewhere if they look misspelt.

use crate::mcp::call;
use crate::paid::SCAN;
use crate::v2_caller::{Caller, SCANS};
use ibid_model::{Product, X402Version};
use ibid_tests::buyer::small_purchase;
use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer, small_order};
use ibid_x402::SandboxFacilitator;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

/// An order with two members that look misspelt, and one of a later version.
fn misspelt(mut order: Value) -> Value {
    order["questionPerModel"] = json!(9);
    order["Location"] = json!("Lyon, France");
    order["colour"] = json!("blue");
    order
}

/// The messages of the warnings about members.
fn warned(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().map_or(&[][..], Vec::as_slice);
    let unknown = warnings
        .iter()
        .filter(|warning| warning["code"] == "unknown_member");
    unknown
        .filter_map(|warning| warning["message"].as_str())
        .collect()
}

const EXPECTED: [&str; 2] = [
    "there is no member \"Location\", so it was ignored; did you mean location?",
    "there is no member \"questionPerModel\", so it was ignored; did you mean questionsPerModel?",
];

#[tokio::test]
async fn plans_results_and_offers_warn_of_members_that_look_misspelt() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let client = ApiClient::of(&server);
    let plan = client.bare(Method::POST, "/api/v1/plan").bearer_auth(API_KEY);
    let plan = Reply::of(plan.json(&misspelt(small_order()))).await;
    assert_eq!(warned(&plan.json()), EXPECTED, "{}", plan.text);
    let scan = client.scan(&misspelt(small_order())).await;
    assert_eq!(warned(&scan.json()["result"]), EXPECTED, "{}", scan.text);
    assert_eq!(
        warned(&client.scan(&small_order()).await.json()["result"]),
        Vec::<&str>::new()
    );

    let buyer = Buyer::of(&server);
    let order = misspelt(small_purchase());
    assert_eq!(warned(&buyer.ask(SCAN, &order).await.json()["plan"]), EXPECTED);
    let sold = buyer.buy(SCAN, Product::Scan, X402Version::V1, &order).await;
    assert_eq!(warned(&sold.json()["result"]), EXPECTED, "{}", sold.text);
}

#[tokio::test]
async fn a_queued_scan_warns_once() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let queued = caller.queue(&misspelt(small_order())).await;
    assert_eq!(queued.status, 202, "{}", queued.text);
    let path = format!("{SCANS}/{}", queued.json()["scanId"].as_str().unwrap());
    let ended = caller.ended(&path).await;
    assert_eq!(warned(&ended["result"]), EXPECTED, "{ended}");
}

#[tokio::test]
async fn run_scan_and_plan_scan_refuse_them_with_the_nearest_name() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for tool in ["plan_scan", "run_scan"] {
        for (name, advice) in [
            ("questionPerModel", "the nearest is questionsPerModel"),
            ("model", "the nearest is models"),
            ("Location", "the nearest is location"),
            ("colour", "there are domain, keyword"),
        ] {
            let mut order = small_order();
            order[name] = json!(1);
            let refused = call(&client, tool, order).await;
            assert_eq!(refused["isError"], true, "{tool} {name}");
            let text = refused["content"][0]["text"].as_str().unwrap();
            assert!(
                text.contains("invalid_request") && text.contains(advice),
                "{tool} {name}: {text}"
            );
        }
        let known = call(&client, tool, small_order()).await;
        assert_eq!(known["isError"], false, "{tool}: {known}");
    }
    // An option of run_scan is none of plan_scan.
    let mut order = small_order();
    order["waitSeconds"] = json!(5);
    assert_eq!(call(&client, "plan_scan", order.clone()).await["isError"], true);
    assert_eq!(call(&client, "run_scan", order).await["isError"], false);
}

//! `/mcp` without a service key: results are bought with x402 in `_meta`.

use crate::mcp::{message, result};
use crate::paid::shop;
use ibid_model::{Product, X402Version};
use ibid_tests::buyer::{draft, quote, small_purchase};
use ibid_tests::{ApiClient, Buyer, Reply, TestServer};
use ibid_x402::sandbox::{Script, SignedDraft};
use serde_json::{Value, json};

/// Calls a tool without keys, with a payment if there is one.
async fn call(client: &ApiClient, tool: &str, arguments: &Value, payment: Option<&Value>) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    if let Some(payment) = payment {
        params["_meta"] = json!({"x402/payment": payment});
    }
    result(message(client, "tools/call", &params)).await
}

fn pay(buyer: &Buyer, product: Product) -> SignedDraft {
    draft(&quote(product), X402Version::V2).sign(&buyer.wallet)
}

/// The demand of an answer, which is there as structured content and as a text.
fn demand(answer: &Value) -> &Value {
    assert_eq!(answer["isError"], true, "{answer}");
    let demand = &answer["structuredContent"];
    let text: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, *demand);
    assert_eq!(demand["x402Version"], 2);
    demand
}

#[tokio::test]
async fn a_scan_is_bought_once_and_handed_out_again() {
    let (server, facilitator) = shop();
    let (client, buyer) = (ApiClient::of(&server), Buyer::of(&server));
    let asked = call(&client, "run_scan", &small_purchase(), None).await;
    let offer = demand(&asked);
    assert_eq!(offer["error"], "payment_required");
    assert_eq!(offer["accepts"][0]["amount"], "150000");
    assert!(offer["resource"]["url"].as_str().unwrap().ends_with("/mcp#scan"));

    let payment = pay(&buyer, Product::Scan);
    let first = call(&client, "run_scan", &small_purchase(), Some(payment.payload())).await;
    assert_eq!(first["isError"], false, "{first}");
    let settled = &first["_meta"]["x402/payment-response"];
    assert_eq!(
        (&settled["success"], &settled["network"]),
        (&json!(true), &json!("eip155:84532"))
    );
    let scan = &first["structuredContent"];
    assert_eq!(scan["status"], "complete");
    let again = call(&client, "run_scan", &small_purchase(), Some(payment.payload())).await;
    assert_eq!(
        (
            &again["structuredContent"],
            &again["_meta"]["x402/payment-response"]
        ),
        (scan, settled)
    );
    assert_eq!(facilitator.transfers().len(), 1);

    // The id is the key to the result, on every surface that sells.
    let id = scan["scanId"].as_str().unwrap();
    let read = call(&client, "get_scan", &json!({"scanId": id}), None).await;
    assert_eq!(read["structuredContent"], *scan);
    let stored = Reply::of(client.bare(reqwest::Method::GET, &format!("/api/a2a/scan/{id}"))).await;
    assert_eq!(
        stored.json()["result"]["overallScore"],
        scan["result"]["overallScore"]
    );

    // The same payment buys no other order.
    let other = json!({"domain": "example.org", "keyword": "plumber", "models": ["model-1-latest"]});
    let refused = call(&client, "run_scan", &other, Some(payment.payload())).await;
    assert_eq!(demand(&refused)["error"], "duplicate_nonce");
}

#[tokio::test]
async fn a_page_audit_is_bought_and_handed_out_again() {
    let (server, facilitator) = shop();
    let (client, buyer) = (ApiClient::of(&server), Buyer::of(&server));
    let page = json!({"html": "<html><title>x</title><body><h1>x</h1></body></html>"});
    let asked = call(&client, "audit_page", &page, None).await;
    assert_eq!(demand(&asked)["accepts"][0]["amount"], "20000");
    let payment = pay(&buyer, Product::Audit);
    let first = call(&client, "audit_page", &page, Some(payment.payload())).await;
    assert_eq!(
        first["_meta"]["x402/payment-response"]["success"], true,
        "{first}"
    );
    // The whole report is another form of the same result.
    let whole = json!({"html": page["html"], "full": true});
    let again = call(&client, "audit_page", &whole, Some(payment.payload())).await;
    assert_eq!(
        again["structuredContent"]["score"],
        first["structuredContent"]["score"]
    );
    assert_eq!(
        again["structuredContent"]["report"]["score"],
        first["structuredContent"]["score"]
    );
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn faults_come_before_prices_and_refusals_with_their_reason() {
    let (server, facilitator) = shop();
    let (client, buyer) = (ApiClient::of(&server), Buyer::of(&server));
    let faulty = call(&client, "run_scan", &json!({"keyword": "plumber"}), None).await;
    assert!(
        faulty["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("invalid_request")
    );
    let around =
        json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "rings": [1]});
    let asked = call(&client, "run_scan", &around, None).await;
    assert_eq!(demand(&asked)["accepts"][0]["amount"], "500000");
    let malformed = call(&client, "run_scan", &small_purchase(), Some(&json!("paid"))).await;
    assert!(
        malformed["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("malformed_payment")
    );

    let mut little = pay(&buyer, Product::Scan);
    little.payload_mut()["payload"]["authorization"]["value"] = json!("1");
    let refused = call(&client, "run_scan", &small_purchase(), Some(little.payload())).await;
    assert_eq!(demand(&refused)["error"], "invalid_amount");
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let payment = pay(&buyer, Product::Scan);
    let unsettled = call(&client, "run_scan", &small_purchase(), Some(payment.payload())).await;
    assert_eq!(demand(&unsettled)["error"], "insufficient_funds");
    let response = &unsettled["_meta"]["x402/payment-response"];
    assert_eq!(
        (&response["success"], &response["errorReason"]),
        (&json!(false), &json!("insufficient_funds"))
    );
    assert_eq!(facilitator.transfers().len(), 0);
}

#[tokio::test]
async fn a_sold_audit_is_not_read_only() {
    let list = async |server: &TestServer| {
        let reply = Reply::of(message(&ApiClient::of(server), "tools/list", &json!({})))
            .await
            .json();
        let tools = reply["result"]["tools"].as_array().unwrap().clone();
        let audit = tools
            .into_iter()
            .find(|tool| tool["name"] == "audit_page")
            .unwrap();
        audit["annotations"]["readOnlyHint"].clone()
    };
    assert_eq!(list(&TestServer::spawn()).await, true);
    let (server, _) = shop();
    assert_eq!(list(&server).await, false);
}

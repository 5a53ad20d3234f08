//! Scans that ask until their range is narrow enough or their money is spent.

use crate::v2_caller::Caller;
use ibid_tests::buyer::small_purchase;
use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer};
use ibid_x402::SandboxFacilitator;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

fn order(more: &Value) -> Value {
    let mut order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    for (name, value) in more.as_object().unwrap() {
        order[name] = value.clone();
    }
    order
}

fn width(result: &Value) -> f64 {
    let bound = |name: &str| result["samplingInterval"][name].as_f64().unwrap();
    bound("high") - bound("low")
}

async fn plan(client: &ApiClient, body: &Value) -> Reply {
    let request = client.bare(Method::POST, "/api/v1/plan").bearer_auth(API_KEY);
    Reply::of(request.json(body)).await
}

#[tokio::test]
async fn a_scan_asks_until_its_range_is_narrow_enough() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = order(&json!({"targetWidth": 30}));
    let planned = plan(&client, &order).await.json();
    assert_eq!(
        (
            &planned["calls"],
            &planned["until"]["mostCalls"],
            &planned["until"]["targetWidth"]
        ),
        (&json!(23), &json!(60), &json!(30))
    );
    assert_eq!(planned["until"]["narrowestWidth"], 18.7);
    // The error of reading where half of the answers name the website: ±5.9.
    let widths =
        ["expectedWidth", "expectedWidthAsRead"].map(|name| planned["until"][name].as_f64().unwrap());
    assert!((widths[0].hypot(11.8) - widths[1]).abs() < 0.06, "{widths:?}");
    assert_eq!(planned["rings"], json!([]));
    let scan = client.scan(&order).await;
    assert_eq!(scan.status, 200, "{}", scan.text);
    let result = &scan.json()["result"];
    assert_eq!(result["stopped"], "width", "{result}");
    assert_eq!(result["until"], json!({"targetWidth": 30, "budgetUsd": null}));
    assert!(width(result) <= 30.0);
    let as_read = |name: &str| result["interval"][name].as_f64().unwrap();
    assert!(as_read("high") - as_read("low") > width(result), "{result}");
    let asked = result["usage"]["questions"].as_u64().unwrap();
    assert!([15, 21, 30, 42, 57, 60].contains(&asked), "{asked}");
    assert_eq!(result["usage"]["estimatedCostUsd"], planned["estimatedCostUsd"]);
    // The questions are the first of the plan, each to its model.
    let id = scan.json()["scanId"].as_str().unwrap().to_owned();
    let answers = client.get(&format!("/api/v1/scan/{id}/answers")).await.json();
    let questions = |document: &Value, name: &str| -> Vec<Value> {
        let all = document[name].as_array().unwrap().iter();
        all.map(|row| json!([row["questionId"], row["question"], row["model"]]))
            .collect()
    };
    let (shown, asked_for) = (questions(&planned, "questions"), questions(&answers, "answers"));
    assert_eq!(shown[..asked_for.len()], asked_for[..]);
}

#[tokio::test]
async fn a_scan_asks_as_long_as_its_money_lasts() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = order(&json!({"budget": 0.7}));
    let planned = plan(&client, &order).await.json();
    let estimate = planned["estimatedCostUsd"].as_f64().unwrap();
    assert!((0.6..=0.7).contains(&estimate), "{estimate}");
    let result = &client.scan(&order).await.json()["result"];
    assert_eq!(result["stopped"], "budget", "{result}");
    let billed = result["usage"]["costUsd"].as_f64().unwrap();
    assert!((0.5..=0.7).contains(&billed), "{billed}");
    assert_eq!(result["usage"]["failed"], 0);
}

#[tokio::test]
async fn a_list_of_the_caller_is_the_pool() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let questions: Vec<String> = (1..=12)
        .map(|number| format!("Who mends pipe number {number}?"))
        .collect();
    let order = order(&json!({"targetWidth": 20, "questions": questions}));
    let planned = plan(&client, &order).await.json();
    assert_eq!(planned["calls"], 12);
    let warnings = planned["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| warning["code"] == "few_questions_for_width"),
        "{planned}"
    );
    let result = &client.scan(&order).await.json()["result"];
    assert_eq!(
        (&result["stopped"], &result["usage"]["questions"]),
        (&json!("pool"), &json!(12))
    );
}

#[tokio::test]
async fn conflicts_are_refused_at_once() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for (more, faults) in [
        (json!({"targetWidth": 19}), vec!["/targetWidth: out_of_range"]),
        (json!({"targetWidth": 30.5}), vec!["/targetWidth: invalid"]),
        (json!({"budget": 0}), vec!["/budget: out_of_range"]),
        (json!({"budget": 0.001}), vec!["/budget: out_of_range"]),
        (
            json!({"targetWidth": "30", "budget": "1", "questionsPerModel": 3, "rings": [1]}),
            vec![
                "/questionsPerModel: invalid",
                "/rings: invalid",
                "/targetWidth: wrong_type",
                "/budget: wrong_type",
            ],
        ),
    ] {
        let reply = client.scan(&order(&more)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.faults()),
            (400, faults.into_iter().map(str::to_owned).collect()),
            "{more}"
        );
    }
    let schedule = json!({"order": order(&json!({"budget": 1})), "recurrence": {"every": "week"}});
    let caller = Caller::of(&server);
    let refused = Reply::of(caller.post("/api/v2/schedules", &schedule)).await;
    assert!(
        refused.faults().contains(&"/order/budget: invalid".to_owned()),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn sold_scans_have_fixed_counts() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let mut body = small_purchase();
    body["targetWidth"] = json!(30);
    body["budget"] = json!(1);
    let refused = Buyer::of(&server).ask("/api/a2a/scan", &body).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(refused.faults(), ["/targetWidth: invalid", "/budget: invalid"]);
}

#[tokio::test]
async fn a_queued_scan_asks_in_batches_within_its_cap() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let questions: Vec<String> = (1..=40)
        .map(|number| format!("Who mends pipe number {number}?"))
        .collect();
    let body = order(&json!({"targetWidth": 10, "questions": questions, "maxCost": 100}));
    let path = caller.accepted(&body).await;
    let ended = caller.ended(&path).await;
    assert_eq!(ended["status"], "complete", "{ended}");
    assert_eq!(
        (
            &ended["result"]["stopped"],
            &ended["result"]["usage"]["questions"]
        ),
        (&json!("pool"), &json!(39))
    );
    // The estimate of a wider range is within the cap, and the cap ends the scan as its own money does.
    let body = order(&json!({"targetWidth": 40, "maxCost": 0.3}));
    assert_eq!(caller.queue(&body).await.faults(), ["/maxCost: out_of_range"]);
    let body = order(&json!({"budget": 5, "maxCost": 0.5}));
    assert_eq!(caller.queue(&body).await.faults(), ["/maxCost: out_of_range"]);
}

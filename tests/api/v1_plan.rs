//! The dry run of a scan, and core questions in the caller's own words.

use ibid_model::Product;
use ibid_tests::buyer::small_purchase;
use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer, small_order};
use ibid_x402::SandboxFacilitator;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

async fn plan(client: &ApiClient, body: &Value) -> Reply {
    let request = client.bare(Method::POST, "/api/v1/plan").bearer_auth(API_KEY);
    Reply::of(request.json(body)).await
}

#[tokio::test]
async fn a_dry_run_shows_the_questions_that_the_scan_then_asks() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "fontanero", "location": "Barclona, Spain",
                       "models": ["model-1-latest"], "rings": [1], "keywordsPerRing": 1});
    let planned = plan(&client, &order).await;
    assert_eq!(planned.status, 200, "{}", planned.text);
    let planned = planned.json();
    assert_eq!(
        (&planned["calls"], &planned["language"]),
        (&json!(6), &json!("es"))
    );
    assert_eq!(planned["location"]["resolved"]["matched"], "corrected");
    assert_eq!(planned["location"]["certainty"], "likely");
    assert_eq!(planned["warnings"][0]["code"], "location_corrected");
    assert!(planned["estimatedCostUsd"].as_f64().unwrap() > 0.0);
    let scan = client.scan(&order).await.json();
    let id = scan["scanId"].as_str().unwrap();
    let answers = client.get(&format!("/api/v1/scan/{id}/answers")).await.json();
    let asked: Vec<_> = answers["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| &answer["question"])
        .collect();
    let shown: Vec<_> = planned["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|question| &question["question"])
        .collect();
    assert_eq!(asked, shown);
    assert!(
        shown
            .iter()
            .all(|question| !question.as_str().unwrap().contains("Barclona"))
    );
    assert_eq!(scan["result"]["location"], planned["location"]);
    assert_eq!(scan["result"]["usage"]["questions"], planned["calls"]);
}

#[tokio::test]
async fn a_dry_run_needs_the_bearer_key_and_no_provider_key_and_reports_every_fault() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let bare = client.bare(Method::POST, "/api/v1/plan").json(&small_order());
    assert_eq!(Reply::of(bare).await.status, 401);
    let faults = plan(
        &client,
        &json!({"domain": "x", "location": "Houston, Florida", "rings": [9]}),
    )
    .await;
    assert_eq!(
        faults.faults(),
        [
            "/domain: invalid",
            "/keyword: required",
            "/rings/0: out_of_range",
            "/location: location_not_found"
        ]
    );
    let unknown = plan(
        &client,
        &json!({"domain": "example.com", "keyword": "k", "location": "Houston, Florida"}),
    )
    .await;
    assert_eq!(
        (unknown.status.as_u16(), unknown.code()),
        (400, "location_not_found".to_owned())
    );
    let first = &unknown.json()["suggestions"][0];
    assert_eq!(
        (&first["label"], &first["country"]),
        (&json!("Houston, Texas, United States"), &json!("US"))
    );
    assert_eq!(
        Reply::of(client.bare(Method::GET, "/api/v1/plan")).await.status,
        405
    );
}

#[tokio::test]
async fn own_questions_are_asked_word_for_word_and_one_that_names_the_target_is_told() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let mut order = small_order();
    order.as_object_mut().unwrap().remove("questionsPerModel");
    order["questions"] = json!(["Who repairs taps on Sundays?", "Is example.com any good?"]);
    let scan = client.scan(&order).await;
    assert_eq!(scan.status, 200, "{}", scan.text);
    let scan = scan.json();
    let result = &scan["result"];
    assert_eq!(result["method"]["templates"], json!(["own"]));
    assert_eq!(result["models"][0]["answers"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&result["method"]["branded"], &result["warnings"][0]["code"]),
        (&json!(false), &json!("branded_apart"))
    );
    let id = scan["scanId"].as_str().unwrap();
    let answers = client.get(&format!("/api/v1/scan/{id}/answers")).await.json();
    assert_eq!(answers["answers"][0]["question"], "Who repairs taps on Sundays?");
    // Scored again it is still counted apart.
    let again = client.get(&format!("/api/v1/scan/{id}/rescored")).await.json();
    assert_eq!(again["result"]["overallScore"], result["overallScore"]);
    assert_eq!(again["result"]["warnings"], result["warnings"]);
    for (questions, fault) in [
        (json!(["a\nb"]), "/questions/0: question_invalid"),
        (
            json!([{"text": "x".repeat(301)}]),
            "/questions/0/text: question_invalid",
        ),
        (
            json!([{"text": "Who?", "place": "Qxzvw, Atlantis"}]),
            "/questions/0/place: question_invalid",
        ),
        (json!([""]), "/questions/0: question_invalid"),
        (json!([]), "/questions: out_of_range"),
        (json!(vec!["x?"; 301]), "/questions: too_many_questions"),
    ] {
        order["questions"] = questions;
        assert_eq!(client.scan(&order).await.faults(), [fault]);
    }
}

#[tokio::test]
async fn three_hundred_questions_as_objects_are_planned_and_every_fault_has_its_reason() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let mut order = small_order();
    let question = |n: usize| {
        json!({"text": format!("Who repairs tap number {n}?"), "topic": "taps", "persona": "p".repeat(200),
               "tags": ["t".repeat(60), "u".repeat(60)]})
    };
    order.as_object_mut().unwrap().remove("questionsPerModel");
    order["questions"] = (0..300).map(question).collect();
    assert!(order.to_string().len() > 65_536);
    let planned = plan(&client, &order).await;
    assert_eq!(planned.status, 200, "{}", planned.text);
    assert_eq!(planned.json()["questions"].as_array().unwrap().len(), 300);
    order["questions"] = json!(["Who?", {"text": "see https://a.example\nnow", "language": "x"}]);
    let refused = plan(&client, &order).await.json();
    let faults = refused["errors"].as_array().unwrap().iter();
    let faults: Vec<_> = faults
        .map(|fault| (fault["field"].as_str().unwrap(), fault["reason"].as_str()))
        .collect();
    assert_eq!(
        faults,
        [
            ("/questions/1/text", Some("not_one_line")),
            ("/questions/1/text", Some("link")),
            ("/questions/1/language", None)
        ]
    );
}

#[tokio::test]
async fn sold_scans_take_no_questions_and_nothing_is_paid() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let buyer = Buyer::of(&server);
    let mut order = small_purchase();
    order["questions"] = json!(["Who repairs taps?"]);
    order["location"] = json!("Leeds, UK");
    for path in ["scan", "radius", "full", "watch"] {
        let reply = buyer.ask(&format!("/api/a2a/{path}"), &order).await;
        assert_eq!(
            (reply.status.as_u16(), reply.faults()),
            (400, vec!["/questions: invalid".to_owned()]),
            "{path}"
        );
    }
    let paid = buyer
        .buy(
            "/api/a2a/scan",
            Product::Scan,
            ibid_model::X402Version::V2,
            &order,
        )
        .await;
    assert_eq!(paid.status, 400);
}

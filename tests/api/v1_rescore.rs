//! Stored scans, scored again.

use ibid_engine::score::METHOD_VERSION;
use ibid_model::ScanId;
use ibid_store::{NewScan, Origin, PackedAnswers};
use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

fn order() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1], "keywordsPerRing": 2})
}

/// The scan as an older version of the method would have left it.
fn keep_as_of_old(server: &TestServer, id: &str) -> (String, String) {
    let id: ScanId = id.parse().unwrap();
    let record = server.store.scan(id).unwrap().unwrap();
    let mut reply: Value = serde_json::from_slice(&record.reply).unwrap();
    let mut evidence: Value = serde_json::from_slice(&server.store.answers(id).unwrap().unwrap()).unwrap();
    let old = ScanId::random();
    reply["scanId"] = json!(old);
    reply["result"]["method"]["version"] = json!("0.4");
    reply["result"]["overallScore"] = json!(3.5);
    evidence["scanId"] = json!(old);
    let (reply, evidence) = (reply.to_string(), evidence.to_string());
    let scan = NewScan {
        id: old,
        origin: Origin::V1,
        created_at: record.created_at,
        sandbox: true,
        method: "0.4",
        reply: reply.as_bytes(),
        answers: Some(PackedAnswers::of(evidence.as_bytes()).unwrap()),
    };
    server.store.put_scan(&scan).unwrap();
    (old.to_string(), reply)
}

#[tokio::test]
async fn every_read_of_a_scan_answers_head() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = client.scan(&order()).await.json();
    let id = scan["scanId"].as_str().unwrap();
    for what in ["", "/answers", "/rescored", &format!("/compare/{id}")] {
        let path = format!("/api/v1/scan/{id}{what}");
        let head = client.bare(Method::HEAD, &path).bearer_auth(API_KEY);
        assert_eq!(head.send().await.unwrap().status(), 200, "{path}");
    }
}

#[tokio::test]
async fn an_outdated_scan_is_marked_and_scored_again_without_being_changed() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = client.scan(&order()).await.json();
    let (old, released) = keep_as_of_old(&server, scan["scanId"].as_str().unwrap());
    // Twice: the second answer comes from memory.
    for _ in 0..2 {
        let reply = client.get(&format!("/api/v1/scan/{old}")).await;
        assert_eq!(reply.text, released, "byte for byte as it was released");
        assert_eq!(reply.header("x-method-outdated"), "0.4");
        assert_eq!(
            reply.header("link"),
            format!("</api/v1/scan/{old}/rescored>; rel=\"latest-version\"")
        );
    }
    let reply = client.get(&format!("/api/v1/scan/{old}/rescored")).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("content-type")),
        (200, "application/json")
    );
    let rescored = reply.json();
    assert_eq!(
        (&rescored["scanId"], &rescored["status"]),
        (&json!(old), &json!("complete"))
    );
    let (result, method) = (&rescored["result"], &rescored["result"]["method"]);
    assert_eq!(result["overallScore"], scan["result"]["overallScore"]);
    assert_eq!(
        result["radius"]["rings"][0]["score"],
        scan["result"]["radius"]["rings"][0]["score"]
    );
    assert_eq!(method["version"], METHOD_VERSION);
    assert_eq!(
        (
            &method["previous"][0]["version"],
            &method["previous"][0]["overallScore"]
        ),
        (&json!("0.4"), &json!(3.5))
    );
    assert_eq!(method["previous"][0]["models"].as_array().unwrap().len(), 3);
    // Two methods do not compare, and the reason says what to do.
    let current = scan["scanId"].as_str().unwrap();
    let comparison = client
        .get(&format!("/api/v1/scan/{old}/compare/{current}"))
        .await
        .json();
    assert_eq!(
        (&comparison["verdict"], &comparison["reasons"][0]["code"]),
        (&json!("not_comparable"), &json!("other_method"))
    );
}

#[tokio::test]
async fn a_current_scan_is_scored_the_same_again() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = client.scan(&order()).await.json();
    let id = scan["scanId"].as_str().unwrap();
    let stored = client.get(&format!("/api/v1/scan/{id}")).await;
    assert_eq!(
        (stored.header("x-method-outdated"), stored.header("link")),
        ("", "")
    );
    let rescored = client.get(&format!("/api/v1/scan/{id}/rescored")).await;
    assert_eq!(rescored.text, stored.text);
}

#[tokio::test]
async fn a_scan_without_answers_cannot_be_scored_again() {
    let facilitator = std::sync::Arc::new(ibid_x402::SandboxFacilitator::new());
    let server = Setup::default()
        .selling(facilitator)
        .tune(|service| service.retain_answers = false)
        .spawn();
    let (client, buyer) = (ApiClient::of(&server), Buyer::of(&server));
    let scan = client.scan(&order()).await.json();
    let payment = buyer.pay(ibid_model::Product::Scan, ibid_model::X402Version::V2);
    let bought = buyer
        .send(
            "/api/a2a/scan",
            &payment,
            &json!({"domain": "example.com", "keyword": "plumber"}),
        )
        .await
        .json();
    for id in [
        scan["scanId"].as_str().unwrap(),
        bought["scanId"].as_str().unwrap(),
        "6f9619ff-8b86-4011-b42d-00c04fc964ff",
        "x",
    ] {
        let reply = client.get(&format!("/api/v1/scan/{id}/rescored")).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (404, "scan_not_found"),
            "{id}"
        );
    }
    let path = "/api/v1/scan/x/rescored";
    assert_eq!(Reply::of(client.bare(Method::GET, path)).await.status, 401);
    assert_eq!(
        Reply::of(client.bare(Method::POST, path).bearer_auth(API_KEY))
            .await
            .status,
        405
    );
}

#[tokio::test]
async fn names_of_the_home_page_are_looked_for_where_that_is_allowed_and_survive_rescoring() {
    let facilitator = std::sync::Arc::new(ibid_x402::SandboxFacilitator::new());
    let server = Setup::default().selling(facilitator).spawn();
    let client = ApiClient::of(&server);
    let mut order = json!({"domain": "zentora.com", "keyword": "plumber", "questionsPerModel": 1});
    let learned = |scan: &Value| -> Vec<String> {
        let names = scan["result"]["brandNames"].as_array().unwrap().iter();
        names
            .filter(|name| name["source"] == "home_page")
            .map(|name| name["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(
        learned(&client.scan(&order).await.json()).is_empty(),
        "off unless asked for"
    );
    order["learnNames"] = json!(true);
    let scan = client.scan(&order).await.json();
    assert_eq!(learned(&scan), ["zentora Invented"]);
    let id = scan["scanId"].as_str().unwrap();
    let rescored = client.get(&format!("/api/v1/scan/{id}/rescored")).await.json();
    assert_eq!(rescored["result"], scan["result"]);
    order["learnNames"] = json!("yes");
    let reply = client.scan(&order).await;
    assert_eq!(
        (reply.status.as_u16(), reply.faults()),
        (400, vec!["/learnNames: wrong_type".to_owned()])
    );
}

#[tokio::test]
async fn a_service_without_page_fetches_reports_that_it_learned_no_names() {
    let server = TestServer::spawn();
    let order =
        json!({"domain": "zentora.com", "keyword": "plumber", "questionsPerModel": 1, "learnNames": true});
    let scan = ApiClient::of(&server).scan(&order).await.json();
    let warnings = scan["result"]["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| warning["code"] == "names_not_learned"),
        "{warnings:?}"
    );
}

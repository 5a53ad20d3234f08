//! Snapshots of answers: status, headers, body. Ids, times and measured durations are redacted.

use ibid_tests::{ApiClient, Reply, TestServer};
use reqwest::Method;
use serde_json::{Map, Value, json};

/// Headers that a caller may rely on.
const HEADERS: [&str; 8] = [
    "allow",
    "cache-control",
    "content-type",
    "ratelimit-policy",
    "retry-after",
    "www-authenticate",
    "x-request-id",
    "x-sandbox",
];

fn shown(reply: &Reply) -> Value {
    let headers: Map<String, Value> = HEADERS
        .iter()
        .filter(|name| reply.headers.contains_key(**name))
        .map(|name| ((*name).to_owned(), json!(reply.header(name))))
        .collect();
    json!({"status": reply.status.as_u16(), "headers": headers, "body": reply.json()})
}

#[tokio::test]
async fn problems_look_like_this() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let marked = |request: reqwest::RequestBuilder| request.header("X-Request-Id", "snapshot");
    let refused = Reply::of(marked(client.bare(Method::GET, "/api/v1/scan/1"))).await;
    insta::assert_json_snapshot!("unauthorized", shown(&refused));
    let order = json!({"domain": "localhost", "keyword": "crm", "rings": [7], "questionsPerModel": "3"});
    let invalid = Reply::of(marked(client.scan_request(&order))).await;
    insta::assert_json_snapshot!("invalid_request", shown(&invalid));
    let method = Reply::of(marked(client.bare(Method::PUT, "/api/v1/scan"))).await;
    insta::assert_json_snapshot!("method_not_allowed", shown(&method));
    let large = json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "keywordsPerRing": 50,
                       "queriesPerKeyword": 10});
    let large = Reply::of(marked(client.scan_request(&large))).await;
    insta::assert_json_snapshot!("plan_too_large", shown(&large));
}

#[tokio::test]
async fn the_models_look_like_this() {
    let server = TestServer::spawn();
    let request = ApiClient::of(&server)
        .bare(Method::GET, "/api/v1/models")
        .header("X-Request-Id", "snapshot");
    insta::assert_json_snapshot!("models", shown(&Reply::of(request).await));
}

/// The shape of a value: member names, lists by their first element. Which values are null depends on the answers.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => json!("value"),
        Value::Array(elements) => Value::Array(elements.first().map(shape).into_iter().collect()),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), shape(value)))
            .collect(),
    }
}

#[tokio::test]
async fn a_scan_has_this_shape() {
    let server = TestServer::spawn();
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "questionsPerModel": 10});
    let scan = ApiClient::of(&server).scan(&order).await.json();
    insta::assert_json_snapshot!("scan_shape", shape(&scan));
}

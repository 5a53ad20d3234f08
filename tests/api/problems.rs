//! The content of every refusal, and the default headers of every answer.

use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer};
use ibid_x402::SandboxFacilitator;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

/// Fields of `errors`; none where there is no such member.
fn fields(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().map_or(&[][..], Vec::as_slice);
    for error in errors {
        assert!(
            error["code"].is_string() && error["message"].is_string(),
            "{problem}"
        );
    }
    errors
        .iter()
        .filter_map(|error| error["field"].as_str())
        .collect()
}

#[tokio::test]
async fn every_bad_request_lists_its_faults() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let client = ApiClient::of(&server);
    let large = json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "keywordsPerRing": 50,
                       "queriesPerKeyword": 10});
    let sold = |body: &str| {
        let request = client.bare(Method::POST, "/api/a2a/scan");
        request
            .header("Content-Type", "application/json")
            .body(body.to_owned())
    };
    let expensive = json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "rings": [1, 2, 3],
                           "keywordsPerRing": 5});
    let broken = client.scan_request(&json!({})).body("{");
    for (request, code, expected) in [
        (broken, "malformed_json", ""),
        (client.scan_request(&large), "plan_too_large", ""),
        (sold(&expensive.to_string()), "plan_too_expensive", ""),
        (
            sold(r#"{"domain": "example.com", "keyword": "crm"}"#).header("X-PAYMENT", "%"),
            "malformed_payment",
            "",
        ),
        (
            client.scan_request(&json!({"domain": "example.com", "keyword": "crm", "location": "Qxzvw"})),
            "location_not_found",
            "/location",
        ),
    ] {
        let reply = Reply::of(request).await;
        assert_eq!((reply.status.as_u16(), reply.code()), (400, code.into()));
        assert_eq!(fields(&reply.json()), [expected], "{code}");
    }
}

#[tokio::test]
async fn a_missing_key_hides_no_other_fault() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let ask = async |order: Value| {
        let request = client.bare(Method::POST, "/api/v1/scan").bearer_auth(API_KEY);
        Reply::of(request.json(&order)).await.json()
    };
    let unknown =
        ask(json!({"domain": "example.com", "keyword": "crm", "location": "Atlantyda, Spain"})).await;
    assert_eq!(unknown["code"], "invalid_request");
    assert_eq!(fields(&unknown), ["/location", "X-Router-Key"]);
    // Where there is more than one fault, the suggestions are in the words.
    let words = unknown["errors"][0]["message"].as_str().unwrap();
    assert!(
        words.contains("did you mean") && words.contains("Atlanta"),
        "{words}"
    );
    let large = ask(
        json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "keywordsPerRing": 50,
                           "queriesPerKeyword": 10}),
    )
    .await;
    assert_eq!(fields(&large), ["", "X-Router-Key"]);
}

#[tokio::test]
async fn every_answer_has_the_default_headers() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let client = ApiClient::of(&server);
    for path in [
        "/api/v1/models",
        "/api/v1/scan/x",
        "/healthz",
        "/openapi.json",
        "/nowhere",
        "/api/a2a/scan/x",
    ] {
        let reply = Reply::of(client.bare(Method::GET, path)).await;
        // The description of the API is the same for every reader and changes with the alias table only.
        let kept = if path == "/openapi.json" {
            "public, max-age=300"
        } else {
            "no-store"
        };
        for (name, value) in [
            ("cache-control", kept),
            (
                "content-security-policy",
                "default-src 'none'; frame-ancestors 'none'",
            ),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("strict-transport-security", ""),
        ] {
            assert_eq!(reply.header(name), value, "{name} of {path}");
        }
    }
    for asset in ibid_web::assets::all() {
        let reply = Reply::of(client.bare(Method::GET, &asset.path)).await;
        assert_eq!(reply.header("content-security-policy"), "", "{}", asset.path);
        assert_eq!(
            reply.header("x-content-type-options"),
            "nosniff",
            "{}",
            asset.path
        );
    }
    let card = Reply::of(client.bare(Method::GET, "/.well-known/agent.json")).await;
    assert_eq!(card.header("cache-control"), "public, max-age=300");
    let secure = Setup::default().base_url("https://ibid.test").spawn();
    let reply = Reply::of(ApiClient::of(&secure).bare(Method::GET, "/healthz")).await;
    assert_eq!(reply.header("strict-transport-security"), "max-age=31536000");
}

#[tokio::test]
async fn a_compressed_body_is_an_unsupported_media_type() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "crm", "models": ["model-6-latest"], "questionsPerModel": 1});
    for (coding, status) in [("gzip", 415), ("br", 415), ("identity", 200)] {
        let request = client.scan_request(&order).header("Content-Encoding", coding);
        let reply = Reply::of(request).await;
        assert_eq!(reply.status.as_u16(), status, "{coding}");
    }
}

#[tokio::test]
async fn unreadable_bodies_get_our_own_messages() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let buyer = Buyer::of(&server);
    let reply = buyer
        .ask("/api/a2a/my-receipts", &json!({"cursor": "x"}))
        .await
        .json();
    assert_eq!(
        reply["errors"][0]["message"],
        "cursor is no nextCursor of an answer"
    );
}

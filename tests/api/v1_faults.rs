//! Bad requests: every fault at once, in problem documents.

use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, TestServer, small_order};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn every_fault_comes_at_once_the_key_and_the_place_included() {
    let server = TestServer::spawn();
    let request = ApiClient::of(&server)
        .bare(Method::POST, "/api/v1/scan")
        .bearer_auth(API_KEY);
    let body = json!({"domain": "10.0.0.1", "location": "Qxzvw, Atlantis", "rings": [0], "models": ["nope"], "questionsPerModel": 11});
    let reply = Reply::of(request.json(&body)).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "invalid_request".into())
    );
    assert_eq!(
        reply.faults(),
        [
            "/domain: invalid",
            "/keyword: required",
            "/models/0: unknown_model",
            "/rings/0: out_of_range",
            "/questionsPerModel: out_of_range",
            "/location: location_not_found",
            "X-Router-Key: provider_key_required",
        ]
    );
}

#[tokio::test]
async fn a_problem_document_says_where_and_which_request() {
    let server = TestServer::spawn();
    let request = ApiClient::of(&server)
        .scan_request(&json!({}))
        .header("X-Request-Id", "my-request.1");
    let reply = Reply::of(request).await;
    assert_eq!(reply.header("content-type"), "application/problem+json");
    assert_eq!(reply.header("x-request-id"), "my-request.1");
    let body = reply.json();
    assert_eq!(body["type"], "http://ibid.test/docs/errors#invalid_request");
    assert_eq!(body["instance"], "/api/v1/scan");
    assert_eq!(body["requestId"], "my-request.1");
    assert_eq!(body["status"], 400);
    assert_eq!(body["detail"], "domain is required; keyword is required.");
}

#[tokio::test]
async fn an_unusable_request_id_is_replaced() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let mut ids = Vec::new();
    for _ in 0..3 {
        let request = client
            .bare(Method::GET, "/api/v1/models")
            .header("X-Request-Id", "a b\"c");
        let reply = Reply::of(request).await;
        let id = reply.header("x-request-id").to_owned();
        assert!(id.len() == 32 && !ids.contains(&id), "{id}");
        ids.push(id);
    }
}

#[tokio::test]
async fn an_unknown_place_comes_with_suggestions_and_costs_nothing() {
    let server = TestServer::spawn();
    let mut body = small_order();
    body["location"] = json!("Qxzvw, Atlantis");
    let reply = ApiClient::of(&server).scan(&body).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "location_not_found".into())
    );
    assert!(reply.json()["suggestions"].as_array().unwrap().len() <= 5);
    assert_eq!(reply.faults(), ["/location: location_not_found"]);
}

#[tokio::test]
async fn a_plan_over_the_ceiling_says_how_large() {
    let server = TestServer::spawn();
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France",
                      "rings": [1, 2, 3, 4, 5], "keywordsPerRing": 50, "queriesPerKeyword": 10});
    let reply = ApiClient::of(&server).scan(&body).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "plan_too_large".into())
    );
    let body = reply.json();
    assert!(
        body["questions"].as_u64().unwrap() > 10_000 && body["estimatedCostUsd"].as_f64().unwrap() > 100.0
    );
    assert_eq!(body["mostQuestions"], 2_000);
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let post = |body: Vec<u8>, kind: &str| {
        let request = client
            .bare(Method::POST, "/api/v1/scan")
            .bearer_auth(API_KEY)
            .header("X-Router-Key", PROVIDER_KEY);
        Reply::of(request.header("Content-Type", kind).body(body))
    };
    let deep = [vec![b'['; 5_000], vec![b']'; 5_000]].concat();
    for body in [
        b"".to_vec(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"\"x\"".to_vec(),
        b"{\"domain\":\xff}".to_vec(),
        deep,
    ] {
        let reply = post(body.clone(), "application/json").await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (400, "malformed_json".into()),
            "{:?}",
            String::from_utf8_lossy(&body)
        );
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
    ] {
        let reply = post(b"{}".to_vec(), kind).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (415, "unsupported_media_type".into()),
            "{kind}"
        );
    }
    for kind in [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/vnd.x+json",
    ] {
        assert_eq!(
            post(b"{}".to_vec(), kind).await.code(),
            "invalid_request",
            "{kind}"
        );
    }
}

#[tokio::test]
async fn a_large_body_is_refused_at_64_kib() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let body = |length: usize| {
        let mut body = small_order();
        body["padding"] = json!("");
        let missing = length - body.to_string().len();
        body["padding"] = json!("x".repeat(missing));
        body
    };
    assert_eq!(client.scan(&body(65_536)).await.status, 200);
    for length in [65_537, 1_000_000] {
        let reply = client.scan(&body(length)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (413, "payload_too_large".into()),
            "{length}"
        );
    }
}

#[tokio::test]
async fn another_method_or_path_is_named() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let reply = Reply::of(client.bare(Method::GET, "/api/v1/scan")).await;
    assert_eq!((reply.status.as_u16(), reply.header("allow")), (405, "POST"));
    let reply = Reply::of(client.bare(Method::DELETE, "/api/v1/models")).await;
    assert_eq!((reply.status.as_u16(), reply.header("allow")), (405, "GET, HEAD"));
    let reply = Reply::of(client.bare(Method::GET, "/api/v2/scan")).await;
    assert_eq!((reply.status.as_u16(), reply.code()), (404, "not_found".into()));
}

#[tokio::test]
async fn domains_are_taken_as_pasted_or_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for (domain, taken) in [
        ("müller.de", Some("xn--mller-kva.de")),
        ("https://shop.example.co.uk/path?q=1", Some("shop.example.co.uk")),
        ("EXAMPLE.com.", Some("example.com")),
        ("127.0.0.1", None),
        ("[::1]", None),
        ("localhost", None),
        ("me@example.com", None),
        ("exa mple.com", None),
        ("ftp://example.com", None),
    ] {
        let mut body = small_order();
        body["domain"] = json!(domain);
        let reply = client.scan(&body).await;
        match taken {
            Some(taken) => assert_eq!(reply.json()["result"]["domain"], taken, "{}", reply.text),
            None => assert_eq!(reply.faults(), ["/domain: invalid"], "{domain}"),
        }
    }
}

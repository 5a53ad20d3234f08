//! Authentication of the v1 API.

use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn wrong_and_malformed_bearer_keys_are_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let basic = format!("Basic {API_KEY}");
    for authorization in [
        None,
        Some("Bearer wrong"),
        Some("Bearer"),
        Some("Bearer "),
        Some(basic.as_str()),
        Some(API_KEY),
    ] {
        for (method, path) in [
            (Method::POST, "/api/v1/scan"),
            (Method::GET, "/api/v1/scan/0"),
            (Method::GET, "/api/v1/scan/0/answers"),
        ] {
            let mut request = client.bare(method, path).header("X-Router-Key", PROVIDER_KEY);
            if let Some(value) = authorization {
                request = request.header("Authorization", value);
            }
            let reply = Reply::of(request.json(&small_order())).await;
            assert_eq!(
                (reply.status.as_u16(), reply.code()),
                (401, "unauthorized".into()),
                "{authorization:?} {path}"
            );
            assert_eq!(reply.header("www-authenticate"), r#"Bearer realm="ibid""#);
            assert!(reply.text.contains("access@ibid.test"), "{}", reply.text);
        }
    }
}

#[tokio::test]
async fn the_scheme_is_read_in_any_case_and_two_headers_are_none() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let request = |value: String| {
        client
            .bare(Method::GET, "/api/v1/scan/0")
            .header("Authorization", value)
    };
    assert_eq!(Reply::of(request(format!("bearer {API_KEY}"))).await.status, 404);
    let twice = request(format!("Bearer {API_KEY}")).header("Authorization", format!("Bearer {API_KEY}"));
    assert_eq!(Reply::of(twice).await.status, 401);
}

#[tokio::test]
async fn authentication_comes_before_the_body() {
    let server = TestServer::spawn();
    let request = ApiClient::of(&server)
        .bare(Method::POST, "/api/v1/scan")
        .body("{ not json");
    assert_eq!(Reply::of(request).await.status, 401);
}

#[tokio::test]
async fn without_a_configured_key_every_call_is_refused() {
    let server = Setup::default().without_api_key().spawn();
    let client = ApiClient::of(&server);
    assert_eq!(client.scan(&small_order()).await.status, 401);
    let empty = client
        .bare(Method::POST, "/api/v1/scan")
        .header("Authorization", "Bearer ")
        .json(&json!({}));
    assert_eq!(Reply::of(empty).await.status, 401);
    assert_eq!(
        Reply::of(client.bare(Method::GET, "/api/v1/models")).await.status,
        200
    );
}

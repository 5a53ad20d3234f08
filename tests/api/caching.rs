//! Documents that clients may keep: tags, conditional requests, compression.

use flate2::read::GzDecoder;
use ibid_model::Catalog;
use ibid_tests::{API_KEY, ApiClient, Reply, TestServer, small_order};
use reqwest::{Method, RequestBuilder};
use std::io::Read as _;

/// An answer in the form that was sent, with its unpacked body.
async fn packed(request: RequestBuilder) -> (reqwest::header::HeaderMap, String, usize) {
    let response = request.header("Accept-Encoding", "gzip").send().await.unwrap();
    let headers = response.headers().clone();
    let bytes = response.bytes().await.unwrap();
    let mut text = String::new();
    if headers.contains_key("content-encoding") {
        GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(bytes.to_vec()).unwrap();
    }
    (headers, text, bytes.len())
}

/// Checks that a path has a tag for each of its forms, and answers 304 to clients that have it.
async fn check(client: &ApiClient, path: &str, caching: &str) {
    let request = || client.bare(Method::GET, path).bearer_auth(API_KEY);
    let plain = Reply::of(request()).await;
    assert_eq!(plain.status, 200, "{path}: {}", plain.text);
    assert_eq!(plain.header("cache-control"), caching, "{path}");
    let tag = plain.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() > 30, "{path}: {tag}");
    let (headers, text, length) = packed(request()).await;
    assert_eq!(headers["content-encoding"], "gzip", "{path}");
    assert!(
        text == plain.text && length * 2 < text.len(),
        "{path}: {length} of {}",
        text.len()
    );
    let packed_tag = headers["etag"].to_str().unwrap().to_owned();
    assert_ne!(packed_tag, tag, "{path}");
    for (sent, encoding) in [(&tag, "identity"), (&packed_tag, "gzip")] {
        let again = request()
            .header("If-None-Match", sent)
            .header("Accept-Encoding", encoding);
        let again = Reply::of(again).await;
        assert_eq!((again.status.as_u16(), &*again.text), (304, ""), "{path} {sent}");
        assert_eq!(again.header("etag"), sent, "{path}");
        assert_eq!(again.header("cache-control"), caching, "{path}");
    }
    let other = Reply::of(request().header("If-None-Match", "\"other\"")).await;
    assert_eq!(other.status, 200, "{path}");
}

#[tokio::test]
async fn public_documents_are_rendered_once_and_have_tags() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    check(&client, "/openapi.json", "public, max-age=300").await;
    check(&client, "/docs", "private, no-cache").await;
    for card in ["/.well-known/agent.json", "/.well-known/agent-card.json"] {
        check(&client, card, "public, max-age=300").await;
    }
    let before = client.get("/openapi.json").await;
    server.service.planner.set_catalog(Catalog::builtin());
    let same = client.get("/openapi.json").await;
    assert_eq!(
        same.header("etag"),
        before.header("etag"),
        "the same table has the same tag"
    );
}

#[tokio::test]
async fn stored_scans_never_change() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = client.scan(&small_order()).await.json();
    let path = format!("/api/v1/scan/{}", scan["scanId"].as_str().unwrap());
    let immutable = "private, max-age=31536000, immutable";
    check(&client, &path, immutable).await;
    check(&client, &format!("{path}/answers"), immutable).await;
}

#[tokio::test]
async fn short_answers_and_those_of_others_are_sent_as_they_are() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let (headers, _, _) = packed(client.bare(Method::GET, "/healthz")).await;
    assert!(!headers.contains_key("content-encoding"));
    let (headers, text, length) = packed(client.scan_request(&small_order())).await;
    assert_eq!(headers["content-encoding"], "gzip");
    assert!(
        text.contains("overallScore") && length * 2 < text.len(),
        "{length}"
    );
    assert!(!headers.contains_key("etag") && headers["cache-control"] == "no-store");
}

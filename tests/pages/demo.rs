//! The free question of the home page.

use crate::open::browse;
use ibid_provider::{Router, RouterConfig};
use ibid_service::DemoTerms;
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script};
use ibid_tests::{ApiClient, PROVIDER_KEY, Reply, Setup, TestServer};
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;

/// Sends the form as a browser on a page of this site does.
async fn ask(client: &ApiClient, domain: &str, keyword: &str) -> Reply {
    let fields = [("domain", domain), ("keyword", keyword)];
    Reply::of(form(client, &fields).header("Sec-Fetch-Site", "same-origin")).await
}

fn form(client: &ApiClient, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    client
        .bare(Method::POST, "/demo")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Accept", "text/html")
        .body(body)
}

fn giving(per_address: u32, per_day: u32) -> TestServer {
    let terms = DemoTerms {
        key: PROVIDER_KEY.parse().unwrap(),
        per_address,
        per_day,
    };
    Setup::default()
        .tune(|service| service.demo = Some(terms))
        .spawn()
}

#[tokio::test]
async fn one_question_to_one_model_and_a_report() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let sent = ask(&client, "https://www.example.com/", "plumber in Valencia").await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let path = sent.header("location").to_owned();
    assert!(path.starts_with("/demo/"), "{path}");
    let page = browse(&client, &path).await;
    assert_eq!(page.status, 200);
    for part in [
        "One free question",
        "example.com",
        "plumber in Valencia",
        "One answer is a single sample",
    ] {
        assert!(page.text.contains(part), "{part}");
    }
    assert_eq!(
        page.text.matches("<details class=\"answer\"").count(),
        1,
        "one answer"
    );
    assert_eq!(
        page.header("content-security-policy"),
        ibid_web::CONTENT_SECURITY_POLICY
    );
    // No other surface reads a scan of the free question.
    let id = path.trim_start_matches("/demo/");
    for other in [
        format!("/api/v1/scan/{id}"),
        format!("/api/v1/scan/{id}/answers"),
        format!("/api/a2a/scan/{id}"),
    ] {
        assert_eq!(client.get(&other).await.status, 404, "{other}");
    }
}

#[tokio::test]
async fn scans_of_other_surfaces_are_no_free_questions() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = client.scan(&ibid_tests::small_order()).await.json();
    let id = scan["scanId"].as_str().unwrap();
    for id in [id, "00000000-0000-4000-8000-000000000000", "x", "%00"] {
        assert_eq!(browse(&client, &format!("/demo/{id}")).await.status, 404, "{id}");
    }
}

#[tokio::test]
async fn a_refused_form_keeps_its_entries_and_shows_the_faults() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let hostile = "\"><script>alert(1)</script>";
    let page = ask(&client, hostile, "").await;
    assert_eq!(page.status, 400);
    assert!(page.text.contains("id=\"demo-domain-fault\">"), "{}", page.text);
    assert!(page.text.contains("id=\"demo-keyword-fault\">"));
    assert!(page.text.contains("&lt;script&gt;alert(1)") && !page.text.contains("<script>alert"));
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let fields = [("domain", "example.com"), ("keyword", "crm")];
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://evil.test"),
        ("Origin", "null"),
        ("X-Nothing", "at all"),
    ] {
        let reply = Reply::of(form(&client, &fields).header(name, value)).await;
        assert_eq!(reply.status, 403, "{name}: {value}");
    }
    let own = Reply::of(form(&client, &fields).header("Origin", "http://ibid.test")).await;
    assert_eq!(own.status, 303);
}

#[tokio::test]
async fn free_questions_are_limited_by_address_and_by_day() {
    let server = giving(1, 2);
    let client = ApiClient::of(&server);
    let from = |address: &'static str| {
        let fields = [("domain", "example.com"), ("keyword", "crm")];
        form(&client, &fields)
            .header("Sec-Fetch-Site", "same-origin")
            .header("X-Forwarded-For", address)
    };
    assert_eq!(Reply::of(from("192.0.2.1")).await.status, 303);
    let again = Reply::of(from("192.0.2.1")).await;
    assert_eq!(again.status, 429);
    assert!(!again.header("retry-after").is_empty());
    assert!(
        again.text.contains("free questions of your network are used up"),
        "{}",
        again.text
    );
    assert_eq!(Reply::of(from("192.0.2.2")).await.status, 303);
    let closed = Reply::of(from("192.0.2.3")).await;
    assert_eq!(closed.status, 429);
    assert!(closed.text.contains("Today’s free questions are used up"));
    assert!(
        browse(&client, "/")
            .await
            .text
            .contains("Today’s free questions are used up")
    );
}

#[tokio::test]
async fn without_terms_there_is_no_form() {
    let server = giving(0, 10);
    let client = ApiClient::of(&server);
    let home = browse(&client, "/").await;
    assert!(!home.text.contains("<form class=\"demo") && home.text.contains("is closed on this server"));
    assert_eq!(ask(&client, "example.com", "crm").await.status, 503);
}

#[tokio::test]
async fn other_bodies_are_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let json = client
        .bare(Method::POST, "/demo")
        .header("Sec-Fetch-Site", "same-origin")
        .json(&json!({"domain": "example.com", "keyword": "crm"}));
    let json = Reply::of(json).await;
    assert_eq!(
        (json.status.as_u16(), json.code()),
        (415, "unsupported_media_type".to_owned())
    );
    assert!(json.text.contains("application/x-www-form-urlencoded"));
    let long = "a".repeat(5_000);
    assert_eq!(ask(&client, "example.com", &long).await.status, 413);
}

#[tokio::test]
async fn a_silent_or_unpaid_provider_is_reported_on_the_page() {
    let fake = FakeRouter::spawn();
    ibid_tests::install_tls();
    let mut config = RouterConfig::new(fake.base_url());
    config.retry.extra_attempts = 0;
    let router = Router::new(&config).unwrap();
    let server = Setup::default().provider(Arc::new(router)).spawn();
    let client = ApiClient::of(&server);
    // The visitor cannot repair a fault of the operator's key.
    for status in [503, 401, 402] {
        fake.on_key(PROVIDER_KEY, Script::always(Answer::error(status, json!({}))));
        let page = ask(&client, "example.com", "crm").await;
        assert_eq!(page.status, 500, "{status}: {}", page.text);
        assert!(
            page.text.contains("The model did not answer") && page.text.contains("value=\"example.com\"")
        );
        assert!(!page.text.contains(PROVIDER_KEY));
    }
}

#[tokio::test]
async fn get_demo_redirects_to_the_form() {
    let server = TestServer::spawn();
    let reply = browse(&ApiClient::of(&server), "/demo").await;
    assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/#demo"));
}

#[tokio::test]
async fn the_free_question_cannot_be_worded() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let fields = [
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("questions", "Is example.com good?"),
    ];
    let reply = Reply::of(form(&client, &fields).header("Sec-Fetch-Site", "same-origin")).await;
    assert_eq!(reply.status, 400);
    assert!(
        reply.text.contains("Questions cannot be worded here"),
        "{}",
        reply.text
    );
}

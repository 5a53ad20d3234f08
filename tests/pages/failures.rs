//! Errors: a page for a browser, a problem document for other clients.

use crate::open::browse;
use ibid_tests::{ApiClient, Reply, TestServer};
use reqwest::Method;

#[tokio::test]
async fn a_browser_gets_a_page_and_a_program_a_problem_document() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let page = browse(&client, "/nowhere").await;
    assert_eq!(page.status, 404);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(
        page.header("content-security-policy"),
        ibid_web::CONTENT_SECURITY_POLICY
    );
    assert!(page.text.contains(page.header("x-request-id")), "{}", page.text);
    let problem = Reply::of(client.bare(Method::GET, "/nowhere")).await;
    assert_eq!(problem.header("content-type"), "application/problem+json");
    assert_eq!(problem.code(), "not_found");
    // The API answers every client with a problem document.
    let api = browse(&client, "/api/v1/scan/1").await;
    assert_eq!(
        (api.header("content-type"), api.status.as_u16()),
        ("application/problem+json", 401)
    );
}

#[tokio::test]
async fn other_methods_are_named() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for path in ["/", "/docs", "/llms.txt"] {
        let reply = Reply::of(client.bare(Method::DELETE, path)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("allow")),
            (405, "GET, HEAD"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_path_is_text_on_its_error_page() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let page = browse(
        &client,
        "/%3Cscript%3Ealert(1)%3C/script%3E?q=<script>alert(2)</script>",
    )
    .await;
    assert_eq!(page.status, 404);
    assert!(!page.text.contains("alert("), "{}", page.text);
}

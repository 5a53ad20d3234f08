//! The first look at a website, from the home page.

use crate::open::browse;
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_service::{LookTerms, Pages};
use ibid_tests::{ApiClient, Reply, Setup, TestServer};
use reqwest::Method;

/// Sends the form as a browser on a page of this site does.
async fn look(client: &ApiClient, fields: &[(&str, &str)]) -> Reply {
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let form = client
        .bare(Method::POST, "/look")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Accept", "text/html")
        .header("Sec-Fetch-Site", "same-origin")
        .body(body);
    Reply::of(form).await
}

fn giving(per_address: u32) -> TestServer {
    let terms = LookTerms {
        per_address,
        per_day: 100,
    };
    let pages = Pages::Invented(Auditor::new(FetchConfig::default()).unwrap());
    Setup::default()
        .tune(move |service| {
            service.pages = Some(pages);
            service.looks = Some(terms);
        })
        .spawn()
}

#[tokio::test]
async fn a_visitor_sees_page_questions_and_costs() {
    let server = giving(9);
    let client = ApiClient::of(&server);
    assert!(browse(&client, "/").await.text.contains("Look at my website"));
    assert!(
        browse(&client, "/look")
            .await
            .text
            .contains("A first look at your website")
    );
    let seen = look(&client, &[("domain", "https://www.example.com/")]).await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    for part in [
        "A first look at <bdi>example.com</bdi>",
        "Invented page.",
        "Guessed from your page.",
        "value=\"plumber\"",
        "value=\"Valencia, Spain\"",
        "OpenAI GPT (latest flagship)",
        "a drop of 15 points in 4 weeks",
    ] {
        assert!(seen.text.contains(part), "{part} is missing in\n{}", seen.text);
    }
    let fields = [
        ("domain", "example.com"),
        ("keyword", "bakery"),
        ("location", "Lyon, France"),
        ("language", "fr"),
    ];
    let corrected = look(&client, &fields).await;
    assert_eq!(corrected.status, 200);
    assert!(corrected.text.contains("bakery") && !corrected.text.contains("Guessed from your page."));
}

#[tokio::test]
async fn faults_are_at_their_fields_and_looks_are_bounded() {
    let server = giving(1);
    let client = ApiClient::of(&server);
    let refused = look(&client, &[("domain", "localhost")]).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("id=\"domain-fault\""), "{}", refused.text);
    // A refused form takes no turn.
    assert_eq!(look(&client, &[("domain", "example.com")]).await.status, 200);
    let more = look(&client, &[("domain", "example.com")]).await;
    assert_eq!(more.status, 429);
    assert!(more.text.contains("used up") && !more.header("retry-after").is_empty());
    let without = giving(0);
    let closed = ApiClient::of(&without);
    assert!(!browse(&closed, "/").await.text.contains("Look at my website"));
    assert_eq!(look(&closed, &[("domain", "example.com")]).await.status, 503);
}

#[tokio::test]
async fn another_site_cannot_look() {
    let server = giving(9);
    let client = ApiClient::of(&server);
    let form = client
        .bare(Method::POST, "/look")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Sec-Fetch-Site", "cross-site")
        .body("domain=example.com");
    assert_eq!(Reply::of(form).await.status, 403);
}

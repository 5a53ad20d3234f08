//! Hostile text in every place that takes one: it is shown, and it stays text.

use crate::gate::Parrot;
use ibid_tests::Setup;
use ibid_tests::member::Member;
use std::sync::Arc;

const ATTACK: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";

/// Texts that no page may contain.
const FORBIDDEN: [&str; 5] = [
    "<script>alert",
    "<img src=x",
    "onerror=alert(2)>",
    "href=\"javascript:",
    "href=\"data:",
];

fn check(name: &str, page: &str) {
    for forbidden in FORBIDDEN {
        assert!(!page.contains(forbidden), "{name} has {forbidden}");
    }
}

#[tokio::test]
async fn text_of_callers_and_models_stays_text() {
    let answer = format!(
        "1. [example.com {ATTACK}](https://example.com/\"onmouseover=alert(3)) is best. {ATTACK}\n\
         2. **Rival {ATTACK}** [x](javascript:alert(4)) https://rival.example/{ATTACK}\n\
         3. [data](data:text/html,<script>alert(5)</script>) =cmd|' /C calc'!A0\n\n\
         <iframe src=//evil.example></iframe><meta http-equiv=refresh content=0>"
    );
    let server = Setup::default()
        .provider(Arc::new(Parrot(Ok(answer))))
        .workspace()
        .spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 5).await;
    let form = [
        ("domain", "example.com"),
        ("keyword", ATTACK),
        ("brandNames", "Ex<b>ample"),
        ("models", "model-1-latest"),
        ("questionsPerModel", "2"),
        ("keywordsPerRing", "1"),
        ("queriesPerKeyword", "1"),
    ];
    let scan = ada.start(&form).await;
    ada.listen(&scan).await;
    ada.post(&format!("{scan}/tags"), &[("tags", "<script>alert(6)</script>")])
        .await;
    ada.post(&format!("{scan}/share"), &[]).await;
    let report = ada.open(&scan).await;
    assert_eq!(report.status, 200);
    assert!(
        report.text.contains("&lt;script&gt;alert") || report.text.contains("&#60;script&#62;alert"),
        "it is shown"
    );
    let shared = report
        .text
        .split("http://ibid.test")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let id = scan.rsplit('/').next().unwrap();
    for path in [
        scan.clone(),
        format!("{scan}/answers"),
        shared.to_owned(),
        format!("{shared}/answers"),
        "/workspace".to_owned(),
        format!("/workspace?again={id}"),
        "/workspace/scans".to_owned(),
        format!("/workspace/compare?scan={id}&scan={id}"),
        "/workspace/receipts".to_owned(),
        "/workspace/credits".to_owned(),
    ] {
        let page = ada.open(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(
            page.header("content-security-policy"),
            ibid_web::CONTENT_SECURITY_POLICY,
            "{path}"
        );
        assert!(
            !page.text.contains("<iframe") && !page.text.contains("<meta http-equiv=refresh"),
            "{path}"
        );
        check(&path, &page.text);
    }
    // A text that a spreadsheet would evaluate is made harmless.
    let sheet = ada.open(&format!("{scan}/answers.csv")).await.text;
    assert!(
        !sheet
            .lines()
            .any(|line| line.split(',').any(|cell| cell.starts_with("=cmd"))),
        "{sheet}"
    );
}

#[tokio::test]
async fn returned_entries_stay_text() {
    let server = crate::workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    for name in [
        "domain",
        "keyword",
        "location",
        "language",
        "brandNames",
        "models",
        "rings",
        "questionsPerModel",
    ] {
        let reply = ada
            .post("/workspace/scans", &[("domain", "a"), (name, ATTACK)])
            .await;
        assert_eq!(reply.status, 400, "{name}");
        check(name, &reply.text);
    }
    let encoded: String = url::form_urlencoded::byte_serialize(ATTACK.as_bytes()).collect();
    for path in [
        "/workspace/scans?q=",
        "/workspace/scans?tag=",
        "/workspace?again=",
        "/workspace/compare?scan=",
        "/s/",
    ] {
        check(path, &ada.open(&format!("{path}{encoded}")).await.text);
    }
    let stranger = Member::stranger(&server);
    check(
        "next",
        &stranger.open(&format!("/sign-in?next=/{encoded}")).await.text,
    );
    let refused = stranger
        .post(
            "/sign-in",
            &[("email", ATTACK), ("password", ATTACK), ("next", ATTACK)],
        )
        .await;
    check("sign-in", &refused.text);
}

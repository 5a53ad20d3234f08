//! Audits of pages in the workspace.

use ibid_audit::fetch::{Auditor, FetchConfig};
use ibid_service::{Pages, WorkspaceRuns};
use ibid_tests::member::Member;
use ibid_tests::{ApiClient, PROVIDER_KEY, Setup, TestServer};
use reqwest::Method;

fn auditing() -> TestServer {
    let auditor = Auditor::new(FetchConfig::default()).unwrap();
    Setup::default()
        .tune(move |builder| {
            builder
                .pages(Pages::Invented(auditor))
                .workspace(WorkspaceRuns::new(PROVIDER_KEY.parse().unwrap()))
        })
        .spawn()
}

#[tokio::test]
async fn an_address_becomes_a_report_and_costs_no_credit() {
    let server = auditing();
    let member = Member::with_credits(&server, "ada@example.com", 3).await;
    // Readers often leave the scheme out.
    let sent = member
        .post("/workspace/audits", &[("url", " example.com/page ")])
        .await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let path = sent.header("location").to_owned();
    assert!(path.starts_with("/workspace/audits/"), "{path}");
    let page = member.open(&path).await;
    assert_eq!(page.status, 200);
    for part in ["example.com/page", "All checks", "3 credits", "Drafts"] {
        assert!(page.text.contains(part), "{part}");
    }
    let file = member.open(&format!("{path}/audit.json")).await;
    assert!(
        file.header("content-disposition")
            .starts_with("attachment; filename=\"audit-")
    );
    let report = &file.json()["result"];
    assert!(
        report["score"].is_number() && !report["drafts"].as_array().unwrap().is_empty(),
        "{report}"
    );
    // The form lists it.
    let form = member.open("/workspace/audits").await.text;
    assert!(
        form.contains(&format!("href=\"{path}\"")) && form.contains("Recent audits"),
        "{form}"
    );
    // Other accounts cannot read it, and it is not a scan.
    let other = Member::with_credits(&server, "eve@example.com", 0).await;
    assert_eq!(other.open(&path).await.status, 404);
    assert!(
        !other
            .open("/workspace/audits")
            .await
            .text
            .contains("Recent audits")
    );
    assert_eq!(other.open(&format!("{path}/audit.json")).await.status, 404);
    let id = path.trim_start_matches("/workspace/audits/");
    let client = ApiClient::of(&server);
    for surface in [
        format!("/api/v1/scan/{id}"),
        format!("/api/a2a/scan/{id}"),
        format!("/demo/{id}"),
    ] {
        assert_eq!(client.get(&surface).await.status, 404, "{surface}");
    }
    assert_eq!(member.open(&format!("/workspace/scans/{id}")).await.status, 404);
}

#[tokio::test]
async fn an_audit_takes_no_key_of_the_operator_and_a_scan_does() {
    let auditor = Auditor::new(FetchConfig::default()).unwrap();
    let server = Setup::default()
        .tune(move |builder| {
            builder
                .pages(Pages::Invented(auditor))
                .workspace(WorkspaceRuns::default())
        })
        .spawn();
    let member = Member::with_credits(&server, "ada@example.com", 3).await;
    let sent = member.post("/workspace/audits", &[("url", "example.com")]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    assert_eq!(member.open(sent.header("location")).await.status, 200);
    assert!(
        member
            .open("/workspace")
            .await
            .text
            .contains("Scans are not open")
    );
    let reply = member.app("/api/app/scan", &ibid_tests::small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (503, "workspace_disabled".into())
    );
    assert!(member.open("/workspace").await.text.contains("3 credits"));
}

#[tokio::test]
async fn faults_of_an_address_are_shown_in_the_form() {
    let server = auditing();
    let member = Member::with_credits(&server, "ada@example.com", 0).await;
    for (url, said) in [
        ("", "The address is missing."),
        ("http://127.0.0.1/", "he address"),
        ("ftp://example.com/", "he address"),
        ("\"><script>alert(1)</script>", "he address"),
    ] {
        let page = member.post("/workspace/audits", &[("url", url)]).await;
        assert_eq!(page.status, 400, "{url}");
        let fault = page.text.split("id=\"url-fault\">").nth(1).unwrap_or_default();
        let fault = fault.split('<').next().unwrap_or_default();
        assert!(fault.contains(said), "{url}: {fault}");
        assert!(!page.text.contains("<script>alert"));
    }
}

#[tokio::test]
async fn audits_need_a_session_and_a_form_of_this_site_and_are_limited() {
    let server = auditing();
    let stranger = Member::stranger(&server);
    let sent = stranger.open("/workspace/audits").await;
    assert_eq!(sent.status, 303);
    assert!(
        sent.header("location").starts_with("/sign-in?next="),
        "{}",
        sent.header("location")
    );
    let member = Member::with_credits(&server, "ada@example.com", 0).await;
    let client = ApiClient::of(&server);
    let foreign = client
        .bare(Method::POST, "/workspace/audits")
        .header("Cookie", member.cookie.clone().unwrap())
        .header("Sec-Fetch-Site", "cross-site")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body("url=example.com");
    let foreign = ibid_tests::Reply::of(foreign).await;
    assert_eq!(foreign.status, 403, "{}", foreign.text);
    for _ in 0..60 {
        let sent = member.post("/workspace/audits", &[("url", "example.com")]).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }
    let refused = member.post("/workspace/audits", &[("url", "example.com")]).await;
    assert_eq!(refused.status, 429);
    assert!(!refused.header("retry-after").is_empty() && refused.text.contains("Too many audits"));
    // Each account has its own limit.
    let other = Member::with_credits(&server, "eve@example.com", 0).await;
    assert_eq!(
        other
            .post("/workspace/audits", &[("url", "example.com")])
            .await
            .status,
        303
    );
}

#[tokio::test]
async fn the_answers_to_agents_are_compared_on_request() {
    let server = auditing();
    let member = Member::with_credits(&server, "ada@example.com", 0).await;
    let form = member.open("/workspace/audits").await.text;
    assert!(form.contains("name=\"bots\"") && form.contains("once each, where robots.txt lets them in"));
    let asked = [("url", "example.com/page"), ("bots", "true")];
    let sent = member.post("/workspace/audits", &asked).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let path = sent.header("location").to_owned();
    let page = member.open(&path).await.text;
    for part in [
        "The page as agents get it",
        "OAI-SearchBot",
        "GPTBot/1.3; +https://openai.com/gptbot",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let report = member.open(&format!("{path}/audit.json")).await.json();
    assert_eq!(
        report["result"]["bots"]["views"].as_array().map(Vec::len),
        Some(7)
    );
    // Without the wish nothing is compared.
    let sent = member.post("/workspace/audits", &asked[..1]).await;
    let page = member.open(sent.header("location")).await.text;
    assert!(!page.contains("The page as agents get it"));
}

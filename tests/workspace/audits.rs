//! Audits of pages in the workspace.

use ibid_audit::Auditor;
use ibid_audit::fetch::{AllowList, FetchConfig};
use ibid_service::{Pages, WorkspaceRuns};
use ibid_tests::member::Member;
use ibid_tests::{ApiClient, PROVIDER_KEY, Setup, TestServer};
use reqwest::Method;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::mpsc;

fn auditing() -> TestServer {
    let auditor = Auditor::new(FetchConfig::default()).unwrap();
    Setup::default()
        .tune(move |service| {
            service.pages = Some(Pages::Invented(auditor));
            service.workspace = Some(WorkspaceRuns::new(PROVIDER_KEY.parse().unwrap()));
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
    for part in [
        "example.com/page",
        "All checks",
        "3 credits",
        "Drafts",
        "Invented page.",
    ] {
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
    assert_eq!(report["invented"], true);
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
        .tune(move |service| {
            service.pages = Some(Pages::Invented(auditor));
            service.workspace = Some(WorkspaceRuns::default());
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
        ("", "Enter the address of a page."),
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

#[tokio::test]
async fn audits_of_one_page_have_a_history_and_are_compared() {
    let server = auditing();
    let member = Member::with_credits(&server, "ada@example.com", 0).await;
    let mut paths = Vec::new();
    for url in [
        "example.com/page",
        "https://example.com/page#part",
        "example.com/other",
    ] {
        let sent = member.post("/workspace/audits", &[("url", url)]).await;
        paths.push(sent.header("location").to_owned());
    }
    let [first, second, other] = paths.as_slice() else {
        panic!("{paths:?}")
    };
    let id = |path: &str| path.trim_start_matches("/workspace/audits/").to_owned();
    let page = member.open(second).await.text;
    assert!(page.contains("Before and after") && page.contains("0 checks changed."));
    assert!(page.contains(&format!("href=\"{first}\"")) && page.contains("Audits of this page"));
    assert!(!page.contains(&id(other)));
    // The first audit has none before it, and can be compared with a later one.
    let page = member.open(first).await.text;
    assert!(!page.contains("Before and after") && page.contains("Audits of this page"));
    let page = member.open(&format!("{first}?against={}", id(second))).await.text;
    assert!(page.contains("Before and after"));
    assert!(!member.open(other).await.text.contains("Audits of this page"));
    // Audits of other accounts are not found, and have a history of their own.
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    let sent = eve
        .post("/workspace/audits", &[("url", "example.com/page")])
        .await;
    let own = sent.header("location").to_owned();
    assert!(!eve.open(&own).await.text.contains("Audits of this page"));
    let peek = eve.open(&format!("{own}?against={}", id(first))).await;
    assert_eq!(peek.status, 404);
    assert_eq!(eve.open(&format!("{own}?against=x")).await.status, 404);
}

/// Opens the page of a site audit until it is no longer under way.
async fn ended(member: &Member, path: &str) -> String {
    loop {
        let page = member.open(path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        if !page.text.contains("http-equiv=\"refresh\"") {
            return page.text;
        }
    }
}

#[tokio::test]
async fn a_site_audit_tells_its_bounds_and_becomes_a_report() {
    let server = auditing();
    let member = Member::with_credits(&server, "ada@example.com", 2).await;
    let form = member.open("/workspace/audits").await.text;
    for part in [
        "at most 50 pages, 120 requests, 64 MiB and 5 minutes",
        "It costs no credit",
    ] {
        assert!(form.contains(part), "{part}");
    }
    let asked = [("url", "example.com"), ("pages", "3"), ("site", "true")];
    let sent = member.post("/workspace/audits", &asked).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let path = sent.header("location").to_owned();
    assert!(path.starts_with("/workspace/site-audits/"), "{path}");
    let page = ended(&member, &path).await;
    for part in [
        "Findings by template",
        "Pages, the worst first",
        "Invented pages.",
        "2 credits",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let file = member.open(&format!("{path}/site-audit.json")).await;
    assert!(file.header("content-disposition").contains("site-audit-"));
    let report = &file.json()["result"];
    assert_eq!(report["invented"], true, "{report}");
    assert!(!report["templates"].as_array().unwrap().is_empty());
    // The list links it, and the report of a page is another path.
    let form = member.open("/workspace/audits").await.text;
    assert!(form.contains(&format!("href=\"{path}\"")), "{form}");
    let id = path.trim_start_matches("/workspace/site-audits/");
    assert_eq!(member.open(&format!("/workspace/audits/{id}")).await.status, 404);
    let sent = member.post("/workspace/audits", &[("url", "example.com")]).await;
    let page_id = sent
        .header("location")
        .trim_start_matches("/workspace/audits/")
        .to_owned();
    for wrong in [page_id.as_str(), "x", "00000000-0000-4000-8000-000000000000"] {
        assert_eq!(
            member
                .open(&format!("/workspace/site-audits/{wrong}"))
                .await
                .status,
            404,
            "{wrong}"
        );
        let file = format!("/workspace/site-audits/{wrong}/site-audit.json");
        assert_eq!(member.open(&file).await.status, 404, "{wrong}");
    }
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    assert_eq!(eve.open(&path).await.status, 404);
    let bad = member
        .post(
            "/workspace/audits",
            &[("url", "http://10.0.0.1/"), ("site", "true")],
        )
        .await;
    assert_eq!(bad.status, 400);
}

#[tokio::test]
async fn a_site_audit_shows_its_progress_and_an_account_has_one_at_a_time() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let (release, released) = mpsc::channel::<()>();
    // The site takes a connection and says nothing until the test lets it hang up.
    let site = std::thread::spawn(move || {
        let held = listener.accept().unwrap();
        released.recv().unwrap();
        drop(held);
    });
    let config = FetchConfig {
        allow_list: AllowList::for_tests(&host, IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap(),
        page_timeout: std::time::Duration::from_secs(60),
        read_timeout: std::time::Duration::from_secs(60),
        ..FetchConfig::default()
    };
    let auditor = Auditor::new(config).unwrap();
    let server = Setup::default()
        .tune(move |service| {
            service.pages = Some(Pages::Web(auditor));
            service.workspace = Some(WorkspaceRuns::new(PROVIDER_KEY.parse().unwrap()));
        })
        .spawn();
    let member = Member::with_credits(&server, "ada@example.com", 0).await;
    let address = format!("http://{host}/");
    let asked = [("url", address.as_str()), ("site", "true")];
    let sent = member.post("/workspace/audits", &asked).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let path = sent.header("location").to_owned();
    let page = member.open(&path).await.text;
    assert!(
        page.contains("Reading the sitemap") && page.contains("http-equiv=\"refresh\""),
        "{page}"
    );
    assert_eq!(member.open(&format!("{path}/site-audit.json")).await.status, 404);
    let again = member.post("/workspace/audits", &asked).await;
    assert_eq!(again.status, 429, "{}", again.text);
    release.send(()).unwrap();
    let page = ended(&member, &path).await;
    assert!(
        page.contains("This audit failed.") && page.contains("The page cannot be audited"),
        "{page}"
    );
    site.join().unwrap();
}

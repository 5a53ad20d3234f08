//! Scans for credits: started, watched, stopped, failed, found again.

use crate::gate::{Gate, Parrot};
use crate::{SMALL, workspace};
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_provider::ProviderError;
use ibid_service::Pages;
use ibid_tests::Setup;
use ibid_tests::member::Member;
use serde_json::Value;
use std::sync::Arc;

/// The data of the events of a stream, with their names.
fn events(stream: &str) -> Vec<(String, Value)> {
    let blocks = stream.split("\n\n").filter(|block| block.starts_with("event: "));
    blocks
        .map(|block| {
            let (name, data) = block
                .strip_prefix("event: ")
                .unwrap()
                .split_once("\ndata: ")
                .unwrap();
            (name.to_owned(), serde_json::from_str(data).unwrap())
        })
        .collect()
}

#[tokio::test]
async fn a_scan_runs_in_the_background_and_leaves_a_report_a_receipt_and_one_credit_less() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let scan = ada.start(&SMALL).await;
    let events = events(&ada.listen(&scan).await);
    let last = events.last().unwrap();
    assert_eq!(
        (last.0.as_str(), &last.1["status"]),
        ("scan_complete", &Value::from("complete"))
    );
    let report = ada.open(&scan).await;
    assert_eq!(report.status, 200);
    assert!(
        report.text.contains("Scan report") && report.text.contains("1 credit<"),
        "{}",
        report.text
    );
    let history = ada.open("/workspace/scans").await.text;
    assert!(history.contains(&scan) && history.contains("1 scan"));
    let receipts = ada.open("/workspace/receipts").await.text;
    assert!(receipts.contains("example.com, plumber") && receipts.contains("1 credit"));
    let credits = ada.open("/workspace/credits").await.text;
    assert!(credits.contains("Scan started") && credits.contains("Granted by the operator"));
    for (file, kind, begins) in [
        ("result.json", "application/json", "{\"scanId\":"),
        ("answers.json", "application/json", "{\"scanId\":"),
        ("models.csv", "text/csv; charset=utf-8", "\u{feff}model,"),
        ("answers.csv", "text/csv; charset=utf-8", "\u{feff}questionId,"),
        ("markets.csv", "text/csv; charset=utf-8", "\u{feff}ring,"),
        ("competitors.csv", "text/csv; charset=utf-8", "\u{feff}rank,"),
        ("sources.csv", "text/csv; charset=utf-8", "\u{feff}domain,"),
        ("moves.csv", "text/csv; charset=utf-8", "\u{feff}move,"),
    ] {
        let reply = ada.open(&format!("{scan}/{file}")).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("content-type")),
            (200, kind),
            "{file}"
        );
        assert!(reply.text.starts_with(begins), "{file}: {}", reply.text);
        let name = reply.header("content-disposition");
        assert!(
            name.starts_with("attachment; filename=\"example.com-") && name.ends_with(&format!("-{file}\""))
        );
        assert_eq!(
            (
                reply.header("cache-control"),
                reply.header("x-content-type-options")
            ),
            ("private, no-store", "nosniff")
        );
    }
    assert_eq!(ada.open(&format!("{scan}/other.csv")).await.status, 404);
    assert!(
        ada.open(&format!("{scan}/answers?class=primary&page=7"))
            .await
            .text
            .contains("All answers")
    );
    // The same again fills the form.
    let id = scan.rsplit('/').next().unwrap();
    let form = ada.open(&format!("/workspace?again={id}")).await.text;
    assert!(form.contains(r#"name="domain" type="text" inputmode="url" autocapitalize="none" spellcheck="false" maxlength="260" required placeholder="example.com" value="example.com""#));
}

#[tokio::test]
async fn a_website_has_a_page_with_its_scans_and_their_tests() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 3).await;
    let path = "/workspace/websites/example.com";
    assert_eq!(ada.open(path).await.status, 404);
    for _ in 0..2 {
        let scan = ada.start(&SMALL).await;
        ada.listen(&scan).await;
    }
    let history = ada.open("/workspace/scans").await.text;
    assert!(history.contains(&format!("href=\"{path}\"")), "{history}");
    let page = ada.open(path).await;
    assert_eq!(page.status, 200);
    for part in [
        "2 finished scans",
        "This run ",
        ", 2 runs: ",
        "A change shows from 4 runs on.",
        "class=\"trend\"",
        "Competitors</a>, first scan",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // Another account has no scan of it.
    let eve = Member::with_credits(&server, "eve@example.com", 1).await;
    assert_eq!(eve.open(path).await.status, 404);
}

#[tokio::test]
async fn progress_comes_as_answers_do_and_can_be_had_again_from_any_point() {
    let gate = Gate::shut();
    let open = Arc::clone(&gate.open);
    let server = Setup::default().provider(Arc::new(gate)).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let mut form = SMALL.to_vec();
    form.extend([("location", "Valencia, Spain"), ("rings", "1")]);
    let scan = ada.start(&form).await;
    let page = ada.open(&scan).await.text;
    assert!(
        page.contains("data-run=")
            && page.contains("waiting for the first answer")
            && page.contains(r#"data-done="0""#)
            && page.contains("Ring 1, up to 25 km")
    );
    open.add_permits(3);
    let mut stream = ada
        .request(reqwest::Method::GET, &format!("{scan}/events?after=1"))
        .send()
        .await
        .unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    while text.matches("event: progress").count() < 2 {
        text.push_str(&String::from_utf8_lossy(&stream.chunk().await.unwrap().unwrap()));
    }
    let seen: Vec<_> = events(&text).into_iter().map(|(_, data)| data).collect();
    assert_eq!(
        (&seen[0]["done"], &seen[1]["done"]),
        (&Value::from(2), &Value::from(3))
    );
    for data in &seen {
        assert_eq!(data["total"], 5);
        assert!(data["cited"].is_boolean() && data["score"].is_number(), "{data}");
        assert_eq!(data["model"], "model-1-latest");
        assert!(data["question"].as_str().unwrap().contains("plumber"), "{data}");
        assert_eq!(data["quote"].is_string(), data["cited"] == true, "{data}");
    }
    let page = ada.open(&scan).await.text;
    assert!(
        page.contains(r#"data-done="3""#) && page.contains("s left"),
        "{page}"
    );
    open.add_permits(2);
    let rest = stream.text().await.unwrap();
    let all = events(&ada.listen(&scan).await);
    assert_eq!(events(&rest).last().unwrap().0, "scan_complete");
    assert_eq!(all.last().unwrap().1["status"], "complete");
}

#[tokio::test]
async fn a_scan_that_is_stopped_before_an_answer_gives_its_credit_back() {
    let gate = Gate::shut();
    let open = Arc::clone(&gate.open);
    let server = Setup::default().provider(Arc::new(gate)).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    assert_eq!(ada.post(&format!("{scan}/cancel"), &[]).await.status, 303);
    let events = ada.listen(&scan).await;
    assert!(events.contains(r#""status":"cancelled""#), "{events}");
    // Stopping it again changes nothing, and what comes late is not kept.
    assert_eq!(ada.post(&format!("{scan}/cancel"), &[]).await.status, 303);
    open.add_permits(9);
    let page = ada.open(&scan).await.text;
    assert!(
        page.contains("This scan was stopped") && page.contains("1 credit<"),
        "{page}"
    );
    assert_eq!(ada.open(&format!("{scan}/result.json")).await.status, 404);
}

#[tokio::test]
async fn a_scan_that_is_stopped_keeps_what_was_answered() {
    let gate = Gate::shut();
    let open = Arc::clone(&gate.open);
    let server = Setup::default().provider(Arc::new(gate)).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    open.add_permits(1);
    let mut stream = ada
        .request(reqwest::Method::GET, &format!("{scan}/events"))
        .send()
        .await
        .unwrap();
    stream.chunk().await.unwrap();
    assert_eq!(ada.post(&format!("{scan}/cancel"), &[]).await.status, 303);
    let rest = stream.text().await.unwrap();
    assert!(rest.contains(r#""status":"complete""#), "{rest}");
    let result: Value = serde_json::from_str(&ada.open(&format!("{scan}/result.json")).await.text).unwrap();
    assert_eq!(result["result"]["usage"]["answered"], 1, "{result}");
    assert!(result.to_string().contains("1 of 2 questions were not answered"));
    assert!(ada.open("/workspace").await.text.contains("0 credits"));
}

#[tokio::test]
async fn a_scan_that_fails_gives_its_credit_back() {
    for (error, reason) in [
        (ProviderError::KeyRejected, "did not accept"),
        (ProviderError::Unavailable, "None of the 2 questions was answered"),
    ] {
        let server = Setup::default()
            .provider(Arc::new(Parrot(Err(error))))
            .workspace()
            .spawn();
        let ada = Member::with_credits(&server, "ada@example.com", 1).await;
        let scan = ada.start(&SMALL).await;
        assert!(ada.listen(&scan).await.contains(r#""status":"failed""#));
        let page = ada.open(&scan).await.text;
        assert!(
            page.contains(reason) && page.contains("credit was given back"),
            "{page}"
        );
        assert!(page.contains("1 credit<"));
        assert!(
            ada.open("/workspace/receipts")
                .await
                .text
                .contains("Nothing bought yet")
        );
    }
}

#[tokio::test]
async fn without_credit_or_within_a_faulty_form_nothing_starts() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let reply = ada.post("/workspace/scans", &SMALL).await;
    assert_eq!(reply.status, 402);
    assert!(reply.text.contains("no credit is left") && reply.text.contains(r#"value="plumber""#));
    let reply = ada.app("/api/app/scan", &ibid_tests::small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (402, "credits_exhausted".into())
    );
    for (name, value, message) in [
        (
            "domain",
            "localhost",
            "Enter the name of a website, such as example.com.",
        ),
        ("questionsPerModel", "11", "Enter a whole number from 1 to 10."),
        ("questionsPerModel", "many", "Enter a whole number from 1 to 10."),
        ("location", "Qqqq, Nowhere", "unknown"),
        ("models", "gpt", "One of the models is not offered here"),
        ("rings", "9", "Choose rings from 1 to 5."),
    ] {
        let mut form: Vec<_> = SMALL
            .into_iter()
            .filter(|(known, _)| *known != name || name == "models")
            .collect();
        form.push((name, value));
        let reply = ada.post("/workspace/scans", &form).await;
        assert_eq!(reply.status, 400, "{name}");
        assert!(reply.text.contains(message), "{name}: {}", reply.text);
        assert!(reply.text.contains("Nothing was asked or spent"));
    }
    let dear = [
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", "Valencia, Spain"),
        ("models", "model-1-latest"),
        ("models", "model-2-latest"),
        ("models", "model-3-latest"),
        ("rings", "1"),
        ("rings", "2"),
        ("rings", "3"),
        ("questionsPerModel", "10"),
        ("keywordsPerRing", "20"),
        ("queriesPerKeyword", "1"),
    ];
    let reply = ada.post("/workspace/scans", &dear).await;
    assert_eq!(reply.status, 400);
    assert!(reply.text.contains("at most $5.00"), "{}", reply.text);
    assert!(ada.open("/workspace/scans").await.text.contains("No scans yet"));
    // Without an operator's key the rest of the workspace is there.
    let closed = Setup::default().spawn();
    let bea = Member::with_credits(&closed, "bea@example.com", 1).await;
    assert!(bea.open("/workspace").await.text.contains("Scans are not open"));
    assert_eq!(bea.post("/workspace/scans", &SMALL).await.status, 503);
    let reply = bea.app("/api/app/scan", &ibid_tests::small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (503, "workspace_disabled".into())
    );
    assert!(bea.open("/workspace").await.text.contains("1 credit<"));
}

#[tokio::test]
async fn names_of_the_home_page_are_looked_for_where_the_form_says_so_and_the_next_form_remembers() {
    let auditor = Auditor::new(FetchConfig::default()).unwrap();
    let server = Setup::default()
        .workspace()
        .tune(|service| service.pages = Some(Pages::Invented(auditor)))
        .spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 5).await;
    let learned = async |form: &[(&str, &str)]| {
        let scan = ada.start(form).await;
        ada.listen(&scan).await;
        let result = ada.open(&format!("{scan}/result.json")).await.json();
        let names = result["result"]["brandNames"].as_array().unwrap().clone();
        let id = scan.rsplit('/').next().unwrap();
        let form = ada.open(&format!("/workspace?again={id}")).await.text;
        (
            names.iter().any(|name| name["source"] == "home_page"),
            form.contains("name=\"learnNames\" value=\"true\" checked"),
        )
    };
    assert_eq!(learned(&SMALL).await, (false, false));
    let form = [&SMALL[..], &[("learnNames", "true")]].concat();
    assert_eq!(learned(&form).await, (true, true));
    // A script sends JSON.
    let mut order = ibid_tests::small_order();
    order["learnNames"] = Value::from(true);
    let scan = ada.app("/api/app/scan", &order).await.json();
    let names = scan["result"]["brandNames"].as_array().unwrap();
    assert!(
        names.iter().any(|name| name["source"] == "home_page"),
        "{names:?}"
    );
}

#[tokio::test]
async fn history_is_searched_tagged_paged_and_two_scans_are_compared() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 30).await;
    let mut scans = Vec::new();
    for n in 0..22 {
        let keyword = if n == 3 {
            "Æble <Saft>".to_owned()
        } else {
            format!("plumber {n}")
        };
        let mut form = SMALL;
        form[1].1 = &keyword;
        let scan = ada.start(&form).await;
        ada.listen(&scan).await;
        scans.push(scan);
    }
    let first = ada.open("/workspace/scans").await.text;
    assert!(first.contains("22 scans") && first.contains("Page 1 of 2") && first.contains(&scans[21]));
    assert!(!first.contains(&scans[0]));
    for page in ["2", "99", "4294967295"] {
        let second = ada.open(&format!("/workspace/scans?page={page}")).await.text;
        assert!(
            second.contains("Page 2 of 2") && second.contains(&scans[0]),
            "{page}"
        );
    }
    let found = ada.open("/workspace/scans?q=%C3%86BLE+saft").await.text;
    assert!(
        found.contains("1 scan found") && found.contains(&scans[3]),
        "{found}"
    );
    let reply = ada
        .post(
            &format!("{}/tags", scans[3]),
            &[("tags", " client, autumn ,client")],
        )
        .await;
    assert_eq!(reply.header("location"), format!("{}#keep", scans[3]));
    assert!(
        ada.open(&scans[3])
            .await
            .text
            .contains(r#"value="client, autumn""#)
    );
    let tagged = ada.open("/workspace/scans?tag=autumn").await.text;
    assert!(
        tagged.contains("1 scan found") && tagged.contains("autumn (1)"),
        "{tagged}"
    );
    let id = |scan: &str| scan.rsplit('/').next().unwrap().to_owned();
    // The older scan comes first, in either order of ticking.
    let (older, newer) = (id(&scans[0]), id(&scans[1]));
    let compared = ada
        .open(&format!("/workspace/compare?scan={newer}&scan={older}"))
        .await;
    assert_eq!(compared.status, 200);
    assert!(compared.text.find(&older).unwrap() < compared.text.find(&newer).unwrap());
    assert!(compared.text.contains("Not comparable"), "{}", compared.text);
    for query in [
        "",
        "?scan=x",
        &format!("?scan={older}"),
        &format!("?scan={older}&scan=x"),
    ] {
        let reply = ada.open(&format!("/workspace/compare{query}")).await;
        assert!(matches!(reply.status.as_u16(), 400 | 404), "{query}");
    }
    let credits = ada.open("/workspace/credits").await.text;
    let cursor = credits.split("/workspace/credits?cursor=").nth(1);
    assert!(cursor.is_none(), "23 movements fit on a page");
}

//! Logs of other tools that become scans.

use crate::{SMALL, workspace};
use ibid_store::Role;
use ibid_tests::TestServer;
use ibid_tests::client::Reply;
use ibid_tests::member::{Member, account_id};
use reqwest::Method;
use serde_json::Value;

const IMPORT: &str = "/workspace/import";

/// A sheet as trackers of answers export it.
const SHEET: &str = "Prompt,Platform,Response,Cited URLs,Date\n\
     Who fixes pipes in Valencia?,ChatGPT,\"Ask Fontaneros Ruiz (example.com), they are the best plumbers.\",https://example.com/pipes; https://other.example/,2026-10-05\n\
     Who fixes pipes in Valencia?,Gemini,\"I would call Otro Fontanero, a plumber in Valencia.\",,2026-10-06\n\
     Cheap plumber nearby?,ChatGPT,Try Otro Fontanero.,https://other.example/,2026-10-05\n\
     ,ChatGPT,No question,,2026-10-05\n";

/// The fields of the form.
const FIELDS: [(&str, &str); 3] = [
    ("domain", "example.com"),
    ("keyword", "plumber"),
    ("brandNames", "Fontaneros Ruiz"),
];

async fn import(member: &Member, fields: &[(&str, &str)], log: impl AsRef<[u8]>) -> Reply {
    member.upload(IMPORT, fields, Some(("log", log.as_ref()))).await
}

/// Imports a log and returns the path of its scan.
async fn imported(member: &Member, fields: &[(&str, &str)], log: impl AsRef<[u8]>) -> String {
    let reply = import(member, fields, log).await;
    assert_eq!(reply.status, 303, "{}", reply.text);
    reply.header("location").to_owned()
}

async fn result(member: &Member, scan: &str) -> Value {
    member.open(&format!("{scan}/result.json")).await.json()["result"].clone()
}

#[tokio::test]
async fn a_sheet_becomes_a_scan_that_says_so_and_costs_no_credit() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let form = ada.open(IMPORT).await;
    assert_eq!(form.status, 200);
    assert!(form.text.contains("search query") && form.text.contains("enctype=\"multipart/form-data\""));
    for page in ["/workspace", "/workspace/scans"] {
        assert!(
            ada.open(page).await.text.contains("href=\"/workspace/import\""),
            "{page}"
        );
    }
    let scan = imported(&ada, &FIELDS, SHEET).await;
    let report = ada.open(&scan).await;
    assert_eq!(report.status, 200);
    for said in [
        "Imported answers.",
        "The answers come from a log that was handed in; nothing was asked",
        "1 rows without a question or an answer are left out",
        "a log does not show which answers searched the web",
        "no model was asked",
        "2026-10-06",
    ] {
        assert!(report.text.contains(said), "{said}: {}", report.text);
    }
    for wrong in ["Invented answers", "is from memory", "not asked to search"] {
        assert!(!report.text.contains(wrong), "{wrong}: {}", report.text);
    }
    let result = result(&ada, &scan).await;
    assert_eq!(result["models"][0]["modelLabel"], "ChatGPT");
    assert_eq!(result["models"][0]["citedRate"], 0.5);
    assert_eq!(result["models"][1]["cited"], false);
    assert_eq!(result["warnings"][0]["code"], "imported");
    assert_eq!(result["retrieval"]["headline"], "unknown");
    assert_eq!(result["sandbox"], false);
    assert_eq!(result["startedAt"], "2026-10-05T00:00:00.000Z");
    assert_eq!(result["finishedAt"], "2026-10-06T00:00:00.000Z");
    // It is in the history at its own time, and in no list of purchases.
    let history = ada.open("/workspace/scans").await.text;
    assert!(
        history.contains(&scan) && history.contains("imported") && history.contains("2026-10-06"),
        "{history}"
    );
    assert!(
        ada.open("/workspace/scans?tag=imported")
            .await
            .text
            .contains(&scan)
    );
    assert!(
        ada.open("/workspace/receipts")
            .await
            .text
            .contains("Nothing bought yet")
    );
    assert!(!ada.open("/workspace/credits").await.text.contains("Scan started"));
    assert!(ada.open("/workspace").await.text.contains("1 credit"));
    // It is shown, shared, exported and deleted like any other.
    assert!(
        ada.open(&format!("{scan}/answers"))
            .await
            .text
            .contains("Otro Fontanero")
    );
    ada.post(&format!("{scan}/share"), &[]).await;
    let link = ada.open(&scan).await.text;
    let link = link
        .split("http://ibid.test")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let shared = Member::stranger(&server).open(link).await;
    assert!(
        shared.status == 200 && shared.text.contains("Imported answers."),
        "{}",
        shared.text
    );
    let export = ada.open("/workspace/account/export.json").await.json();
    assert_eq!(
        export["scans"][0]["document"]["result"]["warnings"][0]["code"],
        "imported"
    );
    assert_eq!(
        export["scans"][0]["answers"]["answers"].as_array().unwrap().len(),
        4
    );
    assert_eq!(export["receipts"].as_array().unwrap().len(), 0);
    assert_eq!(ada.post(&format!("{scan}/delete"), &[]).await.status, 303);
    assert_eq!(ada.open(&scan).await.status, 404);
}

#[tokio::test]
async fn json_lines_and_lists_are_read_in_the_shapes_of_several_tools() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let text = "Ask Fontaneros Ruiz (example.com), they are the best plumbers.";
    for (log, model, sources) in [
        (
            format!(
                "{{\"query\":\"Who?\",\"engine\":\"perplexity\",\"response_text\":\"{text}\",\"search_results\":[{{\"url\":\"https://example.com/a\",\
                 \"title\":\"A\"}},{{\"url\":\"https://b.example/\"}}],\"id\":7,\"raw\":{{\"deep\":[1,2]}}}}\n\n"
            ),
            "perplexity",
            2,
        ),
        (
            format!(
                "[{{\"question\":\"Who?\",\"aiModel\":\"Copilot\",\"answer\":\"{text}\",\"annotations\":[{{\"type\":\"url_citation\",\
                 \"url_citation\":{{\"url\":\"https://example.com/a\"}}}}]}}]"
            ),
            "Copilot",
            1,
        ),
        (
            format!(
                "search query;chatbot;output;source_urls\nWho?;Gemini;\"{text}\";https://example.com/a|b.example\n"
            ),
            "Gemini",
            2,
        ),
        (format!("Prompt\tAnswer\nWho?\t{text}\n"), "unknown model", 0),
    ] {
        let scan = imported(&ada, &FIELDS, &log).await;
        let found = result(&ada, &scan).await;
        assert_eq!(found["models"][0]["modelLabel"], model, "{log}");
        assert_eq!(found["models"][0]["cited"], true, "{log}");
        let answers = ada.open(&format!("{scan}/answers.json")).await.json();
        let citations = answers["answers"][0]["citations"].as_array().unwrap();
        assert_eq!(citations.len(), sources, "{log}");
    }
}

#[tokio::test]
async fn all_faults_are_shown_at_once_and_the_entries_are_kept() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let fields = [
        ("domain", "localhost"),
        ("keyword", ""),
        ("askedAt", "2999-01-01T00:00"),
        ("brandNames", "<Ruiz>"),
    ];
    let page = import(
        &ada,
        &fields,
        "{\"prompt\":\"a\",\"answer\":\"b\"}\n<script>\n[]\n",
    )
    .await;
    assert_eq!(page.status, 422);
    for said in [
        "Nothing was imported.",
        "href=\"#domain\"",
        "href=\"#keyword\"",
        "is in the future",
        "Line 2: no JSON object.",
        "Line 3: no JSON object.",
        "&lt;Ruiz&gt;",
    ] {
        assert!(
            page.text.to_lowercase().contains(&said.to_lowercase()),
            "{said}: {}",
            page.text
        );
    }
    let place = [&FIELDS[..], &[("location", "Qqqq, Nowhere")]].concat();
    for (fields, log, said) in [
        (&FIELDS[..], &b"a,b\n1,2\n"[..], "no column for the question"),
        (&FIELDS[..], b"", "no row with a question and an answer"),
        (&FIELDS[..], b"prompt,answer\na,\0\n", "line 2: a NUL character"),
        (&place[..], b"prompt,answer\na,b\n", "the location is unknown"),
    ] {
        let page = import(&ada, fields, log).await;
        assert_eq!(page.status, 422, "{said}");
        assert!(
            page.text.to_lowercase().contains(&said.to_lowercase()),
            "{said}: {}",
            page.text
        );
    }
    let rows = format!("prompt,answer\n{}", "a,b\n".repeat(5_001));
    assert!(
        import(&ada, &FIELDS, rows)
            .await
            .text
            .contains("more than 5000 rows")
    );
    for file in [None, Some(("other", &b"prompt,answer\na,b\n"[..]))] {
        let page = ada.upload(IMPORT, &FIELDS, file).await;
        assert_eq!(page.status, 422);
        assert!(page.text.contains("Choose the file of the log"), "{}", page.text);
    }
    assert!(ada.open("/workspace/scans").await.text.contains("No scans yet"));
}

#[tokio::test]
async fn large_files_and_other_forms_are_refused() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let large = import(&ada, &FIELDS, vec![b'a'; (4 << 20) + 1]).await;
    assert_eq!(large.status, 413, "{}", large.text);
    assert!(large.text.contains("at most 4194304 bytes"), "{}", large.text);
    let cell = format!("prompt,answer\na,\"{}", "b,\n".repeat(1_300_000));
    let page = import(&ada, &FIELDS, cell).await;
    assert_eq!(page.status, 422);
    assert!(
        page.text
            .contains("the cell of the answer is longer than 256 KiB"),
        "{}",
        page.text
    );
    assert_eq!(ada.post(IMPORT, &FIELDS).await.status, 415);
    let broken = ada
        .request(Method::POST, IMPORT)
        .header("Content-Type", "multipart/form-data; boundary=x")
        .body("--x\r\nno end");
    assert_eq!(Reply::of(broken).await.status, 400);
}

#[tokio::test]
async fn strangers_viewers_and_other_sites_cannot_import() {
    let server = workspace();
    let viewer = Member::with_role(&server, "eve@example.com", 1, Role::Viewer).await;
    assert_eq!(import(&viewer, &FIELDS, SHEET).await.status, 403);
    let page = viewer.open(IMPORT).await;
    assert!(
        page.status == 200 && page.text.contains("Your account reads only"),
        "{}",
        page.text
    );
    let stranger = Member::stranger(&server);
    let refused = import(&stranger, &FIELDS, SHEET).await;
    assert!(refused.status == 303 && refused.header("location").starts_with("/sign-in"));
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let foreign = reqwest::Client::builder().no_proxy().build().unwrap();
    let foreign = foreign
        .post(format!("{}{IMPORT}", server.url))
        .header("Cookie", ada.cookie.as_deref().unwrap())
        .header("Sec-Fetch-Site", "cross-site")
        .header("Content-Type", "multipart/form-data; boundary=x")
        .body("--x--\r\n");
    let refused = Reply::of(foreign).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code().as_str()),
        (403, "cross_origin")
    );
}

fn turn(server: &TestServer, email: &str) -> ibid_service::ImportTurn {
    let turn = server.service.scans.begin_import(account_id(server, email));
    turn.ok().unwrap()
}

#[tokio::test]
async fn an_account_imports_one_log_at_a_time_and_thirty_in_an_hour() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let held = turn(&server, "ada@example.com");
    let second = import(&ada, &FIELDS, SHEET).await;
    assert_eq!((second.status.as_u16(), second.header("retry-after")), (429, "1"));
    drop(held);
    // Other accounts have turns of their own.
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    let held = turn(&server, "eve@example.com");
    assert_eq!(import(&ada, &FIELDS, SHEET).await.status, 303);
    drop(held);
    // Bodies that cannot be read count as well.
    for _ in 2..30 {
        assert_eq!(ada.post(IMPORT, &FIELDS).await.status, 415);
    }
    let refused = import(&ada, &FIELDS, SHEET).await;
    assert_eq!(refused.status, 429);
    let wait: u32 = refused.header("retry-after").parse().unwrap();
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    assert_eq!(import(&eve, &FIELDS, SHEET).await.status, 303);
}

#[tokio::test]
async fn imported_scans_are_compared_by_the_rules_of_all_scans() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let questions = |answer: &str| -> String {
        let rows = (0..6).map(|n| format!("Who is plumber number {n}?,gpt,\"{answer}\"\n"));
        "prompt,model,answer\n".to_owned() + &rows.collect::<String>()
    };
    let (absent, named) = (
        questions("Try Otro."),
        questions("Ask Example (example.com), the best."),
    );
    let at = |time| [&FIELDS[..2], &[("askedAt", time)]].concat();
    let first = imported(&ada, &at("2026-09-01T10:00"), &absent).await;
    let second = imported(&ada, &at("2026-10-01T10:00"), &named).await;
    let id = |scan: &str| scan.rsplit('/').next().unwrap().to_owned();
    let compare = |one: &str, other: &str| format!("/workspace/compare?scan={}&scan={}", id(one), id(other));
    let page = ada.open(&compare(&first, &second)).await.text;
    assert!(!page.contains("Not comparable") && page.contains("gpt"), "{page}");
    // The trend has both, at their own times.
    let website = ada.open("/workspace/websites/example.com").await.text;
    for said in [
        first.as_str(),
        &second,
        "2026-09-01",
        "2026-10-01",
        "2 finished scans",
    ] {
        assert!(website.contains(said), "{said}: {website}");
    }
    // A scan that was asked is another measurement.
    let asked = ada.start(&SMALL).await;
    ada.listen(&asked).await;
    let page = ada.open(&compare(&second, &asked)).await.text;
    assert!(page.contains("Not comparable"), "{page}");
    // The form of a new scan takes over the questions of an imported one, and the models of this service.
    let again = ada.open(&format!("/workspace?again={}", id(&second))).await;
    assert!(
        again.status == 200 && again.text.contains("Who is plumber number 5?"),
        "{}",
        again.text
    );
}

//! Reports of an older method: said to be, scored again beside what was released.

use crate::{SMALL, workspace};
use ibid_model::{AccountId, ReceiptId, ScanId};
use ibid_store::{FinishedRun, NewDurableRun, NewRun, NewScan, Origin, PackedAnswers, RunSummary};
use ibid_tests::TestServer;
use ibid_tests::member::{Member, PASSWORD, open_account};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The scan as an older version of the method would have left it to this account.
fn keep_as_of_old(server: &TestServer, account: AccountId, id: &str, answers: bool) -> (String, String) {
    let id: ScanId = id.parse().unwrap();
    let record = server.store.scan(id).unwrap().unwrap();
    let old = ScanId::random();
    let older = |document: &[u8]| -> Value {
        let mut document: Value = serde_json::from_slice(document).unwrap();
        document["scanId"] = json!(old);
        document
    };
    let mut reply = older(&record.reply);
    reply["result"]["method"]["version"] = json!("0.4");
    reply["result"]["overallScore"] = json!(3.5);
    let reply = reply.to_string();
    let evidence = older(&server.store.answers(id).unwrap().unwrap()).to_string();
    let now = Timestamp::now().as_millisecond();
    let run = NewRun {
        id: old,
        account,
        request: "{}",
        domain: "example.com",
        keyword: "plumber",
        place: None,
        cost: 100,
        month_began: 0,
    };
    let scan = NewScan {
        id: old,
        origin: Origin::Workspace(account),
        created_at: record.created_at,
        sandbox: true,
        method: "0.4",
        reply: reply.as_bytes(),
        answers: answers.then(|| PackedAnswers::of(evidence.as_bytes()).unwrap()),
    };
    let finished = FinishedRun {
        receipt: ReceiptId::random(),
        summary: RunSummary {
            score: ibid_model::Score::new(3.5),
            interval: None,
        },
        cost: 90,
    };
    let work = NewDurableRun::past(old, "account", 2, now);
    server
        .store
        .put_past_run(&run, &work, &scan, &finished, now)
        .unwrap();
    (old.to_string(), reply)
}

/// An account, its holder, and the path of a finished scan.
async fn scanned(server: &TestServer) -> (AccountId, Member, String) {
    let account = open_account(server, "ada@example.com", 5);
    let mut ada = Member::stranger(server);
    ada.sign_in("ada@example.com", PASSWORD).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    (account, ada, scan)
}

#[tokio::test]
async fn a_report_of_an_older_method_offers_the_numbers_of_today_and_keeps_its_own() {
    let server = workspace();
    let (account, ada, scan) = scanned(&server).await;
    let report = ada.open(&scan).await.text;
    assert!(!report.contains("/rescored"), "{report}");
    let current = scan.rsplit('/').next().unwrap();
    let result = ada.open(&format!("{scan}/result.json")).await.json();
    let today = result["result"]["overallScore"].as_f64().unwrap();

    let (old, released) = keep_as_of_old(&server, account, current, true);
    let path = format!("/workspace/scans/{old}");
    let report = ada.open(&path).await.text;
    assert!(
        report.contains("An older method") && report.contains(&format!("href=\"{path}/rescored\"")),
        "{report}"
    );
    let again = ada.open(&format!("{path}/rescored")).await;
    assert_eq!(again.status, 200);
    for part in [
        "Scored again",
        "4 by version 0.4",
        &format!("href=\"{path}\""),
        &format!("href=\"{path}/rescored.json\""),
        &format!("<p class=\"big tnum\">{}</p>", today.round()),
    ] {
        assert!(again.text.contains(part), "{part}: {}", again.text);
    }
    // Tags and links are those of the report that was released.
    assert!(report.contains("id=\"keep\"") && !again.text.contains("id=\"keep\""));
    let file = ada.open(&format!("{path}/rescored.json")).await;
    assert!(
        file.header("content-disposition").contains("-rescored.json"),
        "{:?}",
        file.headers
    );
    let document = file.json();
    assert_eq!(document["scanId"], json!(old));
    assert_eq!(
        document["result"]["overallScore"],
        result["result"]["overallScore"]
    );
    assert_eq!(document["result"]["method"]["previous"][0]["overallScore"], 3.5);
    // The released report stays unchanged, and readers with the link see that one.
    assert_eq!(ada.open(&format!("{path}/result.json")).await.text, released);
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    for theirs in [format!("{path}/rescored"), format!("{path}/rescored.json")] {
        assert_eq!(eve.open(&theirs).await.status, 404, "{theirs}");
        assert_eq!(
            Member::stranger(&server).open(&theirs).await.status,
            303,
            "{theirs}"
        );
    }
}

#[tokio::test]
async fn without_answers_no_new_scores_are_offered() {
    let server = workspace();
    let (account, ada, scan) = scanned(&server).await;
    let current = scan.rsplit('/').next().unwrap();
    let (old, _) = keep_as_of_old(&server, account, current, false);
    let path = format!("/workspace/scans/{old}");
    let report = ada.open(&path).await.text;
    assert!(
        report.contains("An older method") && !report.contains("/rescored"),
        "{report}"
    );
    assert_eq!(ada.open(&format!("{path}/rescored")).await.status, 404);
}

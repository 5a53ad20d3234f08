//! Scans whose process is gone.

use crate::SMALL;
use crate::gate::Gate;
use ibid_model::ScanId;
use ibid_store::{NewDurableRun, NewRun, RunSubject};
use ibid_tests::member::{Member, open_account};
use ibid_tests::{Database, Setup};
use std::sync::Arc;

fn process(database: &Database) -> Setup {
    Setup::default().store(database.open()).workspace()
}

#[tokio::test]
async fn an_interrupted_scan_goes_on_when_the_server_starts_again() {
    let database = Database::fresh();
    let gate = Gate::shut();
    let open = Arc::clone(&gate.open);
    let server = process(&database).provider(Arc::new(gate)).spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    open.add_permits(1);
    let mut stream = ada
        .request(reqwest::Method::GET, &format!("{scan}/events"))
        .send()
        .await
        .unwrap();
    // One of the two answers is stored.
    assert!(stream.chunk().await.unwrap().is_some());
    // The test's stop ends the runtime with everything on it, as a crash would.
    drop(server);
    let gate = Gate::shut();
    let open = Arc::clone(&gate.open);
    let server = process(&database).provider(Arc::new(gate)).spawn();
    let mut again = Member::stranger(&server);
    again.cookie = ada.cookie;
    // One call is left: the answer that was stored is not asked for again.
    open.add_permits(1);
    let events = again.listen(&scan).await;
    assert!(events.contains(r#""status":"complete""#), "{events}");
    let result: serde_json::Value =
        serde_json::from_str(&again.open(&format!("{scan}/result.json")).await.text).unwrap();
    assert_eq!(result["result"]["usage"]["answered"], 2, "{result}");
    assert!(again.open("/workspace").await.text.contains("0 credits"));
}

#[tokio::test]
async fn a_scan_at_another_process_is_shown_and_can_be_stopped_here() {
    let server = crate::workspace();
    let account = open_account(&server, "ada@example.com", 1);
    let mut ada = Member::stranger(&server);
    ada.sign_in("ada@example.com", ibid_tests::member::PASSWORD).await;
    let now = jiff::Timestamp::now().as_millisecond();
    let run = NewRun {
        id: ScanId::random(),
        account,
        request: "{}",
        domain: "example.com",
        keyword: "plumber",
        place: None,
        cost: 100,
        month_began: 0,
    };
    let work = NewDurableRun {
        id: run.id,
        tenant: &format!("account {account}"),
        priority: 3,
        document: b"{}",
        plan: None,
        calls: 9,
        // No worker of this process starts it.
        created_at: now + 600_000,
        secret: None,
        subject: &RunSubject::default(),
    };
    server.store.begin_run(&run, &work, None).unwrap();
    let scan = format!("/workspace/scans/{}", run.id);
    let page = ada.open(&scan).await.text;
    assert!(
        page.contains(r#"data-done="0""#) && page.contains(r#"data-total="9""#),
        "{page}"
    );
    assert_eq!(ada.post(&format!("{scan}/cancel"), &[]).await.status, 303);
    assert!(ada.listen(&scan).await.contains(r#""status":"cancelled""#));
}

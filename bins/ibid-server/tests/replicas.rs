//! Two real programs on one database, which is PostgreSQL where `IBID_TEST_POSTGRES` names a server.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod program;

use ibid_model::{Product, X402Version};
use ibid_tests::buyer::small_purchase;
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::{Buyer, Database, Method, Reply};
use ibid_x402::SandboxFacilitator;
use ibid_x402::sandbox::SignedDraft;
use program::{Program, ledger, until};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const SCAN: &str = "/api/a2a/scan";

struct Two {
    database: Database,
    fake: FakeFacilitator,
    programs: Vec<Program>,
    buyers: Vec<Buyer>,
}

async fn two(latency: Duration) -> Two {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    // Both migrate the empty database at the same time.
    let (one, two) = tokio::join!(
        Program::start(&database, &fake, latency),
        Program::start(&database, &fake, latency),
    );
    let programs = vec![one, two];
    let buyers = programs.iter().map(Program::buyer).collect();
    Two {
        database,
        fake,
        programs,
        buyers,
    }
}

/// Sends a payment without waiting for the answer.
fn begin(buyer: &Buyer, payment: &SignedDraft) -> tokio::task::JoinHandle<bool> {
    let request = buyer.request(SCAN, payment, &small_purchase());
    tokio::runtime::Handle::current().spawn(async move { request.send().await.is_ok() })
}

#[tokio::test]
async fn one_authorization_sent_to_both_at_once_runs_and_settles_once() {
    let two = two(Duration::from_millis(30)).await;
    two.fake.slow_down(Duration::from_millis(10));
    let order = small_purchase();
    for round in 1..=5 {
        let payment = two.buyers[0].pay(Product::Scan, X402Version::V2);
        let sends = (0..8).map(|n| two.buyers[n % 2].send(SCAN, &payment, &order));
        let replies = futures_util::future::join_all(sends).await;
        for reply in &replies {
            assert_eq!(
                (reply.status.as_u16(), &reply.text),
                (200, &replies[0].text),
                "{}",
                reply.text
            );
        }
        assert_eq!(
            (
                two.fake.requests("/verify").len(),
                two.fake.requests("/settle").len(),
                two.fake.sandbox.transfers().len()
            ),
            (round, round, round)
        );
    }
    assert!(ledger(&two.database).contains("sales      5"));
}

async fn call(buyer: &Buyer, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let reply = Reply::of(buyer.bare(Method::POST, "/api/a2a/jsonrpc").json(&body)).await;
    let answer: Value = reply.json();
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap()
}

#[tokio::test]
async fn a_task_of_one_is_paid_for_and_answered_at_the_other() {
    let two = two(Duration::ZERO).await;
    let [here, there] = [&two.buyers[0], &two.buyers[1]];
    let mut order = small_purchase();
    order["skill"] = json!("scan");
    let asks = json!({"message": {"kind": "message", "role": "user", "messageId": "m-1",
        "parts": [{"kind": "data", "data": order}]}});
    let task = call(here, "message/send", asks).await;
    assert_eq!(state(&task), "input-required");
    let payment = there.pay(Product::Scan, X402Version::V1);
    let pays = json!({"message": {"kind": "message", "role": "user", "messageId": "m-2", "taskId": task["id"],
        "parts": [{"kind": "text", "text": "paid"}],
        "metadata": {"x402.payment.status": "payment-submitted", "x402.payment.payload": payment.payload()}}});
    let done = call(there, "message/send", pays).await;
    assert_eq!(
        (state(&done), &done["id"]),
        ("completed", &task["id"]),
        "{done:#}"
    );
    // This process reads the other one's changes a moment later.
    let mut seen = Value::Null;
    until("the task is seen to be completed", async || {
        seen = call(here, "tasks/get", json!({"id": task["id"]})).await;
        state(&seen) == "completed"
    })
    .await;
    assert_eq!(seen["artifacts"], done["artifacts"]);
    let document = &done["artifacts"][0]["parts"][0]["data"];
    let path = format!("{SCAN}/{}", document["scanId"].as_str().unwrap());
    let read = Reply::of(here.bare(Method::GET, &path)).await;
    assert_eq!(
        (read.status.as_u16(), read.json()["result"].clone()),
        (200, document["result"].clone())
    );
}

#[tokio::test]
async fn unfinished_work_of_a_killed_program_can_be_bought_at_the_other() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let slow = Program::start(&database, &fake, Duration::from_secs(60)).await;
    // The other one sells, and leaves the work to workers.
    let other = Program::start_with(&database, &fake, (&["--sandbox"], &[("ROLE", "http")])).await;
    let payment = slow.buyer().pay(Product::Scan, X402Version::V2);
    let first = begin(&slow.buyer(), &payment);
    until("the payment is verified", async || {
        fake.requests("/verify").len() == 1
    })
    .await;
    drop(slow);
    assert!(!first.await.unwrap());
    let _worker = Program::start(&database, &fake, Duration::ZERO).await;
    let reply = other.buyer().send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(
        (fake.requests("/verify").len(), fake.sandbox.transfers().len()),
        (2, 1)
    );
    assert!(ledger(&database).contains("sales      1"));
}

#[tokio::test]
async fn finished_work_of_a_killed_program_is_settled_by_the_other_without_the_buyer() {
    let hangs = [("/settle", Fault::Hang)];
    let loses = [("/settle", Fault::LoseAnswer), ("/rpc", Fault::Hang)];
    for (transfers_before, faults) in [&hangs[..], &loses].into_iter().enumerate() {
        let mut two = two(Duration::ZERO).await;
        for (path, fault) in faults {
            two.fake.fail(path, fault.clone());
        }
        let (last, _) = faults.last().unwrap();
        let payment = two.buyers[0].pay(Product::Scan, X402Version::V2);
        let first = begin(&two.buyers[0], &payment);
        until("it is being settled", async || {
            !two.fake.requests(last).is_empty() && two.fake.sandbox.transfers().len() == transfers_before
        })
        .await;
        drop(two.programs.remove(0));
        assert!(!first.await.unwrap());
        until("the other one settles it", async || {
            two.fake.sandbox.transfers().len() == 1 && two.fake.requests(last).len() > 1
        })
        .await;
        // The buyer sends the payment to the other program and gets the stored result.
        let reply = two.buyers[1].send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(
            (
                two.fake.requests("/verify").len(),
                two.fake.sandbox.transfers().len()
            ),
            (1, 1)
        );
        let books = ledger(&two.database);
        assert!(
            books.contains("sales      1") && books.contains("settled    0.15"),
            "{books}"
        );
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
async fn sales_in_a_file_are_known_in_postgresql_after_a_copy() {
    let target = Database::postgres();
    let file = Database::file();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let program = Program::start(&file, &fake, Duration::ZERO).await;
    let payment = program.buyer().pay(Product::Scan, X402Version::V2);
    let sold = program.buyer().send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(sold.status, 200, "{}", sold.text);
    drop(program);
    let copied = std::process::Command::new(env!("CARGO_BIN_EXE_ibid-server"))
        .args(["copy", file.url()])
        .env("DATABASE_URL", target.url())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&copied.stdout);
    assert!(copied.status.success() && said.contains("receipt"), "{copied:?}");
    let program = Program::start(&target, &fake, Duration::ZERO).await;
    let again = program.buyer().send(SCAN, &payment, &small_purchase()).await;
    assert_eq!((again.status, again.text), (sold.status, sold.text));
    assert_eq!(fake.sandbox.transfers().len(), 1);
    assert!(ledger(&target).contains("sales      1"));
}

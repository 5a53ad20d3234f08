//! The real program, killed without warning in the middle of a sale, and started again.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod program;

use ibid_model::{Product, X402Version};
use ibid_store::RunFilter;
use ibid_tests::buyer::{pay_to, small_purchase};
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::fake_router::{End, FakeRouter, Reply as Answer, Script};
use ibid_tests::{Buyer, Database, Method, Reply};
use ibid_x402::SandboxFacilitator;
use ibid_x402::sandbox::SignedDraft;
use program::{Program, ledger, until};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Kills the program during the last of the faults, each at a path of the facilitator or of the node.
async fn check(faults: &[(&str, Fault)]) {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    for (path, fault) in faults {
        fake.fail(path, fault.clone());
    }
    let (last, _) = faults.last().unwrap();
    let program = Program::start(&database, &fake, Duration::ZERO).await;
    let buyer = program.buyer();
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let first = tokio::task::LocalSet::new();
    let request = buyer.request("/api/a2a/scan", &payment, &small_purchase());
    first.spawn_local(async move { request.send().await.is_ok() });
    let asked = until("the facilitator is asked", async || {
        !fake.requests(last).is_empty()
    });
    first.run_until(asked).await;
    drop(program);
    let program = Program::start(&database, &fake, Duration::ZERO).await;
    let buyer = program.buyer();
    let reply = Reply::of(buyer.request("/api/a2a/scan", &payment, &small_purchase())).await;
    assert_eq!(reply.status, 200, "{faults:?}: {}", reply.text);
    assert_eq!(fake.sandbox.transfers().len(), 1, "{faults:?}");
    let again = Reply::of(buyer.request("/api/a2a/scan", &payment, &small_purchase())).await;
    assert_eq!((again.status, again.text), (reply.status, reply.text));
    drop(program);
    let text = ledger(&database);
    assert!(text.contains("settled    0.15"), "{text}");
}

#[tokio::test]
async fn a_killed_program_sells_once_and_delivers_after_it_is_started_again() {
    // A payment stays with a silent process for ten seconds, so the three wait together.
    tokio::join!(
        check(&[("/verify", Fault::Hang)]),
        check(&[("/settle", Fault::Hang)]),
        check(&[("/settle", Fault::LoseAnswer), ("/rpc", Fault::Hang)]),
    );
}

const SCAN: &str = "/api/a2a/scan";
/// The model of the order at its router.
const MODEL: &str = "~openai/gpt-sol-latest";
/// Answers before the program is killed.
const ANSWERED: usize = 3;

/// Five questions to one model.
fn order() -> Value {
    let mut order = small_purchase();
    order["questionsPerModel"] = json!(5);
    order
}

/// A shop whose models are behind a router, and a facilitator that outlives it.
struct Shop {
    database: Database,
    fake: FakeFacilitator,
    router: FakeRouter,
}

impl Shop {
    /// The router answers some questions and leaves the others waiting.
    fn new() -> Self {
        let router = FakeRouter::spawn();
        let answers = (0..ANSWERED).map(|_| Answer::text("Acme is good."));
        router.on_model(MODEL, Script::sequence(answers.chain([Answer::hang()])));
        Self {
            database: Database::fresh(),
            fake: FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new())),
            router,
        }
    }

    async fn start(&self) -> Program {
        let (router, wallet) = (self.router.base_url().to_string(), pay_to().to_string());
        let variables = [
            ("ROUTER_BASE_URL", router.as_str()),
            ("ROUTER_API_KEY", "operator-key"),
            ("WEB_SEARCH", "off"),
            ("X402_PAY_TO", wallet.as_str()),
        ];
        Program::start_with(&self.database, &self.fake, (&[], &variables)).await
    }

    /// Waits until the answers are stored and the other questions are asked, and kills the program.
    async fn kill(&self, program: Program) {
        let store = self.database.open();
        until("the answers are stored", async || {
            let run = store.runs_under_way(1).unwrap().pop();
            run.is_some_and(|run| store.durable_run(run.id).unwrap().unwrap().stored as usize == ANSWERED)
        })
        .await;
        self.router.until(|log| log.attempts.len() == 5).await;
        drop(program);
        self.router
            .on_model(MODEL, Script::always(Answer::text("Acme is good.")));
    }

    /// Makes sure that there was one run, which asked no stored call again, and one settlement.
    fn check(&self, buyer: &Buyer, document: &Value) {
        let usage = &document["result"]["usage"];
        assert_eq!((&usage["questions"], &usage["answered"]), (&json!(5), &json!(5)));
        assert_eq!(document["status"], "complete");
        let log = self.router.log();
        assert_eq!(log.attempts.len(), 5 + 5 - ANSWERED);
        let answered = log.attempts.iter().filter(|a| a.end == Some(End::Answered(200)));
        let bodies: HashSet<&str> = answered.map(|attempt| attempt.body.as_str()).collect();
        assert_eq!(bodies.len(), 5, "each question was answered once");
        let tenant = format!("buyer {}", buyer.wallet.address());
        let runs = self
            .database
            .open()
            .durable_runs(&tenant, &RunFilter::default(), None, 9);
        assert_eq!(runs.unwrap().len(), 1);
        assert_eq!(self.fake.sandbox.transfers().len(), 1);
        assert!(ledger(&self.database).contains("settled    0.15"));
    }
}

async fn a_scan_goes_on() {
    let shop = Shop::new();
    let program = shop.start().await;
    let payment = program.buyer().pay(Product::Scan, X402Version::V2);
    let first = program.buyer().request(SCAN, &payment, &order());
    let first = tokio::runtime::Handle::current().spawn(async move { first.send().await.is_ok() });
    shop.kill(program).await;
    assert!(!first.await.unwrap());
    let program = shop.start().await;
    let buyer = program.buyer();
    // The buyer is impatient, and sends the same payment twice at once.
    let order = order();
    let send = || buyer.send(SCAN, &payment, &order);
    let (one, two) = tokio::join!(send(), send());
    assert_eq!(one.status, 200, "{}", one.text);
    assert_eq!((two.status, &two.text), (one.status, &one.text));
    drop(program);
    shop.check(&buyer, &one.json());
}

async fn call(buyer: &Buyer, method: &str, params: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let reply = Reply::of(buyer.bare(Method::POST, "/api/a2a/jsonrpc").json(&body)).await;
    let answer: Value = reply.json();
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

/// A message that pays for a task.
fn pays(task: &Value, payment: &SignedDraft, id: &str) -> Value {
    json!({"message": {"kind": "message", "role": "user", "messageId": id, "taskId": task["id"],
        "parts": [{"kind": "text", "text": "paid"}],
        "metadata": {"x402.payment.status": "payment-submitted", "x402.payment.payload": payment.payload()}}})
}

async fn a_task_goes_on() {
    let shop = Shop::new();
    let program = shop.start().await;
    let buyer = program.buyer();
    let mut wanted = order();
    wanted["skill"] = json!("scan");
    let asks = json!({"message": {"kind": "message", "role": "user", "messageId": "m-1",
        "parts": [{"kind": "data", "data": wanted}]}});
    let task = call(&buyer, "message/send", &asks).await;
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": pays(&task, &payment, "m-2")});
    let first = buyer.bare(Method::POST, "/api/a2a/jsonrpc").json(&body);
    let first = tokio::runtime::Handle::current().spawn(async move { first.send().await.is_ok() });
    shop.kill(program).await;
    assert!(!first.await.unwrap());
    let program = shop.start().await;
    let buyer = program.buyer();
    until("the task can be paid for again", async || {
        let task = call(&buyer, "tasks/get", &json!({"id": task["id"]})).await;
        task["status"]["state"] == "input-required"
    })
    .await;
    let done = call(&buyer, "message/send", &pays(&task, &payment, "m-3")).await;
    assert_eq!(done["status"]["state"], "completed", "{done:#}");
    assert_eq!(done["id"], task["id"]);
    drop(program);
    shop.check(&buyer, &done["artifacts"][0]["parts"][0]["data"]);
}

/// The leases of a killed program end after half a minute, so the two wait together.
#[tokio::test(flavor = "multi_thread")]
async fn a_sold_scan_goes_on_after_a_kill_and_repeats_no_stored_call() {
    tokio::join!(a_scan_goes_on(), a_task_goes_on());
}

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
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Kills the program during the last of the faults, each at a path of the facilitator or of the node.
async fn check(faults: &[(&str, Fault)], transfers_before: usize) {
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
        !fake.requests(last).is_empty() && fake.sandbox.transfers().len() == transfers_before
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
        check(&[("/verify", Fault::Hang)], 0),
        check(&[("/settle", Fault::Hang)], 0),
        check(&[("/settle", Fault::LoseAnswer), ("/rpc", Fault::Hang)], 1),
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
        self.start_allowing("").await
    }

    /// A program that may fetch from a site of this machine.
    async fn start_with(&self, site: &Site) -> Program {
        self.start_allowing(&site.address.to_string()).await
    }

    async fn start_allowing(&self, address: &str) -> Program {
        let (router, wallet) = (self.router.base_url().to_string(), pay_to().to_string());
        let variables = [
            ("ROUTER_BASE_URL", router.as_str()),
            ("ROUTER_API_KEY", "operator-key"),
            ("WEB_SEARCH", "off"),
            ("X402_PAY_TO", wallet.as_str()),
            ("AUDIT_TEST_ALLOW", address),
        ];
        Program::start_with(&self.database, &self.fake, (&[], &variables)).await
    }

    /// Waits until the answers are stored and the other questions are asked, and kills the program.
    async fn kill(&self, program: Program) {
        assert_eq!(self.kill_after(program, ANSWERED).await, 5);
    }

    /// The same once so many outcomes are stored. Returns the number of questions.
    async fn kill_after(&self, program: Program, stored: usize) -> usize {
        let store = self.database.open();
        let mut questions = 0;
        until("the answers are stored", async || {
            let run = store.runs_under_way(1).unwrap().pop();
            let run = run.map(|run| store.durable_run(run.id).unwrap().unwrap());
            questions = run.as_ref().map_or(0, |run| run.calls as usize);
            run.is_some_and(|run| run.stored as usize == stored)
        })
        .await;
        self.router.until(|log| log.attempts.len() == questions).await;
        drop(program);
        self.router
            .on_model(MODEL, Script::always(Answer::text("Acme is good.")));
        questions
    }

    /// Makes sure that there was one run, which asked no stored call again, and one settlement.
    fn check(&self, buyer: &Buyer, document: &Value) {
        self.check_sale(buyer, document, (Product::Scan, 5));
    }

    fn check_sale(&self, buyer: &Buyer, document: &Value, (product, questions): (Product, usize)) {
        let usage = &document["result"]["usage"];
        assert_eq!(
            (&usage["questions"], &usage["answered"]),
            (&json!(questions), &json!(questions))
        );
        assert_eq!(document["status"], "complete");
        let log = self.router.log();
        assert_eq!(log.attempts.len(), questions + questions - ANSWERED);
        let answered = log.attempts.iter().filter(|a| a.end == Some(End::Answered(200)));
        let bodies: HashSet<&str> = answered.map(|attempt| attempt.body.as_str()).collect();
        assert_eq!(bodies.len(), questions, "each question was answered once");
        self.check_books(buyer, product);
    }

    /// Makes sure that there was one run and one settlement.
    fn check_books(&self, buyer: &Buyer, product: Product) {
        let tenant = format!("buyer {}", buyer.wallet.address());
        let runs = self
            .database
            .open()
            .durable_runs(&tenant, &RunFilter::default(), None, 9);
        assert_eq!(runs.unwrap().len(), 1);
        assert_eq!(self.fake.sandbox.transfers().len(), 1);
        let settled = format!("settled    {}", product.price());
        let books = ledger(&self.database);
        assert!(books.contains(&settled), "{settled}: {books}");
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

/// A site on this machine. Requests for its page wait while it is closed.
struct Site {
    address: SocketAddr,
    /// Requests for the page.
    asked: Arc<AtomicUsize>,
    open: Arc<AtomicBool>,
}

impl Site {
    fn spawn(open: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let site = Self {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            open: Arc::new(AtomicBool::new(open)),
        };
        let (asked, open) = (Arc::clone(&site.asked), Arc::clone(&site.open));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (asked, open, mut stream) = (Arc::clone(&asked), Arc::clone(&open), stream.unwrap());
                std::thread::spawn(move || {
                    let mut request = [0; 4_096];
                    let read = stream.read(&mut request).unwrap_or(0);
                    let is_page = request[..read].starts_with(b"GET /page");
                    if is_page {
                        asked.fetch_add(1, Ordering::Relaxed);
                        while !open.load(Ordering::Relaxed) {
                            std::thread::sleep(Duration::from_millis(10));
                        }
                    }
                    let (status, body) = match is_page {
                        true => (
                            "200 OK",
                            "<!doctype html><title>Acme</title><p>Acme repairs pipes.</p>",
                        ),
                        false => ("404 Not Found", ""),
                    };
                    let head = "content-type: text/html\r\nconnection: close\r\ncontent-length";
                    let answer = format!("HTTP/1.1 {status}\r\n{head}: {}\r\n\r\n{body}", body.len());
                    let _ = stream.write_all(answer.as_bytes());
                });
            }
        });
        site
    }

    fn page(&self) -> String {
        format!("http://{}/page", self.address)
    }
}

/// The audit of a bundle is stored before its models are asked, so it is not made again.
async fn a_bundle_goes_on() {
    let (shop, site) = (Shop::new(), Site::spawn(true));
    let program = shop.start_with(&site).await;
    let payment = program.buyer().pay(Product::Full, X402Version::V2);
    let mut order = order();
    order["location"] = json!("Lyon, France");
    order["rings"] = json!([1]);
    order["url"] = json!(site.page());
    let first = program.buyer().request("/api/a2a/full", &payment, &order);
    let first = tokio::runtime::Handle::current().spawn(async move { first.send().await.is_ok() });
    let questions = shop.kill_after(program, ANSWERED + 1).await;
    assert!(!first.await.unwrap());
    let program = shop.start_with(&site).await;
    let buyer = program.buyer();
    let reply = buyer.send("/api/a2a/full", &payment, &order).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    drop(program);
    shop.check_sale(&buyer, &reply.json(), (Product::Full, questions));
    assert_eq!(reply.json()["audit"]["url"], site.page());
    assert_eq!(site.asked.load(Ordering::Relaxed), 1, "the page was audited once");
}

async fn an_audit_goes_on() {
    let (shop, site) = (Shop::new(), Site::spawn(false));
    let program = shop.start_with(&site).await;
    let payment = program.buyer().pay(Product::Audit, X402Version::V2);
    let order = json!({"url": site.page()});
    let first = program.buyer().request("/api/a2a/audit", &payment, &order);
    let first = tokio::runtime::Handle::current().spawn(async move { first.send().await.is_ok() });
    until("the page is asked for", async || {
        site.asked.load(Ordering::Relaxed) > 0
    })
    .await;
    drop(program);
    assert!(!first.await.unwrap());
    site.open.store(true, Ordering::Relaxed);
    let program = shop.start_with(&site).await;
    let buyer = program.buyer();
    let send = || buyer.send("/api/a2a/audit", &payment, &order);
    let (one, two) = tokio::join!(send(), send());
    assert_eq!(one.status, 200, "{}", one.text);
    assert_eq!((two.status, &two.text), (one.status, &one.text));
    assert_eq!(one.json()["result"]["url"], site.page());
    drop(program);
    shop.check_books(&buyer, Product::Audit);
}

/// The leases of a killed program end after half a minute, so all wait together.
#[tokio::test(flavor = "multi_thread")]
async fn sold_work_goes_on_after_a_kill_and_repeats_no_stored_call() {
    tokio::join!(
        a_scan_goes_on(),
        a_task_goes_on(),
        a_bundle_goes_on(),
        an_audit_goes_on()
    );
}

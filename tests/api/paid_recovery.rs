//! Processes that die, buyers that hang up, and what is left of a payment.

use crate::paid::{Obscured, SCAN, shop};
use ibid_model::{AtomicUsdc, Network, Product, X402Version};
use ibid_provider::{Router, RouterConfig, Sandbox};
use ibid_store::Store;
use ibid_tests::buyer::{quote, small_purchase};
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script as Answers};
use ibid_tests::{Buyer, Database, Reply, Setup, TestServer};
use ibid_x402::sandbox::{Draft, Script, SignedDraft, TestWallet};
use ibid_x402::{ChainFault, RemoteFacilitator, RemoteOptions, RpcReader, SandboxFacilitator};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A process on a database, in front of a facilitator on the network.
fn process(database: &Database, fake: &FakeFacilitator) -> Setup {
    ibid_tests::install_tls();
    let facilitator = RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap();
    let reader = RpcReader::new(Network::BaseSepolia, fake.node_url().parse().unwrap()).unwrap();
    Setup::default()
        .store(database.open())
        .selling_by(Arc::new(facilitator), Arc::new(reader))
}

async fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never happens");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The process ends during the last of the faults, each at a path; the next one is shown the same payment.
async fn check_crash(faults: &[(&str, Fault)], transfers_before: usize) {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    for (path, fault) in faults {
        fake.fail(path, fault.clone());
    }
    let (last, _) = faults.last().unwrap();
    let server = process(&database, &fake).spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let request = buyer.request(SCAN, &payment, &small_purchase()).send();
    let first = tokio::runtime::Handle::current().spawn(request);
    until(|| !fake.requests(last).is_empty() && fake.sandbox.transfers().len() == transfers_before).await;
    drop(server);
    first.abort();
    let server = process(&database, &fake).spawn();
    let buyer = Buyer::of(&server);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{faults:?}: {}", reply.text);
    assert_eq!(fake.sandbox.transfers().len(), 1, "{faults:?}");
    let settles = fake.requests("/settle");
    assert!(
        settles.windows(2).all(|pair| pair[0].body == pair[1].body),
        "identical bytes"
    );
    let books = server.store.books().unwrap();
    assert!(books.balance() && books.accounts[0].sales == 1);
}

#[tokio::test]
async fn a_process_may_die_anywhere() {
    check_crash(&[("/verify", Fault::Hang)], 0).await;
    check_crash(&[("/settle", Fault::Hang)], 0).await;
    check_crash(&[("/settle", Fault::LoseAnswer), ("/rpc", Fault::Hang)], 1).await;
}

#[tokio::test]
async fn a_process_may_die_in_the_middle_of_the_work() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let router = FakeRouter::spawn();
    router.on_model("~openai/gpt-sol-latest", Answers::always(Answer::hang()));
    ibid_tests::install_tls();
    let provider = Arc::new(Router::new(&RouterConfig::new(router.base_url())).unwrap());
    let server = process(&database, &fake).provider(provider).spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    let first =
        tokio::runtime::Handle::current().spawn(buyer.request(SCAN, &payment, &small_purchase()).send());
    router.until(|log| log.in_flight() == 1).await;
    drop(server);
    first.abort();
    let server = process(&database, &fake)
        .provider(Arc::new(Sandbox::new(1)))
        .spawn();
    let reply = Buyer::of(&server).send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), fake.sandbox.transfers().len()),
        (200, 1),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn a_second_crash_makes_a_buyer_wait_no_longer_than_the_first() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    for _ in 0..2 {
        fake.fail("/settle", Fault::Hang);
    }
    let server = process(&database, &fake).spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let first =
        tokio::runtime::Handle::current().spawn(buyer.request(SCAN, &payment, &small_purchase()).send());
    until(|| fake.requests("/settle").len() == 1).await;
    drop(server);
    first.abort();
    // The background of the second process takes the settlement over, and the process dies as well.
    let server = process(&database, &fake).spawn();
    until(|| fake.requests("/settle").len() == 2).await;
    drop(server);
    let server = process(&database, &fake).spawn();
    let start = Instant::now();
    let reply = Buyer::of(&server).send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), fake.sandbox.transfers().len()),
        (200, 1),
        "{}",
        reply.text
    );
    // The lease of the tests is a second. The bound has room for a slow machine.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_held_result_is_settled_without_its_buyer_and_still_owed() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    fake.fail("/settle", Fault::Hang);
    let server = process(&database, &fake).spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let first =
        tokio::runtime::Handle::current().spawn(buyer.request(SCAN, &payment, &small_purchase()).send());
    until(|| fake.requests("/settle").len() == 1).await;
    let signature = payment.payload()["payload"]["signature"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        database.holds(&signature),
        "it is needed as long as it is not settled"
    );
    drop(server);
    first.abort();
    let server = process(&database, &fake).spawn();
    until(|| {
        server
            .store
            .books()
            .unwrap()
            .accounts
            .first()
            .is_some_and(|account| account.sales == 1)
    })
    .await;
    let account = server.store.books().unwrap().accounts[0].clone();
    assert_eq!(
        (account.owed, account.delivered, account.balances()),
        (150_000, 0, true)
    );
    let reply = Buyer::of(&server).send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200);
    until(|| server.store.books().unwrap().accounts[0].delivered == 150_000).await;
    assert!(server.store.books().unwrap().balance());
    // The signed payload is gone; from a file and the log of its changes, too.
    drop(server);
    // The pool closes its last connections on a thread of its own, and the log goes with the last of them.
    until(|| !database.holds(&signature)).await;
}

#[tokio::test]
async fn a_run_continues_after_its_buyer_hangs_up() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_verify(Script::Delay(Duration::from_millis(200)));
    let request = buyer.request(SCAN, &payment, &small_purchase()).send();
    tokio::select! {
        answer = request => unreachable!("{answer:?}"),
        () = until(|| facilitator.calls().verify == 1) => {}
    }
    until(|| facilitator.transfers().len() == 1).await;
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!((reply.status.as_u16(), facilitator.calls().verify), (200, 1));
    assert_eq!(server.service.drain(Duration::from_secs(5)).await, 0);
}

#[tokio::test]
async fn two_processes_on_one_database_sell_once() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    fake.slow_down(Duration::from_millis(20));
    let servers = [
        process(&database, &fake).spawn(),
        process(&database, &fake).spawn(),
    ];
    let buyers: Vec<Buyer> = servers.iter().map(Buyer::of).collect();
    for _ in 0..5 {
        let payment = buyers[0].pay(Product::Scan, X402Version::V1);
        let order = small_purchase();
        let sends = (0..10).map(|n| buyers[n % 2].send(SCAN, &payment, &order));
        let replies = futures_util::future::join_all(sends).await;
        assert!(
            replies
                .iter()
                .all(|reply| reply.status == 200 && reply.text == replies[0].text)
        );
    }
    assert_eq!(
        (fake.requests("/verify").len(), fake.sandbox.transfers().len()),
        (5, 5)
    );
}

/// A buyer who sends the same payment again when a busy machine gave no result. It must not cost anything.
async fn patient(request: reqwest::RequestBuilder) -> Reply {
    for _ in 0..20 {
        let again = request.try_clone().unwrap();
        let Ok(response) = again.send().await else {
            continue;
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let Ok(text) = response.text().await else { continue };
        if !matches!(status.as_u16(), 408 | 502 | 503) {
            return Reply {
                status,
                headers,
                text,
            };
        }
    }
    unreachable!("twenty tries and no result")
}

/// A shop on a database file, and buyers with a wallet each.
async fn crowd(server: &TestServer, facilitator: &SandboxFacilitator, buyers: u64) -> Vec<Reply> {
    let quote = quote(Product::Scan);
    let first = Buyer::of(server);
    let order = small_purchase();
    let sends = (0..buyers).map(|number| {
        let wallet = TestWallet::numbered(number);
        facilitator.fund(wallet.address(), AtomicUsdc::new(150_000));
        let version = if number % 2 == 0 {
            X402Version::V1
        } else {
            X402Version::V2
        };
        let payment = Draft::of(
            &quote,
            version,
            Timestamp::now(),
            ibid_tests::buyer::fresh_nonce(),
        )
        .sign(&wallet);
        first.request(SCAN, &payment, &order)
    });
    let sends: Vec<_> = sends.collect();
    futures_util::future::join_all(sends.into_iter().map(patient)).await
}

#[tokio::test]
async fn a_thousand_parallel_buyers_each_get_their_result() {
    let database = Database::fresh();
    let store = database.open();
    let facilitator = Arc::new(SandboxFacilitator::new());
    // The usual leases of payments and of queued work: a crowd keeps a debug build busy for longer than the tests' own.
    let mut paid = ibid_tests::buyer::paid(facilitator.clone());
    paid.timing = ibid_service::Timing::default();
    let server = Setup::default()
        .store(store)
        .tune(|service| {
            service.paid = Some(paid);
            service.queue = ibid_service::QueueSettings::default();
        })
        .spawn();
    let replies = crowd(&server, &facilitator, 1_000).await;
    let mut ids: Vec<String> = Vec::new();
    for reply in &replies {
        assert_eq!(reply.status, 200, "{}", reply.text);
        let body: Value = reply.json();
        ids.push(body["scanId"].as_str().unwrap().to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), facilitator.transfers().len()), (1_000, 1_000));
    until(|| server.store.books().unwrap().accounts[0].owed == 0).await;
    let books = server.store.books().unwrap();
    assert!(books.balance());
    assert_eq!(
        (books.accounts[0].sales, books.accounts[0].delivered),
        (1_000, 150_000_000)
    );
    let id = &ids[0];
    assert_eq!(
        Reply::of(Buyer::of(&server).bare(Method::GET, &format!("{SCAN}/{id}")))
            .await
            .status,
        200
    );
}

/// A shop whose chain gives no answer, and a buyer with a payment whose settlement was carried out and not answered.
async fn unanswered(
    database: &Database,
) -> (
    TestServer,
    Arc<SandboxFacilitator>,
    Arc<Obscured>,
    Buyer,
    SignedDraft,
) {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let nothing = Err(ChainFault::NoAnswer);
    let chain = Arc::new(Obscured::new(facilitator.clone(), nothing, u32::MAX));
    let server = Setup::default()
        .store(database.open())
        .selling_by(facilitator.clone(), chain.clone())
        .spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::LoseAnswer);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.code(), "settlement_unknown", "{}", reply.text);
    (server, facilitator, chain, buyer, payment)
}

#[tokio::test]
async fn a_node_that_is_away_past_the_end_of_an_authorization_decides_when_it_is_back() {
    let database = Database::fresh();
    let (server, facilitator, chain, buyer, payment) = unanswered(&database).await;
    let signature = payment.payload()["payload"]["signature"]
        .as_str()
        .unwrap()
        .to_owned();
    // As if an hour had passed since the end of the authorization: the signed payload is erased.
    let later = Timestamp::now().as_millisecond() + 2 * 24 * 3_600_000;
    until(|| {
        server.store.expire_payments(later, 0).unwrap();
        !database.holds(&signature)
    })
    .await;
    chain.answer();
    until(|| {
        let accounts = server.store.books().unwrap().accounts;
        accounts.first().is_some_and(|account| account.sales == 1)
    })
    .await;
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn a_send_waits_at_most_once_for_a_chain_that_gives_no_answer() {
    let (_server, facilitator, chain, ..) = unanswered(&Database::fresh()).await;
    // The background asks again and again, as a buyer does.
    until(|| facilitator.calls().settle >= 5).await;
    let (settles, looks) = (facilitator.calls().settle, u64::from(chain.looks()));
    assert!(
        looks <= settles + 1,
        "{looks} looks for {settles} requests to settle"
    );
}

#[tokio::test]
async fn a_buyer_is_let_go_while_the_disk_is_full_and_gets_the_result_later() {
    let router = FakeRouter::spawn();
    ibid_tests::install_tls();
    let answer = Answer::text("1. **Example** is good");
    let held_up = Answer::text("1. **Example** is good").after(Duration::from_secs(4));
    router.on_model("~openai/gpt-sol-latest", Answers::sequence([held_up, answer]));
    let (disk, facilitator) = (
        Arc::new(Store::in_memory().unwrap()),
        Arc::new(SandboxFacilitator::new()),
    );
    let provider = Router::new(&RouterConfig::new(router.base_url())).unwrap();
    let server = Setup::default()
        .provider(Arc::new(provider))
        .store(disk.clone())
        .selling_by(facilitator.clone(), facilitator.clone())
        .spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let (order, start) = (small_purchase(), Instant::now());
    let (reply, ()) = tokio::join!(buyer.send(SCAN, &payment, &order), async {
        until(|| !router.log().attempts.is_empty()).await;
        disk.sqlite().unwrap().refuse_writes().unwrap();
    });
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (503, "overloaded".into()),
        "{}",
        reply.text
    );
    assert!(!reply.header("retry-after").is_empty());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let id = reply.json()["scanId"].clone();
    disk.sqlite().unwrap().accept_writes().unwrap();
    let reply = patient(buyer.request(SCAN, &payment, &order)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.json()["scanId"], id);
    assert_eq!(facilitator.transfers().len(), 1);
}

//! Bounds on what one payer can have done without paying.

use crate::paid::SCAN;
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_model::{AtomicUsdc, Product, UsdMicros, X402Version};
use ibid_provider::{Router, RouterConfig};
use ibid_service::{Exposure, Pages, Paid, Timing};
use ibid_tests::buyer::{self, draft, quote, small_purchase};
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script as Answers};
use ibid_tests::{Buyer, Reply, Setup, TestServer};
use ibid_x402::sandbox::{Script, TestWallet};
use ibid_x402::{SandboxFacilitator, Terms};
use serde_json::json;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// A shop with the usual bounds, apart from those that a test changes.
fn shop(setup: Setup, change: impl FnOnce(&mut Exposure)) -> (TestServer, Arc<SandboxFacilitator>) {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let mut exposure = Exposure::default();
    change(&mut exposure);
    let paid = Paid {
        exposure,
        timing: Timing::default(),
        ..buyer::paid(facilitator.clone())
    };
    let server = setup.tune(|service| service.paid = Some(paid)).spawn();
    (server, facilitator)
}

/// The statuses of orders that a wallet sends at once, sorted.
async fn at_once(buyer: &Buyer, orders: usize) -> Vec<u16> {
    let order = small_purchase();
    let sends = (0..orders).map(|_| buyer.buy(SCAN, Product::Scan, X402Version::V2, &order));
    let replies = futures_util::future::join_all(sends).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    statuses
}

#[tokio::test]
async fn a_new_payer_has_one_open_order_and_one_more_for_each_settled_one() {
    let (server, facilitator) = shop(Setup::default(), |_| {});
    let buyer = Buyer::of(&server);
    // The settlement of the first order takes until the others have been refused, also on a loaded machine.
    let slow = || facilitator.script_settle(Script::Delay(Duration::from_secs(8)));
    slow();
    assert_eq!(at_once(&buyer, 5).await, [200, 429, 429, 429, 429]);
    assert_eq!(facilitator.transfers().len(), 1);
    slow();
    slow();
    assert_eq!(at_once(&buyer, 5).await, [200, 200, 429, 429, 429]);
    assert_eq!(facilitator.transfers().len(), 3);
}

#[tokio::test]
async fn costly_work_is_for_payers_who_have_paid_once() {
    let bound = UsdMicros::new(10);
    let (server, facilitator) = shop(Setup::default(), |exposure| exposure.trust_above = Some(bound));
    let buyer = Buyer::of(&server);
    let reply = buyer
        .buy(SCAN, Product::Scan, X402Version::V1, &small_purchase())
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "plan_too_expensive".into()),
        "{}",
        reply.text
    );
    assert_eq!(facilitator.calls().settle, 0);
}

/// A wallet of its own with money.
fn funded(server: &TestServer, facilitator: &SandboxFacilitator, number: u64) -> Buyer {
    let wallet = TestWallet::numbered(number);
    facilitator.fund(wallet.address(), AtomicUsdc::new(10_000_000));
    Buyer::with(&server.url, wallet)
}

/// Orders, and moves the money away before it is settled.
async fn order_and_empty(buyer: &Buyer, facilitator: &SandboxFacilitator, address: &str) -> Reply {
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    order_from(buyer, address).await
}

/// Orders from an address.
async fn order_from(buyer: &Buyer, address: &str) -> Reply {
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let request = buyer.request(SCAN, &payment, &small_purchase());
    Reply::of(request.header("x-forwarded-for", address)).await
}

#[tokio::test]
async fn a_wallet_that_is_emptied_before_the_settlement_gets_work_once() {
    let (server, facilitator) = shop(Setup::default(), |_| {});
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let order = small_purchase();
    let refused = buyer.send(SCAN, &payment, &order).await;
    assert_eq!(refused.status, 402, "{}", refused.text);
    // The money is back: until its authorization ends, the refused order is open. It counts for the address, too.
    for _ in 0..5 {
        let again = buyer.buy(SCAN, Product::Scan, X402Version::V2, &order).await;
        assert_eq!(
            (again.status.as_u16(), again.code()),
            (429, "rate_limited".into()),
            "{}",
            again.text
        );
    }
    assert_eq!(facilitator.calls().settle, 1, "one order was worked on");
    let value = server
        .service
        .shop
        .payment_figures()
        .await
        .unwrap()
        .unwrap()
        .exposure;
    assert_eq!(value, Product::Scan.price());
    // The same payment can still be paid for, and then the next order is taken.
    assert_eq!(buyer.send(SCAN, &payment, &order).await.status, 200);
    let next = buyer.buy(SCAN, Product::Scan, X402Version::V2, &order).await;
    assert_eq!(next.status, 200, "{}", next.text);
}

#[tokio::test]
async fn beyond_the_bound_of_an_address_payments_are_settled_before_the_work() {
    let (server, facilitator) = shop(Setup::default(), |exposure| exposure.unpaid_of_address = 2);
    let from = |host: u64| format!("198.51.100.{host}");
    for number in 0..2 {
        let buyer = funded(&server, &facilitator, number);
        let reply = order_and_empty(&buyer, &facilitator, &from(number)).await;
        assert_eq!(reply.status, 402, "{}", reply.text);
    }
    // Another wallet of the same /24 is emptied before there is any work, and is no unpaid order.
    let third = funded(&server, &facilitator, 2);
    let payment = third.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let request = third.request(SCAN, &payment, &small_purchase());
    let reply = Reply::of(request.header("x-forwarded-for", from(2))).await;
    assert_eq!(reply.status, 402, "{}", reply.text);
    let failed = server.store.failed_orders(&third.wallet.address(), 0).unwrap();
    assert_eq!(failed.0, 0, "nothing was asked");
    // With the money back, the same payment buys.
    let request = third.request(SCAN, &payment, &small_purchase());
    let reply = Reply::of(request.header("x-forwarded-for", from(2))).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn beyond_the_bound_of_the_shop_payments_are_settled_before_the_work() {
    let (server, facilitator) = shop(Setup::default(), |exposure| exposure.failed_an_hour = 2);
    for number in 0..2 {
        let buyer = funded(&server, &facilitator, number);
        let reply = order_and_empty(&buyer, &facilitator, &format!("198.51.{number}.1")).await;
        assert_eq!(reply.status, 402, "{}", reply.text);
    }
    let stranger = funded(&server, &facilitator, 3);
    let reply = order_from(&stranger, "203.0.113.1").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.json().get("result").is_some(), "{}", reply.text);
    assert_eq!(facilitator.transfers().len(), 1);
    assert!(server.store.books().unwrap().balance());
}

#[tokio::test]
async fn many_new_buyers_at_once_all_buy() {
    let (server, facilitator) = shop(Setup::default(), |_| {});
    for network in [false, true] {
        let buyers: Vec<Buyer> = (0..25)
            .map(|number| funded(&server, &facilitator, number))
            .collect();
        let address = |number: usize| match network {
            true => format!("198.51.{number}.1"),
            false => "192.0.2.1".to_owned(),
        };
        let orders = buyers.iter().enumerate();
        let orders = orders.map(async |(number, buyer)| order_from(buyer, &address(number)).await);
        for reply in futures_util::future::join_all(orders).await {
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
    }
    assert_eq!(facilitator.transfers().len(), 50);
}

#[tokio::test]
async fn work_that_fails_after_its_settlement_is_a_credit() {
    ibid_tests::install_tls();
    let router = FakeRouter::spawn();
    let model = "~openai/gpt-sol-latest";
    router.on_model(model, Answers::always(Answer::error(400, json!({}))));
    let mut config = RouterConfig::new(router.base_url());
    config.retry.extra_attempts = 0;
    let provider = Arc::new(Router::new(&config).unwrap());
    let (server, facilitator) = shop(Setup::default().provider(provider), |exposure| {
        exposure.unpaid_of_address = 0;
    });
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let failed = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (failed.status.as_u16(), failed.code()),
        (500, "work_owed".into()),
        "{}",
        failed.text
    );
    assert_eq!(
        failed.header("payment-required"),
        "",
        "nobody is asked to sign again"
    );
    assert!(server.store.books().unwrap().accounts[0].owed > 0);
    router.on_model(model, Answers::always(Answer::text("1. **Example** is good")));
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let again = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!((again.status.as_u16(), &again.text), (200, &reply.text));
    assert_eq!(
        (facilitator.transfers().len(), facilitator.calls().settle),
        (1, 1)
    );
    assert!(server.store.books().unwrap().balance());
}

#[tokio::test]
async fn trust_asks_for_as_much_money_as_the_work_costs() {
    let bound = UsdMicros::new(10);
    let auditor = Auditor::new(FetchConfig::default()).unwrap();
    let setup = Setup::default().tune(|service| service.pages = Some(Pages::Invented(auditor)));
    let (server, facilitator) = shop(setup, |exposure| exposure.trust_above = Some(bound));
    let buyer = Buyer::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 9});
    // An audit is settled, and costs far less than the scan.
    let audit = json!({"html": "<html><title>Pumps</title><p>A pump moves water.</p>"});
    let audited = buyer
        .buy("/api/a2a/audit", Product::Audit, X402Version::V2, &audit)
        .await;
    assert_eq!(audited.status, 200, "{}", audited.text);
    let reply = buyer.buy(SCAN, Product::Scan, X402Version::V2, &order).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "plan_too_expensive".into()),
        "{}",
        reply.text
    );
    assert_eq!(facilitator.calls().settle, 1);
}

#[tokio::test]
async fn a_payer_whose_orders_keep_failing_waits() {
    ibid_tests::install_tls();
    let router = FakeRouter::spawn();
    router.on_model(
        "~openai/gpt-sol-latest",
        Answers::always(Answer::error(401, json!({}))),
    );
    let mut config = RouterConfig::new(router.base_url());
    config.retry.extra_attempts = 0;
    let provider = Arc::new(Router::new(&config).unwrap());
    let (server, facilitator) = shop(Setup::default().provider(provider), |exposure| {
        exposure.failed_an_hour = 2;
    });
    let buyer = Buyer::of(&server);
    for expected in [500, 500, 429] {
        let reply = buyer
            .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
            .await;
        assert_eq!(reply.status, expected, "{}", reply.text);
    }
    assert_eq!((facilitator.calls().verify, facilitator.calls().settle), (2, 0));
}

#[tokio::test]
async fn forged_payments_do_not_close_the_shop() {
    let (server, facilitator) = shop(Setup::default(), |_| {});
    let buyer = Buyer::of(&server);
    // Each of the forgeries would be verified for long. All but four are sent away before.
    for _ in 0..4 {
        facilitator.script_verify(Script::Delay(Duration::from_secs(2)));
    }
    let order = small_purchase();
    let victim = TestWallet::other().address();
    let forgeries: Vec<_> = (0..32)
        .map(|_| draft(&quote(Product::Scan), X402Version::V2).sign_for(victim, &TestWallet::empty()))
        .collect();
    let sends = forgeries.iter().map(|forgery| buyer.send(SCAN, forgery, &order));
    let (replies, honest) = tokio::join!(futures_util::future::join_all(sends), async {
        while facilitator.calls().verify < 4 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        buyer.buy(SCAN, Product::Scan, X402Version::V1, &order).await
    });
    assert_eq!(honest.status, 200, "{}", honest.text);
    let busy = replies.iter().filter(|reply| reply.status == 503).count();
    assert_eq!(busy, 28);
    assert!(
        replies
            .iter()
            .all(|reply| matches!(reply.status.as_u16(), 402 | 503))
    );
}

#[tokio::test]
async fn forged_payments_leave_nothing_in_the_database() {
    let (server, facilitator) = shop(Setup::default(), |exposure| exposure.refused_an_hour = 20);
    let buyer = Buyer::of(&server);
    let rows = || -> u64 {
        let counts = server.store.payment_counts().unwrap();
        counts.iter().map(|count| count.payments).sum()
    };
    for _ in 0..4 {
        facilitator.script_verify(Script::Delay(Duration::from_secs(2)));
    }
    let (order, victim) = (small_purchase(), TestWallet::other().address());
    let forge = || draft(&quote(Product::Scan), X402Version::V2).sign_for(victim, &TestWallet::empty());
    let forgeries: Vec<_> = (0..19).map(|_| forge()).collect();
    let sends = forgeries.iter().map(|forgery| buyer.send(SCAN, forgery, &order));
    let (replies, ()) = tokio::join!(futures_util::future::join_all(sends), async {
        while facilitator.calls().verify < 4 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(rows() <= 4, "only those that are verified have a row");
    });
    assert_eq!(replies.iter().filter(|reply| reply.status == 503).count(), 15);
    assert_eq!(rows(), 0, "nothing was verified");
    // Those without a place count as refused, too.
    assert_eq!(buyer.send(SCAN, &forge(), &order).await.status, 402);
    assert_eq!(buyer.send(SCAN, &forge(), &order).await.status, 429);
    assert_eq!(facilitator.calls().verify, 5);
    // Nor does a payment of a wallet without money leave a row.
    let (server, _) = shop(Setup::default(), |_| {});
    let poor = Buyer::with(&server.url, TestWallet::empty());
    let reply = poor.buy(SCAN, Product::Scan, X402Version::V2, &order).await;
    assert_eq!(
        (
            reply.status.as_u16(),
            server.store.payment_counts().unwrap().len()
        ),
        (402, 0)
    );
}

#[tokio::test]
async fn an_address_whose_payments_are_refused_waits() {
    let (server, facilitator) = shop(Setup::default(), |exposure| exposure.refused_an_hour = 2);
    let buyer = Buyer::of(&server);
    let order = small_purchase();
    assert_eq!(
        buyer
            .buy(SCAN, Product::Scan, X402Version::V1, &order)
            .await
            .status,
        200
    );
    // Two refusals, one of them by the facilitator.
    let mut cheap = draft(&quote(Product::Scan), X402Version::V2);
    cheap.value = "1".to_owned();
    assert_eq!(
        buyer.send(SCAN, &cheap.sign(&buyer.wallet), &order).await.status,
        402
    );
    let poor = Buyer::with(&server.url, TestWallet::empty());
    assert_eq!(
        poor.buy(SCAN, Product::Scan, X402Version::V2, &order)
            .await
            .status,
        402
    );
    let calls = facilitator.calls();
    for path in [SCAN, "/api/a2a/watch"] {
        let reply = buyer.buy(path, Product::Scan, X402Version::V2, &order).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (429, "rate_limited".into()),
            "{}",
            reply.text
        );
        let wait: u32 = reply.header("retry-after").parse().unwrap();
        assert!((3_590..=3_600).contains(&wait), "{wait}");
    }
    assert_eq!(buyer.receipts(&json!({})).await.status, 429);
    assert_eq!(facilitator.calls(), calls);
    // Another address is another caller, and offers are free for all.
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let elsewhere = buyer
        .request(SCAN, &payment, &order)
        .header("x-forwarded-for", "198.51.100.7");
    assert_eq!(Reply::of(elsewhere).await.status, 200);
    assert_eq!(buyer.ask(SCAN, &order).await.status, 402);
}

#[tokio::test]
async fn a_plan_that_no_payment_can_wait_for_is_refused_with_the_bound() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let default = buyer::terms();
    let brief = NonZeroU32::new(140).unwrap();
    let terms = Terms::new(
        default.network(),
        default.asset().clone(),
        default.pay_to(),
        brief,
    );
    let paid = Paid {
        terms: Arc::new(terms),
        ..buyer::paid(facilitator.clone())
    };
    let server = Setup::default().tune(|service| service.paid = Some(paid)).spawn();
    let buyer = Buyer::of(&server);
    let reply = buyer.ask(SCAN, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "plan_too_slow".into()),
        "{}",
        reply.text
    );
    // 140 s, less 6 s of margin and 20 s for verification and settlement; a scan may take 120 s.
    let body = reply.json();
    assert_eq!(
        (&body["seconds"], &body["mostSeconds"]),
        (&json!(120), &json!(114))
    );
    assert!(
        body["detail"].as_str().unwrap().contains("114 s"),
        "{}",
        reply.text
    );
    // The price of the shortest order is still shown.
    assert_eq!(buyer.ask(SCAN, &json!({})).await.status, 402);
}

#[tokio::test]
async fn mostly_failed_work_is_not_charged() {
    ibid_tests::install_tls();
    let router = FakeRouter::spawn();
    router.on_model(
        "~openai/gpt-sol-latest",
        Answers::always(Answer::text("1. **Example** is good")),
    );
    for model in ["~anthropic/claude-opus-latest", "~google/gemini-pro-latest"] {
        router.on_model(model, Answers::always(Answer::error(500, json!({}))));
    }
    let mut config = RouterConfig::new(router.base_url());
    config.retry.extra_attempts = 0;
    let provider = Arc::new(Router::new(&config).unwrap());
    let (server, facilitator) = shop(Setup::default().provider(provider), |_| {});
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let order = json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 1});
    let reply = buyer.send(SCAN, &payment, &order).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (500, "provider_unavailable".into()),
        "{}",
        reply.text
    );
    let detail = reply.json()["detail"].as_str().unwrap().to_owned();
    assert!(
        detail.contains("1 of 3 questions") && detail.contains("Nothing was charged"),
        "{detail}"
    );
    assert_eq!(facilitator.calls().settle, 0);
    assert!(server.store.recorded_since(0).unwrap().is_empty());
}

#[tokio::test]
async fn an_order_in_floating_point_is_the_same_order() {
    let (server, facilitator) = shop(Setup::default(), |_| {});
    let buyer = Buyer::of(&server);
    let mut payment = buyer.pay(Product::Scan, X402Version::V1);
    let whole = small_purchase();
    let first = buyer.send(SCAN, &payment, &whole).await;
    assert_eq!(first.status, 200, "{}", first.text);
    // As a client writes it whose numbers are all floating point.
    payment.payload_mut()["x402Version"] = json!(1.0);
    let mut floating = whole;
    floating["questionsPerModel"] = json!(1.0);
    let again = buyer.send(SCAN, &payment, &floating).await;
    assert_eq!((again.status.as_u16(), &again.text), (200, &first.text));
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn an_authorization_for_two_hours_is_taken() {
    let (server, facilitator) = shop(Setup::default(), |_| {});
    let buyer = Buyer::of(&server);
    let mut long = draft(&quote(Product::Scan), X402Version::V1);
    let now = jiff::Timestamp::now().as_second();
    long.valid_before = (now + 7_200).to_string();
    let reply = buyer
        .send(SCAN, &long.sign(&buyer.wallet), &small_purchase())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(facilitator.transfers().len(), 1);
}

//! Facilitators and models that fail, between a buyer and a result.

use crate::paid::{SCAN, decoded, shop};
use ibid_model::{Product, X402Version};
use ibid_provider::{Router, RouterConfig};
use ibid_tests::buyer::{quote, small_purchase};
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script as Answers};
use ibid_tests::{Buyer, Reply, Setup, TestServer};
use ibid_x402::sandbox::Script;
use ibid_x402::{Outage, RemoteFacilitator, RemoteOptions, SandboxFacilitator};
use serde_json::json;
use std::sync::{Arc, Barrier};
use std::time::Duration;

#[tokio::test]
async fn without_a_verdict_it_is_502_and_the_payment_stays_good() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for outage in [
        Outage::Unreachable,
        Outage::Timeout,
        Outage::Broken,
        Outage::Unreadable { status: 500 },
    ] {
        let payment = buyer.pay(Product::Scan, X402Version::V2);
        facilitator.script_verify(Script::Fail(outage));
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (502, "facilitator_unavailable".into()),
            "{outage}"
        );
        assert_eq!(reply.header("payment-required"), "", "never a new offer");
        assert_eq!(buyer.send(SCAN, &payment, &small_purchase()).await.status, 200);
    }
    assert_eq!(facilitator.transfers().len(), 4);
}

#[tokio::test]
async fn a_remote_facilitator_may_hang_or_answer_nonsense() {
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let mut options = RemoteOptions::new(fake.base_url());
    (options.verify, options.settle) = (Duration::from_millis(300), Duration::from_millis(300));
    let server = Setup::default()
        .selling(Arc::new(RemoteFacilitator::new(options).unwrap()))
        .spawn();
    let buyer = Buyer::of(&server);
    let faults = [
        Fault::Hang,
        Fault::HangUp,
        Fault::Answer(200, "<html>".into()),
        Fault::Answer(500, "{}".into()),
    ];
    for fault in faults {
        let payment = buyer.pay(Product::Scan, X402Version::V1);
        fake.fail("/verify", fault.clone());
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (502, "facilitator_unavailable".into()),
            "{fault:?}"
        );
        // The same again at the settlement: asked once more with the same bytes, and the answer is found.
        fake.fail("/settle", fault);
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    let settles = fake.requests("/settle");
    assert_eq!((settles.len(), fake.sandbox.transfers().len()), (8, 4));
    for pair in settles.chunks(2) {
        assert_eq!(pair[0].body, pair[1].body, "identical bytes");
    }
}

#[tokio::test]
async fn a_lost_answer_is_found_on_the_chain() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::LoseAnswer);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(
        decoded(reply.header("payment-response"))["transaction"],
        facilitator.transfers()[0].transaction
    );
    assert_eq!(facilitator.transfers().len(), 1);
    let books = server.store.books().unwrap();
    assert_eq!((books.inferred, books.balance()), (0, true));
}

#[tokio::test]
async fn a_success_without_a_transaction_releases_nothing() {
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let server = Setup::default()
        .selling(Arc::new(
            RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap(),
        ))
        .spawn();
    for _ in 0..200 {
        let answer = r#"{"success":true,"transaction":"","network":"eip155:84532"}"#;
        fake.fail("/settle", Fault::Answer(200, answer.to_owned()));
    }
    let reply = Buyer::of(&server)
        .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (502, "settlement_unknown".into()),
        "{}",
        reply.text
    );
    assert!(server.store.recorded_since(0).unwrap().is_empty());
}

/// Sends a payment whose settlement ends as the scripts say, and then again. Returns both answers.
async fn twice(server: &TestServer, facilitator: &SandboxFacilitator, scripts: &[Script]) -> [Reply; 2] {
    let buyer = Buyer::of(server);
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    for script in scripts {
        facilitator.script_settle(script.clone());
    }
    let first = buyer.send(SCAN, &payment, &small_purchase()).await;
    [first, buyer.send(SCAN, &payment, &small_purchase()).await]
}

#[tokio::test]
async fn without_a_reader_an_unknown_outcome_stays_unknown() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let server = Setup::default().selling(facilitator.clone()).spawn();
    for reply in twice(&server, &facilitator, &[Script::LoseAnswer]).await {
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (502, "settlement_unknown".into()),
            "{}",
            reply.text
        );
        assert_eq!(
            reply.header("payment-required"),
            "",
            "no second payment is asked for"
        );
    }
    let receipts = server.store.recorded_since(0).unwrap();
    assert_eq!(
        (facilitator.transfers().len(), receipts.len()),
        (1, 0),
        "nothing is inferred"
    );
}

#[tokio::test]
async fn failures_that_prove_nothing_are_held() {
    for text in [
        "unexpected_settle_error",
        "invalid_exact_evm_transaction_failed",
        "Timed out at https://node.example/v2/SECRET",
    ] {
        let (server, facilitator) = shop();
        let refusal = Script::Refuse(text.to_owned());
        let [first, second] = twice(&server, &facilitator, &[refusal]).await;
        assert_eq!(
            (first.status.as_u16(), first.code()),
            (502, "settlement_unknown".into()),
            "{text}: {}",
            first.text
        );
        assert!(!first.header("retry-after").is_empty());
        assert!(!first.text.contains("node.example"), "{}", first.text);
        assert_eq!(
            (second.status.as_u16(), facilitator.transfers().len()),
            (200, 1),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_facilitator_that_declines_has_not_acted() {
    let (server, facilitator) = shop();
    let declined = || Script::Fail(Outage::Declined { status: 429 });
    // As many as the first request sends.
    let scripts = [declined(), declined()];
    let [first, second] = twice(&server, &facilitator, &scripts).await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (502, 200));
    let state = |wanted| {
        let states = server.store.books().unwrap().states;
        states
            .into_iter()
            .find(|(state, _)| *state == wanted)
            .map(|(_, count)| count)
    };
    assert_eq!(state(ibid_store::PaymentState::Pending), Some(0));
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn a_payer_who_cancels_after_an_unknown_outcome_gets_nothing() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    for _ in 0..3 {
        facilitator.script_settle(Script::Fail(Outage::Timeout));
    }
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.code(), "settlement_unknown", "{}", reply.text);
    let key = server.store.undecided_payments().unwrap()[0];
    facilitator.cancel(key);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 402, "{}", reply.text);
    assert!(reply.json().get("result").is_none(), "{}", reply.text);
    let again = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(again.json()["error"], "duplicate_nonce", "{}", again.text);
    assert_eq!(facilitator.transfers().len(), 0);
    assert!(server.store.recorded_since(0).unwrap().is_empty());
}

/// A shop in front of a facilitator on the network, which reads the chain of that facilitator.
fn shop_of(fake: &FakeFacilitator) -> TestServer {
    let facilitator = RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap();
    Setup::default()
        .selling_by(Arc::new(facilitator), fake.sandbox.clone())
        .spawn()
}

/// The receipts in the books of a shop.
fn receipts(shop: &TestServer) -> usize {
    shop.store.recorded_since(0).unwrap().len()
}

/// The answer to which no payment is signed again.
fn assert_spent(reply: &Reply) {
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (409, "payment_spent".into()),
        "{}",
        reply.text
    );
    assert_eq!(reply.header("payment-required"), "", "{}", reply.text);
    assert!(reply.text.contains("ask the operator"), "{}", reply.text);
}

/// A shop of a facilitator whose models need this long, and its router.
fn slow_shop_of(fake: &FakeFacilitator, delay: Duration) -> (TestServer, FakeRouter) {
    ibid_tests::install_tls();
    let router = FakeRouter::spawn();
    let answer = Answer::text("1. **Example** is good").after(delay);
    router.on_model("~openai/gpt-sol-latest", Answers::always(answer));
    let provider = Router::new(&RouterConfig::new(router.base_url())).unwrap();
    let facilitator = RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap();
    let setup = Setup::default().provider(Arc::new(provider));
    let server = setup
        .selling_by(Arc::new(facilitator), fake.sandbox.clone())
        .spawn();
    (server, router)
}

/// Waits until the models are asked: the payment is verified, and not settled.
async fn until_asked(router: &FakeRouter) {
    while router.log().in_flight() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn one_authorization_sent_to_two_shops_of_one_wallet_buys_once() {
    for version in [X402Version::V1, X402Version::V2] {
        let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
        let (slow, router) = slow_shop_of(&fake, Duration::from_secs(3));
        let shops = [slow, shop_of(&fake)];
        for shop in &shops {
            shop.service.shop.check_networks().await;
        }
        let buyers = shops.each_ref().map(Buyer::of);
        let payment = buyers[0].pay(Product::Scan, version);
        let order = small_purchase();
        // The first shop has verified it before the second one settles.
        let (first, second) = tokio::join!(buyers[0].send(SCAN, &payment, &order), async {
            until_asked(&router).await;
            buyers[1].send(SCAN, &payment, &order).await
        });
        let replies = [first, second];
        let sold = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(sold, 1, "{} {}", replies[0].text, replies[1].text);
        for (buyer, first) in buyers.iter().zip(&replies) {
            let again = buyer.send(SCAN, &payment, &order).await;
            assert_eq!(again.status, first.status, "{}", again.text);
            if again.status != 200 {
                assert_spent(first);
                assert_spent(&again);
            }
        }
        assert_eq!(
            (fake.sandbox.transfers().len(), shops.iter().map(receipts).sum()),
            (1, 1)
        );
    }
}

/// Sends a payment that a stranger carries out while the request to settle is on its way. Returns the answers to it and to the
/// same payment again, and the number of receipts.
async fn front_run(answers: &[Fault]) -> ([Reply; 2], usize) {
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let server = shop_of(&fake);
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    let carried_out = Arc::new(Barrier::new(2));
    fake.hold("/settle", &carried_out);
    for answer in answers {
        fake.fail("/settle", answer.clone());
    }
    let order = small_purchase();
    let (first, ()) = tokio::join!(buyer.send(SCAN, &payment, &order), async {
        while fake.requests("/settle").is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let body = payment.facilitator_body(&quote(Product::Scan));
        assert!(fake.sandbox.settle_as_stranger(&body).success);
        carried_out.wait();
    });
    let again = buyer.send(SCAN, &payment, &order).await;
    assert_eq!(fake.sandbox.transfers().len(), 1);
    ([first, again], receipts(&server))
}

#[tokio::test]
async fn a_transfer_after_the_payment_arrived_is_a_sale_whoever_sent_it() {
    // While the facilitator is asked: a stranger, or the facilitator, which tries again inside.
    let (replies, receipts_of_first) = front_run(&[]).await;
    for reply in replies {
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    assert_eq!(receipts_of_first, 1);
    // Before it is asked.
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let (server, router) = slow_shop_of(&fake, Duration::from_millis(500));
    server.service.shop.check_networks().await;
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let order = small_purchase();
    let (reply, ()) = tokio::join!(buyer.send(SCAN, &payment, &order), async {
        until_asked(&router).await;
        let body = payment.facilitator_body(&quote(Product::Scan));
        assert!(fake.sandbox.settle_as_stranger(&body).success);
    });
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!((fake.sandbox.transfers().len(), receipts(&server)), (1, 1));
}

#[tokio::test]
async fn a_transfer_before_the_payment_arrived_is_no_sale_and_nobody_signs_again() {
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let server = shop_of(&fake);
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let body = payment.facilitator_body(&quote(Product::Scan));
    assert!(fake.sandbox.settle_as_stranger(&body).success);
    for _ in 0..2 {
        assert_spent(&buyer.send(SCAN, &payment, &small_purchase()).await);
    }
    assert_eq!(receipts(&server), 0);
}

#[tokio::test]
async fn a_transfer_by_a_stranger_is_a_payment_once_a_transaction_of_ours_was_sent() {
    let reverted = json!({"success": false, "errorReason": "invalid_exact_evm_nonce_already_used",
        "transaction": format!("0x{}", "5e".repeat(32)), "network": "base-sepolia"});
    let reverted = Fault::Answer(200, reverted.to_string());
    // An answer that is lost may be one of a transaction.
    for answers in [
        &[reverted][..],
        &[Fault::HangUp],
        &[Fault::Answer(500, String::new())],
    ] {
        let (replies, receipts) = front_run(answers).await;
        for reply in replies {
            assert_eq!(reply.status, 200, "{answers:?}: {}", reply.text);
        }
        assert_eq!(receipts, 1, "{answers:?}");
    }
}

#[tokio::test]
async fn a_refused_payment_that_moves_later_is_a_sale() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 402, "{}", reply.text);
    assert!(
        facilitator
            .settle_body(&payment.facilitator_body(&quote(Product::Scan)))
            .success
    );
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(
        (
            facilitator.transfers().len(),
            server.store.recorded_since(0).unwrap().len()
        ),
        (1, 1)
    );
}

#[tokio::test]
async fn without_a_reader_a_refused_payment_whose_nonce_is_used_becomes_unknown() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let server = Setup::default().selling(facilitator.clone()).spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    assert_eq!(buyer.send(SCAN, &payment, &small_purchase()).await.status, 402);
    assert!(
        facilitator
            .settle_body(&payment.facilitator_body(&quote(Product::Scan)))
            .success
    );
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.code(), "settlement_unknown", "{}", reply.text);
    assert_eq!(
        reply.header("payment-required"),
        "",
        "no second payment is asked for"
    );
}

#[tokio::test]
async fn an_unknown_outcome_is_502_and_the_result_comes_later() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    for _ in 0..3 {
        facilitator.script_settle(Script::Fail(Outage::Timeout));
    }
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (502, "settlement_unknown".into()),
        "{}",
        reply.text
    );
    assert!(!reply.header("retry-after").is_empty());
    assert_eq!(reply.header("payment-required"), "");
    assert!(!reply.text.contains("result"), "nothing leaves unpaid");
    let again = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(
        (facilitator.calls().verify, facilitator.transfers().len()),
        (1, 1)
    );
}

#[tokio::test]
async fn a_pending_settlement_is_not_a_failure() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    facilitator.script_settle(Script::Pending);
    let reply = buyer
        .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(
        decoded(reply.header("payment-response"))["transaction"]
            .as_str()
            .unwrap()
            .starts_with("0x")
    );
}

#[tokio::test]
async fn a_refused_settlement_releases_nothing_and_the_same_payment_settles_later() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]),
        (402, &json!("insufficient_funds"))
    );
    assert_eq!(
        reply.header("x-payment-response"),
        reply.header("payment-response")
    );
    let told = decoded(reply.header("payment-response"));
    assert_eq!(
        (&told["success"], &told["errorReason"]),
        (&json!(false), &json!("insufficient_funds"))
    );
    assert!(reply.json().get("result").is_none(), "nothing leaves unpaid");
    let mut other = small_purchase();
    other["keyword"] = json!("roofer");
    assert_eq!(
        buyer.send(SCAN, &payment, &other).await.json()["error"],
        "duplicate_nonce"
    );
    let runs = facilitator.calls().verify;
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(
        (facilitator.calls().verify, facilitator.transfers().len()),
        (runs + 1, 1)
    );
    let states = server.store.books().unwrap().states;
    assert_eq!(states.iter().map(|(_, count)| count).sum::<u64>(), 1);
}

#[tokio::test]
async fn failed_work_is_never_settled_and_frees_the_payment() {
    let router = FakeRouter::spawn();
    ibid_tests::install_tls();
    router.on_model(
        "~openai/gpt-sol-latest",
        Answers::always(Answer::error(401, json!({}))),
    );
    let mut config = RouterConfig::new(router.base_url());
    config.retry.extra_attempts = 0;
    let facilitator = Arc::new(SandboxFacilitator::new());
    let provider = Arc::new(Router::new(&config).unwrap());
    let server = Setup::default()
        .provider(provider)
        .selling(facilitator.clone())
        .spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    // The operator's key is at fault, not the buyer's.
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (500, "provider_unavailable".into()),
        "{}",
        reply.text
    );
    assert_eq!(facilitator.calls().settle, 0);
    router.on_model(
        "~openai/gpt-sol-latest",
        Answers::always(Answer::text("1. **Example** is good")),
    );
    assert_eq!(buyer.send(SCAN, &payment, &small_purchase()).await.status, 200);
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn fifty_sends_of_a_failing_order_make_one_run() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    // Long enough for all to arrive on a busy machine: who comes after the end begins anew, and rightly so.
    facilitator.script_verify(Script::Delay(Duration::from_secs(2)));
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let order = small_purchase();
    let sends = (0..50).map(|_| buyer.send(SCAN, &payment, &order));
    for reply in futures_util::future::join_all(sends).await {
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]),
            (402, &json!("insufficient_funds"))
        );
    }
    assert_eq!((facilitator.calls().verify, facilitator.calls().settle), (1, 1));
}

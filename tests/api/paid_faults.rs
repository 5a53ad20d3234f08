//! Facilitators and models that fail, between a buyer and a result.

use crate::paid::{SCAN, decoded, shop};
use ibid_model::{Product, X402Version};
use ibid_provider::{Router, RouterConfig};
use ibid_tests::buyer::small_purchase;
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script as Answers};
use ibid_tests::{Buyer, Setup};
use ibid_x402::sandbox::Script;
use ibid_x402::{Outage, RemoteFacilitator, RemoteOptions, SandboxFacilitator};
use serde_json::json;
use std::sync::Arc;
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
async fn a_lost_answer_is_found_again() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::LoseAnswer);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    // The nonce is used, so it was ours; its transaction is unknown.
    assert_eq!(decoded(reply.header("payment-response"))["transaction"], "");
    assert_eq!(facilitator.transfers().len(), 1);
    let books = server.store.books().unwrap();
    assert_eq!((books.inferred, books.balance()), (1, true));
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

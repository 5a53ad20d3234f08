//! The buyer's own identifier of an order: a second payment buys nothing twice.

use crate::paid::{SCAN, decoded, shop};
use ibid_model::{Product, X402Version};
use ibid_tests::Buyer;
use ibid_tests::buyer::{draft, quote, small_purchase};
use ibid_x402::sandbox::{Script, SignedDraft, TestWallet};
use serde_json::{Value, json};
use std::time::Duration;

const ID: &str = "pay_7d5d747be160e280504c099d984bcfe0";

/// A fresh payment of the wallet, for the order with this identifier.
fn pay(payer: &TestWallet, id: &str) -> SignedDraft {
    identified(draft(&quote(Product::Scan), X402Version::V2).sign(payer), id)
}

/// As the reference client writes it: the declaration of the offer with the identifier in it.
fn identified(mut payment: SignedDraft, id: &str) -> SignedDraft {
    let extension = json!({"info": {"required": false, "id": id}, "schema": {"type": "object"}});
    payment.payload_mut()["extensions"] = json!({"payment-identifier": extension});
    payment
}

fn other_order() -> Value {
    json!({"domain": "example.org", "keyword": "plumber", "models": ["model-1-latest"], "questionsPerModel": 1})
}

#[tokio::test]
async fn two_payments_with_one_identifier_are_one_sale() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let offer = buyer.ask(SCAN, &small_purchase()).await;
    let declared = decoded(offer.header("payment-required"))["extensions"]["payment-identifier"].clone();
    assert_eq!(declared["info"], json!({"required": false}));
    let first = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let second = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!((second.status.as_u16(), &second.text), (200, &first.text));
    assert_eq!(
        second.header("payment-response"),
        first.header("payment-response")
    );
    assert_eq!(
        (facilitator.transfers().len(), facilitator.calls().verify),
        (1, 1)
    );
    // The identifier of another wallet is another order.
    let neighbour = Buyer::with(&server.url, TestWallet::other());
    let reply = neighbour
        .send(SCAN, &pay(&neighbour.wallet, ID), &small_purchase())
        .await;
    assert_eq!((reply.status.as_u16(), facilitator.transfers().len()), (200, 2));
    assert_ne!(reply.text, first.text);
}

#[tokio::test]
async fn two_payments_with_one_identifier_at_once_are_one_sale() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    facilitator.script_settle(Script::Delay(Duration::from_millis(300)));
    let order = small_purchase();
    let payments: Vec<_> = (0..8).map(|_| pay(&buyer.wallet, ID)).collect();
    let sends = payments.iter().map(|payment| buyer.send(SCAN, payment, &order));
    let replies = futures_util::future::join_all(sends).await;
    for reply in &replies {
        assert_eq!(
            (reply.status.as_u16(), &reply.text),
            (200, &replies[0].text),
            "one result for all"
        );
    }
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn of_two_orders_with_one_identifier_at_once_one_conflicts() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    facilitator.script_verify(Script::Delay(Duration::from_millis(300)));
    let payments = [pay(&buyer.wallet, ID), pay(&buyer.wallet, ID)];
    let orders = [small_purchase(), other_order()];
    let sends = payments.iter().zip(&orders);
    let sends = sends.map(|(payment, order)| buyer.send(SCAN, payment, order));
    let replies = futures_util::future::join_all(sends).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", replies[0].text, replies[1].text);
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn one_identifier_does_not_buy_two_orders() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let first = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let reply = buyer.send(SCAN, &pay(&buyer.wallet, ID), &other_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (409, "payment_identifier_used".into()),
        "{}",
        reply.text
    );
    assert_eq!(reply.header("payment-required"), "", "no new offer");
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn an_order_that_came_to_nothing_loses_its_identifier() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    facilitator.script_verify(Script::Refuse("insufficient_funds".to_owned()));
    let reply = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!(reply.status, 402, "{}", reply.text);
    let reply = buyer.send(SCAN, &pay(&buyer.wallet, ID), &other_order()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn an_unknown_settlement_is_continued_by_another_payment_with_the_identifier() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for _ in 0..3 {
        facilitator.script_settle(Script::Fail(ibid_x402::Outage::Timeout));
    }
    let reply = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!(reply.code(), "settlement_unknown", "{}", reply.text);
    let reply = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(facilitator.transfers().len(), 1, "the first payment was settled");
}

#[tokio::test]
async fn a_forger_who_knows_the_identifier_gets_nothing() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let first = buyer.send(SCAN, &pay(&buyer.wallet, ID), &small_purchase()).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let forged =
        draft(&quote(Product::Scan), X402Version::V2).sign_for(buyer.wallet.address(), &TestWallet::empty());
    let reply = buyer.send(SCAN, &identified(forged, ID), &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]),
        (402, &json!("invalid_signature"))
    );
    assert_eq!(facilitator.transfers().len(), 1);
}

#[tokio::test]
async fn a_malformed_identifier_is_a_bad_request() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for id in ["short", "sixteen characters long", &"a".repeat(129)] {
        let reply = buyer.send(SCAN, &pay(&buyer.wallet, id), &small_purchase()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (400, "malformed_payment".into()),
            "{id}"
        );
    }
    assert_eq!(facilitator.calls().verify, 0);
}

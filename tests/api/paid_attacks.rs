//! Attacks and faults of buyers. None of them gets a result that was not paid for.

use crate::paid::{SCAN, decoded, shop};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ibid_model::{Asset, Network, Product, X402Version};
use ibid_tests::buyer::{draft, quote, small_purchase};
use ibid_tests::{Buyer, Reply};
use ibid_x402::SandboxFacilitator;
use ibid_x402::sandbox::{Draft, SignedDraft, TestWallet};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const BOTH: [X402Version; 2] = [X402Version::V1, X402Version::V2];

/// Sends payments of both versions that were changed before they were signed; they are refused with this code.
async fn refused(change: impl Fn(&mut Draft), code: &str) -> Arc<SandboxFacilitator> {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for version in BOTH {
        let mut draft = draft(&quote(Product::Scan), version);
        change(&mut draft);
        let reply = buyer
            .send(SCAN, &draft.sign(&buyer.wallet), &small_purchase())
            .await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]),
            (402, &json!(code)),
            "{version:?}"
        );
        assert_eq!(decoded(reply.header("payment-required"))["error"], code);
    }
    facilitator
}

/// No facilitator is asked.
async fn check(change: impl Fn(&mut Draft), code: &str) {
    let facilitator = refused(change, code).await;
    assert_eq!(facilitator.calls(), ibid_x402::sandbox::Calls::default());
}

#[tokio::test]
async fn another_amount_recipient_or_time_is_refused_without_a_facilitator_call() {
    let now = Timestamp::now().as_second();
    check(|draft| draft.value = "150001".to_owned(), "invalid_amount").await;
    check(|draft| draft.value = "149999".to_owned(), "invalid_amount").await;
    check(
        |draft| draft.value = format!("{}", u128::from(u64::MAX) + 150_001),
        "invalid_amount",
    )
    .await;
    check(
        |draft| draft.to = TestWallet::other().address(),
        "recipient_mismatch",
    )
    .await;
    check(
        |draft| draft.valid_before = (now - 1).to_string(),
        "payment_expired",
    )
    .await;
    check(
        |draft| draft.valid_before = (now + 60).to_string(),
        "payment_expired",
    )
    .await;
    check(
        |draft| draft.valid_after = (now + 120).to_string(),
        "payment_not_yet_valid",
    )
    .await;
    check(
        |draft| draft.valid_before = (now + 86_400).to_string(),
        "payment_valid_too_long",
    )
    .await;
}

/// Only the facilitator can tell: the signature fits another domain.
async fn check_signature(change: impl Fn(&mut Draft)) {
    let facilitator = refused(change, "invalid_signature").await;
    assert_eq!(
        (facilitator.calls().settle, facilitator.transfers().len()),
        (0, 0)
    );
}

#[tokio::test]
async fn a_signature_for_another_token_chain_or_name_is_refused() {
    check_signature(|draft| draft.network = Network::Base).await;
    check_signature(|draft| draft.asset.name = "USD Coin".to_owned()).await;
    check_signature(|draft| draft.asset.contract = Asset::usdc(Network::Base).contract).await;
}

#[tokio::test]
async fn an_offer_that_was_not_made_is_refused() {
    let (server, _) = shop();
    let buyer = Buyer::of(&server);
    let forged = |version, path: &[&str], value: Value| {
        let mut payment = buyer.pay(Product::Scan, version);
        let mut place = payment.payload_mut();
        for name in path {
            place = &mut place[*name];
        }
        *place = value;
        payment
    };
    let cases = [
        (
            forged(X402Version::V1, &["network"], json!("base")),
            "network_mismatch",
        ),
        (
            forged(X402Version::V1, &["scheme"], json!("upto")),
            "unsupported_scheme",
        ),
        (
            forged(X402Version::V2, &["accepted", "network"], json!("eip155:8453")),
            "network_mismatch",
        ),
        (
            forged(X402Version::V2, &["accepted", "amount"], json!("1")),
            "offer_mismatch",
        ),
        (
            forged(
                X402Version::V2,
                &["accepted", "payTo"],
                json!(TestWallet::other().address()),
            ),
            "offer_mismatch",
        ),
        (
            forged(
                X402Version::V2,
                &["accepted", "asset"],
                json!(TestWallet::other().address()),
            ),
            "offer_mismatch",
        ),
    ];
    for (payment, code) in cases {
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]),
            (402, &json!(code))
        );
    }
}

/// The order of the curve, for the other signature of the same message.
const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xba,
    0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// The signature with `s` and `v` changed by `change`.
fn resigned(payment: &mut SignedDraft, change: impl Fn(&mut [u8])) {
    let text = payment.payload()["payload"]["signature"].as_str().unwrap()[2..].to_owned();
    let mut bytes: Vec<u8> = (0..65)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    change(&mut bytes);
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    payment.payload_mut()["payload"]["signature"] = json!(format!("0x{text}"));
}

fn high_s(bytes: &mut [u8]) {
    let mut borrow = 0_i32;
    for at in (0..32).rev() {
        let digit = i32::from(ORDER[at]) - i32::from(bytes[32 + at]) - borrow;
        borrow = i32::from(digit < 0);
        bytes[32 + at] = u8::try_from(digit + 256 * borrow).unwrap();
    }
    bytes[64] = 55 - bytes[64];
}

#[tokio::test]
async fn signatures_that_the_token_refuses_are_refused_before() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for version in BOTH {
        for change in [
            high_s as fn(&mut [u8]),
            |bytes| bytes[64] -= 27,
            |bytes| bytes[64] = 29,
        ] {
            let mut payment = buyer.pay(Product::Scan, version);
            resigned(&mut payment, change);
            let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
            assert_eq!(
                (reply.status.as_u16(), &reply.json()["error"]),
                (402, &json!("invalid_signature"))
            );
        }
    }
    assert_eq!(facilitator.calls().verify, 0);
}

#[tokio::test]
async fn a_payment_for_one_thing_does_not_buy_another() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let radius = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    for (version, code) in [
        (X402Version::V1, "invalid_amount"),
        (X402Version::V2, "offer_mismatch"),
    ] {
        for (path, body) in [
            ("/api/a2a/radius", &radius),
            ("/api/a2a/full", &radius),
            ("/api/a2a/my-receipts", &json!({})),
        ] {
            let reply = buyer.buy(path, Product::Scan, version, body).await;
            assert_eq!(
                (reply.status.as_u16(), &reply.json()["error"]),
                (402, &json!(code)),
                "{path}"
            );
        }
        let reply = buyer.send(SCAN, &buyer.prove(version), &small_purchase()).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]),
            (402, &json!(code))
        );
    }
    assert_eq!(facilitator.calls().verify, 0);
}

#[tokio::test]
async fn a_header_written_differently_is_the_same_payment() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let first = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(first.status, 200);
    let mut shouted = payment.clone();
    let payer = shouted.payload()["payload"]["authorization"]["from"]
        .as_str()
        .unwrap()
        .to_owned();
    let payer = format!("0x{}", payer[2..].to_uppercase());
    shouted.payload_mut()["payload"]["authorization"]["from"] = json!(payer);
    shouted.payload_mut()["unknown"] = json!("member");
    let spaced = serde_json::to_string_pretty(payment.payload()).unwrap();
    for header in [
        shouted.header(),
        STANDARD.encode(&spaced),
        STANDARD_NO_PAD.encode(&spaced),
    ] {
        let request = buyer.bare(Method::POST, SCAN).header("PAYMENT-SIGNATURE", header);
        let reply = Reply::of(request.json(&small_purchase())).await;
        assert_eq!((reply.status.as_u16(), &reply.text), (200, &first.text));
    }
    assert_eq!(
        (facilitator.calls().settle, facilitator.transfers().len()),
        (1, 1)
    );
}

#[tokio::test]
async fn a_malformed_payment_is_a_bad_request() {
    let (server, _) = shop();
    let buyer = Buyer::of(&server);
    let (v1, v2) = (
        buyer.pay(Product::Scan, X402Version::V1),
        buyer.pay(Product::Scan, X402Version::V2),
    );
    let text = serde_json::to_string(v1.payload()).unwrap();
    let doubled = text.replacen(r#""value""#, r#""value":"1","value""#, 1);
    assert_ne!(doubled, text);
    let encoded = |text: &str| STANDARD.encode(text);
    for (name, value) in [
        ("X-Payment", "!".to_owned()),
        ("X-Payment", String::new()),
        ("X-Payment", encoded("[]")),
        ("X-Payment", encoded(&doubled)),
        ("X-Payment", v2.header()),
        ("PAYMENT-SIGNATURE", v1.header()),
        ("X-Payment", "A".repeat(65_536)),
    ] {
        let request = buyer
            .bare(Method::POST, SCAN)
            .header(name, value.clone())
            .json(&small_purchase());
        let reply = Reply::of(request).await;
        assert_eq!(reply.status, 400, "{name} {:.60}", value);
        assert_eq!(
            (reply.code(), reply.header("content-type")),
            ("malformed_payment".into(), "application/problem+json")
        );
    }
    let two = buyer
        .request(SCAN, &v1, &small_purchase())
        .header(v2.header_name(), v2.header());
    let reply = Reply::of(two).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "malformed_payment".into())
    );
    let twice = buyer
        .request(SCAN, &v1, &small_purchase())
        .header(v1.header_name(), v1.header());
    assert_eq!(Reply::of(twice).await.status, 400);
}

#[tokio::test]
async fn a_forger_cannot_spoil_a_payment() {
    let (server, _) = shop();
    let buyer = Buyer::of(&server);
    let draft = draft(&quote(Product::Scan), X402Version::V2);
    // The same nonce and payer, signed by another wallet, first.
    let forged = draft.sign_for(buyer.wallet.address(), &TestWallet::other());
    let reply = buyer.send(SCAN, &forged, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]),
        (402, &json!("invalid_signature"))
    );
    let genuine = draft.sign(&buyer.wallet);
    assert_eq!(buyer.send(SCAN, &genuine, &small_purchase()).await.status, 200);
    // And afterwards: what is public on the chain does not fetch the result.
    let reply = buyer.send(SCAN, &forged, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]),
        (402, &json!("duplicate_nonce"))
    );
}

#[tokio::test]
async fn a_buyer_without_money_gets_nothing_and_may_try_again() {
    let (server, facilitator) = shop();
    let mut buyer = Buyer::of(&server);
    buyer.wallet = TestWallet::empty();
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]),
        (402, &json!("insufficient_funds"))
    );
    facilitator.fund(buyer.wallet.address(), Product::Scan.price());
    assert_eq!(buyer.send(SCAN, &payment, &small_purchase()).await.status, 200);
}

#[tokio::test]
async fn faults_of_the_order_come_before_the_money() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let reply = buyer.ask(SCAN, &json!({"domain": "example.com"})).await;
    assert_eq!(
        (reply.status.as_u16(), reply.faults()),
        (400, vec!["/keyword: required".to_owned()])
    );
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2, 3, 4, 5],
                      "keywordsPerRing": 10});
    let reply = buyer
        .buy("/api/a2a/radius", Product::Radius, X402Version::V1, &body)
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "plan_too_expensive".into()),
        "{}",
        reply.text
    );
    assert!(
        reply.json()["estimatedCostUsd"].as_f64().unwrap() > reply.json()["mostCostUsd"].as_f64().unwrap()
    );
    assert_eq!(facilitator.calls().verify, 0);
    // Crawlers send nothing and learn the price.
    for path in ["scan", "watch", "radius", "audit", "full", "my-receipts"] {
        let path = format!("/api/a2a/{path}");
        assert_eq!(
            Reply::of(buyer.bare(Method::POST, &path)).await.status,
            402,
            "{path}"
        );
        assert_eq!(buyer.ask(&path, &json!({})).await.status, 402, "{path}");
    }
}

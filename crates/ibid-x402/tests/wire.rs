//! Wire formats, compared with recordings of public clients and pinned offers.

#![expect(clippy::unwrap_used, reason = "helpers of a test may stop it")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_model::{Asset, Network, Product, Skill};
use ibid_x402::{
    Discovery, Listing, MAX_OFFER_HEADER, Payment, PriceQuote, Proof, Rules, Signer, SignerRule, Terms,
};
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/x402")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

fn terms() -> Arc<Terms> {
    let network = Network::BaseSepolia;
    let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
    Arc::new(Terms::new(
        network,
        Asset::usdc(network),
        pay_to,
        NonZeroU32::new(600).unwrap(),
    ))
}

fn listing(description: &'static str) -> Listing {
    Listing::new("http://127.0.0.1:8099/api/a2a/scan".parse().unwrap(), description)
}

fn discovery(fields: usize) -> Discovery {
    let properties: serde_json::Map<String, Value> = (0..fields)
        .map(|n| (format!("field{n}"), json!({"type": "string", "maxLength": n})))
        .collect();
    let body = json!({"type": "object", "properties": properties});
    Discovery::post_json(body, json!({"field0": ""}), json!({"scanId": ""}))
}

fn scan() -> PriceQuote {
    PriceQuote::sale(
        Product::Scan,
        terms(),
        Arc::new(listing("AI citation scan").discoverable(discovery(1))),
    )
}

fn decoded(header: &str) -> Value {
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// Reads what a public client sent in answer to our offer, in the moment it was sent.
#[track_caller]
fn check_client(fixture_name: &str) {
    let header = fixture(fixture_name);
    let header = Some(header.trim_end().as_bytes());
    let payment = if fixture_name.starts_with("v1/") {
        Payment::from_headers(header, None)
    } else {
        Payment::from_headers(None, header)
    };
    let matched = payment
        .unwrap()
        .unwrap()
        .matching(&scan(), SignerRule::KeyHoldersOnly)
        .unwrap();
    assert_eq!(matched.signer(), Signer::KeyHolder);
    assert_eq!(
        matched.key().payer.to_string(),
        "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
    );
    let sent = "2026-11-21T10:38:55Z".parse().unwrap();
    matched.in_time(sent, Rules::default()).unwrap();
}

#[test]
fn public_clients_are_understood() {
    check_client("v1/x402_fetch_1_2_0.header");
    check_client("v1/python_1_0_0.header");
    check_client("v2/x402_fetch_2_27_0.header");
    check_client("v2/python_2_25_0.header");
}

#[test]
fn offers_are_pinned() {
    let body = serde_json::to_value(scan().body("payment_required")).unwrap();
    assert_eq!(
        body,
        serde_json::from_str::<Value>(&fixture("v1/offer_scan.json")).unwrap()
    );
    let header = decoded(&scan().header("payment_required"));
    assert_eq!(
        header,
        serde_json::from_str::<Value>(&fixture("v2/offer_scan.json")).unwrap()
    );
}

#[test]
fn no_offer_holds_a_null() {
    fn nulls(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(items) => items.iter().any(nulls),
            Value::Object(members) => members.values().any(nulls),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }
    let plain = Arc::new(listing(""));
    for product in Product::ALL {
        let quote = PriceQuote::sale(product, terms(), plain.clone());
        assert!(!nulls(&json!(quote.body("payment_required"))));
        assert!(!nulls(&decoded(&quote.header("payment_required"))));
    }
}

#[test]
fn amounts_are_those_of_the_price_list() {
    let plain = Arc::new(listing(""));
    let amounts = Product::ALL.map(|product| {
        let quote = PriceQuote::sale(product, terms(), plain.clone());
        assert_eq!(quote.v1().max_amount_required, quote.v2().amount);
        quote.v2().amount
    });
    assert_eq!(amounts, ["150000", "500000", "20000", "600000"]);
    let proof: PriceQuote<Proof> = PriceQuote::proof(terms(), plain);
    assert_eq!(proof.v1().max_amount_required, "1");
    assert_eq!(proof.price(), Skill::MyReceipts.price());
}

#[test]
fn an_offer_fits_into_a_header() {
    let fits = PriceQuote::sale(
        Product::Scan,
        terms(),
        Arc::new(listing("").discoverable(discovery(20))),
    );
    assert!(decoded(&fits.header("x"))["extensions"]["bazaar"].is_object());
    let large = PriceQuote::sale(
        Product::Scan,
        terms(),
        Arc::new(listing("").discoverable(discovery(200))),
    );
    let header = large.header("payment_required");
    assert!(header.len() <= MAX_OFFER_HEADER);
    // The description for catalogues is left out; what a buyer needs stays.
    assert!(decoded(&header)["extensions"].get("bazaar").is_none());
    assert!(decoded(&header)["extensions"]["payment-identifier"].is_object());
    assert_eq!(decoded(&header)["accepts"][0]["amount"], "150000");
}

#[test]
fn a_long_description_is_cut_between_letters() {
    let words: &'static str = "ü".repeat(300).leak();
    let quote = PriceQuote::sale(Product::Scan, terms(), Arc::new(listing(words)));
    assert_eq!(quote.v1().description.chars().count(), 200);
}

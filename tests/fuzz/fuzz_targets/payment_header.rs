//! Any bytes as a payment: read, matched, judged, and asked of the sandbox, without a panic.
//!
//! A forwarded payment must be JSON and hold the buyer's letters; an accepted one must pay exactly the price.
#![no_main]

use ibid_model::{Asset, Network, Product};
use ibid_x402::{Listing, Payment, PriceQuote, Rules, SandboxFacilitator, SignerRule, Terms};
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

static QUOTE: LazyLock<PriceQuote> = LazyLock::new(|| {
    let network = Network::BaseSepolia;
    let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
    let terms = Terms::new(
        network,
        Asset::usdc(network),
        pay_to,
        NonZeroU32::new(600).unwrap(),
    );
    let listing = Listing::new(
        "http://127.0.0.1:8099/api/a2a/scan".parse().unwrap(),
        "AI citation scan",
    );
    PriceQuote::sale(Product::Scan, Arc::new(terms), Arc::new(listing))
});
static SANDBOX: LazyLock<SandboxFacilitator> = LazyLock::new(SandboxFacilitator::new);

fuzz_target!(|bytes: &[u8]| {
    let _ = Payment::from_headers(Some(bytes), None);
    let _ = Payment::from_headers(None, Some(bytes));
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let _ = SANDBOX.verify_body(text);
    let Ok(payment) = Payment::from_json(text) else {
        return;
    };
    let body = format!(
        r#"{{"x402Version":{},"paymentPayload":{},"paymentRequirements":{}}}"#,
        payment.version().number(),
        text,
        serde_json::to_string(&QUOTE.v1()).unwrap(),
    );
    let verdict = SANDBOX.verify_body(&body);
    assert!(!verdict.is_valid || text.contains("150000"));
    let Ok(matched) = payment.matching(&QUOTE, SignerRule::AnySigner) else {
        return;
    };
    assert_eq!(matched.amount(), QUOTE.price());
    let _ = matched.in_time(Timestamp::from_second(1_795_257_600).unwrap(), Rules::default());
});

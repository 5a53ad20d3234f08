//! Attempts of thieves and broken clients that can be refused without a facilitator.

mod attacks;
mod properties;
mod reading;

use super::*;
use crate::error::PaymentError;
use crate::quote::{Listing, Proof, Terms};
use crate::sandbox::{Draft, SignedDraft, TestWallet};
use ibid_model::{Asset, Network, Nonce};
use std::num::NonZeroU32;
use std::sync::Arc;

const NOW: i64 = 1_800_000_000;
const BOTH: [X402Version; 2] = [X402Version::V1, X402Version::V2];

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

fn terms() -> Arc<Terms> {
    let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
    let network = Network::BaseSepolia;
    Arc::new(Terms::new(
        network,
        Asset::usdc(network),
        pay_to,
        NonZeroU32::new(600).unwrap(),
    ))
}

fn listing() -> Arc<Listing> {
    Arc::new(Listing::new(
        "https://ibid.example/api/a2a/scan".parse().unwrap(),
        "AI citation scan",
    ))
}

fn quote(product: Product) -> PriceQuote {
    PriceQuote::sale(product, terms(), listing())
}

fn proof() -> PriceQuote<Proof> {
    PriceQuote::proof(terms(), listing())
}

fn draft<P>(quote: &PriceQuote<P>, version: X402Version) -> Draft {
    Draft::of(quote, version, now(), Nonce::from_bytes([7; 32]))
}

fn read(signed: &SignedDraft) -> Result<Payment, PaymentError> {
    let header = signed.header();
    let header = Some(header.as_bytes());
    let payment = if signed.header_name() == crate::X_PAYMENT {
        Payment::from_headers(header, None)
    } else {
        Payment::from_headers(None, header)
    };
    payment.map(|payment| payment.expect("a header was sent"))
}

fn judge<P: Copy>(quote: &PriceQuote<P>, signed: &SignedDraft) -> Result<Checked<P>, Refusal> {
    read(signed).unwrap().check(quote, now(), Rules::default())
}

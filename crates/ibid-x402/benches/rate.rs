//! Payment headers checked in a second of CPU, to compare with `viem/rate.mjs` in the same run.
//!
//! `cargo bench -p ibid-x402 --bench rate && (cd crates/ibid-x402/benches/viem && npm install && node rate.mjs)`
//!
//! CPU time, because the machine may have other things to do. Linux only: it reads `/proc/self/schedstat`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints and fails loudly"
)]

use ibid_model::{Asset, Network, Nonce, Product, X402Version};
use ibid_x402::sandbox::{Draft, TestWallet};
use ibid_x402::{Listing, Payment, PriceQuote, Rules, Signer, SignerRule, Terms};
use jiff::Timestamp;
use std::num::NonZeroU32;
use std::sync::Arc;

const WARM_UP: usize = 200;
const HEADERS: u16 = 20_000;

fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (quote, now) = (quote(), Timestamp::from_second(1_800_000_000).unwrap());
    let payer = TestWallet::rich();
    let header = |number: u16| {
        let mut nonce = [0; 32];
        nonce[..2].copy_from_slice(&number.to_be_bytes());
        Draft::of(&quote, X402Version::V1, now, Nonce::from_bytes(nonce))
            .sign(&payer)
            .header()
    };
    let headers: Vec<String> = (0..HEADERS).map(header).collect();
    let check = |header: &String| {
        let payment = Payment::from_headers(Some(header.as_bytes()), None)
            .unwrap()
            .unwrap();
        let matched = payment.matching(&quote, SignerRule::AnySigner).unwrap();
        assert_eq!(matched.signer(), Signer::KeyHolder);
        assert!(matched.in_time(now, Rules::default()).is_ok());
    };
    headers.iter().take(WARM_UP).for_each(check);
    let before = cpu_seconds();
    headers.iter().for_each(check);
    let seconds = cpu_seconds() - before;
    println!(
        "ibid: {HEADERS} checks in {seconds:.3} s of CPU, {:.0} a second",
        f64::from(HEADERS) / seconds
    );
}

fn quote() -> PriceQuote {
    let network = Network::BaseSepolia;
    let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
    let timeout = NonZeroU32::new(600).unwrap();
    let terms = Terms::new(network, Asset::usdc(network), pay_to, timeout);
    let resource = "http://127.0.0.1:8080/api/a2a/scan".parse().unwrap();
    PriceQuote::sale(
        Product::Scan,
        Arc::new(terms),
        Arc::new(Listing::new(resource, "AI citation scan")),
    )
}

/// Seconds that this thread has spent on a CPU.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds: f64 = stat.split(' ').next().unwrap().parse().unwrap();
    nanoseconds / 1e9
}

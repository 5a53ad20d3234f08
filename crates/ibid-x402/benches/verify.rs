//! From a payment header to the local verdict: base64, JSON, offer, time, EIP-712 hash, key recovery.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up stops")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ibid_model::{Asset, Network, Nonce, Product, X402Version};
use ibid_x402::sandbox::{Draft, TestWallet};
use ibid_x402::{Listing, Payment, PriceQuote, Rules, Signer, SignerRule, Terms};
use jiff::Timestamp;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;

const HEADERS: u8 = 200;

fn quote() -> PriceQuote {
    let network = Network::BaseSepolia;
    let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
    let terms = Terms::new(
        network,
        Asset::usdc(network),
        pay_to,
        NonZeroU32::new(600).unwrap(),
    );
    let resource = "http://127.0.0.1:8080/api/a2a/scan".parse().unwrap();
    PriceQuote::sale(
        Product::Scan,
        Arc::new(terms),
        Arc::new(Listing::new(resource, "AI citation scan")),
    )
}

fn verify(criterion: &mut Criterion) {
    let (quote, now, payer) = (
        quote(),
        Timestamp::from_second(1_800_000_000).unwrap(),
        TestWallet::rich(),
    );
    let mut group = criterion.benchmark_group("verify");
    group.throughput(Throughput::Elements(u64::from(HEADERS)));
    for (name, version) in [("v1", X402Version::V1), ("v2", X402Version::V2)] {
        let headers: Vec<String> = (0..HEADERS)
            .map(|nonce| {
                Draft::of(&quote, version, now, Nonce::from_bytes([nonce; 32]))
                    .sign(&payer)
                    .header()
            })
            .collect();
        let check = |header: &String| {
            let (v1, v2) = match version {
                X402Version::V1 => (Some(header.as_bytes()), None),
                X402Version::V2 => (None, Some(header.as_bytes())),
            };
            let payment = Payment::from_headers(v1, v2).unwrap().unwrap();
            let matched = payment.matching(&quote, SignerRule::AnySigner).unwrap();
            assert_eq!(matched.signer(), Signer::KeyHolder);
            black_box(matched.in_time(now, Rules::default()).unwrap());
        };
        group.bench_function(name, |bencher| bencher.iter(|| headers.iter().for_each(check)));
    }
    group.finish();
}

criterion_group!(benches, verify);
criterion_main!(benches);

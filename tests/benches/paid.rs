//! The time that a payment adds to a scan, beyond the facilitator's own.
//!
//! `cargo bench -p ibid-tests --bench paid`
//!
//! One server with a database on disk and a facilitator behind HTTP with a fixed latency. A paid scan and a plain scan
//! of the same plan alternate, one at a time. The time that verify and settle take, as the server sees it, is
//! taken off the paid one. docs/PERFORMANCE.md has what was measured.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and fails loudly"
)]

use ibid_model::{Product, X402Version};
use ibid_store::Store;
use ibid_tests::fake_facilitator::FakeFacilitator;
use ibid_tests::{ApiClient, Buyer, Setup};
use ibid_x402::{
    Facilitator, FacilitatorFuture, FacilitatorRequest, PaymentVerdict, RemoteFacilitator, RemoteOptions,
    SandboxFacilitator, SettleVerdict, Supported,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const LATENCY: Duration = Duration::from_millis(20);
const WARM_UP: usize = 20;
const ROUNDS: usize = 300;

/// Counts the time that calls take.
struct Timed {
    inner: RemoteFacilitator,
    spent: AtomicU64,
}

impl Timed {
    async fn time<T>(&self, call: impl Future<Output = T>) -> T {
        let begun = Instant::now();
        let done = call.await;
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap();
        self.spent.fetch_add(micros, Ordering::SeqCst);
        done
    }
}

impl Facilitator for Timed {
    fn verify<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, PaymentVerdict> {
        Box::pin(self.time(self.inner.verify(request)))
    }

    fn settle<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, SettleVerdict> {
        Box::pin(self.time(self.inner.settle(request)))
    }

    fn supported(&self) -> FacilitatorFuture<'_, Supported> {
        self.inner.supported()
    }
}

fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    ibid_tests::install_tls();
    tokio::runtime::Runtime::new().unwrap().block_on(measure());
}

async fn measure() {
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    fake.slow_down(LATENCY);
    let timed = Arc::new(Timed {
        inner: RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap(),
        spent: AtomicU64::new(0),
    });
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::in_file(&folder.path().join("ibid.db")).unwrap());
    let server = Setup::default().store(store).selling(timed.clone()).spawn();
    let (client, buyer) = (ApiClient::of(&server), Buyer::of(&server));
    let order = json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"],
                       "questionsPerModel": 3, "rings": []});
    let (mut plain, mut paid, mut beyond, mut calls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..WARM_UP + ROUNDS {
        let begun = Instant::now();
        let reply = client.scan(&order).await;
        let of_plain = begun.elapsed();
        assert_eq!(reply.status, 200, "{}", reply.text);
        let payment = buyer.pay(Product::Scan, X402Version::V2);
        timed.spent.store(0, Ordering::SeqCst);
        let begun = Instant::now();
        let reply = buyer.send("/api/a2a/scan", &payment, &order).await;
        let of_paid = begun.elapsed();
        assert_eq!(reply.status, 200, "{}", reply.text);
        let in_calls = Duration::from_micros(timed.spent.load(Ordering::SeqCst));
        if round >= WARM_UP {
            plain.push(of_plain);
            paid.push(of_paid);
            calls.push(in_calls);
            beyond.push(of_paid.saturating_sub(in_calls));
        }
    }
    let (plain, beyond) = (
        show("plain scan", plain),
        show("paid scan less facilitator", beyond),
    );
    show("paid scan", paid);
    show("verify and settle", calls);
    for (name, index) in [("p50", 0), ("p90", 1), ("p99", 2)] {
        println!("paying adds at {name}: {:.2} ms", beyond[index] - plain[index]);
    }
}

/// Prints and returns the quantiles, in milliseconds.
fn show(name: &str, mut times: Vec<Duration>) -> [f64; 3] {
    times.sort_unstable();
    let at = |p: f64| times[((times.len() - 1) as f64 * p).round() as usize].as_secs_f64() * 1_000.0;
    let quantiles = [at(0.5), at(0.9), at(0.99)];
    println!(
        "{name:<28} p50 {:6.2}  p90 {:6.2}  p99 {:6.2} ms",
        quantiles[0], quantiles[1], quantiles[2]
    );
    quantiles
}

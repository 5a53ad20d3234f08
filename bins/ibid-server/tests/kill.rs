//! The real program, killed without warning in the middle of a sale, and started again.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod program;

use ibid_model::{Product, X402Version};
use ibid_tests::buyer::small_purchase;
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::{Database, Reply};
use ibid_x402::SandboxFacilitator;
use program::{Program, ledger, until};
use std::sync::Arc;
use std::time::Duration;

/// Kills the program during the last of the faults, each at a path of the facilitator or of the node.
async fn check(faults: &[(&str, Fault)]) {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    for (path, fault) in faults {
        fake.fail(path, fault.clone());
    }
    let (last, _) = faults.last().unwrap();
    let program = Program::start(&database, &fake, Duration::ZERO).await;
    let buyer = program.buyer();
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let first = tokio::task::LocalSet::new();
    let request = buyer.request("/api/a2a/scan", &payment, &small_purchase());
    first.spawn_local(async move { request.send().await.is_ok() });
    let asked = until("the facilitator is asked", async || {
        !fake.requests(last).is_empty()
    });
    first.run_until(asked).await;
    drop(program);
    let program = Program::start(&database, &fake, Duration::ZERO).await;
    let buyer = program.buyer();
    let reply = Reply::of(buyer.request("/api/a2a/scan", &payment, &small_purchase())).await;
    assert_eq!(reply.status, 200, "{faults:?}: {}", reply.text);
    assert_eq!(fake.sandbox.transfers().len(), 1, "{faults:?}");
    let again = Reply::of(buyer.request("/api/a2a/scan", &payment, &small_purchase())).await;
    assert_eq!((again.status, again.text), (reply.status, reply.text));
    drop(program);
    let text = ledger(&database);
    assert!(text.contains("settled    0.15"), "{text}");
}

#[tokio::test]
async fn a_killed_program_sells_once_and_delivers_after_it_is_started_again() {
    // A payment stays with a silent process for ten seconds, so the three wait together.
    tokio::join!(
        check(&[("/verify", Fault::Hang)]),
        check(&[("/settle", Fault::Hang)]),
        check(&[("/settle", Fault::LoseAnswer), ("/rpc", Fault::Hang)]),
    );
}

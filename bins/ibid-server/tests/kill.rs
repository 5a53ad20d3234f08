//! The real program, killed without warning in the middle of a sale, and started again.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use ibid_model::{Product, X402Version};
use ibid_tests::Method;
use ibid_tests::buyer::small_purchase;
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::{Buyer, Reply};
use ibid_x402::SandboxFacilitator;
use ibid_x402::sandbox::TestWallet;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The program, killed on drop.
struct Program {
    child: Child,
    url: String,
}

impl Program {
    /// Starts it on a free port and a database file, with the facilitator at `base`.
    async fn start(database: &Path, base: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
            .args(["--sandbox", "--no-demo"])
            .env("BIND", format!("127.0.0.1:{port}"))
            .env("DATABASE_URL", format!("sqlite:{}", database.display()))
            .env("FACILITATOR_URL", base)
            .env("LOG", "warn")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let program = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
        };
        let buyer = Buyer::with(&program.url, TestWallet::rich());
        let start = Instant::now();
        while buyer.bare(Method::GET, "/healthz").send().await.is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "the program starts");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        program
    }

    /// SIGKILL: nothing is flushed, nothing is drained.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills the program when the facilitator has been asked at `path` as often as there are faults.
async fn check(path: &str, faults: &[Fault]) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("ibid.db");
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    for fault in faults {
        fake.fail(path, fault.clone());
    }
    let program = Program::start(&database, fake.base_url().as_str()).await;
    let buyer = Buyer::with(&program.url, TestWallet::rich());
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let first = tokio::task::LocalSet::new();
    let request = buyer.request("/api/a2a/scan", &payment, &small_purchase());
    first.spawn_local(async move { request.send().await.is_ok() });
    first
        .run_until(async {
            let start = Instant::now();
            while fake.requests(path).len() < faults.len() {
                assert!(
                    start.elapsed() < Duration::from_secs(20),
                    "the facilitator is asked"
                );
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    program.kill();
    let program = Program::start(&database, fake.base_url().as_str()).await;
    let buyer = Buyer::with(&program.url, TestWallet::rich());
    let reply = Reply::of(buyer.request("/api/a2a/scan", &payment, &small_purchase())).await;
    assert_eq!(reply.status, 200, "{path} {faults:?}: {}", reply.text);
    assert_eq!(fake.sandbox.transfers().len(), 1, "{path} {faults:?}");
    let again = Reply::of(buyer.request("/api/a2a/scan", &payment, &small_purchase())).await;
    assert_eq!((again.status, again.text), (reply.status, reply.text));
    program.kill();
    let books = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
        .arg("ledger")
        .env("DATABASE_URL", format!("sqlite:{}", database.display()))
        .output()
        .unwrap();
    let text = String::from_utf8(books.stdout).unwrap();
    assert!(
        books.status.success() && text.contains("settled    0.15") && text.contains("balances"),
        "{text}"
    );
}

#[tokio::test]
async fn a_killed_program_sells_once_and_delivers_after_it_is_started_again() {
    // A payment stays with a silent process for ten seconds, so the three wait together.
    tokio::join!(
        check("/verify", &[Fault::Hang]),
        check("/settle", &[Fault::Hang]),
        check("/settle", &[Fault::LoseAnswer, Fault::Hang]),
    );
}

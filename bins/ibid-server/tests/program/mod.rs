//! The real program as a process of its own, killed on drop.

use ibid_tests::fake_facilitator::FakeFacilitator;
use ibid_tests::{Buyer, Database, Method};
use ibid_x402::sandbox::TestWallet;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) struct Program {
    child: Child,
    pub(crate) url: String,
}

impl Program {
    /// Starts the program on a free port and a database, with a facilitator and its chain, and answers after `latency`.
    pub(crate) async fn start(database: &Database, fake: &FakeFacilitator, latency: Duration) -> Self {
        let latency = latency.as_millis().to_string();
        let arguments = ["--sandbox", "--sandbox-day", "0", "--sandbox-latency", &latency];
        Self::start_with(database, fake, (&arguments, &[])).await
    }

    /// The same with these arguments and variables.
    pub(crate) async fn start_with(
        database: &Database,
        fake: &FakeFacilitator,
        (arguments, variables): (&[&str], &[(&str, &str)]),
    ) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
            .args(arguments)
            .arg("--no-demo")
            .env("BIND", format!("127.0.0.1:{port}"))
            // Offers of both processes name this address.
            .env("BASE_URL", "https://ibid.example")
            .env("DATABASE_URL", database.url())
            .env("FACILITATOR_URL", fake.base_url().as_str())
            .env("RPC_URL", fake.node_url())
            .env("LOG", "warn")
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let program = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
        };
        let buyer = program.buyer();
        until("the program starts", async || {
            buyer.bare(Method::GET, "/healthz").send().await.is_ok()
        })
        .await;
        program
    }

    /// Returns a buyer with money.
    pub(crate) fn buyer(&self) -> Buyer {
        Buyer::with(&self.url, TestWallet::rich())
    }
}

/// SIGKILL: nothing is flushed, nothing is drained.
impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the output of `ibid-server books` for a database, which must add up.
pub(crate) fn ledger(database: &Database) -> String {
    let books = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
        .arg("books")
        .env("DATABASE_URL", database.url())
        .output()
        .unwrap();
    let text = String::from_utf8(books.stdout).unwrap();
    assert!(books.status.success() && text.contains("adds up"), "{text}");
    text
}

/// Repeats a check until it succeeds.
pub(crate) async fn until(what: &str, mut ask: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !ask().await {
        assert!(start.elapsed() < Duration::from_secs(40), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

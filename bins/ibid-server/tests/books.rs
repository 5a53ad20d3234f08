//! `ibid-server books reconcile` and `ibid-server books refund` as programs: what they print, and how they end.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod program;

use ibid_model::{Asset, Network, Product, X402Version};
use ibid_tests::buyer::{draft, quote, small_purchase};
use ibid_tests::fake_facilitator::FakeFacilitator;
use ibid_tests::{Buyer, Database};
use ibid_x402::sandbox::TestWallet;
use ibid_x402::{Listing, PriceQuote, SandboxFacilitator, Terms};
use program::{Program, ledger};
use std::num::NonZeroU32;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const TEN_MINUTES: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

/// Runs a subcommand. Returns its exit status, and everything that it printed.
fn run(database: &Database, fake: &FakeFacilitator, args: &[&str], node: bool) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid-server"));
    command
        .args(args)
        .env("DATABASE_URL", database.url())
        .env("X402_PAY_TO", ibid_tests::buyer::pay_to().to_string())
        .env("LOG", "error");
    if node {
        command.env("RPC_URL", fake.node_url());
    }
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

async fn buy(buyer: &Buyer) {
    let reply = buyer
        .buy("/api/a2a/scan", Product::Scan, X402Version::V2, &small_purchase())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
}

#[tokio::test]
async fn books_and_chain_are_compared_and_refunds_settle_a_difference() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let program = Program::start(&database, &fake, Duration::ZERO).await;
    let buyer = program.buyer();
    buy(&buyer).await;
    let (status, text) = run(&database, &fake, &["books", "reconcile"], true);
    assert_eq!(status, 0, "{text}");
    assert!(
        !text.contains("UNRECORDED") && !text.contains("PHANTOM"),
        "{text}"
    );

    // A payment that no order has: the money of a buyer without a result.
    let stray = buyer.pay(Product::Scan, X402Version::V1);
    assert!(
        fake.sandbox
            .settle_body(&stray.facilitator_body(&quote(Product::Scan)))
            .success
    );
    let key = fake.sandbox.transfers()[1].key.to_string();
    let (status, text) = run(&database, &fake, &["books", "reconcile"], true);
    assert_eq!(status, 1, "{text}");
    let today = jiff::Timestamp::now().strftime("%Y-%m").to_string();
    for part in ["UNRECORDED", &key, &today, ", the price of scan"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(text.contains("do not agree"), "{text}");
    assert!(
        ledger(&database).contains("adds up"),
        "the books alone do not show it"
    );

    for (args, expected) in [
        (
            vec!["--amount", "0", "--transaction", "0x5e"],
            "must be more than 0",
        ),
        (vec!["--amount", "a lot", "--transaction", "0x5e"], "--amount"),
        (vec!["--amount", "0.15"], "--transaction"),
    ] {
        let args = [vec!["books", "refund", &key], args].concat();
        let (status, text) = run(&database, &fake, &args, false);
        assert!(
            status != 0 && text.contains(expected),
            "{args:?}: {status} {text}"
        );
    }
    // A transaction that pays the payer, and records that do not: without a node they are not looked up.
    let payer = buyer.wallet.address();
    let terms = Terms::new(
        Network::BaseSepolia,
        Asset::usdc(Network::BaseSepolia),
        payer,
        TEN_MINUTES,
    );
    let listing = Listing::new("http://ibid.test/".parse().unwrap(), "a test");
    let back = PriceQuote::sale(Product::Scan, Arc::new(terms), Arc::new(listing));
    let signed = draft(&back, X402Version::V1).sign(&TestWallet::other());
    let sent = fake.sandbox.settle_body(&signed.facilitator_body(&back));
    let sent = sent.transaction.unwrap();
    let stray = fake.sandbox.transfers()[1].transaction.clone();
    let refund = |amount: &'static str, transaction: &str, node: bool| {
        let args = [
            "books",
            "refund",
            &key,
            "--amount",
            amount,
            "--transaction",
            transaction,
        ];
        run(&database, &fake, &args, node)
    };
    for (amount, transaction, expected) in [
        ("0.15", "0x5e", "no final block"),
        ("0.15", stray.as_str(), "sends 0 USDC"),
        ("0.16", sent.as_str(), "sends 0.15 USDC"),
    ] {
        let (status, text) = refund(amount, transaction, true);
        assert!(status == 1 && text.contains(expected), "{status} {text}");
    }
    // A key without a payment, and money that the payer has sent to his own wallet.
    let (start, nonce) = key.split_at(key.len() - 1);
    let other = format!("{start}{}", if nonce == "0" { "1" } else { "0" });
    let args = [
        "books",
        "refund",
        &other,
        "--amount",
        "0.15",
        "--transaction",
        &sent,
    ];
    let (status, text) = run(&database, &fake, &args, true);
    assert!(
        status == 1 && text.contains("no payment of the last 30 days"),
        "{status} {text}"
    );
    let signed = draft(&back, X402Version::V1).sign(&buyer.wallet);
    let own = fake.sandbox.settle_body(&signed.facilitator_body(&back));
    let (status, text) = refund("0.15", &own.transaction.unwrap(), true);
    assert!(status == 1 && text.contains("sends 0 USDC"), "{status} {text}");
    assert_eq!(refund("0.15", "0x5e", false).0, 0);
    let credit = [
        "books", "refund", &key, "--amount", "0.000001", "--kind", "credit",
    ];
    assert_eq!(run(&database, &fake, &credit, false).0, 0);
    let (status, text) = run(&database, &fake, &["books", "reconcile"], true);
    assert_eq!(status, 1, "{text}");
    for line in [
        "UNRECORDED transfer of 0.15",
        "only 0.000001 of it was given back",
        "NOT SENT the recorded refund of 0.15 in 0x5e",
    ] {
        assert!(text.contains(line), "{line} is missing in {text}");
    }

    let refund = [
        "books",
        "refund",
        &key,
        "--amount",
        "0.15",
        "--transaction",
        &sent,
    ];
    let (status, text) = run(&database, &fake, &refund, true);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains(&format!("Recorded a refund of 0.15 USDC for {key}.")),
        "{text}"
    );
    let (status, text) = run(&database, &fake, &refund, false);
    assert!(
        status == 1 && text.contains("recorded already"),
        "{status} {text}"
    );
    let (status, text) = run(&database, &fake, &["books", "reconcile"], true);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("0.15"), "{text}");
}

#[test]
fn without_a_node_nothing_is_compared() {
    let database = Database::fresh();
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    let (status, text) = run(&database, &fake, &["books", "reconcile"], false);
    assert!(
        status == 1 && text.contains("RPC_URL is not set"),
        "{status} {text}"
    );
    let (status, text) = run(&database, &fake, &["books", "reconcile", "--days", "0"], true);
    assert!(status == 2 && text.contains("--days"), "{status} {text}");
}

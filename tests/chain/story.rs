//! One purchase on the chain, and what must hold at its end however it went.

use crate::stage::Stage;
use ibid_model::{Asset, Network, PaymentKey, Product, X402Version};
use ibid_service::{Reconciliation, reconcile};
use ibid_tests::buyer::{pay_to, small_purchase, terms};
use ibid_tests::{Buyer, Reply, Setup, TestServer};
use ibid_x402::sandbox::SignedDraft;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SCAN: &str = "/api/a2a/scan";

/// One purchase.
pub(crate) struct Story {
    pub(crate) stage: Stage,
    pub(crate) name: String,
    pub(crate) has_reader: bool,
    server: TestServer,
    buyer: Buyer,
    payment: SignedDraft,
    settled_before: u64,
    sent_before: u64,
}

/// Plays a story in both versions, with and without a reader.
pub(crate) async fn play(name: &str, story: impl AsyncFn(Story)) {
    for version in [X402Version::V1, X402Version::V2] {
        for has_reader in [false, true] {
            let stage = Stage::enter().await;
            let facilitator = stage.facilitator();
            let setup = match has_reader {
                true => Setup::default().selling_by(facilitator, stage.reader()),
                false => Setup::default().selling(facilitator),
            };
            let server = setup.spawn();
            let buyer = Buyer::of(&server);
            let settled_before = stage.settlements().await;
            let sent_before = stage.transactions().await;
            let story_on = Story {
                name: format!("{name}, {version:?}, reader: {has_reader}"),
                has_reader,
                payment: buyer.pay(Product::Scan, version),
                buyer,
                server,
                stage,
                settled_before,
                sent_before,
            };
            story(story_on).await;
        }
    }
}

impl Story {
    /// The buyer sends the payment, as at first.
    pub(crate) async fn send(&self) -> Reply {
        self.buyer.send(SCAN, &self.payment, &small_purchase()).await
    }

    fn authorization(&self) -> &Value {
        &self.payment.payload()["payload"]["authorization"]
    }

    /// The payer cancels the authorization.
    pub(crate) async fn cancel(&self) {
        let nonce = &self.authorization()["nonce"];
        self.stage.ask("_cancel", json!({"nonce": nonce})).await;
    }

    /// A stranger sends the authorization.
    pub(crate) async fn front_run(&self) {
        let mut body = self.authorization().clone();
        body["signature"] = self.payment.payload()["payload"]["signature"].clone();
        self.stage.ask("_send", body).await;
    }

    /// Waits until the facilitator is asked to settle.
    pub(crate) async fn until_settling(&self) {
        let start = Instant::now();
        while self.stage.settlements().await == self.settled_before {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{}: nothing is settled",
                self.name
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the facilitator has sent a transaction.
    pub(crate) async fn until_sent(&self) {
        let start = Instant::now();
        while self.stage.transactions().await == self.sent_before {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{}: nothing is sent",
                self.name
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The answer that asks for patience, and for no other payment.
    pub(crate) fn assert_unknown(&self, reply: &Reply) {
        let found = (reply.status.as_u16(), reply.code());
        assert_eq!(
            found,
            (502, "settlement_unknown".into()),
            "{}: {}",
            self.name,
            reply.text
        );
        assert!(!reply.header("retry-after").is_empty(), "{}", self.name);
        assert_eq!(
            reply.header("payment-required"),
            "",
            "{}: a second payment is asked for",
            self.name
        );
    }

    fn key(&self) -> PaymentKey {
        PaymentKey {
            network: Network::BaseSepolia,
            asset: Asset::usdc(Network::BaseSepolia).contract,
            payer: self.buyer.wallet.address(),
            nonce: self.authorization()["nonce"].as_str().unwrap().parse().unwrap(),
        }
    }

    async fn reconcile(&self) -> Reconciliation {
        let since = Timestamp::now() - SignedDuration::from_hours(1);
        let reader = self.stage.reader();
        let store = self.server.store.clone();
        reconcile(store, &*reader, &terms(), since).await.unwrap()
    }

    async fn retry(&self) -> Reply {
        let start = Instant::now();
        loop {
            let reply = self.send().await;
            if reply.status != 502 || start.elapsed() > Duration::from_secs(20) {
                return reply;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Checks the end. `paid`: whether the chain has the transfer.
    pub(crate) async fn end(self, paid: bool) {
        self.stage.clear().await;
        self.stage.finalize().await;
        let name = &self.name;
        if !self.has_reader {
            // The operator's command decides.
            let reply = self.send().await;
            assert!(
                !paid || reply.status != 402,
                "{name}: a second payment is asked for"
            );
            let start = Instant::now();
            while !self.reconcile().await.undecided.is_empty() {
                // Another part of the process works on the payment just now.
                assert!(start.elapsed() < Duration::from_secs(20), "{name}: undecided");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        let reply = self.retry().await;
        let expected = if paid { 200 } else { 402 };
        assert_eq!(reply.status, expected, "{name}: {}", reply.text);
        assert_eq!(
            reply.json().get("result").is_some(),
            paid,
            "{name}: {}",
            reply.text
        );
        let key = self.key();
        let transfers = self.stage.transfers(key.asset, pay_to()).await;
        let ours: Vec<_> = transfers
            .iter()
            .filter(|transfer| transfer.key == Some(key))
            .collect();
        assert_eq!(ours.len(), usize::from(paid), "{name}");
        let receipt = self.server.store.receipt_of(&key).unwrap();
        let named = receipt.and_then(|receipt| receipt.transaction);
        assert_eq!(
            named.as_ref(),
            ours.first().map(|transfer| &transfer.transaction),
            "{name}"
        );
        let report = self.reconcile().await;
        assert!(
            report.undecided.is_empty() && report.settled.is_empty(),
            "{name}: {report:?}"
        );
        // Other stories have other books.
        let mut unrecorded = report.unrecorded.iter();
        assert!(
            unrecorded.all(|transfer| transfer.key != Some(key)),
            "{name}: {report:?}"
        );
        assert!(report.phantom.is_empty(), "{name}: {report:?}");
        let books: u64 = if paid { 150_000 } else { 0 };
        assert_eq!(report.in_books.get(), books, "{name}: chain minus books is not 0");
    }
}

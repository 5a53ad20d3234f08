//! Buying: the offer, both versions, replays, twins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_model::{AtomicUsdc, Network, Product, Transaction, X402Version};
use ibid_tests::buyer::small_purchase;
use ibid_tests::{Buyer, Reply, Setup, TestServer};
use ibid_x402::{
    ChainEvidence, ChainFault, ChainFuture, ChainReader, ExpectedTransfer, IncomingTransfer,
    SandboxFacilitator, TokenAccount,
};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const BOTH: [X402Version; 2] = [X402Version::V1, X402Version::V2];
pub(crate) const SCAN: &str = "/api/a2a/scan";

pub(crate) fn shop() -> (TestServer, Arc<SandboxFacilitator>) {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let setup = Setup::default().selling_by(facilitator.clone(), facilitator.clone());
    (setup.spawn(), facilitator)
}

pub(crate) fn decoded(header: &str) -> Value {
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// A chain that cannot be seen by the first looks at it.
pub(crate) struct Obscured {
    chain: Arc<SandboxFacilitator>,
    instead: Result<ChainEvidence, ChainFault>,
    most: AtomicU32,
    looks: AtomicU32,
}

impl Obscured {
    /// The first `most` looks find `instead`.
    pub(crate) fn new(
        chain: Arc<SandboxFacilitator>,
        instead: Result<ChainEvidence, ChainFault>,
        most: u32,
    ) -> Self {
        Self {
            chain,
            instead,
            most: AtomicU32::new(most),
            looks: AtomicU32::new(0),
        }
    }

    /// From here on every look finds what is there.
    pub(crate) fn answer(&self) {
        self.most.store(0, Ordering::SeqCst);
    }

    /// The number of looks.
    pub(crate) fn looks(&self) -> u32 {
        self.looks.load(Ordering::SeqCst)
    }
}

impl ChainReader for Obscured {
    fn evidence<'a>(&'a self, expected: &'a ExpectedTransfer) -> ChainFuture<'a, ChainEvidence> {
        match self.looks.fetch_add(1, Ordering::SeqCst) < self.most.load(Ordering::SeqCst) {
            true => Box::pin(std::future::ready(self.instead.clone())),
            false => self.chain.evidence(expected),
        }
    }

    fn newest(&self, network: Network) -> ChainFuture<'_, u64> {
        self.chain.newest(network)
    }

    fn incoming(&self, to: TokenAccount, since: Timestamp) -> ChainFuture<'_, Vec<IncomingTransfer>> {
        self.chain.incoming(to, since)
    }

    fn sent<'a>(
        &'a self,
        to: TokenAccount,
        transaction: &'a Transaction,
    ) -> ChainFuture<'a, Option<AtomicUsdc>> {
        self.chain.sent(to, transaction)
    }
}

#[tokio::test]
async fn one_402_serves_both_versions() {
    let (server, facilitator) = shop();
    let reply = Buyer::of(&server).ask(SCAN, &small_purchase()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("content-type")),
        (402, "application/json")
    );
    assert_eq!(reply.header("cache-control"), "no-store");
    let body = reply.json();
    assert_eq!(
        (&body["x402Version"], &body["error"]),
        (&json!(1), &json!("payment_required"))
    );
    let entry = &body["accepts"][0];
    assert_eq!(
        (&entry["maxAmountRequired"], &entry["network"]),
        (&json!("150000"), &json!("base-sepolia"))
    );
    assert_eq!(entry["resource"], "http://ibid.test/api/a2a/scan");
    assert_eq!(
        entry["outputSchema"]["input"]["bodyFields"]["domain"]["type"],
        "string"
    );
    assert!(!reply.text.contains("null"), "{}", reply.text);
    let header = reply.header("payment-required");
    assert!(header.len() <= 6 * 1024);
    let offer = decoded(header);
    assert_eq!(
        (&offer["x402Version"], &offer["accepts"][0]["network"]),
        (&json!(2), &json!("eip155:84532"))
    );
    let bazaar = &offer["extensions"]["bazaar"];
    let validator = jsonschema::draft202012::new(&bazaar["schema"]).unwrap();
    assert!(validator.is_valid(&bazaar["info"]), "{bazaar}");
    let all: usize = reply
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum();
    assert!(all < 8 * 1024, "{all}");
    assert_eq!(facilitator.calls().verify, 0);
}

#[tokio::test]
async fn both_versions_buy_and_get_both_headers() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for version in BOTH {
        let payment = buyer.pay(Product::Scan, version);
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.header("cache-control"), "private, no-store");
        assert_eq!(
            reply.header("x-payment-response"),
            reply.header("payment-response")
        );
        let told = decoded(reply.header("payment-response"));
        assert_eq!(told["success"], true);
        assert_eq!(told["payer"], buyer.wallet.address().to_string());
        let network = if version == X402Version::V1 {
            "base-sepolia"
        } else {
            "eip155:84532"
        };
        assert_eq!(told["network"], network);
        let body = reply.json();
        assert_eq!(
            body.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["result", "scanId", "status"]
        );
        assert_eq!(body["result"]["usage"]["questions"], 1);
        // The id alone reads it again, on this surface only.
        let id = body["scanId"].as_str().unwrap();
        let again = Reply::of(buyer.bare(Method::GET, &format!("{SCAN}/{id}"))).await;
        assert_eq!((again.status.as_u16(), &again.text), (200, &reply.text));
        let v1 = ibid_tests::ApiClient::of(&server)
            .get(&format!("/api/v1/scan/{id}"))
            .await;
        assert_eq!(v1.status, 404);
    }
    assert_eq!(
        (facilitator.calls().settle, facilitator.transfers().len()),
        (2, 2)
    );
}

#[tokio::test]
async fn the_same_payment_gets_the_same_answer_again() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    for version in BOTH {
        let payment = buyer.pay(Product::Scan, version);
        let first = buyer.send(SCAN, &payment, &small_purchase()).await;
        let before = facilitator.calls();
        let again = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!((again.status.as_u16(), &again.text), (200, &first.text));
        assert_eq!(again.header("payment-response"), first.header("payment-response"));
        assert_eq!(
            facilitator.calls(),
            before,
            "the facilitator got no further request"
        );
        let mut other = small_purchase();
        other["keyword"] = json!("roofer");
        let refused = buyer.send(SCAN, &payment, &other).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.json()["error"]),
            (402, &json!("duplicate_nonce"))
        );
    }
}

#[tokio::test]
async fn fifty_equal_sends_make_one_run_and_one_settlement() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let order = small_purchase();
    let sends = (0..50).map(|_| buyer.send(SCAN, &payment, &order));
    let replies = futures_util::future::join_all(sends).await;
    for reply in &replies {
        assert_eq!((reply.status.as_u16(), &reply.text), (200, &replies[0].text));
    }
    assert_eq!((facilitator.calls().verify, facilitator.calls().settle), (1, 1));
}

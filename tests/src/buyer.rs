//! A buyer: makes payments as the stock clients do, keeps them, and can send them again.

use crate::client::Reply;
use crate::server::TestServer;
use ibid_model::{Asset, Network, Nonce, Product, Wallet, X402Version};
use ibid_service::{CostCaps, Exposure, Paid, Timing};
use ibid_x402::sandbox::{Draft, SignedDraft, TestWallet};
use ibid_x402::{Facilitator, Listing, Paygate, PriceQuote, Terms};
use jiff::Timestamp;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The wallet that buyers of test servers pay.
#[must_use]
pub fn pay_to() -> Wallet {
    "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"
        .parse()
        .expect("an address")
}

/// The assets and networks that test servers take.
#[must_use]
pub fn terms() -> Arc<Terms> {
    let network = Network::BaseSepolia;
    let timeout = NonZeroU32::new(600).expect("not zero");
    Arc::new(Terms::new(network, Asset::usdc(network), pay_to(), timeout))
}

/// A paid surface in front of a facilitator, of little patience.
#[must_use]
pub fn paid(facilitator: Arc<dyn Facilitator>) -> Paid {
    Paid {
        gate: Paygate::new(facilitator),
        chain: None,
        terms: terms(),
        key: Some("operator-key".parse().expect("a key")),
        caps: CostCaps::default(),
        models: Vec::new(),
        // One wallet is many buyers in most tests.
        exposure: Exposure {
            first_orders: 10_000,
            most_orders: 10_000,
            failed_an_hour: 10_000,
            unpaid_of_address: 10_000,
            refused_an_hour: 10_000,
            ..Exposure::default()
        },
        timing: Timing {
            lease: Duration::from_millis(1_000),
            settle: Duration::from_millis(600),
            retry: Duration::from_millis(50),
        },
    }
}

/// The quote for a product.
#[must_use]
pub fn quote(product: Product) -> PriceQuote {
    PriceQuote::sale(product, terms(), listing())
}

/// The quote for the proof of a caller's identity.
#[must_use]
pub fn proof() -> PriceQuote<ibid_x402::Proof> {
    PriceQuote::proof(terms(), listing())
}

fn listing() -> Arc<Listing> {
    Arc::new(Listing::new(
        "http://ibid.test/".parse().expect("an address"),
        "a test",
    ))
}

/// A number that no other payment of this process has.
#[must_use]
pub fn fresh_nonce() -> Nonce {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    bytes[8..12].copy_from_slice(&std::process::id().to_be_bytes());
    Nonce::from_bytes(bytes)
}

/// A payment as a stock client makes it.
#[must_use]
pub fn draft<P>(quote: &PriceQuote<P>, version: X402Version) -> Draft {
    Draft::of(quote, version, Timestamp::now(), fresh_nonce())
}

/// The smallest scan that is sold.
#[must_use]
pub fn small_purchase() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"], "questionsPerModel": 1})
}

/// A buyer with a wallet.
#[derive(Clone)]
pub struct Buyer {
    http: reqwest::Client,
    url: String,
    /// The paying wallet.
    pub wallet: TestWallet,
}

impl Buyer {
    /// A buyer with money.
    #[must_use]
    pub fn of(server: &TestServer) -> Self {
        Self::with(&server.url, TestWallet::rich())
    }

    /// A buyer at an address, with a wallet of choice.
    #[must_use]
    pub fn with(url: &str, wallet: TestWallet) -> Self {
        crate::install_tls();
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self {
            http,
            url: url.to_owned(),
            wallet,
        }
    }

    /// Any request.
    pub fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// A payment for a product.
    #[must_use]
    pub fn pay(&self, product: Product, version: X402Version) -> SignedDraft {
        draft(&quote(product), version).sign(&self.wallet)
    }

    /// A proof of the wallet.
    #[must_use]
    pub fn prove(&self, version: X402Version) -> SignedDraft {
        draft(&proof(), version).sign(&self.wallet)
    }

    /// A request with a payment.
    pub fn request(&self, path: &str, payment: &SignedDraft, body: &Value) -> RequestBuilder {
        self.bare(Method::POST, path)
            .header(payment.header_name(), payment.header())
            .json(body)
    }

    /// Sends a payment.
    pub async fn send(&self, path: &str, payment: &SignedDraft, body: &Value) -> Reply {
        Reply::of(self.request(path, payment, body)).await
    }

    /// Pays for a product and sends the payment.
    pub async fn buy(&self, path: &str, product: Product, version: X402Version, body: &Value) -> Reply {
        self.send(path, &self.pay(product, version), body).await
    }

    /// Asks without paying.
    pub async fn ask(&self, path: &str, body: &Value) -> Reply {
        Reply::of(self.bare(Method::POST, path).json(body)).await
    }

    /// Receipts of the wallet.
    pub async fn receipts(&self, body: &Value) -> Reply {
        self.send("/api/a2a/my-receipts", &self.prove(X402Version::V2), body)
            .await
    }
}

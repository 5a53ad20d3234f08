//! The chain and the facilitator that `.ci/with-chain` has started.

use ibid_model::{Network, TokenAddress, Wallet};
use ibid_x402::{ChainReader, IncomingTransfer, RemoteFacilitator, RemoteOptions, RpcReader, TokenAccount};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};

/// Held by the story that is on.
static ON_STAGE: Mutex<()> = Mutex::const_new(());

/// The variable that names the addresses.
const VARIABLE: &str = "IBID_TEST_CHAIN";

/// Blocks that make everything before them final on base-sepolia.
const FINAL: u64 = 12;

/// The chain and the facilitator, for one story at a time.
pub(crate) struct Stage {
    addresses: Addresses,
    http: reqwest::Client,
    _on_stage: MutexGuard<'static, ()>,
}

#[derive(Deserialize)]
struct Addresses {
    node: String,
    facilitator: String,
}

impl Stage {
    /// The stage, once no other story is on.
    pub(crate) async fn enter() -> Self {
        let addresses = std::env::var(VARIABLE).expect("IBID_TEST_CHAIN names the chain");
        ibid_tests::install_tls();
        let on_stage = ON_STAGE.lock().await;
        let stage = Self {
            addresses: serde_json::from_str(&addresses).unwrap(),
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            _on_stage: on_stage,
        };
        stage.clear().await;
        stage
    }

    /// Ends every fault.
    pub(crate) async fn clear(&self) {
        self.ask("_proxy", json!({"mode": "pass"})).await;
        self.ask("_settle", json!({"status": 0, "times": 0})).await;
        self.ask("_mining", json!({"auto": true, "blocks": 1})).await;
    }

    pub(crate) async fn ask(&self, route: &str, body: Value) -> Value {
        let url = format!("{}/{route}", self.addresses.facilitator);
        let reply = self.http.post(url).json(&body).send().await.unwrap();
        let (status, answer) = (reply.status(), reply.json::<Value>().await.unwrap());
        assert!(status.is_success(), "{route}: {answer}");
        answer
    }

    /// Transactions wait for a block.
    pub(crate) async fn stop_mining(&self) {
        self.ask("_mining", json!({"auto": false})).await;
    }

    /// The waiting transactions get a block, and everything so far becomes final.
    pub(crate) async fn finalize(&self) {
        self.ask("_mining", json!({"auto": true, "blocks": FINAL})).await;
    }

    /// The number of settlements that the facilitator was asked for.
    pub(crate) async fn settlements(&self) -> u64 {
        self.calls("settlements").await
    }

    /// The number of transactions that the facilitator has sent.
    pub(crate) async fn transactions(&self) -> u64 {
        self.calls("transactions").await
    }

    async fn calls(&self, count: &str) -> u64 {
        let url = format!("{}/_calls", self.addresses.facilitator);
        let answer: Value = self.http.get(url).send().await.unwrap().json().await.unwrap();
        answer[count].as_u64().unwrap()
    }

    pub(crate) fn facilitator(&self) -> Arc<RemoteFacilitator> {
        let options = RemoteOptions::new(self.addresses.facilitator.parse().unwrap());
        Arc::new(RemoteFacilitator::new(options).unwrap())
    }

    pub(crate) fn reader(&self) -> Arc<RpcReader> {
        let nodes = self.addresses.node.parse().unwrap();
        Arc::new(RpcReader::new(Network::BaseSepolia, nodes).unwrap())
    }

    /// The final transfers to a wallet.
    pub(crate) async fn transfers(&self, asset: TokenAddress, wallet: Wallet) -> Vec<IncomingTransfer> {
        let since = Timestamp::now() - SignedDuration::from_hours(1);
        let to = TokenAccount {
            network: Network::BaseSepolia,
            asset,
            wallet,
        };
        self.reader().incoming(to, since).await.unwrap()
    }
}

//! One node of the chain: bounded JSON-RPC over HTTP.

use super::ChainFault;
use super::decode::{Block, Log, TransactionReceipt, boolean, number, padded};
use crate::eip712::keccak;
use crate::hex;
use ibid_model::{Network, PaymentKey, TokenAddress};
use jiff::Timestamp;
use jsonrpsee_types::{Id, Request, Response, ResponsePayload};
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// Longest wait for one answer.
const WITHIN: Duration = Duration::from_secs(5);
/// Most bytes of an answer that are read.
const MAX_ANSWER: usize = 4 << 20;
/// The limit in seconds by which the newest block may be behind the local clock.
const MAX_LAG: u64 = 180;
/// The limit in seconds by which the newest block may be ahead of the local clock.
const MAX_LEAD: u64 = 60;

/// Where nodes are asked.
/// They are never printed, because they contain keys.
#[derive(Clone, PartialEq, Eq)]
pub struct NodeUrls(Vec<Url>);

/// The text is no list of node addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one to five addresses that begin with https:// or http://, separated by commas")]
pub struct BadNodeUrls;

impl FromStr for NodeUrls {
    type Err = BadNodeUrls;

    fn from_str(text: &str) -> Result<Self, BadNodeUrls> {
        let urls: Result<Vec<Url>, _> = text.split(',').map(|url| url.trim().parse()).collect();
        let urls: Vec<Url> = urls.map_err(|_| BadNodeUrls)?;
        let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        if (1..=5).contains(&urls.len()) && urls.iter().all(usable) {
            Ok(Self(urls))
        } else {
            Err(BadNodeUrls)
        }
    }
}

impl NodeUrls {
    pub(super) fn into_nodes(self, client: &Client) -> Vec<Node> {
        let node = |url| Node {
            client: client.clone(),
            url,
        };
        self.0.into_iter().map(node).collect()
    }
}

impl fmt::Debug for NodeUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeUrls({})", self.0.len())
    }
}

pub(super) struct Node {
    client: Client,
    url: Url,
}

impl Node {
    /// Returns the newest block.
    /// Checks that the node serves `network` and is in step with the clock.
    pub(super) async fn newest_block(&self, network: Network, now: Timestamp) -> Result<Block, ChainFault> {
        let found = number(&self.call::<String>("eth_chainId", json!([])).await?)?;
        let wanted = network.chain_id();
        if found != wanted {
            return Err(ChainFault::WrongChain { found, wanted });
        }
        let newest: Block = self
            .call("eth_getBlockByNumber", json!(["latest", false]))
            .await?;
        let now = u64::try_from(now.as_second()).unwrap_or_default();
        if newest.timestamp + MAX_LAG < now || newest.timestamp > now + MAX_LEAD {
            return Err(ChainFault::OutOfStep);
        }
        Ok(newest)
    }

    pub(super) async fn final_block(&self, network: Network, now: Timestamp) -> Result<Block, ChainFault> {
        let newest = self.newest_block(network, now).await?;
        let number = newest.number.checked_sub(network.finality_blocks());
        let block = self.block(number.ok_or(ChainFault::OutOfStep)?).await?;
        if block.timestamp > newest.timestamp {
            return Err(ChainFault::Malformed);
        }
        Ok(block)
    }

    pub(super) async fn block(&self, number: u64) -> Result<Block, ChainFault> {
        let block: Block = self
            .call("eth_getBlockByNumber", json!([quantity(number), false]))
            .await?;
        if block.number == number {
            Ok(block)
        } else {
            Err(ChainFault::Malformed)
        }
    }

    /// Whether the token counts the nonce as used or cancelled at a block.
    pub(super) async fn is_used(&self, key: &PaymentKey, block: u64) -> Result<bool, ChainFault> {
        let selector = &keccak(&[b"authorizationState(address,bytes32)"])[..4];
        let payer = padded(key.payer.as_bytes());
        let data = format!(
            "{}{}{}",
            hex::encode(selector),
            payer.trim_start_matches("0x"),
            key.nonce.to_string().trim_start_matches("0x")
        );
        let call = json!({"to": key.asset.to_string(), "data": data});
        boolean(
            &self
                .call::<String>("eth_call", json!([call, quantity(block)]))
                .await?,
        )
    }

    /// Returns the token's events in a range of blocks.
    /// `topics` filters them as `eth_getLogs` does.
    pub(super) async fn logs(
        &self,
        token: TokenAddress,
        topics: &Value,
        from: u64,
        to: u64,
    ) -> Result<Vec<Log>, ChainFault> {
        let filter = json!({"address": token.to_string(), "topics": topics,
            "fromBlock": quantity(from), "toBlock": quantity(to)});
        let logs: Vec<Log> = self.call("eth_getLogs", json!([filter])).await?;
        let fits =
            |log: &Log| log.address == token && !log.removed && (from..=to).contains(&log.block_number);
        if logs.iter().all(fits) {
            Ok(logs)
        } else {
            Err(ChainFault::Malformed)
        }
    }

    /// Returns the receipt of a successful transaction; `None` if it is unknown or was reverted.
    pub(super) async fn transaction(
        &self,
        hash: &[u8; 32],
    ) -> Result<Option<TransactionReceipt>, ChainFault> {
        let receipt: Option<TransactionReceipt> = self
            .call("eth_getTransactionReceipt", json!([hex::encode(hash)]))
            .await?;
        match receipt {
            Some(receipt) if receipt.transaction_hash != *hash => Err(ChainFault::Malformed),
            receipt => Ok(receipt.filter(|receipt| receipt.status == 1)),
        }
    }

    /// Returns the receipt of the transaction that has caused an event.
    pub(super) async fn receipt(&self, log: &Log) -> Result<TransactionReceipt, ChainFault> {
        self.transaction(&log.transaction_hash)
            .await?
            .filter(|receipt| receipt.block_number == log.block_number)
            .ok_or(ChainFault::Malformed)
    }

    async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, ChainFault> {
        let params = to_raw_value(&params).map_err(|_| ChainFault::Malformed)?;
        let request = Request::owned(method.to_owned(), Some(params), Id::Number(1));
        let body = serde_json::to_vec(&request).map_err(|_| ChainFault::Malformed)?;
        let exchange = async {
            let sent = self
                .client
                .post(self.url.clone())
                .header(CONTENT_TYPE, "application/json");
            let mut response = sent.body(body).send().await.map_err(|_| ChainFault::NoAnswer)?;
            let mut answer = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|_| ChainFault::NoAnswer)? {
                if answer.len() + chunk.len() > MAX_ANSWER {
                    return Err(ChainFault::Malformed);
                }
                answer.extend_from_slice(&chunk);
            }
            Ok(answer)
        };
        let answer = tokio::time::timeout(WITHIN, exchange)
            .await
            .unwrap_or(Err(ChainFault::NoAnswer))?;
        let answer: Response<'_, Box<RawValue>> =
            serde_json::from_slice(&answer).map_err(|_| ChainFault::Malformed)?;
        if answer.id != Id::Number(1) {
            return Err(ChainFault::Malformed);
        }
        match answer.payload {
            ResponsePayload::Success(result) => {
                serde_json::from_str(result.get()).map_err(|_| ChainFault::Malformed)
            }
            ResponsePayload::Error(error) => Err(ChainFault::Reported { code: error.code() }),
        }
    }
}

fn quantity(number: u64) -> String {
    format!("0x{number:x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_nodes_are_read_and_not_shown() {
        let urls: NodeUrls = "https://a.example/v2/KEY, http://127.0.0.1:8545".parse().unwrap();
        assert_eq!(format!("{urls:?}"), "NodeUrls(2)");
        for text in [
            "",
            "a.example",
            "ftp://a.example",
            "https://a.example,,",
            &["http://a"; 6].join(","),
        ] {
            assert_eq!(text.parse::<NodeUrls>(), Err(BadNodeUrls), "{text}");
        }
    }
}

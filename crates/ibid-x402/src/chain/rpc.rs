//! The reader that asks nodes over JSON-RPC.
//!
//! Each node is asked separately and concurrently, at its own newest final block.
//! [`agreed`] combines the answers: more than half of the nodes must give the same evidence,
//! and no node may contradict it.

use super::decode::{Block, Log, TOPICS, TokenEvent, padded};
use super::node::{Node, NodeUrls};
use super::{
    ChainEvidence, ChainFault, ChainFuture, ChainReader, ExpectedTransfer, IncomingTransfer, TokenAccount,
};
use crate::check::LONGEST_VALIDITY;
use crate::hex;
use crate::remote::{RemoteError, install_tls};
use futures_util::future::{join_all, try_join_all};
use ibid_model::{AtomicUsdc, Network, PaymentKey, TokenAddress, Transaction};
use jiff::Timestamp;
use reqwest::Client;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::time::Duration;

/// Blocks that one request for events covers, and the first step back in the search for an early block.
/// Public nodes refuse wider ranges.
const CHUNK: u64 = 1_000;
/// Most requests for events that one question may cost.
const MAX_CHUNKS: u64 = 2_000;

/// A reader of one network that asks one or more nodes.
pub struct RpcReader {
    network: Network,
    nodes: Vec<Node>,
}

impl RpcReader {
    /// Creates a reader of `network`.
    /// Sends no request yet.
    ///
    /// # Errors
    /// [`RemoteError::Client`] without TLS.
    pub fn new(network: Network, urls: NodeUrls) -> Result<Self, RemoteError> {
        install_tls();
        let client = Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(RemoteError::Client)?;
        Ok(Self {
            network,
            nodes: urls.into_nodes(&client),
        })
    }
}

impl RpcReader {
    fn serves(&self, network: Network) -> Result<(), ChainFault> {
        if network == self.network {
            return Ok(());
        }
        Err(ChainFault::WrongChain {
            found: self.network.chain_id(),
            wanted: network.chain_id(),
        })
    }
}

impl ChainReader for RpcReader {
    fn evidence<'a>(&'a self, expected: &'a ExpectedTransfer) -> ChainFuture<'a, ChainEvidence> {
        Box::pin(async move {
            self.serves(expected.key.network)?;
            agreed(join_all(self.nodes.iter().map(|node| evidence_of(node, expected))).await)
        })
    }

    fn newest(&self, network: Network) -> ChainFuture<'_, u64> {
        Box::pin(async move {
            self.serves(network)?;
            let nodes = self.nodes.iter();
            let asked = nodes.map(async |node| node.newest_block(network, Timestamp::now()).await);
            let answers = join_all(asked).await;
            let mut numbers: Vec<u64> = answers.iter().flatten().map(|block| block.number).collect();
            numbers.sort_unstable_by(|one, other| other.cmp(one));
            // More than half have reached this number, so that a single node can neither raise nor lower it.
            numbers
                .get(self.nodes.len() / 2)
                .copied()
                .ok_or(ChainFault::NoAnswer)
        })
    }

    fn incoming(&self, to: TokenAccount, since: Timestamp) -> ChainFuture<'_, Vec<IncomingTransfer>> {
        Box::pin(async move {
            self.serves(to.network)?;
            let since = u64::try_from(since.as_second()).unwrap_or_default();
            let answers = self.nodes.iter().map(async |node| {
                let top = node.final_block(self.network, Timestamp::now()).await?;
                let transfers = incoming_at(node, to, since, top).await?;
                Ok((top.number, transfers))
            });
            let answers = try_join_all(answers).await?;
            let lowest = answers
                .iter()
                .map(|(top, _)| *top)
                .min()
                .ok_or(ChainFault::NoAnswer)?;
            let mut below = answers.into_iter().map(|(_, mut transfers)| {
                transfers.retain(|transfer| transfer.block <= lowest);
                transfers
            });
            let first = below.next().ok_or(ChainFault::NoAnswer)?;
            if below.all(|other| other == first) {
                Ok(first)
            } else {
                Err(ChainFault::Disagreement)
            }
        })
    }

    fn sent<'a>(
        &'a self,
        to: TokenAccount,
        transaction: &'a Transaction,
    ) -> ChainFuture<'a, Option<AtomicUsdc>> {
        Box::pin(async move {
            self.serves(to.network)?;
            let hash = hex::decode(transaction.as_str(), 32).and_then(|bytes| bytes.try_into().ok());
            let Some(hash) = hash else { return Ok(None) };
            let answers = self.nodes.iter().map(async |node| {
                let top = node.final_block(self.network, Timestamp::now()).await?;
                let receipt = node.transaction(&hash).await?;
                let receipt = receipt.filter(|receipt| receipt.block_number <= top.number);
                Ok(receipt.and_then(|receipt| receipt.moved_to(to.asset, to.wallet)))
            });
            let answers: Vec<Option<AtomicUsdc>> = try_join_all(answers).await?;
            // A node that has not seen the transfer yet is no contradiction.
            let sums: Option<Vec<AtomicUsdc>> = answers.into_iter().collect();
            let Some([first, others @ ..]) = sums.as_deref() else {
                return Ok(None);
            };
            match others.iter().all(|other| other == first) {
                true => Ok(Some(*first)),
                false => Err(ChainFault::Disagreement),
            }
        })
    }
}

/// Puts the answers of all nodes together.
fn agreed(answers: Vec<Result<ChainEvidence, ChainFault>>) -> Result<ChainEvidence, ChainFault> {
    let majority = answers.len() / 2 + 1;
    let (mut evidence, mut supporters, mut answered, mut fault) = (None, 0, 0, None);
    for answer in answers {
        match answer {
            Err(error @ ChainFault::WrongChain { .. }) => return Err(error),
            Err(error) => fault = Some(error),
            Ok(ChainEvidence::Open) => answered += 1,
            Ok(found) => {
                answered += 1;
                supporters += 1;
                match &evidence {
                    Some(known) if *known != found => return Err(ChainFault::Disagreement),
                    Some(_) => {}
                    None => evidence = Some(found),
                }
            }
        }
    }
    if answered < majority {
        return Err(fault.unwrap_or(ChainFault::NoAnswer));
    }
    Ok(evidence
        .filter(|_| supporters >= majority)
        .unwrap_or(ChainEvidence::Open))
}

async fn evidence_of(node: &Node, expected: &ExpectedTransfer) -> Result<ChainEvidence, ChainFault> {
    let key = &expected.key;
    let top = node.final_block(key.network, Timestamp::now()).await?;
    if !node.is_used(key, top.number).await? {
        return Ok(if top.timestamp > expected.valid_before {
            ChainEvidence::Expired
        } else {
            ChainEvidence::Open
        });
    }
    let topics = json!([
        [hex::encode(&TOPICS.used), hex::encode(&TOPICS.cancelled)],
        padded(key.payer.as_bytes()),
        key.nonce.to_string()
    ]);
    // The payment was unused when it was claimed, at most this long before its end.
    let since = expected.valid_before.saturating_sub(LONGEST_VALIDITY.as_secs());
    let logs = events(node, key.asset, &topics, since.min(top.timestamp), top).await?;
    // A nonce is used or cancelled once.
    // A node with no event of it, or several, is at fault.
    let [log] = logs.as_slice() else {
        return Err(ChainFault::Malformed);
    };
    match log.event() {
        Some(TokenEvent::Cancelled { payer, nonce }) if (payer, nonce) == (key.payer, key.nonce) => {
            Ok(ChainEvidence::Cancelled)
        }
        Some(TokenEvent::Used { payer, nonce }) if (payer, nonce) == (key.payer, key.nonce) => {
            used_by(node, expected, log).await
        }
        Some(_) | None => Err(ChainFault::Malformed),
    }
}

/// Returns the evidence in the transaction that has used the authorization.
async fn used_by(node: &Node, expected: &ExpectedTransfer, used: &Log) -> Result<ChainEvidence, ChainFault> {
    let ExpectedTransfer {
        key, amount, pay_to, ..
    } = expected;
    let receipt = node.receipt(used).await?;
    let wanted = TokenEvent::Transfer {
        from: key.payer,
        to: *pay_to,
        amount: Some(*amount),
    };
    let transfer = receipt.transfer_of(key.asset, key.payer, key.nonce);
    match transfer.and_then(Log::event) {
        Some(event) if event == wanted => {
            Ok(expected.paid(transaction(used)?, receipt.block_number, receipt.from))
        }
        Some(_) => Ok(ChainEvidence::UsedElsewhere),
        None => Err(ChainFault::Malformed),
    }
}

async fn incoming_at(
    node: &Node,
    to: TokenAccount,
    since: u64,
    top: Block,
) -> Result<Vec<IncomingTransfer>, ChainFault> {
    let TokenAccount {
        network,
        asset,
        wallet,
    } = to;
    let topics = json!([hex::encode(&TOPICS.transfer), null, padded(wallet.as_bytes())]);
    let logs = events(node, asset, &topics, since.min(top.timestamp), top).await?;
    let (mut receipts, mut times) = (HashMap::new(), HashMap::new());
    let mut transfers = Vec::with_capacity(logs.len());
    for log in &logs {
        let Some(TokenEvent::Transfer {
            from: payer,
            to: recipient,
            amount: Some(amount),
        }) = log.event()
        else {
            return Err(ChainFault::Malformed);
        };
        if recipient != wallet {
            return Err(ChainFault::Malformed);
        }
        let receipt = match receipts.entry(log.transaction_hash) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(node.receipt(log).await?),
        };
        let authorized = receipt.authorization_of(asset, log.log_index);
        let at = match times.entry(log.block_number) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => *place.insert(node.block(log.block_number).await?.timestamp),
        };
        transfers.push(IncomingTransfer {
            transaction: transaction(log)?,
            block: log.block_number,
            at: i64::try_from(at)
                .ok()
                .and_then(|at| Timestamp::from_second(at).ok()),
            position: log.log_index,
            payer,
            amount,
            key: authorized.map(|(payer, nonce)| PaymentKey {
                network,
                asset,
                payer,
                nonce,
            }),
        });
    }
    transfers.sort_by_key(|transfer| (transfer.block, transfer.position));
    Ok(transfers)
}

/// Returns the token's events between a time and a block, in requests for a bounded number of blocks.
async fn events(
    node: &Node,
    token: TokenAddress,
    topics: &Value,
    since: u64,
    top: Block,
) -> Result<Vec<Log>, ChainFault> {
    let mut from = first_block(node, since, top).await?;
    if (top.number - from) / CHUNK >= MAX_CHUNKS {
        return Err(ChainFault::TooMuch);
    }
    let mut logs = Vec::new();
    while from <= top.number {
        let to = top.number.min(from + CHUNK - 1);
        logs.extend(node.logs(token, topics, from, to).await?);
        from = to + 1;
    }
    Ok(logs)
}

/// Returns a block before `since`, or the first block of the chain.
/// The distance is at most twice what is needed.
async fn first_block(node: &Node, since: u64, top: Block) -> Result<u64, ChainFault> {
    let mut step = CHUNK;
    let mut number = top.number;
    loop {
        number = number.saturating_sub(step);
        if number == 0 || node.block(number).await?.timestamp < since {
            return Ok(number);
        }
        step = step.saturating_mul(2);
    }
}

fn transaction(log: &Log) -> Result<Transaction, ChainFault> {
    hex::encode(&log.transaction_hash)
        .parse()
        .map_err(|_| ChainFault::Malformed)
}

impl fmt::Debug for RpcReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcReader({}, {} nodes)", self.network, self.nodes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{Nonce, Product, Wallet, X402Version};
    use tokio::net::TcpListener;

    fn paid(name: &str) -> Result<ChainEvidence, ChainFault> {
        Ok(ChainEvidence::Paid {
            transaction: name.parse().unwrap(),
        })
    }

    /// The last of several silent nodes is asked before the first has used up its time.
    #[tokio::test]
    async fn nodes_are_asked_at_the_same_time() {
        let nodes = [
            TcpListener::bind("127.0.0.1:0").await.unwrap(),
            TcpListener::bind("127.0.0.1:0").await.unwrap(),
        ];
        let url = |node: &TcpListener| format!("http://{}", node.local_addr().unwrap());
        let urls = nodes.each_ref().map(url).join(",");
        let reader = RpcReader::new(Network::BaseSepolia, urls.parse().unwrap()).unwrap();
        let expected = ExpectedTransfer {
            version: X402Version::V2,
            key: PaymentKey {
                network: Network::BaseSepolia,
                asset: TokenAddress::from_bytes([3; 20]),
                payer: Wallet::from_bytes([1; 20]),
                nonce: Nonce::from_bytes([7; 32]),
            },
            product: Product::Scan,
            amount: AtomicUsdc::new(150_000),
            pay_to: Wallet::from_bytes([2; 20]),
            valid_before: 1,
            since: None,
        };
        let asked = async { (nodes[0].accept().await, nodes[1].accept().await) };
        tokio::select! {
            evidence = reader.evidence(&expected) => panic!("{evidence:?} without an answer"),
            asked = tokio::time::timeout(Duration::from_secs(4), asked) => {
                let (first, last) = asked.unwrap();
                assert!(first.is_ok() && last.is_ok());
            }
        }
    }

    #[test]
    fn nodes_have_to_agree() {
        use ChainEvidence::{Cancelled, Expired, Open};
        let down = || Err(ChainFault::NoAnswer);
        let check = |answers: Vec<_>, expected| assert_eq!(agreed(answers), expected);
        check(vec![paid("0x1")], paid("0x1"));
        check(vec![down()], down());
        check(vec![paid("0x1"), paid("0x1")], paid("0x1"));
        // One of two has not seen it yet, or does not answer.
        check(vec![paid("0x1"), Ok(Open)], Ok(Open));
        check(vec![paid("0x1"), down()], down());
        check(vec![paid("0x1"), paid("0x1"), down()], paid("0x1"));
        check(vec![paid("0x1"), Ok(Open), down()], Ok(Open));
        // Contradictory evidence is a disagreement.
        for pair in [
            vec![paid("0x1"), paid("0x2")],
            vec![paid("0x1"), Ok(Cancelled)],
            vec![Ok(Expired), paid("0x1"), paid("0x1")],
        ] {
            check(pair, Err(ChainFault::Disagreement));
        }
        let elsewhere = ChainFault::WrongChain {
            found: 1,
            wanted: 8453,
        };
        check(vec![paid("0x1"), paid("0x1"), Err(elsewhere)], Err(elsewhere));
    }
}

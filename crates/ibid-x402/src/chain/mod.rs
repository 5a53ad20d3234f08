//! Evidence of payments on the chain itself.
//!
//! A facilitator can be slow, lose an answer or report a failure after it has sent the transaction.
//! The chain is the better source, because the token contract records every used authorization,
//! and a block far enough below the newest one does not change any more.
//! A [`ChainReader`] turns that into [`ChainEvidence`].
//! Everything that it cannot prove is [`ChainEvidence::Open`].
//! A reader without evidence returns a [`ChainFault`].

#[cfg(feature = "http")]
mod decode;
#[cfg(feature = "http")]
mod node;
#[cfg(feature = "http")]
mod rpc;

#[cfg(feature = "http")]
pub use node::{BadNodeUrls, NodeUrls};
#[cfg(feature = "http")]
pub use rpc::RpcReader;

use crate::check::expires;
use crate::settlement::{Settlement, SettlementEvidence};
use ibid_model::{AtomicUsdc, Network, PaymentKey, Product, TokenAddress, Transaction, Wallet, X402Version};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future, written out so that the port stays object safe.
pub type ChainFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ChainFault>> + Send + 'a>>;

/// Reads the chain.
///
/// An implementation bounds every call in time and size.
/// It treats the answers of nodes as hostile input.
pub trait ChainReader: Send + Sync + 'static {
    /// Returns the evidence on one payment.
    ///
    /// # Errors
    /// [`ChainFault`] without evidence.
    /// Then it stays unknown whether the payment went through.
    fn evidence<'a>(&'a self, expected: &'a ExpectedTransfer) -> ChainFuture<'a, ChainEvidence>;

    /// Returns the newest block's number, final or not.
    ///
    /// # Errors
    /// [`ChainFault`] if the chain cannot be read.
    fn newest(&self, network: Network) -> ChainFuture<'_, u64>;

    /// Returns the transfers to an account in final blocks since a time, oldest first.
    ///
    /// # Errors
    /// [`ChainFault`] if they cannot be read completely.
    fn incoming(&self, to: TokenAccount, since: Timestamp) -> ChainFuture<'_, Vec<IncomingTransfer>>;

    /// Returns what a transaction moved to an account from others; `None` if it is not in a final block.
    ///
    /// # Errors
    /// [`ChainFault`] if the chain cannot be read.
    fn sent<'a>(
        &'a self,
        to: TokenAccount,
        transaction: &'a Transaction,
    ) -> ChainFuture<'a, Option<AtomicUsdc>>;
}

/// What one wallet has of one token, such as the operator's USDC on Base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenAccount {
    /// The chain.
    pub network: Network,
    /// The token on it.
    pub asset: TokenAddress,
    /// Whose account it is.
    pub wallet: Wallet,
}

impl From<&PaymentKey> for TokenAccount {
    /// Takes the account that the payment came from, to which a refund goes back.
    fn from(key: &PaymentKey) -> Self {
        Self {
            network: key.network,
            asset: key.asset,
            wallet: key.payer,
        }
    }
}

/// Readers of several chains.
pub struct ChainReaders(HashMap<Network, Arc<dyn ChainReader>>);

impl ChainReaders {
    /// A reader for each chain.
    #[must_use]
    pub fn new(readers: impl IntoIterator<Item = (Network, Arc<dyn ChainReader>)>) -> Self {
        Self(readers.into_iter().collect())
    }

    fn ask<'a, T: Send + 'a>(
        &'a self,
        network: Network,
        question: impl FnOnce(&'a dyn ChainReader) -> ChainFuture<'a, T>,
    ) -> ChainFuture<'a, T> {
        match self.0.get(&network) {
            Some(reader) => question(&**reader),
            None => Box::pin(std::future::ready(Err(ChainFault::NoAnswer))),
        }
    }
}

impl ChainReader for ChainReaders {
    fn evidence<'a>(&'a self, expected: &'a ExpectedTransfer) -> ChainFuture<'a, ChainEvidence> {
        self.ask(expected.key.network, |reader| reader.evidence(expected))
    }

    fn newest(&self, network: Network) -> ChainFuture<'_, u64> {
        self.ask(network, |reader| reader.newest(network))
    }

    fn incoming(&self, to: TokenAccount, since: Timestamp) -> ChainFuture<'_, Vec<IncomingTransfer>> {
        self.ask(to.network, |reader| reader.incoming(to, since))
    }

    fn sent<'a>(
        &'a self,
        to: TokenAccount,
        transaction: &'a Transaction,
    ) -> ChainFuture<'a, Option<AtomicUsdc>> {
        self.ask(to.network, |reader| reader.sent(to, transaction))
    }
}

/// A transfer authorized by a buyer, without the signature: the parts that the chain shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedTransfer {
    /// Which protocol version the buyer speaks.
    #[serde(rename = "x402Version")]
    pub version: X402Version,
    /// What the chain tells the payment by.
    pub key: PaymentKey,
    /// The product that is bought.
    pub product: Product,
    /// The exact amount.
    pub amount: AtomicUsdc,
    /// The recipient.
    pub pay_to: Wallet,
    /// The second from which the token refuses the authorization.
    pub valid_before: u64,
    /// The blocks before which a transfer is no sale; `None` if they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<SaleBlocks>,
}

/// The newest blocks at two moments of a sale. A transfer in a later block was not on the chain by then.
///
/// Anybody can carry out an authorization. What came before the buyer did is no sale of this shop: the buyer may have
/// bought elsewhere. What came before the shop asked its facilitator is a sale, unless the facilitator sent it, which
/// it then did for another shop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaleBlocks {
    /// When the payment arrived, unused.
    pub arrived: u64,
    /// When the facilitator was asked to settle.
    pub asked: u64,
    /// The accounts that send the facilitator's transactions, as far as it names them.
    pub facilitator: Vec<Wallet>,
}

/// What final blocks say about a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainEvidence {
    /// The transfer to the recipient went through, sent by any account.
    Paid {
        /// The transaction.
        transaction: Transaction,
    },
    /// The transfer to the recipient went through, but for another sale than the expected one.
    PaidElsewhere {
        /// The transaction that the operator looks up.
        transaction: Transaction,
    },
    /// The payer cancelled the authorization.
    Cancelled,
    /// The nonce was used for another transfer, which did not pay this amount to the recipient.
    UsedElsewhere,
    /// The authorization has ended unused.
    Expired,
    /// No evidence yet: the authorization is unused and may still be used, or its use is not final.
    Open,
}

impl ChainEvidence {
    /// Whether later looks at the chain give the same evidence.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Paid { .. }
            | Self::PaidElsewhere { .. }
            | Self::Cancelled
            | Self::UsedElsewhere
            | Self::Expired => true,
            Self::Open => false,
        }
    }
}

/// The reason why there is no evidence.
/// Names no address of a node, because those contain keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    /// Too few nodes answered in time.
    #[error("too few nodes of the chain answered in time")]
    NoAnswer,
    /// A node reported an error.
    #[error("a node of the chain reported an error (code {code})")]
    Reported {
        /// The JSON-RPC code.
        code: i32,
    },
    /// A node serves another chain.
    #[error("a node serves chain {found} and not chain {wanted}")]
    WrongChain {
        /// The chain id that it names.
        found: u64,
        /// What the configured network has.
        wanted: u64,
    },
    /// A node's newest block is too old, too new or too low.
    #[error("a node of the chain is not in step with the time")]
    OutOfStep,
    /// A node's answer cannot be read or contradicts itself.
    #[error("a node of the chain gave an answer that cannot be used")]
    Malformed,
    /// Two nodes contradict each other.
    #[error("nodes of the chain contradict each other")]
    Disagreement,
    /// The answer takes more requests than one question may cost.
    #[error("the question needs more blocks than are read at one time")]
    TooMuch,
}

/// A transfer to the operator's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingTransfer {
    /// The transaction.
    pub transaction: Transaction,
    /// Which block it is in.
    pub block: u64,
    /// When its block was made; `None` on an invented chain.
    pub at: Option<Timestamp>,
    /// Where it stands among the block's events.
    pub position: u64,
    /// The payer.
    pub payer: Wallet,
    /// The amount.
    pub amount: AtomicUsdc,
    /// The payment behind the transfer; `None` for a transfer without an authorization.
    pub key: Option<PaymentKey>,
}

impl ExpectedTransfer {
    /// The time from which the token refuses the authorization.
    pub fn expires(&self) -> Timestamp {
        expires(self.valid_before)
    }

    /// Judges a transfer of the right amount to the recipient, by its block and who sent its transaction.
    pub(crate) fn paid(&self, transaction: Transaction, block: u64, sender: Option<Wallet>) -> ChainEvidence {
        let is_ours = self.since.as_ref().is_none_or(|since| {
            let by_facilitator = sender.is_some_and(|sender| since.facilitator.contains(&sender));
            block > since.asked || block > since.arrived && !by_facilitator
        });
        match is_ours {
            true => ChainEvidence::Paid { transaction },
            false => ChainEvidence::PaidElsewhere { transaction },
        }
    }

    /// The settlement that the chain shows.
    pub fn observed(&self, transaction: Transaction) -> Settlement {
        Settlement {
            version: self.version,
            key: self.key,
            product: self.product,
            amount: self.amount,
            transaction: Some(transaction),
            evidence: SettlementEvidence::Observed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::Nonce;

    #[test]
    fn a_transfer_is_a_sale_after_the_payment_arrived_unless_it_was_for_another_shop() {
        let [facilitator, stranger] = [7, 8].map(|byte| Wallet::from_bytes([byte; 20]));
        let since = SaleBlocks {
            arrived: 10,
            asked: 20,
            facilitator: vec![facilitator],
        };
        let expected = |since| ExpectedTransfer {
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
            since,
        };
        for (block, sender, ours) in [
            (10, stranger, false),
            (11, stranger, true),
            (10, facilitator, false),
            (20, facilitator, false),
            (21, facilitator, true),
            (21, stranger, true),
        ] {
            let transaction: Transaction = "0x5e".parse().unwrap();
            let found = expected(Some(since.clone())).paid(transaction, block, Some(sender));
            assert_eq!(
                matches!(found, ChainEvidence::Paid { .. }),
                ours,
                "{block} {sender}"
            );
        }
        // A payment of an earlier version, or without an answer of the chain when it arrived.
        let found = expected(None).paid("0x5e".parse().unwrap(), 1, None);
        assert!(matches!(found, ChainEvidence::Paid { .. }));
    }
}

#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! Port of ibid: take money by x402, once.
//!
//! [`Facilitator`] is the port to a service that reads a chain and moves money on it.
//! [`SandboxFacilitator`] does so in process, with real signatures and an invented ledger.
//! `RemoteFacilitator` (feature `http`) asks a facilitator on the network.
//!
//! # The walk of a payment
//! A [`PriceQuote`] lists the price and the terms, in both versions of the protocol.
//! A buyer answers with a [`Payment`].
//! [`Payment::matching`] and [`Matched::in_time`] make the checks that need no facilitator, and yield [`Checked`].
//! The caller then claims its [`ibid_model::PaymentKey`] in a store, before the first await.
//! [`Paygate::verify`] turns it into a [`Verified`], the licence to start the work.
//! With the finished result it becomes a [`Held`], which a store keeps.
//! [`Paygate::settle`] turns that into a [`Settlement`], and only then is the result released.
//! Each step consumes the one before.
//!
//! A facilitator's failure rarely proves that the money stays.
//! [`ChainReader`] reads the chain itself and returns [`ChainEvidence`].
//! `RpcReader` (feature `http`) asks nodes, and the sandbox reads its own ledger.
//!
//! # What it refuses to do
//! It keeps no state: claims, results and receipts are the store's.
//! It knows no HTTP server and sets no status: [`PaymentError`] names the party that has to act.
//! It never believes a price, a recipient or a network named by a buyer.
//! It never prints a payload, and never moves money on behalf of a payer.
//!
//! # Why `k256` and `sha3`
//! The signed data has one fixed type without dynamic members, so its EIP-712 hash takes forty lines.
//! `k256` 0.14 with `sha3` is 44 crates and 12 CPU seconds to build.
//! Several of these crates are in the workspace anyway.
//! `alloy-primitives` with `alloy-sol-types` is 75 crates and over 25 CPU seconds.
//! It drives a macro at compile time, and brings the slower `k256` 0.13.
//! A recovery takes 50 µs with 0.14.

mod answer;
pub mod chain;
mod check;
mod discovery;
mod eip712;
mod error;
mod facilitator;
#[cfg(feature = "http")]
mod facilitator_key;
mod header;
mod held;
mod hex;
mod identifier;
mod offer_receipt;
mod paygate;
mod payment;
mod proto;
mod quote;
mod reason;
#[cfg(feature = "http")]
mod remote;
pub mod sandbox;
mod settlement;

pub use answer::{Kind, SettleAnswer, SupportedAnswer, VerifyAnswer};
#[cfg(feature = "http")]
pub use chain::{BadNodeUrls, NodeUrls, RpcReader};
pub use chain::{
    ChainEvidence, ChainFault, ChainFuture, ChainReader, ChainReaders, ExpectedTransfer, IncomingTransfer,
    SaleBlocks, TokenAccount,
};
pub use check::{Checked, Fingerprint, LONGEST_VALIDITY, Matched, Rules, SETTLE_MARGIN, Signer, SignerRule};
pub use discovery::Discovery;
pub use error::{BadPayment, Outage, PaymentError, Refusal, SettleFailure};
pub use facilitator::{
    Facilitator, FacilitatorFuture, FacilitatorRequest, PaymentVerdict, SettleVerdict, Supported,
};
#[cfg(feature = "http")]
pub use facilitator_key::{BadFacilitatorKey, FacilitatorKey};
pub use header::{
    MAX_OFFER_HEADER, MAX_PAYMENT_HEADER, PAYMENT_REQUIRED, PAYMENT_RESPONSE, PAYMENT_SIGNATURE, X_PAYMENT,
    X_PAYMENT_RESPONSE,
};
pub use held::{Held, Verified};
pub use identifier::PaymentIdentifier;
pub use offer_receipt::{BadOfferKey, OfferSigner};
pub use paygate::{Paygate, PriorAttempt};
pub use payment::Payment;
pub use proto::{v1, v2};
pub use quote::{Accepted, Listing, PriceQuote, Proof, Sale, Terms};
pub use reason::{FacilitatorReason, ReasonKind};
#[cfg(feature = "http")]
pub use remote::{RemoteError, RemoteFacilitator, RemoteOptions};
pub use sandbox::SandboxFacilitator;
pub use settlement::{SettleResponse, Settlement, SettlementEvidence};

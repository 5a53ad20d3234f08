//! Shared words of payment: wallets, networks, what is sold at which price, and receipts.
//!
//! The crates that take money (`ibid-x402`), keep it in order (`ibid-store`) and talk about it on the
//! agent surface all use these. No protocol lives here: how the words look in a header is `ibid-x402`'s affair.

mod hex;
mod key;
mod network;
mod offering;
mod receipt;

pub use hex::{HexError, Nonce, TokenAddress, Wallet, unhex};
pub use key::{PaymentKey, PaymentKeyError};
pub use network::{Asset, Network, UnknownNetwork, X402Version};
pub use offering::Offering;
pub use receipt::{BadTransaction, Receipt, Transaction};

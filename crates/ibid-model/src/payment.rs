//! Shared words of payment: wallets, networks, what is sold at which price, and receipts.
//!
//! The crates that take money (`ibid-x402`), keep it in order (`ibid-store`) and talk about it on the
//! agent surface all use these. This module has no protocol: `ibid-x402` reads and writes the headers.

mod hex;
mod key;
mod network;
mod offering;
mod price_list;
mod receipt;

pub use hex::{HexError, Nonce, TokenAddress, Wallet, unhex};
pub use key::{PaymentKey, PaymentKeyError};
pub use network::{Asset, Network, UnknownNetwork, X402Version};
pub use offering::Offering;
pub use price_list::{BadPrices, PriceList};
pub use receipt::{BadTransaction, Receipt, Transaction};

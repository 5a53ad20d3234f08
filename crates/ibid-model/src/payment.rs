//! Shared types of payment: wallets, networks, skills and their prices, and receipts.
//!
//! Users are the crates for payments (`ibid-x402`) and their records (`ibid-store`), and the agent surface.
//! This module has no protocol: `ibid-x402` reads and writes the headers.

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

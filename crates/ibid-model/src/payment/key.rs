//! What makes two payments the same.

use super::hex::{Nonce, TokenAddress, Wallet};
use super::network::Network;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Tells payments apart as the chain does: the token's contract remembers used nonces by payer.
///
/// Two headers with the same key are the same payment, even if their JSON or signature is encoded differently.
/// Written `eip155:84532/TOKEN/PAYER/NONCE`, which can be a primary key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaymentKey {
    /// The chain.
    pub network: Network,
    /// The token on it.
    pub asset: TokenAddress,
    /// The paying wallet.
    pub payer: Wallet,
    /// The payer's number for this payment.
    pub nonce: Nonce,
}

/// The text is not a payment key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a payment key")]
pub struct PaymentKeyError;

impl fmt::Display for PaymentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            network,
            asset,
            payer,
            nonce,
        } = self;
        write!(f, "{}/{asset}/{payer}/{nonce}", network.caip2())
    }
}

impl FromStr for PaymentKey {
    type Err = PaymentKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('/');
        let mut next = || parts.next().ok_or(PaymentKeyError);
        let key = Self {
            network: next()?.parse().map_err(|_| PaymentKeyError)?,
            asset: next()?.parse().map_err(|_| PaymentKeyError)?,
            payer: next()?.parse().map_err(|_| PaymentKeyError)?,
            nonce: next()?.parse().map_err(|_| PaymentKeyError)?,
        };
        // One key, one text: a store may compare the texts.
        if key.to_string() == text {
            Ok(key)
        } else {
            Err(PaymentKeyError)
        }
    }
}

impl Serialize for PaymentKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

read_from_text!(PaymentKey);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_parses() {
        let key = PaymentKey {
            network: Network::BaseSepolia,
            asset: TokenAddress::from_bytes([1; 20]),
            payer: Wallet::from_bytes([0xab; 20]),
            nonce: Nonce::from_bytes([3; 32]),
        };
        let text = key.to_string();
        assert!(text.starts_with("eip155:84532/0x0101"));
        assert_eq!(text.parse(), Ok(key));
        assert_eq!(
            serde_json::from_str::<PaymentKey>(&format!("\"{text}\"")).unwrap(),
            key
        );
        let other_forms = [
            text.replace("eip155:84532", "base-sepolia"),
            text.replace("abab", "ABAB"),
            format!("{text}/"),
            text.trim_end_matches('3').to_owned(),
            String::new(),
        ];
        for other in other_forms {
            assert_eq!(other.parse::<PaymentKey>(), Err(PaymentKeyError), "{other}");
        }
    }
}

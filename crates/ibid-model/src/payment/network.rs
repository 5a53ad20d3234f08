//! Chains and the token that is taken on them.

use super::hex::{TokenAddress, unhex};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use strum::{IntoStaticStr, VariantArray};

/// A version of the payment protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, extend("enum" = [1, 2]))]
#[derive(strum::FromRepr)]
#[repr(u8)]
pub enum X402Version {
    /// Version 1: the offer is a body, the payment is `X-PAYMENT`.
    V1 = 1,
    /// Version 2: the offer is a header, the payment is `PAYMENT-SIGNATURE`.
    V2 = 2,
}

impl X402Version {
    /// The number on the wire.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl From<X402Version> for u8 {
    fn from(version: X402Version) -> Self {
        version.number()
    }
}

impl TryFrom<u8> for X402Version {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        Self::from_repr(number).ok_or_else(|| "x402Version is neither 1 nor 2".to_owned())
    }
}

/// An EVM chain that payments can be taken on.
///
/// It is printed by the name that version 1 uses.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Network {
    /// Test network of Base: money without value. The default.
    BaseSepolia,
    /// Base.
    Base,
    /// Test network of Polygon.
    PolygonAmoy,
    /// Polygon.
    Polygon,
    /// Test network of Avalanche.
    AvalancheFuji,
    /// Avalanche.
    Avalanche,
}

/// The text names no network of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown network, known are base-sepolia, base, polygon-amoy, polygon, avalanche-fuji and avalanche")]
pub struct UnknownNetwork;

impl Network {
    /// Every network.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The chain's number (EIP-155).
    pub const fn chain_id(self) -> u64 {
        match self {
            Self::BaseSepolia => 84_532,
            Self::Base => 8_453,
            Self::PolygonAmoy => 80_002,
            Self::Polygon => 137,
            Self::AvalancheFuji => 43_113,
            Self::Avalanche => 43_114,
        }
    }

    /// A block with this many blocks above it is final for this service's books. Newer blocks are not
    /// evidence of a payment: a chain may still replace them.
    pub const fn finality_blocks(self) -> u64 {
        match self {
            // Blocks of two seconds from one sequencer, which replaces only its newest ones.
            Self::BaseSepolia => 10,
            Self::Base => 60,
            // Many producers: replaced chains of a few blocks are usual, and longer ones have happened.
            Self::PolygonAmoy => 32,
            Self::Polygon => 128,
            // A block is final when a node serves it. The margin covers nodes that serve blocks early, and is no less than
            // elsewhere: receipts are judged by it, too.
            Self::AvalancheFuji | Self::Avalanche => 10,
        }
    }

    /// The name that version 1 uses: `base-sepolia`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The CAIP-2 name that version 2 uses: `eip155:84532`.
    pub const fn caip2(self) -> &'static str {
        match self {
            Self::BaseSepolia => "eip155:84532",
            Self::Base => "eip155:8453",
            Self::PolygonAmoy => "eip155:80002",
            Self::Polygon => "eip155:137",
            Self::AvalancheFuji => "eip155:43113",
            Self::Avalanche => "eip155:43114",
        }
    }

    /// The name in the form that a protocol version uses.
    pub fn in_version(self, version: X402Version) -> &'static str {
        match version {
            X402Version::V1 => self.name(),
            X402Version::V2 => self.caip2(),
        }
    }
}

/// Either form of the name.
impl FromStr for Network {
    type Err = UnknownNetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.iter().copied();
        all.find(|network| text == network.name() || text == network.caip2())
            .ok_or(UnknownNetwork)
    }
}

impl Serialize for Network {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.caip2())
    }
}

read_from_text!(Network);

/// A token with six decimals that can be moved by signed authorization (EIP-3009).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    /// The token's contract; also the `verifyingContract` of its EIP-712 domain.
    pub contract: TokenAddress,
    /// The `name` of its EIP-712 domain: `USDC` on the test network, `USD Coin` on Base. Signatures depend on it.
    pub name: String,
    /// The `version` of its EIP-712 domain.
    pub version: String,
}

impl Asset {
    /// Circle's USDC on `network`, as its issuer and the reference implementation list it.
    #[must_use]
    pub fn usdc(network: Network) -> Self {
        let (contract, name) = match network {
            Network::BaseSepolia => (unhex(b"036cbd53842c5426634e7929541ec2318f3dcf7e"), "USDC"),
            Network::Base => (unhex(b"833589fcd6edb6e08f4c7c32d4f71b54bda02913"), "USD Coin"),
            Network::PolygonAmoy => (unhex(b"41e94eb019c0762f9bfcf9fb1e58725bfb0e7582"), "USDC"),
            Network::Polygon => (unhex(b"3c499c542cef5e3811e1192ce70d8cc03d5c3359"), "USD Coin"),
            Network::AvalancheFuji => (unhex(b"5425890298aed601595a70ab815c96711a31bc65"), "USD Coin"),
            Network::Avalanche => (unhex(b"b97ef9ef8734c71904d8002f8b6bc66dd9c48a6e"), "USD Coin"),
        };
        Self {
            contract: TokenAddress::from_bytes(contract),
            name: name.to_owned(),
            version: "2".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_are_read() {
        for &network in Network::ALL {
            assert_eq!(network.name().parse(), Ok(network));
            assert_eq!(network.caip2().parse(), Ok(network));
            assert_eq!(network.caip2(), format!("eip155:{}", network.chain_id()));
        }
        for text in ["", "Base", "eip155:1", "eip155:084532", "base-sepolia "] {
            assert_eq!(text.parse::<Network>(), Err(UnknownNetwork), "{text:?}");
        }
    }

    #[test]
    fn the_token_differs_by_network() {
        let usdc = |network| Asset::usdc(network).contract.to_string();
        assert_eq!(
            usdc(Network::BaseSepolia),
            "0x036cbd53842c5426634e7929541ec2318f3dcf7e"
        );
        assert_eq!(usdc(Network::Base), "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913");
        assert_eq!(
            usdc(Network::PolygonAmoy),
            "0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582"
        );
        assert_eq!(
            usdc(Network::Polygon),
            "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359"
        );
        assert_eq!(
            usdc(Network::AvalancheFuji),
            "0x5425890298aed601595a70ab815c96711a31bc65"
        );
        assert_eq!(
            usdc(Network::Avalanche),
            "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e"
        );
        // The names differ between test and main network: mixing them up is the classic signature failure.
        assert_eq!(Asset::usdc(Network::BaseSepolia).name, "USDC");
        assert_eq!(Asset::usdc(Network::Base).name, "USD Coin");
    }

    #[test]
    fn versions_are_numbers_on_the_wire() {
        assert_eq!(serde_json::to_string(&X402Version::V2).unwrap(), "2");
        assert_eq!(serde_json::from_str::<X402Version>("1").unwrap(), X402Version::V1);
        assert!(serde_json::from_str::<X402Version>("3").is_err());
    }
}

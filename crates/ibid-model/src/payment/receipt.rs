//! The record of a purchase.

use super::hex::TokenAddress;
use super::network::{Network, X402Version};
use super::skill::{Product, Skill};
use crate::id::{ReceiptId, ScanId};
use crate::money::UsdcMicros;
use jiff::Timestamp;
use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The name of a transaction as a facilitator gave it: 1 to 128 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Transaction(String);

/// The text is no name of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a transaction is named by 1 to 128 visible ASCII characters")]
pub struct BadTransaction;

impl Transaction {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Transaction {
    type Err = BadTransaction;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=128).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadTransaction)
        }
    }
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for Transaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// One purchase, as its buyer sees it.
///
/// On the wire `amount` is a decimal string of atomic units and `network` has the form of the version that paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Names the receipt.
    pub id: ReceiptId,
    /// What was bought.
    pub product: Product,
    /// URL of the route or method that sold it.
    pub resource: String,
    /// The scan or other work that was bought; `None` once it is no longer kept.
    pub scan_id: Option<ScanId>,
    /// What was paid.
    pub amount: UsdcMicros,
    /// The token it was paid in.
    pub asset: TokenAddress,
    /// The chain it was paid on.
    pub network: Network,
    /// The transaction; `None` if the facilitator's answer that named it was lost.
    pub transaction: Option<Transaction>,
    /// Version of the protocol that was used.
    pub version: X402Version,
    /// When it was settled.
    pub settled_at: Timestamp,
}

impl Serialize for Receipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut wire = serializer.serialize_struct("Receipt", 10)?;
        wire.serialize_field("receiptId", &self.id)?;
        wire.serialize_field("skill", &self.product.skill())?;
        wire.serialize_field("resource", &self.resource)?;
        wire.serialize_field("scanId", &self.scan_id)?;
        wire.serialize_field("amount", &self.amount.get().to_string())?;
        wire.serialize_field("asset", &self.asset)?;
        wire.serialize_field("network", self.network.in_version(self.version))?;
        wire.serialize_field("transaction", &self.transaction)?;
        wire.serialize_field("x402Version", &self.version)?;
        wire.serialize_field("settledAt", &self.settled_at)?;
        wire.end()
    }
}

impl<'de> Deserialize<'de> for Receipt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            receipt_id: ReceiptId,
            skill: Skill,
            resource: String,
            scan_id: Option<ScanId>,
            amount: String,
            asset: TokenAddress,
            network: Network,
            transaction: Option<Transaction>,
            #[serde(rename = "x402Version")]
            version: X402Version,
            settled_at: Timestamp,
        }
        let wire = Wire::deserialize(deserializer)?;
        Ok(Self {
            id: wire.receipt_id,
            product: wire
                .skill
                .product()
                .ok_or_else(|| D::Error::custom("this skill is not sold"))?,
            resource: wire.resource,
            scan_id: wire.scan_id,
            amount: UsdcMicros::new(wire.amount.parse().map_err(D::Error::custom)?),
            asset: wire.asset,
            network: wire.network,
            transaction: wire.transaction,
            version: wire.version,
            settled_at: wire.settled_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_has_the_form_of_its_version() {
        let mut receipt = Receipt {
            id: ReceiptId::from_bytes([1; 16]),
            product: Product::Scan,
            resource: "https://ibid.example/api/a2a/scan".to_owned(),
            scan_id: None,
            amount: Product::Scan.price(),
            asset: TokenAddress::from_bytes([2; 20]),
            network: Network::BaseSepolia,
            transaction: Some("0xabc".parse().unwrap()),
            version: X402Version::V1,
            settled_at: "2026-11-21T10:00:00Z".parse().unwrap(),
        };
        let wire = serde_json::to_value(&receipt).unwrap();
        assert_eq!(
            wire,
            serde_json::json!({
                "receiptId": "01010101-0101-0101-0101-010101010101", "skill": "scan",
                "resource": "https://ibid.example/api/a2a/scan", "scanId": null, "amount": "150000",
                "asset": "0x0202020202020202020202020202020202020202", "network": "base-sepolia",
                "transaction": "0xabc", "x402Version": 1, "settledAt": "2026-11-21T10:00:00Z"
            })
        );
        assert_eq!(serde_json::from_value::<Receipt>(wire).unwrap(), receipt);
        receipt.version = X402Version::V2;
        assert_eq!(serde_json::to_value(&receipt).unwrap()["network"], "eip155:84532");
    }

    #[test]
    fn a_transaction_has_a_sane_name() {
        assert!("0x9ec2".parse::<Transaction>().is_ok());
        for text in ["", "a b", "a\nb", "ü", &"x".repeat(129)] {
            assert_eq!(text.parse::<Transaction>(), Err(BadTransaction), "{text:?}");
        }
    }
}

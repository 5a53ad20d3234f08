//! What a buyer keeps from a purchase.

use super::hex::TokenAddress;
use super::network::{Network, UnknownNetwork, X402Version};
use crate::contract::{Product, Skill};
use crate::id::{ReceiptId, ScanId};
use crate::money::AtomicUsdc;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A transaction's name as a facilitator gave it: 1 to 128 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
#[derive(schemars::JsonSchema)]
#[schemars(inline)]
pub struct Transaction(String);

/// The text is not a name of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a transaction hash must have 1 to 128 visible ASCII characters")]
pub struct BadTransaction;

impl Transaction {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Transaction {
    type Err = BadTransaction;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=128).contains(&text.len()) {
            let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let is_hex = hex.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            // Hashes are equal whose bytes are.
            Ok(Self(if is_hex {
                text.to_ascii_lowercase()
            } else {
                text.to_owned()
            }))
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

read_from_text!(Transaction);

/// One purchase, as its buyer sees it.
///
/// On the wire `amount` is a decimal string of atomic units and `network` has the form of the version that paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "ReceiptWire", try_from = "ReceiptWire")]
#[derive(schemars::JsonSchema)]
pub struct Receipt {
    /// Names the receipt.
    pub id: ReceiptId,
    /// The product.
    pub product: Product,
    /// URL of the route or method that sold it.
    pub resource: String,
    /// The scan or other work that was bought; `None` once it is no longer kept.
    pub scan_id: Option<ScanId>,
    /// The amount.
    pub amount: AtomicUsdc,
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

/// A receipt as it goes over the wire.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
struct ReceiptWire {
    /// Names the receipt.
    #[schemars(with = "String", extend("format" = "uuid"))]
    receipt_id: ReceiptId,
    /// The product.
    skill: Skill,
    /// URL of the route or method that sold it.
    resource: String,
    /// The scan or other work that was bought; null once it is no longer kept.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    scan_id: Option<ScanId>,
    /// The amount: a decimal string of atomic units.
    amount: String,
    /// The token it was paid in.
    asset: TokenAddress,
    /// The chain it was paid on, in the form of the version that paid.
    network: String,
    /// The transaction; null if its name was lost.
    transaction: Option<Transaction>,
    /// Version of the protocol that was used: 1 or 2.
    #[serde(rename = "x402Version")]
    version: X402Version,
    /// When it was settled.
    #[schemars(with = "String", extend("format" = "date-time"))]
    #[serde(serialize_with = "crate::time::serialize")]
    settled_at: Timestamp,
}

/// The reason why a stored or received text is not a receipt.
#[derive(Debug, thiserror::Error)]
enum BadReceipt {
    #[error("this skill is not sold")]
    Skill,
    #[error("the amount is not a whole number")]
    Amount,
    #[error(transparent)]
    Network(#[from] UnknownNetwork),
}

impl From<Receipt> for ReceiptWire {
    fn from(receipt: Receipt) -> Self {
        Self {
            receipt_id: receipt.id,
            skill: receipt.product.skill(),
            resource: receipt.resource,
            scan_id: receipt.scan_id,
            amount: receipt.amount.get().to_string(),
            asset: receipt.asset,
            network: receipt.network.in_version(receipt.version).to_owned(),
            transaction: receipt.transaction,
            version: receipt.version,
            settled_at: receipt.settled_at,
        }
    }
}

impl TryFrom<ReceiptWire> for Receipt {
    type Error = BadReceipt;

    fn try_from(wire: ReceiptWire) -> Result<Self, BadReceipt> {
        Ok(Self {
            id: wire.receipt_id,
            product: wire.skill.product().ok_or(BadReceipt::Skill)?,
            resource: wire.resource,
            scan_id: wire.scan_id,
            amount: AtomicUsdc::new(wire.amount.parse().map_err(|_| BadReceipt::Amount)?),
            asset: wire.asset,
            network: wire.network.parse()?,
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
                "transaction": "0xabc", "x402Version": 1, "settledAt": "2026-11-21T10:00:00.000Z"
            })
        );
        assert_eq!(serde_json::from_value::<Receipt>(wire).unwrap(), receipt);
        receipt.version = X402Version::V2;
        assert_eq!(serde_json::to_value(&receipt).unwrap()["network"], "eip155:84532");
    }

    #[test]
    fn the_schema_is_that_of_the_wire() {
        let schema = serde_json::to_value(schemars::schema_for!(Receipt)).unwrap();
        let members: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(members.len(), 10, "{schema}");
        assert_eq!(schema["properties"]["amount"]["type"], "string", "{schema}");
        assert_eq!(schema["properties"]["scanId"]["format"], "uuid", "{schema}");
        assert_eq!(
            schema["properties"]["x402Version"]["enum"],
            serde_json::json!([1, 2])
        );
    }

    #[test]
    fn a_transaction_has_a_sane_name() {
        assert!("0x9ec2".parse::<Transaction>().is_ok());
        for text in ["", "a b", "a\nb", "ü", &"x".repeat(129)] {
            assert_eq!(text.parse::<Transaction>(), Err(BadTransaction), "{text:?}");
        }
    }
}

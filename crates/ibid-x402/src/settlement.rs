//! Money that has moved, and how buyers hear of it.

use crate::header::encode;
use ibid_model::{
    AtomicUsdc, PaymentKey, Product, Receipt, ReceiptId, ScanId, Transaction, Wallet, X402Version,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Money that has moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settlement {
    /// Which protocol version the buyer speaks.
    #[serde(rename = "x402Version")]
    pub version: X402Version,
    /// What the chain tells the payment by.
    pub key: PaymentKey,
    /// The product that was bought.
    pub product: Product,
    /// The amount that was paid.
    pub amount: AtomicUsdc,
    /// The transaction; `None` if the facilitator named none.
    pub transaction: Option<Transaction>,
    /// How it is known that the money moved.
    pub evidence: SettlementEvidence,
}

/// How it is known that money has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettlementEvidence {
    /// The facilitator said so.
    Reported,
    /// The chain shows the transfer in a final block. The facilitator's answer was lost, or it gave another one.
    Observed,
}

/// Tells a buyer about a settlement: what both settlement headers carry, and the stream's
/// `payment_settled` event, and an entry of `x402.payment.receipts` on the agent surface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
pub struct SettleResponse {
    /// Whether the money moved.
    pub success: bool,
    /// Why the payment was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
    /// The transaction; empty if there is none or its name was lost.
    pub transaction: String,
    /// The chain, in the form of the version that paid.
    pub network: String,
    /// The wallet that paid.
    pub payer: Wallet,
    /// Extensions by name: a signed receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<serde_json::Value>,
}

impl Settlement {
    /// The object that tells the buyer.
    pub fn response(&self) -> SettleResponse {
        SettleResponse {
            success: true,
            error_reason: None,
            transaction: self
                .transaction
                .as_ref()
                .map_or_else(String::new, Transaction::to_string),
            network: self.key.network.in_version(self.version).to_owned(),
            payer: self.key.payer,
            extensions: None,
        }
    }

    /// Writes the purchase's receipt.
    pub fn receipt(
        &self,
        id: ReceiptId,
        resource: String,
        scan_id: Option<ScanId>,
        settled_at: Timestamp,
    ) -> Receipt {
        Receipt {
            id,
            product: self.product,
            resource,
            scan_id,
            amount: self.amount,
            asset: self.key.asset,
            network: self.key.network,
            transaction: self.transaction.clone(),
            version: self.version,
            settled_at,
        }
    }
}

impl SettleResponse {
    /// The object for a payment that will never go through.
    #[must_use]
    pub fn refused(key: &PaymentKey, version: X402Version, reason: &str) -> Self {
        Self {
            success: false,
            error_reason: Some(reason.to_owned()),
            transaction: String::new(),
            network: key.network.in_version(version).to_owned(),
            payer: key.payer,
            extensions: None,
        }
    }

    /// Writes what [`crate::X_PAYMENT_RESPONSE`] and [`crate::PAYMENT_RESPONSE`] carry, the same in both.
    pub fn header(&self) -> String {
        encode(self)
    }
}

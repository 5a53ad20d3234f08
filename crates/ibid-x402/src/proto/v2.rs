//! Version 2: the offer is the `PAYMENT-REQUIRED` header, the body is free.

use crate::proto::v1::Extra;
use crate::proto::{exact::Uint256, member, parsed, whole};
use ibid_model::{TokenAddress, Wallet};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// The content of the `PAYMENT-REQUIRED` header.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
pub struct PaymentRequired {
    /// Always 2.
    pub x402_version: u8,
    /// Why payment is asked for: a stable word.
    pub error: Cow<'static, str>,
    /// The sold product.
    pub resource: Resource,
    /// The offers, one for each accepted token.
    pub accepts: Vec<PaymentRequirements>,
    /// Extensions by name, each `{info, schema}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Value>,
}

/// The sold product.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
pub struct Resource {
    /// Absolute URL.
    pub url: String,
    /// In a sentence.
    pub description: Cow<'static, str>,
    /// Media type of the answer.
    pub mime_type: &'static str,
    /// Name of the service, 1 to 32 printable ASCII characters.
    pub service_name: &'static str,
}

/// One offer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
pub struct PaymentRequirements {
    /// Always `exact`.
    pub scheme: &'static str,
    /// CAIP-2 name: `eip155:84532`.
    pub network: &'static str,
    /// The price: a decimal string of atomic units.
    pub amount: String,
    /// The token's contract, in checksum form.
    pub asset: String,
    /// The recipient, in checksum form.
    pub pay_to: String,
    /// Most seconds that an authorization may be valid.
    pub max_timeout_seconds: u32,
    /// The token's EIP-712 domain.
    pub extra: Extra,
}

impl PaymentRequirements {
    /// The first member in which a buyer's `accepted` entry differs from this offer. Addresses are compared
    /// without regard to case, amounts as numbers, and `extra` may hold more than we offered.
    pub(crate) fn difference(&self, accepted: &Value) -> Option<&'static str> {
        let text = |name| member(accepted, name).and_then(Value::as_str);
        let extra = |name: &str| member(accepted, "extra").and_then(|extra| member(extra, name));
        let number = |name| parsed::<Uint256>(accepted, name);
        let checks = [
            ("scheme", text("scheme") == Some(self.scheme)),
            ("network", text("network") == Some(self.network)),
            (
                "amount",
                number("amount").is_some_and(|amount| self.amount.parse() == Ok(amount)),
            ),
            (
                "asset",
                parsed::<TokenAddress>(accepted, "asset")
                    .is_some_and(|asset| self.asset.parse() == Ok(asset)),
            ),
            (
                "payTo",
                parsed::<Wallet>(accepted, "payTo").is_some_and(|wallet| self.pay_to.parse() == Ok(wallet)),
            ),
            (
                "maxTimeoutSeconds",
                member(accepted, "maxTimeoutSeconds").and_then(whole)
                    == Some(u64::from(self.max_timeout_seconds)),
            ),
            (
                "extra",
                extra("name").and_then(Value::as_str) == Some(&self.extra.name),
            ),
            (
                "extra",
                extra("version").and_then(Value::as_str) == Some(&self.extra.version),
            ),
            // Another way to move the money changes what is signed; the default one may be named.
            (
                "extra",
                extra("assetTransferMethod").is_none_or(|method| method.as_str() == Some("eip3009")),
            ),
        ];
        checks
            .into_iter()
            .find_map(|(name, equal)| (!equal).then_some(name))
    }
}

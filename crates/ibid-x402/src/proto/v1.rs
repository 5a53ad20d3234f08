//! Version 1: the offer is the JSON body of the 402.

use crate::discovery::Discovery;
use ibid_model::result::OfferedPlan;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// The body of a 402. Every entry must be of version 1: a stock client reads all of them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
pub struct PaymentRequired {
    /// Always 1.
    pub x402_version: u8,
    /// Why payment is asked for: a stable word. Some clients refuse a body without it.
    pub error: Cow<'static, str>,
    /// The offers, one for each accepted token.
    pub accepts: Vec<PaymentRequirements>,
    /// The payer of a refused payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payer: Option<ibid_model::Wallet>,
    /// A sentence for people, beyond the specification: clients ignore what they do not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The work that the price pays for, beyond the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<OfferedPlan>,
}

/// One offer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[derive(schemars::JsonSchema)]
pub struct PaymentRequirements {
    /// Always `exact`.
    pub scheme: &'static str,
    /// `base-sepolia`; clients know an enumeration of such names and no others.
    pub network: &'static str,
    /// The price: a decimal string of atomic units.
    pub max_amount_required: String,
    /// Absolute URL of what is sold.
    pub resource: String,
    /// The sold product, in a sentence. Always present.
    pub description: Cow<'static, str>,
    /// Media type of the answer. Always present.
    pub mime_type: &'static str,
    /// The description of a call to the resource. An object or absent: a stock client refuses `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The recipient, in checksum form.
    pub pay_to: String,
    /// Most seconds that an authorization may be valid.
    pub max_timeout_seconds: u32,
    /// The token's contract, in checksum form.
    pub asset: String,
    /// The token's EIP-712 domain.
    pub extra: Extra,
}

/// Name and version of the token's EIP-712 domain. Both versions use it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Extra {
    /// `name` of the domain.
    pub name: String,
    /// `version` of the domain.
    pub version: String,
}

impl PaymentRequirements {
    /// Fills [`Self::output_schema`].
    #[must_use]
    pub(crate) fn discoverable(mut self, discovery: Option<&Discovery>) -> Self {
        self.output_schema = discovery.map(Discovery::output_schema);
        self
    }
}

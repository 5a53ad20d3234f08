//! What facilitators answer, as it goes over the wire.
//!
//! Both directions use these forms: the network client and the sandbox.

use crate::facilitator::{PaymentVerdict, SettleVerdict, Supported};
use crate::reason::FacilitatorReason;
use ibid_model::X402Version;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Answer to `POST /verify`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyAnswer {
    /// The verdict.
    pub is_valid: bool,
    /// Why the payment was refused.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub invalid_reason: Option<String>,
    /// The wallet that pays.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
}

/// Answer to `POST /settle`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettleAnswer {
    /// The verdict.
    pub success: bool,
    /// Why the payment was refused.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
    /// The transaction; empty without one.
    #[serde(default, deserialize_with = "text")]
    pub transaction: Option<String>,
    /// The chain.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The wallet that paid.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
    /// The amount that was paid, in atomic units.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
}

/// Answer to `GET /supported`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportedAnswer {
    /// The supported combinations.
    pub kinds: Vec<Kind>,
    /// The accounts that send transactions, by networks. Not every facilitator names them.
    #[serde(default)]
    pub signers: Value,
}

/// One thing that a facilitator can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kind {
    /// The version.
    pub x402_version: u8,
    /// The scheme.
    pub scheme: String,
    /// The chain, in the form of the version.
    pub network: String,
}

/// Reads a text, and any other value as absent.
/// Only the verdict itself has to have its form.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

impl From<VerifyAnswer> for PaymentVerdict {
    fn from(answer: VerifyAnswer) -> Self {
        if answer.is_valid {
            // An unreadable address is treated as absent; the caller compares the payer.
            return Self::Valid {
                payer: answer.payer.and_then(|payer| payer.parse().ok()),
            };
        }
        Self::Invalid {
            reason: FacilitatorReason::new(&answer.invalid_reason.unwrap_or_default()),
        }
    }
}

impl From<SettleAnswer> for SettleVerdict {
    fn from(answer: SettleAnswer) -> Self {
        let transaction = answer.transaction.and_then(|name| name.parse().ok());
        if answer.success {
            return Self::Settled {
                transaction,
                payer: answer.payer.and_then(|payer| payer.parse().ok()),
                network: answer.network,
                amount: answer.amount,
            };
        }
        Self::Failed {
            reason: FacilitatorReason::new(&answer.error_reason.unwrap_or_default()),
            transaction,
        }
    }
}

impl From<SupportedAnswer> for Supported {
    fn from(answer: SupportedAnswer) -> Self {
        let kinds = answer.kinds.into_iter().filter(|kind| kind.scheme == "exact");
        let known = kinds.filter_map(|kind| {
            X402Version::try_from(kind.x402_version)
                .ok()
                .map(|version| (version, kind.network))
        });
        let signers = answer
            .signers
            .as_object()
            .into_iter()
            .flat_map(|networks| networks.values());
        let signers = signers
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str);
        Self {
            exact: known.collect(),
            signers: signers.filter_map(|signer| signer.parse().ok()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(json: &str) -> Option<PaymentVerdict> {
        serde_json::from_str::<VerifyAnswer>(json)
            .ok()
            .map(PaymentVerdict::from)
    }

    fn settled(json: &str) -> Option<SettleVerdict> {
        serde_json::from_str::<SettleAnswer>(json)
            .ok()
            .map(SettleVerdict::from)
    }

    #[test]
    fn a_verdict_needs_its_boolean() {
        assert_eq!(
            verdict(r#"{"isValid":true}"#),
            Some(PaymentVerdict::Valid { payer: None })
        );
        assert_eq!(
            verdict(r#"{"isValid":true,"payer":null,"extra":{}}"#),
            Some(PaymentVerdict::Valid { payer: None })
        );
        assert_eq!(
            verdict(r#"{"isValid":false,"invalidReason":7}"#),
            Some(PaymentVerdict::Invalid {
                reason: FacilitatorReason::new("")
            })
        );
        for json in [
            "",
            "{}",
            "[]",
            "null",
            r#"{"isValid":"true"}"#,
            r#"{"isValid":1}"#,
            r#"{"error":"x"}"#,
        ] {
            assert_eq!(verdict(json), None, "{json}");
        }
        assert_eq!(
            verdict(r#"{"isValid":true,"isValid":false}"#),
            None,
            "two verdicts are none"
        );
        assert_eq!(settled(r#"{"isValid":true}"#), None);
    }

    #[test]
    fn a_settlement_keeps_its_named_members() {
        let failed = settled(
            r#"{"success":false,"errorReason":"settlement_pending","transaction":"0xab","network":"eip155:84532"}"#,
        );
        let Some(SettleVerdict::Failed { reason, transaction }) = failed else {
            panic!("{failed:?}")
        };
        assert_eq!(reason.kind(), crate::ReasonKind::Pending);
        assert_eq!(transaction.unwrap().as_str(), "0xab");
        let sold =
            settled(r#"{"success":true,"transaction":"","network":"base-sepolia","payer":"0x","amount":1}"#);
        assert_eq!(
            sold,
            Some(SettleVerdict::Settled {
                transaction: None,
                payer: None,
                network: Some("base-sepolia".to_owned()),
                amount: None
            })
        );
    }

    #[test]
    fn only_the_scheme_exact_counts_as_supported() {
        use ibid_model::Network;
        let supported: Supported = serde_json::from_str::<SupportedAnswer>(
            r#"{"kinds":[{"x402Version":1,"scheme":"exact","network":"base-sepolia","extra":{}},
                {"x402Version":2,"scheme":"exact","network":"eip155:*"},
                {"x402Version":2,"scheme":"upto","network":"eip155:84532"},
                {"x402Version":3,"scheme":"exact","network":"base"}],"extensions":[],"signers":{"eip155:*":["0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",7],"other":3}}"#,
        )
        .unwrap()
        .into();
        assert!(supported.takes(X402Version::V1, Network::BaseSepolia));
        assert!(!supported.takes(X402Version::V1, Network::Base));
        assert!(supported.takes(X402Version::V2, Network::Base));
        assert_eq!((supported.exact.len(), supported.signers.len()), (2, 1));
    }
}

//! Reasons of facilitators.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Most characters of a reason that are kept.
const KEPT: usize = 200;
/// Most bytes of a reason that are searched for known words.
const SEARCHED: usize = 4096;

/// The reason why a facilitator refused: its text made safe to show, and its meaning.
///
/// The texts are an open set. Facilitators differ, change their words between versions, and some put a whole
/// revert message in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacilitatorReason {
    text: String,
    kind: ReasonKind,
}

/// The meaning of a reason for the buyer and the seller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// The payer does not have the money.
    InsufficientFunds,
    /// The signature does not hold.
    InvalidSignature,
    /// The authorization is not valid at this time.
    OutsideWindow,
    /// The nonce was used before, by this seller or by another party.
    NonceUsed,
    /// Another chain.
    NetworkMismatch,
    /// Another amount.
    InvalidAmount,
    /// Another recipient.
    RecipientMismatch,
    /// Sent to the chain and not confirmed yet. Not a failure.
    Pending,
    /// Anything else.
    Other,
}

impl FacilitatorReason {
    /// Reads a facilitator's text: control characters become spaces, 200 characters are kept.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let kind = ReasonKind::of(text);
        let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        Self {
            text: visible.take(KEPT).collect::<String>().trim().to_owned(),
            kind,
        }
    }

    /// The text, at most 200 characters, without control characters. May be empty.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the meaning of the reason.
    #[must_use]
    pub const fn kind(&self) -> ReasonKind {
        self.kind
    }
}

impl fmt::Display for FacilitatorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.text.is_empty() {
            "no reason given"
        } else {
            &self.text
        })
    }
}

impl ReasonKind {
    fn of(text: &str) -> Self {
        let mut end = text.len().min(SEARCHED);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text[..end].to_ascii_lowercase();
        let table = TABLE.iter();
        table
            .flat_map(|(words, kind)| words.iter().map(move |word| (word, kind)))
            .find_map(|(word, kind)| text.contains(word).then_some(*kind))
            .unwrap_or(Self::Other)
    }
}

/// Words by which a kind is known, in order of precedence. The vocabularies of both reference engines, and
/// the messages of the token contract, which arrive inside revert texts.
const TABLE: &[(&[&str], ReasonKind)] = &[
    (&["settlement_pending"], ReasonKind::Pending),
    (
        &[
            "nonce_already_used",
            "duplicate_settlement",
            "authorization is used",
            "nonce already used",
        ],
        ReasonKind::NonceUsed,
    ),
    (
        &[
            "insufficient_funds",
            "insufficient_balance",
            "insufficient balance",
            "exceeds balance",
        ],
        ReasonKind::InsufficientFunds,
    ),
    (
        &[
            "valid_before",
            "valid_after",
            "payment_expired",
            "authorization is expired",
            "authorization is not yet valid",
        ],
        ReasonKind::OutsideWindow,
    ),
    (
        &["authorization_value", "value_mismatch"],
        ReasonKind::InvalidAmount,
    ),
    (&["recipient_mismatch"], ReasonKind::RecipientMismatch),
    (&["network", "chain_id"], ReasonKind::NetworkMismatch),
    (&["signature", "simulation_failed"], ReasonKind::InvalidSignature),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(kind: ReasonKind, texts: &[&str]) {
        for text in texts {
            assert_eq!(FacilitatorReason::new(text).kind(), kind, "{text}");
        }
    }

    #[test]
    fn known_vocabularies_are_understood() {
        check(
            ReasonKind::NonceUsed,
            &[
                "invalid_exact_evm_nonce_already_used",
                "duplicate_settlement",
                "execution reverted:\nFiatTokenV2: authorization is used or canceled",
            ],
        );
        check(
            ReasonKind::InsufficientFunds,
            &[
                "insufficient_funds",
                "invalid_exact_evm_insufficient_balance",
                "ERC20: transfer amount exceeds balance",
            ],
        );
        check(
            ReasonKind::OutsideWindow,
            &[
                "invalid_exact_evm_payload_authorization_valid_before",
                "invalid_exact_evm_payload_authorization_valid_after",
                "payment_expired",
                "FiatTokenV2: authorization is expired",
            ],
        );
        check(
            ReasonKind::InvalidAmount,
            &[
                "invalid_exact_evm_payload_authorization_value",
                "invalid_exact_evm_authorization_value",
                "invalid_exact_evm_payload_authorization_value_mismatch",
            ],
        );
        check(
            ReasonKind::RecipientMismatch,
            &[
                "invalid_exact_evm_recipient_mismatch",
                "invalid_exact_evm_payload_recipient_mismatch",
            ],
        );
        check(
            ReasonKind::NetworkMismatch,
            &["invalid_network", "invalid_exact_evm_network_mismatch"],
        );
        check(
            ReasonKind::InvalidSignature,
            &[
                "invalid_exact_evm_payload_signature",
                "invalid_exact_evm_signature",
                "invalid_exact_evm_transaction_simulation_failed",
            ],
        );
        check(ReasonKind::Pending, &["settlement_pending"]);
        check(
            ReasonKind::Other,
            &[
                "",
                "unexpected_settle_error",
                "invalid_exact_evm_token_name_mismatch",
                "!",
            ],
        );
    }

    #[test]
    fn the_text_is_cut_and_made_one_line() {
        let reason = FacilitatorReason::new(&format!("revert\r\nSet-Cookie: x\u{0} {}", "ü".repeat(5000)));
        assert_eq!(reason.text().chars().count(), 200);
        assert!(reason.text().starts_with("revert  Set-Cookie: x"));
        assert_eq!(FacilitatorReason::new("").to_string(), "no reason given");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text: String) {
            let reason = FacilitatorReason::new(&text);
            prop_assert!(reason.text().chars().count() <= 200);
            prop_assert!(!reason.text().chars().any(char::is_control));
        }
    }
}

//! Reasons of facilitators.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Most characters of a reason that are kept.
const KEPT: usize = 200;
/// Most bytes of a reason that are searched for known words.
const SEARCHED: usize = 4096;

/// The reason why a facilitator refused: its text made safe to show, and its meaning.
///
/// The texts are an open set.
/// Facilitators differ, and change their words between versions.
/// Some include a whole revert message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacilitatorReason {
    text: String,
    kind: ReasonKind,
}

/// What a reason means for the buyer and the seller.
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
    /// Any other reason.
    Other,
}

impl FacilitatorReason {
    /// Reads a facilitator's text.
    /// Control characters become spaces, addresses lose the part behind the host, and 200 characters are kept.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let kind = ReasonKind::of(text);
        let start = &text[..text.floor_char_boundary(SEARCHED)];
        let words = start.split(|c: char| c.is_whitespace() || c.is_control());
        let words: Vec<&str> = words.map(without_path).filter(|word| !word.is_empty()).collect();
        Self {
            text: words.join(" ").chars().take(KEPT).collect(),
            kind,
        }
    }

    /// The text for the operator's log: at most 200 characters on one line.
    /// Addresses have no paths and queries, which may hold keys.
    /// May be empty.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The word for the buyer.
    /// It is the facilitator's own plain word such as `insufficient_funds`, or one for its meaning.
    pub fn word(&self) -> &str {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if (1..=100).contains(&self.text.len()) && self.text.bytes().all(plain) {
            return &self.text;
        }
        match self.kind {
            ReasonKind::InsufficientFunds => "insufficient_funds",
            ReasonKind::InvalidSignature => "invalid_signature",
            ReasonKind::OutsideWindow => "payment_expired",
            ReasonKind::NonceUsed => "nonce_already_used",
            ReasonKind::NetworkMismatch => "network_mismatch",
            ReasonKind::InvalidAmount => "invalid_amount",
            ReasonKind::RecipientMismatch => "recipient_mismatch",
            ReasonKind::Pending => "settlement_pending",
            ReasonKind::Other => "payment_refused",
        }
    }

    /// Returns the meaning of the reason.
    pub const fn kind(&self) -> ReasonKind {
        self.kind
    }

    /// Whether a facilitator with this reason has sent no transaction to the chain.
    /// The list is short on purpose.
    /// A revert text, a time-out or an unexpected error may follow a sent transaction.
    pub fn is_definite(&self) -> bool {
        DEFINITE.contains(&self.text.as_str())
    }
}

/// Cuts an address behind its host.
fn without_path(word: &str) -> &str {
    let Some(scheme) = word.find("://") else {
        return word;
    };
    let host = scheme + 3;
    // User names and passwords come before an `@`.
    let end = word[host..]
        .find(['/', '?', '#', '@'])
        .map_or(word.len(), |end| host + end);
    if word[host..].contains('@') {
        &word[..host]
    } else {
        &word[..end]
    }
}

/// The word for buyers.
impl fmt::Display for FacilitatorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The reasons, as the whole text, by which both reference engines refuse before they send a transaction.
const DEFINITE: [&str; 27] = [
    "asset_not_deployed_contract",
    "eip6492_factory_not_allowed",
    "insufficient_funds",
    "invalid_exact_evm_authorization_value",
    "invalid_exact_evm_eip3009_not_supported",
    "invalid_exact_evm_insufficient_balance",
    "invalid_exact_evm_missing_eip712_domain",
    "invalid_exact_evm_network_mismatch",
    "invalid_exact_evm_payload_authorization_valid_after",
    "invalid_exact_evm_payload_authorization_valid_before",
    "invalid_exact_evm_payload_authorization_value",
    "invalid_exact_evm_payload_authorization_value_mismatch",
    "invalid_exact_evm_payload_recipient_mismatch",
    "invalid_exact_evm_payload_signature",
    "invalid_exact_evm_payload_undeployed_smart_wallet",
    "invalid_exact_evm_recipient_mismatch",
    "invalid_exact_evm_scheme",
    "invalid_exact_evm_signature",
    "invalid_exact_evm_token_name_mismatch",
    "invalid_exact_evm_token_version_mismatch",
    "invalid_network",
    "invalid_payload",
    "invalid_payment_requirements",
    "invalid_scheme",
    "invalid_x402_version",
    "payment_expired",
    "unsupported_scheme",
];

impl ReasonKind {
    fn of(text: &str) -> Self {
        let text = text[..text.floor_char_boundary(SEARCHED)].to_ascii_lowercase();
        let table = TABLE.iter();
        table
            .flat_map(|(words, kind)| words.iter().map(move |word| (word, kind)))
            .find_map(|(word, kind)| text.contains(word).then_some(*kind))
            .unwrap_or(Self::Other)
    }
}

/// Words by which a kind is known, in order of precedence.
/// They come from both reference engines and from the token contract, whose messages arrive inside
/// revert texts.
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
        assert!(reason.text().starts_with("revert Set-Cookie: x"));
        assert_eq!(reason.to_string(), "payment_refused");
        assert_eq!(FacilitatorReason::new("").to_string(), "payment_refused");
    }

    #[test]
    fn addresses_lose_what_may_be_a_key() {
        let text = |text: &str| FacilitatorReason::new(text).text().to_owned();
        assert_eq!(
            text("HTTP request failed. URL: https://base.node.example/v2/SECRET?key=SECRET body"),
            "HTTP request failed. URL: https://base.node.example body"
        );
        assert_eq!(text("at http://user:SECRET@node.example:8545"), "at http://");
        assert_eq!(text("(https://node.example#SECRET)"), "(https://node.example");
    }

    #[test]
    fn buyers_get_plain_words_only() {
        let word = |text: &str| FacilitatorReason::new(text).to_string();
        assert_eq!(word("invalid_exact_evm_signature"), "invalid_exact_evm_signature");
        assert_eq!(
            word("execution reverted:\nFiatTokenV2: authorization is used or canceled"),
            "nonce_already_used"
        );
        assert_eq!(word("see https://facilitator.example/help"), "payment_refused");
    }

    #[test]
    fn only_a_listed_reason_is_definite() {
        for text in DEFINITE {
            assert!(FacilitatorReason::new(text).is_definite(), "{text}");
        }
        for text in [
            "",
            "unexpected_settle_error",
            "invalid_exact_evm_transaction_failed",
            "invalid_exact_evm_transaction_simulation_failed",
            "invalid_exact_evm_nonce_already_used",
            "invalid_transaction_state",
            "settlement_pending",
            "insufficient_funds, perhaps",
            "ERC20: transfer amount exceeds balance",
            "Timed out while waiting for transaction with hash 0xab",
        ] {
            assert!(!FacilitatorReason::new(text).is_definite(), "{text}");
        }
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

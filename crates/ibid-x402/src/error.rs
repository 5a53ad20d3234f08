//! Errors of payments, grouped by the party that has to act.

use crate::reason::{FacilitatorReason, ReasonKind};
use ibid_model::{ProblemCode, Transaction};

/// A header or metadata entry that is no payment at all.
/// The buyer's software is at fault: status 400.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPayment {
    /// More than one payment header.
    #[error("more than one payment header was sent")]
    TwoPayments,
    /// Longer than [`crate::MAX_PAYMENT_HEADER`].
    #[error("the payment is larger than 16 KiB")]
    TooLarge,
    /// Not standard base64.
    #[error("the payment header is not base64")]
    NotBase64,
    /// Not a JSON object in UTF-8.
    #[error("the payment is not a JSON object")]
    NotJson,
    /// Some object in it has two members of the same name.
    #[error("the payment names a member twice")]
    RepeatedMember,
    /// `x402Version` is missing, unknown, or not the version of the header.
    #[error("x402Version is missing or does not belong to this header")]
    Version,
    /// A member is missing or has the wrong form.
    #[error("{member} is missing or malformed")]
    Member {
        /// Its path, such as `payload.authorization.nonce`.
        member: &'static str,
    },
}

/// A readable payment that is not accepted: status 402.
/// A new payment may be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Another scheme than `exact`.
    #[error("only the scheme exact is taken")]
    Scheme,
    /// Another way to move money than a signed transfer authorization (EIP-3009).
    #[error("only transfer authorizations (EIP-3009) are taken")]
    TransferMethod,
    /// Another network than the offered one.
    #[error("the payment is for another network")]
    Network,
    /// A version 2 payment whose `accepted` entry is not our offer.
    #[error("accepted.{member} differs from the offer")]
    OfferMismatch {
        /// The first member that differs.
        member: &'static str,
    },
    /// The money would go to another recipient.
    #[error("the payment is made out to another recipient")]
    Recipient,
    /// Not exactly the price.
    #[error("the authorized value is not the price")]
    Amount,
    /// `validAfter` lies in the future.
    #[error("the authorization is not valid yet")]
    NotYetValid,
    /// `validBefore` is past, or too near for the work and the settlement.
    #[error("the authorization expires before the payment could be settled")]
    Expired,
    /// `validBefore` is later than the offer allows and more than two hours away.
    #[error("the authorization is valid for longer than two hours")]
    ValidTooLong,
    /// An ECDSA signature in a form that the token refuses.
    /// `v` is not 27 or 28, `s` is high, or `r` or `s` is out of range.
    #[error("the signature has a form that the token refuses")]
    SignatureForm,
    /// The signature is not the payer's own. Only with [`crate::SignerRule::KeyHoldersOnly`].
    #[error("the signature is not the payer's")]
    Signer,
    /// The payment was used for another request.
    #[error("the payment was used before")]
    DuplicateNonce,
    /// The payer cancelled the authorization on the chain.
    #[error("the payer cancelled the authorization")]
    Cancelled,
    /// The facilitator refuses.
    #[error("the facilitator refused the payment: {0}")]
    Facilitator(FacilitatorReason),
}

impl Refusal {
    /// Which problem the caller is told.
    /// Its word is the `error` member of a 402.
    pub const fn code(&self) -> ProblemCode {
        use ProblemCode as C;
        match self {
            Self::Scheme => C::UnsupportedScheme,
            Self::TransferMethod => C::UnsupportedTransferMethod,
            Self::Network => C::NetworkMismatch,
            Self::OfferMismatch { .. } => C::OfferMismatch,
            Self::Recipient => C::RecipientMismatch,
            Self::Amount => C::InvalidAmount,
            Self::NotYetValid => C::PaymentNotYetValid,
            Self::Expired => C::PaymentExpired,
            Self::ValidTooLong => C::PaymentValidTooLong,
            Self::SignatureForm | Self::Signer => C::InvalidSignature,
            Self::DuplicateNonce => C::DuplicateNonce,
            Self::Cancelled => C::PaymentRefused,
            Self::Facilitator(reason) => match reason.kind() {
                ReasonKind::InsufficientFunds => C::InsufficientFunds,
                ReasonKind::InvalidSignature => C::InvalidSignature,
                ReasonKind::OutsideWindow => C::PaymentExpired,
                ReasonKind::NonceUsed => C::DuplicateNonce,
                ReasonKind::NetworkMismatch => C::NetworkMismatch,
                ReasonKind::InvalidAmount => C::InvalidAmount,
                ReasonKind::RecipientMismatch => C::RecipientMismatch,
                ReasonKind::Pending | ReasonKind::Other => C::PaymentRefused,
            },
        }
    }
}

/// The facilitator gave no verdict.
/// A new payment would not help: status 502, never a new 402.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outage {
    /// No connection: the request never left.
    #[error("the facilitator cannot be reached")]
    Unreachable,
    /// It answered with a refused redirect.
    /// The request was not processed.
    #[error("the facilitator redirects elsewhere")]
    Redirected,
    /// It refused to serve the request: status 401, 403, 404 or 429.
    #[error("the facilitator declined the request (status {status})")]
    Declined {
        /// HTTP status of the answer.
        status: u16,
    },
    /// No answer in time.
    #[error("the facilitator did not answer in time")]
    Timeout,
    /// The connection broke after the request was sent.
    #[error("the connection to the facilitator broke")]
    Broken,
    /// An answer without a verdict in it.
    #[error("the facilitator answered without a verdict (status {status})")]
    Unreadable {
        /// HTTP status of the answer.
        status: u16,
    },
    /// A verdict about another payment: other payer, network or amount.
    #[error("the facilitator answered about another payment")]
    Contradiction,
    /// A settlement without its transaction hash, which cannot be looked up on the chain.
    #[error("the facilitator reported a settlement without its transaction")]
    NoTransaction,
}

impl Outage {
    /// Whether the facilitator may have acted on the request all the same.
    pub const fn may_have_acted(self) -> bool {
        match self {
            Self::Unreachable | Self::Redirected | Self::Declined { .. } => false,
            Self::Timeout
            | Self::Broken
            | Self::Unreadable { .. }
            | Self::Contradiction
            | Self::NoTransaction => true,
        }
    }
}

/// The reason why a payment does not go through, before any work is done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentError {
    /// It is no payment: status 400.
    #[error("the payment cannot be read")]
    Malformed(#[from] BadPayment),
    /// It is refused: status 402.
    #[error("the payment is refused")]
    Refused(#[from] Refusal),
    /// The facilitator gave no verdict: status 502.
    #[error("the payment cannot be verified now")]
    Unavailable(#[from] Outage),
}

/// The reason why a settlement is not known to have succeeded.
///
/// Only [`Self::Refused`] is definite.
/// After every other failure the money may have moved or may still move.
/// Keep the result, ask again with the same bytes, and look at the chain if there is a [`crate::ChainReader`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleFailure {
    /// The facilitator refused before it sent a transaction.
    /// No earlier request can have been carried out.
    /// Status 402; the result is not released.
    #[error("the settlement was refused: {0}")]
    Refused(FacilitatorReason),
    /// A failure without proof that the money stays.
    /// Its reason is not in the short list of definite ones, it names a transaction,
    /// or an earlier request may have been carried out.
    /// Status 502.
    #[error("the settlement failed, and the money may have moved: {reason}")]
    Doubtful {
        /// The reason.
        reason: FacilitatorReason,
        /// The transaction that it names.
        /// It is no proof: it may have been reverted.
        transaction: Option<Transaction>,
    },
    /// Sent to the chain, not confirmed yet.
    #[error("the settlement is not confirmed yet")]
    Pending {
        /// The transaction that was sent, if it was named.
        transaction: Option<Transaction>,
    },
    /// No verdict. If [`Outage::may_have_acted`], the money may have moved.
    #[error("the outcome of the settlement is unknown")]
    Unknown(#[source] Outage),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_that_left_may_have_acted() {
        assert!(!Outage::Unreachable.may_have_acted());
        assert!(!Outage::Redirected.may_have_acted());
        assert!(!Outage::Declined { status: 429 }.may_have_acted());
        assert!(Outage::Timeout.may_have_acted());
        assert!(Outage::Unreadable { status: 500 }.may_have_acted());
    }

    #[test]
    fn the_facilitators_words_become_ours() {
        let check = |text: &str, code: &str, a2a: &str| {
            let refusal = Refusal::Facilitator(FacilitatorReason::new(text));
            let row = refusal.code().row();
            assert_eq!((row.word, row.payment), (code, a2a), "{text}");
        };
        check(
            "invalid_exact_evm_insufficient_balance",
            "insufficient_funds",
            "INSUFFICIENT_FUNDS",
        );
        check(
            "invalid_exact_evm_nonce_already_used",
            "duplicate_nonce",
            "DUPLICATE_NONCE",
        );
        check(
            "invalid_exact_evm_transaction_simulation_failed",
            "invalid_signature",
            "INVALID_SIGNATURE",
        );
        check("who knows", "payment_refused", "SETTLEMENT_FAILED");
    }
}

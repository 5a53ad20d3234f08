//! A payment as a machine without a database: which steps are allowed, and what a request gets.
//!
//! Adapters ask this module inside their transactions, and tests explore it exhaustively, crashes and all.

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// How far a payment is.
///
/// ```text
/// claimed -> verified -> running -> held -> settling -> settled -> delivered
///
/// claimed, verified, running -> freed      the payment bought no result
/// settling -> held                         the request to settle surely never left
/// settling -> pending -> settling          the outcome is unknown: asked again
/// settling -> refused -> held              refused before it was sent: the same payment again
/// held, pending, refused -> settled        the chain shows the transfer, or a late answer reports it
/// refused -> pending                       the nonce is used, by whichever transaction
/// settling, pending, refused -> void       the chain shows that it can never be paid
/// claimed -> proven                        a proof of a wallet
/// ```
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
    Deserialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// A buyer presented it; the facilitator has not verified it.
    Claimed,
    /// The facilitator accepted it.
    Verified,
    /// The work is under way.
    Running,
    /// The result is stored and hidden. No settlement request has been sent.
    Held,
    /// A settlement request may have been sent.
    Settling,
    /// A settlement request was sent. Its outcome is unknown, or the chain has not confirmed it.
    Pending,
    /// The money has moved. The result has not been handed over yet.
    Settled,
    /// The result was handed over.
    Delivered,
    /// The payment bought no result. It may be presented again, also for another request.
    Freed,
    /// The facilitator refused before it sent a transaction.
    /// The result stays, and the same payment may be presented again.
    /// Until the authorization has ended, another party may still carry it out.
    Refused,
    /// The chain shows that this payment can never be paid: cancelled, used for another order, or ended unused.
    Void,
    /// A proof that was used.
    Proven,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PaymentStep {
    /// The facilitator accepted it.
    Verify,
    Begin,
    /// The result and the settlement data are stored.
    Hold,
    /// The settlement request is about to be sent.
    Settle,
    /// The settlement request was certainly not sent.
    Unsent,
    /// The settlement request was sent, and its outcome is unknown.
    Pend,
    /// The money has moved.
    Succeed,
    /// The facilitator refused before it sent a transaction.
    Refuse,
    /// The chain shows that the money can never move, or moved for something else.
    Void,
    /// The result was handed over.
    Deliver,
    /// The payment ends without a sale.
    Free,
    /// The facilitator accepted a proof.
    Prove,
}

/// A payment's state as seen by a new request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PaymentView {
    pub state: PaymentState,
    /// Whether its lease is still valid.
    pub leased: bool,
    /// Whether signature and request equal those of the first claim.
    pub same: bool,
}

/// The decision on a request that presents a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimDecision {
    /// The request owns the payment: verify it, then run.
    Start,
    /// Another request is working on it; claim again later.
    Wait,
    /// The result is stored and not paid: settle with the stored data.
    Settle,
    /// The result is stored, and its settlement was refused: verify again, then settle.
    Retry,
    /// It was bought.
    Sold,
    /// It was used for another request.
    Used,
}

impl PaymentState {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the state after a step; `None` where the step is not allowed.
    pub const fn after(self, step: PaymentStep) -> Option<Self> {
        use PaymentState as S;
        match (self, step) {
            (S::Claimed, PaymentStep::Verify) => Some(S::Verified),
            (S::Verified, PaymentStep::Begin) => Some(S::Running),
            (S::Running | S::Refused, PaymentStep::Hold) | (S::Settling, PaymentStep::Unsent) => {
                Some(S::Held)
            }
            (S::Held | S::Pending, PaymentStep::Settle) => Some(S::Settling),
            (S::Settling | S::Pending | S::Refused, PaymentStep::Pend) => Some(S::Pending),
            (S::Held | S::Settling | S::Pending | S::Refused, PaymentStep::Succeed) => Some(S::Settled),
            (S::Settling | S::Refused, PaymentStep::Refuse) => Some(S::Refused),
            (S::Settling | S::Pending | S::Refused, PaymentStep::Void) => Some(S::Void),
            (S::Settled | S::Delivered, PaymentStep::Deliver) => Some(S::Delivered),
            (S::Claimed | S::Verified | S::Running, PaymentStep::Free) => Some(S::Freed),
            (S::Claimed, PaymentStep::Prove) => Some(S::Proven),
            (
                S::Claimed
                | S::Verified
                | S::Running
                | S::Held
                | S::Settling
                | S::Pending
                | S::Settled
                | S::Delivered
                | S::Freed
                | S::Refused
                | S::Void
                | S::Proven,
                PaymentStep::Verify
                | PaymentStep::Begin
                | PaymentStep::Hold
                | PaymentStep::Settle
                | PaymentStep::Unsent
                | PaymentStep::Pend
                | PaymentStep::Succeed
                | PaymentStep::Refuse
                | PaymentStep::Void
                | PaymentStep::Deliver
                | PaymentStep::Free
                | PaymentStep::Prove,
            ) => None,
        }
    }

    /// Returns whether a run for it may be under way, which a crash would lose.
    pub const fn is_before_result(self) -> bool {
        match self {
            Self::Claimed | Self::Verified | Self::Running => true,
            Self::Held
            | Self::Settling
            | Self::Pending
            | Self::Settled
            | Self::Delivered
            | Self::Freed
            | Self::Refused
            | Self::Void
            | Self::Proven => false,
        }
    }

    /// Returns whether it is an order that may cost the operator something without being paid:
    /// the work was begun, and it is not settled.
    /// A refused one is open until its authorization ends.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Verified | Self::Running | Self::Refused) || self.is_unsettled()
    }

    /// Returns whether its settlement is still open.
    pub const fn is_unsettled(self) -> bool {
        match self {
            Self::Held | Self::Settling | Self::Pending => true,
            Self::Claimed
            | Self::Verified
            | Self::Running
            | Self::Settled
            | Self::Delivered
            | Self::Freed
            | Self::Refused
            | Self::Void
            | Self::Proven => false,
        }
    }

    /// The word for tables and reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl PaymentView {
    /// Returns the decision on the request.
    /// Without a record of the payment it is [`ClaimDecision::Start`].
    pub const fn decision(self) -> ClaimDecision {
        use PaymentState as S;
        match self.state {
            S::Freed => ClaimDecision::Start,
            S::Claimed | S::Verified | S::Running if !self.leased => ClaimDecision::Start,
            // The first request is not verified yet.
            // A forged request must not be able to spoil the payment.
            S::Claimed => ClaimDecision::Wait,
            S::Proven | S::Void => ClaimDecision::Used,
            S::Verified
            | S::Running
            | S::Held
            | S::Settling
            | S::Pending
            | S::Settled
            | S::Delivered
            | S::Refused
                if !self.same =>
            {
                ClaimDecision::Used
            }
            S::Verified | S::Running => ClaimDecision::Wait,
            S::Held | S::Settling | S::Pending | S::Refused if self.leased => ClaimDecision::Wait,
            S::Held | S::Settling | S::Pending => ClaimDecision::Settle,
            S::Refused => ClaimDecision::Retry,
            S::Settled | S::Delivered => ClaimDecision::Sold,
        }
    }
}

#[cfg(test)]
mod tests;

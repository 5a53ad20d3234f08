//! The life of a payment, without a database: which step leads where, and what a visitor is told.
//!
//! Adapters ask this module inside their transactions, and tests explore it exhaustively, crashes and all.

/// Where a payment stands.
///
/// ```text
/// claimed -> verified -> running -> held -> settling -> settled -> delivered
///
/// claimed, verified, running -> freed      nothing was bought
/// settling -> held                         the request to settle surely never left
/// settling -> pending -> settling          the outcome is unknown: asked again
/// settling -> refused -> held              the money did not move: the same payment again
/// claimed -> proven                        a proof of a wallet
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PaymentState {
    /// Somebody showed it; the facilitator has not been heard.
    Claimed,
    /// The facilitator holds it good.
    Verified,
    /// The work is under way.
    Running,
    /// The result is kept, unseen. Nobody has asked to settle, for certain.
    Held,
    /// A request to settle may be on its way.
    Settling,
    /// A request to settle went out, and its outcome is unknown or the chain has not confirmed it.
    Pending,
    /// The money has moved. Nobody has got the result yet.
    Settled,
    /// The result was handed over.
    Delivered,
    /// Nothing was bought. The payment may be shown again for whatever it can pay.
    Freed,
    /// The money did not move, for certain. The result stays, for the same payment to try again.
    Refused,
    /// A proof that was used.
    Proven,
}

/// What happens to a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The facilitator holds it good.
    Verify,
    /// The work begins.
    Begin,
    /// The result is kept beside what a settlement needs.
    Hold,
    /// The request to settle is about to leave.
    Settle,
    /// It surely never left.
    Unsent,
    /// It left, and nothing is known for certain.
    Pend,
    /// The money has moved.
    Succeed,
    /// The money has not moved, for certain.
    Refuse,
    /// The result was handed over.
    Deliver,
    /// Nothing comes of it.
    Free,
    /// The facilitator holds a proof good.
    Prove,
}

/// What a payment looks like to somebody who shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sight {
    /// Where it stands.
    pub state: PaymentState,
    /// Whether somebody is at it.
    pub leased: bool,
    /// Whether signature and request are those of the first time.
    pub same: bool,
}

/// What somebody who shows a payment is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Admittance {
    /// It is theirs: verify it, do the work.
    Start,
    /// Somebody is at it; look again later.
    Wait,
    /// The result is there and not paid: settle with what was held.
    Settle,
    /// The result is there, and paying for it was refused: verify again, then settle.
    Retry,
    /// It was bought.
    Sold,
    /// It was used for something else.
    Used,
}

impl PaymentState {
    /// All states.
    pub const ALL: [Self; 11] = [
        Self::Claimed,
        Self::Verified,
        Self::Running,
        Self::Held,
        Self::Settling,
        Self::Pending,
        Self::Settled,
        Self::Delivered,
        Self::Freed,
        Self::Refused,
        Self::Proven,
    ];

    /// Where a step leads; `None` where it must not be taken.
    #[must_use]
    pub const fn after(self, step: Step) -> Option<Self> {
        use PaymentState as S;
        match (self, step) {
            (S::Claimed, Step::Verify) => Some(S::Verified),
            (S::Verified, Step::Begin) => Some(S::Running),
            (S::Running | S::Refused, Step::Hold) | (S::Settling, Step::Unsent) => Some(S::Held),
            (S::Held | S::Pending, Step::Settle) => Some(S::Settling),
            (S::Settling, Step::Pend) => Some(S::Pending),
            (S::Settling, Step::Succeed) => Some(S::Settled),
            (S::Settling, Step::Refuse) => Some(S::Refused),
            (S::Settled | S::Delivered, Step::Deliver) => Some(S::Delivered),
            (S::Claimed | S::Verified | S::Running, Step::Free) => Some(S::Freed),
            (S::Claimed, Step::Prove) => Some(S::Proven),
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
                | S::Proven,
                Step::Verify
                | Step::Begin
                | Step::Hold
                | Step::Settle
                | Step::Unsent
                | Step::Pend
                | Step::Succeed
                | Step::Refuse
                | Step::Deliver
                | Step::Free
                | Step::Prove,
            ) => None,
        }
    }

    /// Whether work for it may be under way, which a crash would have lost.
    #[must_use]
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
            | Self::Proven => false,
        }
    }

    /// Whether its settlement is still to be brought to an end.
    #[must_use]
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
            | Self::Proven => false,
        }
    }

    /// The word for tables and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Verified => "verified",
            Self::Running => "running",
            Self::Held => "held",
            Self::Settling => "settling",
            Self::Pending => "pending",
            Self::Settled => "settled",
            Self::Delivered => "delivered",
            Self::Freed => "freed",
            Self::Refused => "refused",
            Self::Proven => "proven",
        }
    }

    /// The state that [`Self::as_str`] names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

impl Sight {
    /// What the visitor is told; without any record of the payment it is [`Admittance::Start`].
    #[must_use]
    pub const fn admittance(self) -> Admittance {
        use PaymentState as S;
        match self.state {
            S::Freed => Admittance::Start,
            S::Claimed | S::Verified | S::Running if !self.leased => Admittance::Start,
            // Nothing is known about the first visitor yet. A forger must not be able to spoil the payment.
            S::Claimed => Admittance::Wait,
            S::Proven => Admittance::Used,
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
                Admittance::Used
            }
            S::Verified | S::Running => Admittance::Wait,
            S::Held | S::Settling | S::Pending | S::Refused if self.leased => Admittance::Wait,
            S::Held | S::Settling | S::Pending => Admittance::Settle,
            S::Refused => Admittance::Retry,
            S::Settled | S::Delivered => Admittance::Sold,
        }
    }
}

#[cfg(test)]
mod tests;

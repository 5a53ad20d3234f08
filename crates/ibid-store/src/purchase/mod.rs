//! Payments, from the first claim to the receipt.

mod machine;
mod record;

pub use machine::{ClaimDecision, PaymentState, PaymentStep, PaymentView};
pub use record::{
    Begun, Books, ClaimMode, ClaimOutcome, ExpiredPayments, ExposureLimit, FailedBy, HeldPayment, Lease,
    Millis, PaymentClaim, PaymentCount, ReceiptList, RecordedSettlement, Refund, RefundKind,
    ReportedSettlement, SettledPayment, SoldResult, TokenLedger, Unproven, UnsettledPayment,
};

use crate::StoreError;
use ibid_model::{PaymentKey, Receipt, ReceiptId, Transaction, Wallet};

/// Stores payments. Every method is one transaction.
///
/// The first request that presents a payment gets a [`Lease`]. Every later change needs it, and fails with
/// [`StoreError::Lost`] if another process has taken over the payment since, or if [`PaymentState::after`] forbids
/// the step. Of two processes that both believe they own the payment, only one can change it.
pub trait Purchases: Send + Sync + 'static {
    /// Presents a payment.
    /// With [`ClaimMode::MayStart`] an unknown one is claimed, unless another payment of the same wallet has its
    /// identifier.
    /// A claim for another request cancels the durable run of the claim before it, and erases its hidden result.
    fn claim(&self, claim: &PaymentClaim<'_>, mode: ClaimMode) -> Result<ClaimOutcome, StoreError>;

    /// Applies steps without further data, in one transaction: verify, begin, settle, unsent, free, prove, void.
    /// A step that ends the turn ends the lease.
    /// A payment that is freed before it was ever verified is deleted.
    /// A void payment is a failed order, unless it was refused before.
    fn apply_steps(&self, lease: &Lease, steps: &[PaymentStep], now: Millis) -> Result<(), StoreError>;

    /// Frees a payment whose work failed, and counts the failed order of its payer. Applies [`PaymentStep::Free`].
    fn fail(&self, lease: &Lease, now: Millis) -> Result<(), StoreError>;

    /// Returns the number of failed orders since a time of the last hour, and the time of the first of them.
    fn failed_orders(&self, by: FailedBy<'_>, since: Millis) -> Result<(u64, Option<Millis>), StoreError>;

    /// Begins the work for a verified payment, unless too much is open or unpaid:
    /// applies [`PaymentStep::Verify`] and [`PaymentStep::Begin`].
    /// An order is open from here on until it is settled, and at the latest until its authorization has ended.
    fn begin(&self, lease: &Lease, limit: ExposureLimit, now: Millis) -> Result<Begun, StoreError>;

    /// Stores the settlement data for the hidden result of the payment's run, and records the coming settlement request.
    /// Applies [`PaymentStep::Hold`] and [`PaymentStep::Settle`] in one transaction, and returns once it is on disk.
    ///
    /// # Errors
    /// [`StoreError::Lost`], [`StoreError::Damaged`] without a result, or the fault of the database.
    fn hold_to_settle(&self, lease: &Lease, held: HeldPayment<'_>, now: Millis) -> Result<(), StoreError>;

    /// Stores settlement data for a result that is stored already. Applies [`PaymentStep::Hold`].
    fn hold_again(&self, lease: &Lease, held: HeldPayment<'_>, now: Millis) -> Result<(), StoreError>;

    /// Ends a turn without a known outcome.
    /// Until `next_try` only a request of the buyer settles again. Applies [`PaymentStep::Pend`].
    fn pend(
        &self,
        lease: &Lease,
        transaction: Option<&Transaction>,
        next_try: Millis,
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Ends a turn with a refusal and erases the signed payload.
    /// At `next_look` the payment is due again, for a look at the chain.
    /// Counts the failed order, once. Applies [`PaymentStep::Refuse`].
    fn refuse(&self, lease: &Lease, next_look: Millis, now: Millis) -> Result<(), StoreError>;

    /// Stores the receipt, releases the result, erases the signed payload, books the amount as settled and owed.
    /// The order is no longer a failed one. Applies [`PaymentStep::Succeed`].
    /// The lease may have ended: that money has moved is true in any turn of the run.
    ///
    /// # Errors
    /// [`StoreError::Lost`] if it is settled already, or void; otherwise the fault of the database.
    fn settle(&self, lease: &Lease, settled: &SettledPayment<'_>, now: Millis) -> Result<(), StoreError>;

    /// Books the amount from owed to delivered, once. Applies [`PaymentStep::Deliver`].
    fn deliver(&self, key: &PaymentKey, now: Millis) -> Result<(), StoreError>;

    /// Extends leases. A lease that was lost is not changed.
    fn renew_leases(&self, leases: &[Lease], until: Millis) -> Result<(), StoreError>;

    /// Frees payments without a result after the end of their lease, and deletes those that were never verified.
    /// Returns their number.
    fn free_abandoned_payments(&self, now: Millis) -> Result<u64, StoreError>;

    /// Takes over at most `most` unsettled or refused payments without a valid lease that are due for another try.
    fn take_over_due(
        &self,
        now: Millis,
        lease_until: Millis,
        most: u32,
    ) -> Result<Vec<UnsettledPayment>, StoreError>;

    /// Returns the payments whose settlement is pending or was refused: those that the chain can still decide.
    fn undecided_payments(&self) -> Result<Vec<PaymentKey>, StoreError>;

    /// Takes over a pending or refused payment without a valid lease, due or not.
    fn take_over_undecided(
        &self,
        key: &PaymentKey,
        now: Millis,
        lease_until: Millis,
    ) -> Result<Option<UnsettledPayment>, StoreError>;

    /// Deletes payments that bought no result and whose authorization ended before `before`: freed ones, proofs, and
    /// void ones with their results. Pending ones of that age lose the signed payload and stay.
    /// Refused ones are deleted with their results, and sold ones without their receipts and results, if their
    /// authorization ended before `sold_before`.
    fn expire_payments(&self, before: Millis, sold_before: Millis) -> Result<ExpiredPayments, StoreError>;

    /// Returns receipts of a wallet, latest first, after the receipt `cursor`.
    /// An unknown cursor gives an empty list.
    fn receipts(
        &self,
        payer: &Wallet,
        cursor: Option<ReceiptId>,
        limit: u16,
    ) -> Result<ReceiptList, StoreError>;

    fn receipt_of(&self, key: &PaymentKey) -> Result<Option<Receipt>, StoreError>;

    /// Returns the settlements that were stored since a time, oldest first.
    fn recorded_since(&self, since: Millis) -> Result<Vec<RecordedSettlement>, StoreError>;

    /// Records a refund or a credit.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the transaction is recorded already; otherwise the fault of the database.
    fn record_refund(&self, refund: &Refund, now: Millis) -> Result<(), StoreError>;

    /// Returns the recorded refunds and credits, oldest first.
    fn refunds(&self) -> Result<Vec<Refund>, StoreError>;

    /// Returns the numbers of payments by state and skill.
    fn payment_counts(&self) -> Result<Vec<PaymentCount>, StoreError>;

    /// Takes at most `most` receipts that are due for a look at the chain, and puts their next look off to `again`.
    fn take_reported(
        &self,
        now: Millis,
        again: Millis,
        most: u32,
    ) -> Result<Vec<ReportedSettlement>, StoreError>;

    /// Stores the outcome of a look at the chain, and the time of the next one; without `next_look` it was the last.
    /// Returns whether `missing` is news.
    fn note_look(
        &self,
        receipt: ReceiptId,
        missing: bool,
        next_look: Option<Millis>,
    ) -> Result<bool, StoreError>;

    /// Returns what is not proven about payments and receipts.
    fn unproven_payments(&self) -> Result<Unproven, StoreError>;

    /// Returns the report on the ledger.
    fn books(&self) -> Result<Books, StoreError>;
}

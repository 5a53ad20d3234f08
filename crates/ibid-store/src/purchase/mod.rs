//! Payments, from the first claim to the receipt.

mod machine;
mod record;

pub use machine::{Admittance, PaymentState, Sight, Step};
pub use record::{
    Account, Books, Entry, Expired, Lease, Millis, Receipts, Settled, Sold, Unsettled, Visit, Visited,
};

use crate::{NewScan, StoreError};
use ibid_model::{PaymentKey, Receipt, ReceiptId, Transaction, Wallet};

/// Keeps payments in order. Every method is one transaction.
///
/// Who shows a payment first gets a [`Lease`]. Every later change asks for it, and fails with
/// [`StoreError::Lost`] if somebody else has taken the payment over since, or if [`PaymentState::after`] forbids
/// the step. So two processes that both believe to be at it cannot both move it.
pub trait Purchases: Send + Sync + 'static {
    /// Shows a payment. With [`Entry::MayStart`] an unknown one is claimed.
    ///
    /// # Errors
    /// The fault of the database.
    fn visit(&self, visit: &Visit<'_>, entry: Entry) -> Result<Visited, StoreError>;

    /// Takes steps that need no more than their names, all or none: verify, begin, settle, unsent, free, prove, refuse.
    /// A step that ends the turn gives the lease back.
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    fn take(&self, lease: &Lease, steps: &[Step], now: Millis) -> Result<(), StoreError>;

    /// Keeps the result, unseen, and what a settlement needs. Takes [`Step::Hold`].
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    fn hold(&self, lease: &Lease, scan: &NewScan<'_>, held: &[u8], now: Millis) -> Result<(), StoreError>;

    /// Keeps the result, unseen, and what a settlement needs, and that the request to settle is about to leave: takes
    /// [`Step::Hold`] and [`Step::Settle`], all or nothing. The disk has all of it when this returns.
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    fn hold_to_settle(
        &self,
        lease: &Lease,
        scan: &NewScan<'_>,
        held: &[u8],
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Keeps what a settlement needs beside a result that is there already. Takes [`Step::Hold`].
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    fn hold_again(&self, lease: &Lease, held: &[u8], now: Millis) -> Result<(), StoreError>;

    /// Ends a turn without a known outcome; nobody but the buyer tries again before `next_try`. Takes [`Step::Pend`].
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    fn pend(
        &self,
        lease: &Lease,
        transaction: Option<&Transaction>,
        next_try: Millis,
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Keeps the receipt, releases the result, forgets the signed payload, books the amount as settled and owed.
    /// Takes [`Step::Succeed`].
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    fn settle(&self, lease: &Lease, settled: &Settled<'_>, now: Millis) -> Result<(), StoreError>;

    /// Books the amount from owed to delivered, once. Takes [`Step::Deliver`].
    ///
    /// # Errors
    /// The fault of the database.
    fn deliver(&self, key: &PaymentKey, now: Millis) -> Result<(), StoreError>;

    /// Keeps leases from ending. Those that were lost are left alone.
    ///
    /// # Errors
    /// The fault of the database.
    fn renew(&self, leases: &[Lease], until: Millis) -> Result<(), StoreError>;

    /// Frees payments whose holder is gone and that have no result. Returns how many.
    ///
    /// # Errors
    /// The fault of the database.
    fn free_abandoned(&self, now: Millis) -> Result<u64, StoreError>;

    /// Takes over at most `most` unsettled payments that nobody is at and that may be tried again.
    ///
    /// # Errors
    /// The fault of the database.
    fn take_due(&self, now: Millis, lease_until: Millis, most: u32) -> Result<Vec<Unsettled>, StoreError>;

    /// Forgets payments that ended before `before` and can matter to nobody: freed ones, proofs, refused ones with
    /// their results. Unknown settlements lose the signed payload and stay. Bought ones are forgotten if they ended before `sold_before`; receipt and result stay.
    ///
    /// # Errors
    /// The fault of the database.
    fn expire(&self, before: Millis, sold_before: Millis) -> Result<Expired, StoreError>;

    /// Receipts of a wallet, the latest first, after the one named by `cursor`. An unknown cursor gives none.
    ///
    /// # Errors
    /// The fault of the database.
    fn receipts(&self, payer: &Wallet, cursor: Option<ReceiptId>, limit: u16)
    -> Result<Receipts, StoreError>;

    /// The receipt of a payment.
    ///
    /// # Errors
    /// The fault of the database.
    fn receipt_of(&self, key: &PaymentKey) -> Result<Option<Receipt>, StoreError>;

    /// The books.
    ///
    /// # Errors
    /// The fault of the database.
    fn books(&self) -> Result<Books, StoreError>;
}

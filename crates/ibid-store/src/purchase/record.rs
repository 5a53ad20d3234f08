//! What is said about payments, to the store and by it.

use super::machine::PaymentState;
use ibid_model::{PaymentKey, Receipt, ReceiptId, ScanId, Skill, Transaction};
use std::fmt;

/// Milliseconds since 1970.
pub type Millis = i64;

/// Somebody shows a payment.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// What identifies the payment.
    pub key: &'a PaymentKey,
    /// What was signed and by whom: only who shows the same again gets a kept result.
    pub fingerprint: &'a [u8; 32],
    /// Hash of what is wanted for it.
    pub request: &'a [u8; 32],
    /// What is wanted for it.
    pub skill: Skill,
    /// Absolute URL of what is bought, for the receipt.
    pub resource: &'a str,
    /// Name of the run, if it starts now.
    pub run: ScanId,
    /// When the authorization ends.
    pub expires: Millis,
    /// The time.
    pub now: Millis,
    /// When the lease ends, unless renewed.
    pub lease_until: Millis,
}

/// Whether a payment that is not known may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It may.
    MayStart,
    /// It may not: only what is there already is of interest.
    OnlyReturn,
}

/// The right to move one payment, until somebody else takes it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The payment.
    pub key: PaymentKey,
    /// Name of the run.
    pub run: ScanId,
    /// Counts up whenever the payment changes hands.
    pub turn: i64,
}

/// What somebody who shows a payment is told.
#[derive(Debug)]
pub enum Visited {
    /// It is theirs: verify it, do the work.
    Start(Lease),
    /// Somebody is at it; look again later.
    Wait,
    /// The result is there: settle.
    Settle(Unsettled),
    /// The result is there and paying for it was refused: verify again, then settle.
    Retry {
        /// The right to do so.
        lease: Lease,
        /// What is bought, for the receipt.
        resource: String,
    },
    /// It was bought.
    Sold(Sold),
    /// It was used for something else.
    Used,
    /// It is not known, and was not to be claimed.
    Unknown,
}

/// A payment with a result and without a settlement.
pub struct Unsettled {
    /// The right to settle it.
    pub lease: Lease,
    /// What a settlement needs.
    pub held: Vec<u8>,
    /// Whether a request to settle may have been sent before.
    pub sent: bool,
    /// The transaction, if a pending one was named.
    pub transaction: Option<Transaction>,
    /// How often the outcome stayed unknown.
    pub tries: u32,
    /// Absolute URL of what was bought.
    pub resource: String,
}

/// What was bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sold {
    /// Name of the run.
    pub run: ScanId,
    /// The document.
    pub reply: Vec<u8>,
    /// The receipt.
    pub receipt: Receipt,
}

/// Money that has moved.
#[derive(Clone, Copy, Debug)]
pub struct Settled<'a> {
    /// The receipt to keep.
    pub receipt: &'a Receipt,
    /// Whether the movement was concluded rather than reported.
    pub inferred: bool,
}

/// A page of receipts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// The receipts, the latest first.
    pub receipts: Vec<Receipt>,
    /// What to ask with for the next page; `None` at the end.
    pub next: Option<ReceiptId>,
}

/// How much was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Payments.
    pub payments: u64,
    /// Results that nobody paid for.
    pub results: u64,
}

/// The books.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// One row a token.
    pub accounts: Vec<Account>,
    /// How many payments stand where, in the order of [`PaymentState::ALL`].
    pub states: Vec<(PaymentState, u64)>,
    /// Settlements that were concluded, not reported: worth a look at the chain.
    pub inferred: u64,
    /// Payments that ended and whose settlement is still unknown: to be looked up on the chain by hand.
    pub unresolved: Vec<PaymentKey>,
}

/// The books of one token, in atomic units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// CAIP-2 name of the chain.
    pub network: String,
    /// Contract of the token.
    pub asset: String,
    /// Settlements.
    pub sales: u64,
    /// What was settled.
    pub settled: i64,
    /// What was settled and its result handed over.
    pub delivered: i64,
    /// What was settled and its result not handed over.
    pub owed: i64,
    /// What the receipts add up to.
    pub receipts: i64,
}

impl Account {
    /// Whether everything settled is delivered or owed, and has a receipt.
    #[must_use]
    pub const fn balances(&self) -> bool {
        self.settled == self.delivered + self.owed && self.settled == self.receipts && self.owed >= 0
    }
}

impl Books {
    /// Whether every account balances.
    #[must_use]
    pub fn balance(&self) -> bool {
        self.accounts.iter().all(Account::balances)
    }
}

impl fmt::Debug for Unsettled {
    /// Leaves out what was held: there is a signature in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unsettled")
            .field("lease", &self.lease)
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}

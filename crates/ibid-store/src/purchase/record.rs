//! Arguments and results of the payment port.

use super::machine::PaymentState;
use ibid_model::{PaymentKey, Receipt, ReceiptId, ScanId, Skill, Transaction};
use std::fmt;

/// Milliseconds since 1970.
pub type Millis = i64;

/// A request that presents a payment.
#[derive(Clone, Copy, Debug)]
pub struct PaymentClaim<'a> {
    /// The identity of the payment.
    pub key: &'a PaymentKey,
    /// The digest of the signed data and its signer. Only a request with the same fingerprint gets a stored result.
    pub fingerprint: &'a [u8; 32],
    /// The hash of the request that it pays for.
    pub request: &'a [u8; 32],
    /// The skill that it pays for.
    pub skill: Skill,
    /// The absolute URL of the bought resource, for the receipt.
    pub resource: &'a str,
    /// The id of the run, if it starts now.
    pub run: ScanId,
    /// The time when the authorization ends.
    pub expires: Millis,
    /// The time.
    pub now: Millis,
    /// The time when the lease ends, unless it is renewed.
    pub lease_until: Millis,
}

/// Whether an unknown payment may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimMode {
    /// It may.
    MayStart,
    /// It may not: the request asks only for a stored result.
    OnlyReturn,
}

/// The right to change one payment, until another process takes it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The payment.
    pub key: PaymentKey,
    /// The id of the run.
    pub run: ScanId,
    /// The number of the current claim or takeover, from 1.
    pub turn: i64,
}

/// The decision on a request that presents a payment.
#[derive(Debug)]
pub enum ClaimOutcome {
    /// The request owns the payment: verify it, then run.
    Start(Lease),
    /// Another request is working on it; claim again later.
    Wait,
    /// The result is stored: settle.
    Settle(UnsettledPayment),
    /// The result is stored, and its settlement was refused: verify again, then settle.
    Retry {
        /// The lease of the payment.
        lease: Lease,
        /// The absolute URL of the bought resource, for the receipt.
        resource: String,
    },
    /// It was bought.
    Sold(SoldResult),
    /// It was used for another request.
    Used,
    /// It is unknown, and the request asked not to claim it.
    Unknown,
}

/// A payment with a result and without a settlement.
pub struct UnsettledPayment {
    /// The right to settle it.
    pub lease: Lease,
    /// The settlement data.
    pub held: Vec<u8>,
    /// Whether a request to settle may have been sent before.
    pub sent: bool,
    /// The transaction, if a pending one was named.
    pub transaction: Option<Transaction>,
    /// The number of settlement attempts with an unknown outcome.
    pub tries: u32,
    /// Absolute URL of what was bought.
    pub resource: String,
}

/// A sold result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoldResult {
    /// The id of the run.
    pub run: ScanId,
    /// The document.
    pub reply: Vec<u8>,
    /// The receipt.
    pub receipt: Receipt,
}

/// Money that has moved.
#[derive(Clone, Copy, Debug)]
pub struct SettledPayment<'a> {
    /// The receipt to keep.
    pub receipt: &'a Receipt,
    /// Whether the movement was inferred rather than reported.
    pub inferred: bool,
}

/// A page of receipts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptList {
    /// The receipts, the latest first.
    pub receipts: Vec<Receipt>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<ReceiptId>,
}

/// Numbers of deleted records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpiredPayments {
    /// Payments.
    pub payments: u64,
    /// Unpaid results.
    pub results: u64,
}

/// The books.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// One row a token.
    pub accounts: Vec<TokenLedger>,
    /// The number of payments in each state, in the order of [`PaymentState::ALL`].
    pub states: Vec<(PaymentState, u64)>,
    /// Settlements that were inferred, not reported: compare them with the chain.
    pub inferred: u64,
    /// Payments whose authorization ended with an unknown settlement: look them up on the chain by hand.
    pub unresolved: Vec<PaymentKey>,
}

/// The books of one token, in atomic units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenLedger {
    /// CAIP-2 name of the chain.
    pub network: String,
    /// Contract of the token.
    pub asset: String,
    /// Settlements.
    pub sales: u64,
    /// The settled amount.
    pub settled: i64,
    /// The settled amount whose results were handed over.
    pub delivered: i64,
    /// The settled amount whose results were not handed over.
    pub owed: i64,
    /// The sum of the receipts.
    pub receipts: i64,
}

impl TokenLedger {
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
        self.accounts.iter().all(TokenLedger::balances)
    }
}

impl fmt::Debug for UnsettledPayment {
    /// Leaves out the settlement data, which contains a signature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsettledPayment")
            .field("lease", &self.lease)
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}

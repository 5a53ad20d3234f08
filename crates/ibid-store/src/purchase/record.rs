//! Arguments and results of the payment port.

use super::machine::PaymentState;
use ibid_model::{PaymentKey, PriceList, Receipt, ReceiptId, ScanId, Skill, Transaction};
use serde::Deserialize;
use std::fmt;

/// Milliseconds since 1970.
pub type Millis = i64;

/// A request that presents a payment.
#[derive(Clone, Copy, Debug)]
pub struct PaymentClaim<'a> {
    pub key: &'a PaymentKey,
    /// Digests the signed data and its signer.
    /// Only a request with the same fingerprint gets a stored result.
    pub fingerprint: &'a [u8; 32],
    /// A hash of the request that it pays for.
    pub request: &'a [u8; 32],
    /// The skill that it pays for.
    pub skill: Skill,
    /// The buyer's own identifier of the order.
    pub identifier: Option<&'a str>,
    /// What was bought, as an absolute URL for the receipt.
    pub resource: &'a str,
    /// A digest of the address that the request came from.
    pub caller: &'a [u8; 16],
    /// Names the run, if a new one starts now.
    /// A request that was interrupted keeps the id of its durable run, unless that run has failed.
    pub run: ScanId,
    /// The time when the authorization ends.
    pub expires: Millis,
    pub now: Millis,
    /// The time when the lease ends, unless it is renewed.
    pub lease_until: Millis,
}

/// Whether an unknown payment may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimMode {
    MayStart,
    /// It may not, but the request may go on with the run of its earlier claim.
    MayContinue,
    /// It may not: the request asks only for a stored result.
    OnlyReturn,
}

/// The right to change one payment, until another process takes it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct Lease {
    pub key: PaymentKey,
    pub run: ScanId,
    /// Counts claims and takeovers, from 1.
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
    Retry(UnsettledPayment),
    /// It was bought.
    Sold(SoldResult),
    /// It was settled before the work, and there is no result yet: do the work.
    Owed(OwedWork),
    /// It was used for another request.
    Used,
    /// It is void, and the money may have moved: no further try was due when it ended.
    Spent,
    /// Another payment of the wallet has the identifier, for the same request.
    /// It is under way, unsettled or sold.
    Identified { key: PaymentKey, fingerprint: [u8; 32] },
    /// Another payment of the wallet has the identifier, for another request.
    IdentifierUsed,
    /// It is unknown, and the request asked not to claim it.
    Unknown,
}

/// The most that a payer may have open or unpaid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExposureLimit {
    /// Open orders of a payer that no settled money covers.
    pub first: u32,
    /// Open orders of any payer.
    pub most: u32,
    /// What the work costs, in atomic units.
    /// Money covers it that the payer has settled since his last unpaid order and that covers no other open order.
    pub cost: u64,
    /// The prices at which other open orders use up settled money.
    pub prices: PriceList,
    /// Whether the work asks models. Only such work is bounded for addresses and for all payers together, and audits,
    /// which ask none, cover none of it.
    pub asks_models: bool,
    /// Whether the work is only for payers whose settled money covers it.
    pub trusted_only: bool,
    /// Bounds unpaid orders: from one address in the last hour, and from all payers together in the last minutes in
    /// excess of the settled ones. Open orders count.
    pub unpaid: u32,
    /// Bounds unpaid orders from one address in the last minutes. Open orders count.
    pub unpaid_of_address: u32,
}

/// Whether the work for a verified payment begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It begins.
    Yes,
    /// It begins once the payment is settled: too many orders are unpaid.
    Settled,
    /// The payer has too many open orders. The payment is as before.
    TooManyOpen,
    /// The payer has not settled enough. The payment is as before.
    Untrusted,
}

/// What is needed to settle a payment, as the service writes it.
#[derive(Clone, Copy, Debug)]
pub struct HeldPayment<'a> {
    /// The signed payload. It is erased when it is no longer needed.
    pub payload: &'a [u8],
    /// The transfer that the chain shows if the payment goes through. It stays with the payment.
    pub expected: &'a str,
}

/// A payment with a result and without a settlement.
#[derive(Deserialize)]
pub struct UnsettledPayment {
    /// The right to settle it.
    pub lease: Lease,
    /// Its state: held, pending or refused.
    pub state: PaymentState,
    /// The signed payload; empty once it was erased.
    pub held: Vec<u8>,
    /// The transfer that the chain shows if the payment went through; `None` for payments of earlier versions.
    pub expected: Option<String>,
    /// The time when the authorization ends.
    pub expires: Millis,
    /// Whether a request to settle may have been sent before.
    pub sent: bool,
    /// The transaction, if a pending one was named.
    pub transaction: Option<Transaction>,
    /// Attempts to settle whose outcome is unknown.
    pub tries: u32,
    /// Absolute URL of what was bought.
    pub resource: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoldResult {
    pub run: ScanId,
    pub reply: Vec<u8>,
    pub receipt: Receipt,
}

/// Work that is paid for and has no result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OwedWork {
    pub lease: Lease,
    pub receipt: Receipt,
}

/// Money that has moved.
#[derive(Clone, Copy, Debug)]
pub struct SettledPayment<'a> {
    /// The receipt to keep.
    pub receipt: &'a Receipt,
    /// Whether the movement was inferred rather than reported.
    pub inferred: bool,
    /// When the chain is first searched for the transfer; `None` if it has shown it already.
    pub look_at: Option<Millis>,
}

/// A settlement that a facilitator has reported, and whose transfer the chain has not shown yet.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ReportedSettlement {
    pub key: PaymentKey,
    pub receipt: ReceiptId,
    /// The time when it was stored.
    pub at: Millis,
    /// The transfer that the chain should show; `None` once the payment was deleted.
    pub expected: Option<String>,
}

/// Receipts and payments without proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Unproven {
    /// The time since which the oldest payment with an unknown settlement waits.
    pub unknown_since: Option<Millis>,
    /// Receipts that an earlier version inferred from a used nonce.
    pub inferred: u64,
    /// Receipts whose transfer the chain does not show.
    pub missing: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptList {
    /// The receipts, the latest first.
    pub receipts: Vec<Receipt>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<ReceiptId>,
}

/// Numbers of deleted records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpiredPayments {
    pub payments: u64,
    /// Unpaid results.
    pub results: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// One row a token.
    pub accounts: Vec<TokenLedger>,
    /// How many payments are in each state, in the order of [`PaymentState::ALL`].
    pub states: Vec<(PaymentState, u64)>,
    /// Settlements that an earlier version inferred from a used nonce: compare them with the chain.
    pub inferred: u64,
    /// Payments whose authorization ended with an unknown settlement: `ibid-server books reconcile` looks them up.
    pub unresolved: Vec<PaymentKey>,
    /// The time since which the oldest payment with an unknown settlement waits.
    pub unknown_since: Option<Millis>,
    /// How many refunds and credits are recorded.
    pub refunds: u64,
}

/// Money that the operator gave back, as a record: the operator sends it, and the books know.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refund {
    /// The payment that it concerns.
    pub key: PaymentKey,
    /// The way it was given back.
    pub kind: RefundKind,
    /// The amount, in atomic units.
    pub amount: i64,
    /// The transaction, for money that was sent.
    pub transaction: Option<Transaction>,
    /// The reason, in the operator's words.
    pub note: String,
}

/// The way in which money was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RefundKind {
    /// The amount was sent to the payer.
    Refund,
    /// The amount was credited in another way.
    Credit,
}

impl RefundKind {
    /// The word for tables and reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How many payments for a skill are in a state.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PaymentCount {
    pub state: PaymentState,
    pub skill: String,
    pub payments: u64,
    /// Those of them whose authorization has not ended.
    pub valid: u64,
}

/// A receipt with the time and the source of its record, as [`Store::recorded_since`](crate::Store::recorded_since) lists it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecordedSettlement {
    pub key: PaymentKey,
    pub receipt: Receipt,
    /// Whether an earlier version inferred it from a used nonce.
    pub inferred: bool,
    /// The time when it was stored.
    pub at: Millis,
}

/// What the ledger says about one token, in atomic units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TokenLedger {
    /// CAIP-2 name of the chain.
    pub network: String,
    /// Contract of the token.
    pub asset: String,
    /// Settlements.
    pub sales: u64,
    pub settled: i64,
    /// The settled amount whose results were handed over.
    pub delivered: i64,
    /// The settled amount whose results were not handed over.
    pub owed: i64,
    pub receipts: i64,
}

impl TokenLedger {
    /// Whether everything settled is delivered or owed, and has a receipt.
    pub const fn balances(&self) -> bool {
        self.settled == self.delivered + self.owed && self.settled == self.receipts && self.owed >= 0
    }
}

impl Books {
    /// Whether every account balances.
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

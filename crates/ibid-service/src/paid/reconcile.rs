//! The books against the chain.

use super::evidence::{Decision, FINAL_AFTER, Look, decide};
use crate::clock::{millis, now_ms};
use crate::error::Error;
use ibid_model::{AtomicUsdc, PaymentKey};
use ibid_store::{Db, PaymentState, RecordedSettlement, Refund, RefundKind, Store, UnsettledPayment};
use ibid_x402::{ChainFault, ChainReader, ExpectedTransfer, Held, IncomingTransfer, Terms};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The time in which a decision has to be stored.
const LEASE: Duration = Duration::from_secs(120);

/// How the books compare with the transfers on the chain.
#[derive(Debug, Default)]
pub struct Reconciliation {
    /// Payments of unknown outcome that are paid on the chain.
    /// Their results are released now.
    pub settled: Vec<PaymentKey>,
    /// Payments of unknown outcome that can never be paid.
    pub void: Vec<PaymentKey>,
    /// Payments without a decision of the chain yet, or with work in another process.
    pub undecided: Vec<PaymentKey>,
    /// Transfers by authorization without a receipt, and without recorded refunds and credits of their amount.
    pub unrecorded: Vec<IncomingTransfer>,
    /// The recorded refunds and credits of unrecorded transfers that are less than the transfer.
    pub partly: Vec<(PaymentKey, AtomicUsdc)>,
    /// Recorded refunds whose transaction does not send the payer their amount, as far as final blocks show.
    /// They are not counted as refunds.
    pub unsent: Vec<Refund>,
    /// Receipts without a transfer of their amount.
    pub phantom: Vec<RecordedSettlement>,
    /// Receipts that an earlier version inferred from a used nonce.
    pub inferred: Vec<RecordedSettlement>,
    /// Receipts that are too young to be final on the chain.
    pub young: u64,
    /// Transfers without an authorization, which are no payments of buyers.
    pub deposits: u64,
    /// Sum of the transfers by authorization.
    pub on_chain: AtomicUsdc,
    /// Sum of the receipts that have such a transfer.
    pub in_books: AtomicUsdc,
    /// Sum of the transfers that have a recorded refund or credit instead of a receipt.
    pub refunded: AtomicUsdc,
}

impl Reconciliation {
    /// Whether every transfer has a receipt or a refund, every receipt a transfer, and every payment an outcome.
    pub fn agrees(&self) -> bool {
        self.unrecorded.is_empty() && self.phantom.is_empty() && self.undecided.is_empty()
    }
}

/// Decides payments of unknown outcome by the chain, and compares the books with its transfers since a time.
///
/// # Errors
/// [`Error::Store`]; [`Error::Chain`] if the chain cannot be read.
pub async fn reconcile(
    store: Arc<Store>,
    chain: &dyn ChainReader,
    terms: &Terms,
    since: Timestamp,
) -> Result<Reconciliation, Error> {
    let db = Db::new(store);
    let mut report = Reconciliation::default();
    for key in db.call(|store| store.undecided_payments()).await? {
        let taken = db
            .call(move |store| store.take_over_undecided(&key, now_ms(), now_ms() + millis(LEASE)))
            .await?;
        match taken {
            Some(payment) => decide_one(&db, chain, terms, payment, &mut report).await?,
            None => report.undecided.push(key),
        }
    }
    let transfers = incoming(chain, terms, since).await?;
    let (receipts, refunds) = db
        .call(|store| Ok((store.recorded_since(0)?, store.refunds()?)))
        .await?;
    let known: HashMap<PaymentKey, AtomicUsdc> = receipts
        .iter()
        .map(|recorded| (recorded.key, recorded.receipt.amount))
        .collect();
    let mut returned: HashMap<PaymentKey, AtomicUsdc> = HashMap::new();
    for transfer in &transfers {
        let unknown = |key: &PaymentKey| known.get(key) != Some(&transfer.amount);
        let Some(key) = transfer.key.filter(unknown) else {
            continue;
        };
        for refund in refunds.iter().filter(|refund| refund.key == key) {
            match given_back(chain, refund).await.map_err(Error::Chain)? {
                Some(amount) => add(returned.entry(key).or_default(), amount),
                None => report.unsent.push(refund.clone()),
            }
        }
    }
    let since = since.as_millisecond();
    compare(&mut report, transfers, receipts, &known, &returned, since);
    Ok(report)
}

/// Returns the transfers by authorization since a time that have neither a receipt nor a recorded refund or credit: buyers
/// paid them without a result, or to another shop that has the same wallet.
///
/// # Errors
/// [`Error::Store`]; [`Error::Chain`] if the chain cannot be read.
pub async fn unrecorded(
    db: &Db,
    chain: &dyn ChainReader,
    terms: &Terms,
    since: Timestamp,
) -> Result<Vec<(PaymentKey, IncomingTransfer)>, Error> {
    let transfers = incoming(chain, terms, since).await?.into_iter();
    let transfers = transfers.filter_map(|transfer| Some((transfer.key?, transfer)));
    let transfers: Vec<_> = transfers.collect();
    let found = db.call(move |store| {
        let refunds = store.refunds()?;
        let mut found = Vec::new();
        for (key, transfer) in transfers {
            let refunded = refunds.iter().any(|refund| refund.key == key);
            if !refunded && store.receipt_of(&key)?.is_none() {
                found.push((key, transfer));
            }
        }
        Ok(found)
    });
    Ok(found.await?)
}

/// Reads the transfers to the wallets of the terms since a time.
async fn incoming(
    chain: &dyn ChainReader,
    terms: &Terms,
    since: Timestamp,
) -> Result<Vec<IncomingTransfer>, Error> {
    let mut transfers = Vec::new();
    for accepted in terms.accepted() {
        let incoming = chain.incoming(accepted.account(), since);
        transfers.extend(incoming.await.map_err(Error::Chain)?);
    }
    Ok(transfers)
}

/// Returns how much a recorded credit gave back, or a refund that the chain shows.
/// `None` for any other refund.
async fn given_back(chain: &dyn ChainReader, refund: &Refund) -> Result<Option<AtomicUsdc>, ChainFault> {
    let Refund { key, amount, .. } = refund;
    let amount = AtomicUsdc::new(u64::try_from(*amount).unwrap_or_default());
    match (refund.kind, &refund.transaction) {
        (RefundKind::Credit, _) => Ok(Some(amount)),
        (RefundKind::Refund, None) => Ok(None),
        (RefundKind::Refund, Some(transaction)) => {
            let sent = chain.sent(key.into(), transaction).await?;
            Ok(sent.filter(|sent| *sent >= amount).map(|_| amount))
        }
    }
}

async fn decide_one(
    db: &Db,
    chain: &dyn ChainReader,
    terms: &Terms,
    payment: UnsettledPayment,
    report: &mut Reconciliation,
) -> Result<(), Error> {
    let (lease, state) = (payment.lease, payment.state);
    let stored = payment.expected.and_then(|text| serde_json::from_str(&text).ok());
    let expected: Option<ExpectedTransfer> = stored.or_else(|| {
        let held: Held = serde_json::from_slice(&payment.held).ok()?;
        Some(held.expected(terms.recipient(held.key())))
    });
    let look = match &expected {
        Some(expected) => decide(db, chain, lease, expected, &payment.resource).await?,
        None => Look::Open,
    };
    match look {
        Look::Decided(Decision::Settled(_)) => report.settled.push(lease.key),
        Look::Decided(Decision::Void(_) | Decision::Spent) => report.void.push(lease.key),
        Look::Open | Look::Unanswered => {
            // Another party may yet pay a refused payment that is valid.
            // This is no disagreement.
            let next = now_ms().max(payment.expires) + millis(FINAL_AFTER);
            let put_back = db.call(move |store| match state {
                PaymentState::Refused => store.refuse(&lease, next, now_ms()),
                _ => store.pend(&lease, None, now_ms(), now_ms()),
            });
            put_back.await?;
            if state != PaymentState::Refused {
                report.undecided.push(lease.key);
            }
        }
    }
    Ok(())
}

fn add(sum: &mut AtomicUsdc, amount: AtomicUsdc) {
    *sum = AtomicUsdc::new(sum.get().saturating_add(amount.get()));
}

fn compare(
    report: &mut Reconciliation,
    transfers: Vec<IncomingTransfer>,
    receipts: Vec<RecordedSettlement>,
    known: &HashMap<PaymentKey, AtomicUsdc>,
    returned: &HashMap<PaymentKey, AtomicUsdc>,
    since: i64,
) {
    let mut on_chain = HashMap::new();
    for transfer in transfers {
        let Some(key) = transfer.key else {
            report.deposits += 1;
            continue;
        };
        on_chain.insert(key, transfer.amount);
        add(&mut report.on_chain, transfer.amount);
        if known.get(&key) == Some(&transfer.amount) {
            add(&mut report.in_books, transfer.amount);
            continue;
        }
        match returned.get(&key).copied() {
            Some(amount) if amount >= transfer.amount => add(&mut report.refunded, transfer.amount),
            some => {
                report.partly.extend(some.map(|amount| (key, amount)));
                report.unrecorded.push(transfer);
            }
        }
    }
    let young = now_ms() - millis(FINAL_AFTER);
    for recorded in receipts.into_iter().filter(|recorded| recorded.at >= since) {
        if recorded.inferred {
            report.inferred.push(recorded.clone());
        }
        match on_chain.get(&recorded.key) {
            Some(amount) if *amount == recorded.receipt.amount => {}
            None if recorded.at > young => report.young += 1,
            Some(_) | None => report.phantom.push(recorded),
        }
    }
}

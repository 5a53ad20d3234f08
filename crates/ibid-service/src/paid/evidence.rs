//! Deciding a payment by evidence of the chain, and storing receipts.

use super::settle::SettleOutcome;
use crate::clock::now_ms;
use crate::failure;
use ibid_model::{ReceiptId, Transaction};
use ibid_store::{Db, Lease, Millis, PaymentStep, SettledPayment, StoreError};
use ibid_x402::{
    ChainEvidence, ChainReader, ExpectedTransfer, Refusal, SettleResponse, Settlement, SettlementEvidence,
};
use jiff::Timestamp;
use std::time::Duration;

/// The time in which a new block becomes final on every network.
pub(super) const FINAL_AFTER: Duration = Duration::from_secs(600);

/// A payment that the chain has decided. The store has it.
pub(super) enum Decision {
    /// The money has moved.
    Settled(Settlement),
    /// The money can never move.
    Void(Refusal),
    /// The authorization was used for something else, and the money may have moved.
    Spent,
}

/// A look at the chain.
pub(super) enum Look {
    /// The chain has decided the payment.
    Decided(Decision),
    /// There is no evidence yet.
    Open,
    /// The chain gave no answer.
    Unanswered,
}

impl Decision {
    pub(super) fn into_outcome(self, expected: &ExpectedTransfer) -> SettleOutcome {
        match self {
            Self::Settled(settlement) => SettleOutcome::Settled(settlement.response()),
            Self::Void(refusal) => {
                let reason = refusal.code().word();
                let response = SettleResponse::refused(&expected.key, expected.version, reason);
                SettleOutcome::Refused(refusal, response)
            }
            Self::Spent => SettleOutcome::Spent,
        }
    }
}

/// Looks at the chain and stores its evidence.
/// An undecided payment keeps its lease.
pub(super) async fn decide(
    db: &Db,
    chain: &dyn ChainReader,
    lease: Lease,
    expected: &ExpectedTransfer,
    resource: &str,
) -> Result<Look, StoreError> {
    let evidence = match chain.evidence(expected).await {
        Ok(evidence) => evidence,
        Err(error) => {
            tracing::warn!(error = failure::chain(&error), "payment.chain.no_evidence");
            return Ok(Look::Unanswered);
        }
    };
    let refusal = match evidence {
        ChainEvidence::Open => return Ok(Look::Open),
        ChainEvidence::Paid { transaction } => {
            let settlement = expected.observed(transaction);
            store_receipt(db, lease, &settlement, resource.to_owned(), None).await?;
            return Ok(Look::Decided(Decision::Settled(settlement)));
        }
        ChainEvidence::PaidElsewhere { transaction } => {
            tracing::error!(
                payment = %expected.key,
                transaction = transaction.as_str(),
                hint = "a transfer to the shop's wallet that is no sale here: run ibid-server books reconcile",
                "payment.chain.paid_elsewhere"
            );
            return spent(db, lease, Some(transaction)).await;
        }
        ChainEvidence::UsedElsewhere => return spent(db, lease, None).await,
        ChainEvidence::Cancelled => Refusal::Cancelled,
        ChainEvidence::Expired => Refusal::Expired,
    };
    db.call(move |store| store.apply_steps(&lease, &[PaymentStep::Void], now_ms()))
        .await?;
    tracing::warn!(payment = %expected.key, reason = %refusal, "payment.chain.void");
    Ok(Look::Decided(Decision::Void(refusal)))
}

/// Ends a payment whose authorization was used for something else. That no further try is due marks it: a buyer
/// who comes back is not asked to sign again.
async fn spent(db: &Db, lease: Lease, transaction: Option<Transaction>) -> Result<Look, StoreError> {
    let ended = db.call(move |store| {
        store.pend(&lease, transaction.as_ref(), Millis::MAX, now_ms())?;
        store.apply_steps(&lease, &[PaymentStep::Void], now_ms())
    });
    ended.await?;
    Ok(Look::Decided(Decision::Spent))
}

/// Stores the receipt. Afterwards the result may be released.
/// At `look_at` the transfer is looked for on the chain.
pub(super) async fn store_receipt(
    db: &Db,
    lease: Lease,
    settlement: &Settlement,
    resource: String,
    look_at: Option<Millis>,
) -> Result<(), StoreError> {
    let has_scan = settlement.product.skill().row().form.is_some();
    let scan_id = has_scan.then_some(lease.run);
    let receipt = settlement.receipt(ReceiptId::random(), resource, scan_id, Timestamp::now());
    let observed = match settlement.evidence {
        SettlementEvidence::Reported => false,
        SettlementEvidence::Observed => true,
    };
    let transaction = settlement.transaction.as_ref().map(Transaction::as_str);
    let transaction = transaction.unwrap_or_default().to_owned();
    let stored = db.call(move |store| {
        let settled = SettledPayment {
            receipt: &receipt,
            inferred: false,
            look_at,
        };
        store.settle(&lease, &settled, now_ms())?;
        Ok(receipt)
    });
    match stored.await {
        Ok(receipt) => {
            tracing::info!(receipt.id = %receipt.id, product = %receipt.product, amount = %receipt.amount, transaction, observed, "payment.settle.done");
            Ok(())
        }
        Err(error) => {
            tracing::error!(
                error = failure::chain(&error),
                transaction,
                "payment.settle.receipt_not_stored"
            );
            Err(error)
        }
    }
}

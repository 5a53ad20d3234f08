//! Settling a held payment, at most once.

use super::sales::Sales;
use crate::Error;
use crate::clock::{millis, now_ms};
use crate::payment_due::PaymentDue;
use ibid_model::{ReceiptId, Transaction};
use ibid_store::{Lease, PaymentStep, SettledPayment, StoreError, UnsettledPayment};
use ibid_x402::{
    Held, PriceQuote, PriorAttempt, Refusal, Sale, SettleFailure, SettleResponse, Settlement,
    SettlementEvidence,
};
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// First pause between two requests to settle; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Longest pause of the background between two tries.
const MINUTE: Duration = Duration::from_secs(60);

/// A held result to be settled.
pub(super) struct Settling {
    lease: Lease,
    /// `None` if the signed payload was erased. The outcome of its settlement then stays unknown.
    held: Option<Held>,
    asked: PriorAttempt,
    /// Whether the store already has the step that the settlement begins.
    begun: bool,
    resource: String,
    tries: u32,
}

/// The outcome of an attempt to settle.
pub(super) enum SettleOutcome {
    /// The money has moved.
    Settled(SettleResponse),
    /// The money has certainly not moved.
    Refused(Refusal, SettleResponse),
    /// The outcome is not known yet; ask again after this time.
    Unknown(Duration),
    /// Another process has taken the settlement over, because the lease of this one ended.
    TakenOver,
}

impl Settling {
    /// A settlement that was certainly never requested before.
    pub(super) fn first(lease: Lease, held: Held, resource: String) -> Self {
        Self {
            lease,
            held: Some(held),
            asked: PriorAttempt::Never,
            begun: false,
            resource,
            tries: 0,
        }
    }

    /// A settlement whose begin was stored together with the result.
    pub(super) fn begun(lease: Lease, held: Held, resource: String) -> Self {
        Self {
            begun: true,
            ..Self::first(lease, held, resource)
        }
    }

    /// A settlement that was left behind.
    pub(super) fn again(unsettled: UnsettledPayment) -> Self {
        let UnsettledPayment {
            lease,
            held,
            sent,
            transaction,
            tries,
            resource,
        } = unsettled;
        let asked = if sent {
            PriorAttempt::Before { transaction }
        } else {
            PriorAttempt::Never
        };
        Self {
            lease,
            held: serde_json::from_slice(&held).ok(),
            asked,
            begun: false,
            resource,
            tries,
        }
    }
}

impl SettleOutcome {
    /// The settlement, or the error for the buyer.
    pub(super) fn or_due(self, quote: &PriceQuote<Sale>) -> Result<SettleResponse, Error> {
        match self {
            Self::Settled(response) => Ok(response),
            Self::Refused(refusal, response) => Err(Error::SettlementRefused {
                due: PaymentDue::sale(quote),
                code: refusal.code(),
                response: Box::new(response),
            }),
            Self::Unknown(retry_after) => Err(Error::SettlementUnknown { retry_after }),
            Self::TakenOver => Err(Error::SettlementUnknown {
                retry_after: Duration::from_secs(1),
            }),
        }
    }
}

impl Sales {
    /// Asks the facilitator to settle, again with the same bytes while the outcome is unknown, and stores the outcome.
    ///
    /// # Errors
    /// The store failed before anything was sent. Once something may have been sent, a failing store is
    /// [`SettleOutcome::Unknown`]: recovery finds the payment as it was left.
    pub(super) async fn settle(&self, settling: Settling) -> Result<SettleOutcome, Error> {
        let Settling {
            lease,
            held,
            mut asked,
            begun,
            resource,
            tries,
        } = settling;
        let paid = &self.settings;
        let wait = (paid.timing.retry * 2_u32.saturating_pow(tries.min(16))).min(MINUTE);
        let Some(held) = held else {
            return Ok(SettleOutcome::Unknown(MINUTE));
        };
        if !begun {
            match self.take(lease, &[PaymentStep::Settle]).await {
                Ok(()) => {}
                Err(StoreError::Lost) => return Ok(SettleOutcome::TakenOver),
                Err(error) => return Err(error.into()),
            }
        }
        let deadline = Instant::now() + paid.timing.settle;
        let mut pause = FIRST_PAUSE;
        let failure = loop {
            match paid.gate.settle(&held, &asked).await {
                Ok(settlement) => {
                    let stored = self.store_receipt(lease, &settlement, resource).await;
                    return Ok(match stored {
                        Ok(()) => SettleOutcome::Settled(settlement.response()),
                        Err(StoreError::Lost) => SettleOutcome::TakenOver,
                        Err(_) => SettleOutcome::Unknown(wait),
                    });
                }
                Err(failure @ (SettleFailure::Refused(_) | SettleFailure::Doubtful(_))) => break failure,
                Err(failure) => {
                    asked = asked.after(&failure);
                    if Instant::now() + pause >= deadline {
                        break failure;
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        };
        tracing::warn!(error = %failure, tries, "payment.settle.failed");
        let response = held.failed(&failure);
        match failure {
            SettleFailure::Refused(reason) => {
                if let Err(error) = self.take(lease, &[PaymentStep::Refuse]).await {
                    if matches!(error, StoreError::Lost) {
                        return Ok(SettleOutcome::TakenOver);
                    }
                    tracing::error!(%error, "payment.settle.refusal_not_stored");
                    return Ok(SettleOutcome::Unknown(wait));
                }
                Ok(SettleOutcome::Refused(Refusal::Facilitator(reason), response))
            }
            SettleFailure::Doubtful(_) | SettleFailure::Pending { .. } | SettleFailure::Unknown(_) => {
                self.postpone(lease, asked, wait, held.expires()).await;
                Ok(SettleOutcome::Unknown(wait))
            }
        }
    }

    /// Leaves the payment to the next attempt.
    async fn postpone(&self, lease: Lease, asked: PriorAttempt, wait: Duration, expires: Timestamp) {
        let over = Timestamp::now() > expires;
        let next_try = now_ms()
            + if over {
                millis(MINUTE * 30)
            } else {
                millis(wait.max(self.settings.timing.retry))
            };
        let written = self.runs.db.call(move |store| match asked {
            PriorAttempt::Never => store.apply_steps(&lease, &[PaymentStep::Unsent], now_ms()),
            PriorAttempt::Before { transaction } => {
                store.pend(&lease, transaction.as_ref(), next_try, now_ms())
            }
        });
        if let Err(error) = written.await {
            // Another round finds it when its lease ends.
            tracing::warn!(%error, "payment.settle.not_postponed");
        }
    }

    /// Stores the receipt. Afterwards the result may be released.
    async fn store_receipt(
        &self,
        lease: Lease,
        settlement: &Settlement,
        resource: String,
    ) -> Result<(), StoreError> {
        let has_scan = settlement.product.skill().row().form.is_some();
        let scan_id = has_scan.then_some(lease.run);
        let receipt = settlement.receipt(ReceiptId::random(), resource, scan_id, Timestamp::now());
        let inferred = match settlement.evidence {
            SettlementEvidence::Reported => false,
            SettlementEvidence::Inferred => true,
        };
        let transaction = settlement
            .transaction
            .as_ref()
            .map(Transaction::as_str)
            .unwrap_or_default()
            .to_owned();
        let stored = self.runs.db.call(move |store| {
            store.settle(
                &lease,
                &SettledPayment {
                    receipt: &receipt,
                    inferred,
                },
                now_ms(),
            )?;
            Ok(receipt)
        });
        match stored.await {
            Ok(receipt) => {
                tracing::info!(receipt.id = %receipt.id, product = %receipt.product, amount = %receipt.amount, transaction, inferred, "payment.settle.done");
                Ok(())
            }
            Err(error) => {
                tracing::error!(%error, transaction, "payment.settle.receipt_not_stored");
                Err(error)
            }
        }
    }
}

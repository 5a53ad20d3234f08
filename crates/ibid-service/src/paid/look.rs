//! Looks at the chain for the transfers of settlements that the facilitator has reported.
//!
//! The result was handed over on the facilitator's report.
//! A receipt is looked up until final blocks decide it,
//! so that the operator learns of an invented transaction, or one that was lost when the chain reorganized.

use super::evidence::FINAL_AFTER;
use super::reconcile::unrecorded;
use super::sales::Sales;
use crate::clock::{millis, now_ms};
use crate::failure;
use futures_util::StreamExt;
use ibid_store::{Millis, ReportedSettlement, StoreError};
use ibid_x402::{ChainEvidence, ChainReader, ExpectedTransfer};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Receipts that one batch looks for.
const MOST: u32 = 64;
/// Looks at one time.
const AT_ONCE: usize = 8;
/// Longest pause between two looks for one transfer.
const MINUTE: Duration = Duration::from_secs(60);

/// The judgement on a receipt after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Judgement {
    /// Whether the chain lacks the transfer, though its block would be final by now.
    missing: bool,
    /// Whether later looks show the same.
    last: bool,
}

impl Judgement {
    /// Judges a receipt of this age.
    fn of(evidence: &ChainEvidence, age: Millis) -> Self {
        let last = evidence.is_final();
        match evidence {
            ChainEvidence::Paid { .. } | ChainEvidence::PaidElsewhere { .. } => Self { missing: false, last },
            ChainEvidence::Cancelled | ChainEvidence::UsedElsewhere | ChainEvidence::Expired => {
                Self { missing: true, last }
            }
            // The transfer's block is not final yet, or a reorganized chain has yet to include it again.
            ChainEvidence::Open => Self {
                missing: age > millis(FINAL_AFTER),
                last,
            },
        }
    }
}

impl Sales {
    /// The time from a report to the first look.
    /// Blocks of the quickest networks are final by then.
    pub(super) fn first_look(&self) -> Duration {
        self.pause(3)
    }

    /// Looks for the transfers of due receipts, one batch at a time.
    pub(super) async fn look_for_transfers(self: &Arc<Self>) -> Result<(), StoreError> {
        let Some(chain) = &self.settings.chain else {
            return Ok(());
        };
        let Ok(batch) = Arc::clone(&self.looks).try_acquire_owned() else {
            return Ok(());
        };
        let db = &self.runs.db;
        let due = db.call(|store| store.take_reported(now_ms(), now_ms() + millis(MINUTE), MOST));
        let due = due.await?;
        if !due.is_empty() {
            let (sales, chain) = (Arc::downgrade(self), Arc::clone(chain));
            self.runs.spawn(async move {
                let look = |reported| {
                    let (sales, chain) = (sales.clone(), Arc::clone(&chain));
                    async move {
                        // A stop does not wait for the rest of the batch, which is due again in a minute.
                        let Some(sales) = sales.upgrade().filter(|sales| !sales.runs.is_draining()) else {
                            return;
                        };
                        if let Err(error) = sales.look_for(&*chain, reported).await {
                            tracing::warn!(error = failure::chain(&error), "payment.look.not_stored");
                        }
                    }
                };
                futures_util::stream::iter(due)
                    .for_each_concurrent(AT_ONCE, look)
                    .await;
                drop(batch);
            });
        }
        Ok(())
    }

    /// Looks for transfers in the last days without a receipt: buyers paid them and got no result, so the operator sends them
    /// back.
    pub(super) async fn look_for_unrecorded(&self) {
        let Some(chain) = &self.settings.chain else {
            return;
        };
        let since = Timestamp::now() - SignedDuration::from_hours(48);
        let found = match unrecorded(&self.runs.db, &**chain, &self.settings.terms, since).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(error = failure::chain(&error), "payment.chain.no_evidence");
                return;
            }
        };
        self.unrecorded.store(found.len() as u64, Ordering::Relaxed);
        for (key, transfer) in found {
            tracing::error!(
                payment = %key,
                amount = %transfer.amount,
                transaction = transfer.transaction.as_str(),
                hint = "a buyer may have paid without a result: run ibid-server books reconcile",
                "payment.transfer.unrecorded"
            );
        }
    }

    async fn look_for(
        &self,
        chain: &dyn ChainReader,
        reported: ReportedSettlement,
    ) -> Result<(), StoreError> {
        let ReportedSettlement { key, receipt, .. } = reported;
        let expected = reported.expected;
        let expected: Option<ExpectedTransfer> = expected.and_then(|text| serde_json::from_str(&text).ok());
        let age = now_ms() - reported.at;
        let judgement = match expected {
            Some(expected) => match chain.evidence(&expected).await {
                Ok(evidence) => Judgement::of(&evidence, age),
                Err(error) => {
                    tracing::warn!(error = failure::chain(&error), "payment.chain.no_evidence");
                    return Ok(());
                }
            },
            // The payment was deleted a month after its end, and never seen.
            None => Judgement {
                missing: true,
                last: true,
            },
        };
        let pause = age.clamp(millis(self.first_look()), millis(MINUTE));
        let next_look = (!judgement.last).then(|| now_ms() + pause);
        let db = &self.runs.db;
        let noted = db.call(move |store| store.note_look(receipt, judgement.missing, next_look));
        if noted.await? {
            match judgement.missing {
                true => tracing::error!(
                    receipt.id = %receipt,
                    payment = %key,
                    hint = "the facilitator has reported a transfer that the chain does not show: run ibid-server books reconcile",
                    "payment.receipt.without_transfer"
                ),
                false => {
                    tracing::info!(receipt.id = %receipt, payment = %key, "payment.receipt.transfer_found")
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_are_judged_by_final_blocks() {
        let (young, old) = (millis(FINAL_AFTER), millis(FINAL_AFTER) + 1);
        let paid = ChainEvidence::Paid {
            transaction: "0x5e".parse().unwrap(),
        };
        for (evidence, age, missing, last) in [
            (paid, young, false, true),
            (ChainEvidence::Cancelled, young, true, true),
            (ChainEvidence::UsedElsewhere, young, true, true),
            (ChainEvidence::Expired, young, true, true),
            (ChainEvidence::Open, young, false, false),
            (ChainEvidence::Open, old, true, false),
        ] {
            assert_eq!(
                Judgement::of(&evidence, age),
                Judgement { missing, last },
                "{evidence:?}"
            );
        }
    }
}

//! Work, hold, settle, hand over.

use super::{Admission, Purchase, settlement_of};
use crate::clock::now_ms;
use crate::document::Document;
use crate::durable::SoldEnd;
use crate::error::Error;
use crate::paid::settle::{SettleOutcome, Settling};
use crate::runs::permit::SoldPermit;
use crate::runs::run::{Finished, Output};
use crate::stored_scans::read_output;
use ibid_model::ScanId;
use ibid_store::{ClaimMode, ClaimOutcome, HeldPayment, Lease, SoldResult, Store};
use ibid_x402::{Held, SETTLE_MARGIN, SettleResponse, Verified};
use std::time::Duration;

/// The time after which a buyer may try again if a stop interrupted the scan.
const STOPPED_FOR: Duration = Duration::from_secs(2);

impl Purchase {
    /// Works, holds the result, settles, and returns it.
    pub(super) async fn complete(&self, admission: Admission) -> Result<Finished, Error> {
        match admission {
            Admission::Work(lease, permit, verified) => self.complete_work(lease, *permit, verified).await,
            Admission::Settle(unsettled) => {
                let run = unsettled.lease.run;
                let settlement = self.settle(self.sales.again(unsettled)).await?;
                self.released(run, settlement).await
            }
            Admission::Retry(lease, resource, verified) => {
                let held = verified.hold();
                let (payload, expected) = self.settlement_data(&held)?;
                let hold = move |store: &Store| {
                    let held = HeldPayment {
                        payload: &payload,
                        expected: &expected,
                    };
                    store.hold_again(&lease, held, now_ms())
                };
                self.sales.runs.db.call(hold).await?;
                let settling = self.sales.first(lease, held, resource);
                let settlement = self.settle(settling).await?;
                self.released(lease.run, settlement).await
            }
            Admission::Decided(run, outcome) => {
                let settlement = outcome.or_due(&self.quote)?;
                self.released(run, settlement).await
            }
            Admission::Sold(SoldResult { run, reply, receipt }) => {
                let settlement = settlement_of(&receipt, self.key.payer);
                let document = Document::stored(reply);
                Ok(Finished {
                    id: run,
                    document,
                    output: Output::Stored,
                    settlement: Some(settlement),
                    stored: true,
                })
            }
        }
    }

    /// Queues or continues a job, waits for its hidden result, settles, and returns it.
    async fn complete_work(
        &self,
        lease: Lease,
        permit: SoldPermit,
        verified: Verified,
    ) -> Result<Finished, Error> {
        let deadline = verified.expires() - SETTLE_MARGIN;
        match self.sales.queue.sell(permit, deadline).await {
            SoldEnd::Result => {}
            SoldEnd::Failed(error) => {
                // Failed work is never settled, and the payment can be used again.
                self.fail(lease).await;
                return Err(error);
            }
            SoldEnd::Stopped => {
                self.free(lease).await;
                return Err(Error::Overloaded {
                    retry_after: STOPPED_FOR,
                });
            }
        }
        let held = verified.hold();
        let (payload, expected) = self.settlement_data(&held)?;
        let hold = move |store: &Store| {
            let held = HeldPayment {
                payload: &payload,
                expected: &expected,
            };
            store.hold_to_settle(&lease, held, now_ms())
        };
        self.sales.runs.db.call(hold).await?;
        let settling = self.sales.begun(lease, held, self.quote.resource().to_string());
        let settlement = self.settle(settling).await?;
        let finished = self.released(lease.run, settlement).await?;
        let output = read_output(finished.document.bytes())?;
        Ok(Finished { output, ..finished })
    }

    /// The settlement data for the store.
    fn settlement_data(&self, held: &Held) -> Result<(Vec<u8>, String), Error> {
        let expected = held.expected(self.sales.settings.terms.recipient(held.key()));
        Ok((serde_json::to_vec(held)?, serde_json::to_string(&expected)?))
    }

    /// Settles, or reads the outcome from the process that took the settlement over.
    async fn settle(&self, mut settling: Settling) -> Result<SettleResponse, Error> {
        loop {
            let ended = self.sales.settle(settling).await?;
            if !matches!(ended, SettleOutcome::TakenOver) {
                return ended.or_due(&self.quote);
            }
            match self.claim(0, ClaimMode::OnlyReturn).await? {
                ClaimOutcome::Sold(sold) => return Ok(settlement_of(&sold.receipt, self.key.payer)),
                ClaimOutcome::Settle(unsettled) => settling = self.sales.again(unsettled),
                ClaimOutcome::Retry(refused) => {
                    self.sales.apply_payment_steps(refused.lease, &[]).await?;
                    return ended.or_due(&self.quote);
                }
                ClaimOutcome::Start(_)
                | ClaimOutcome::Wait
                | ClaimOutcome::Used
                | ClaimOutcome::Unknown
                | ClaimOutcome::Identified { .. }
                | ClaimOutcome::IdentifierUsed => {
                    return ended.or_due(&self.quote);
                }
            }
        }
    }

    /// Reads the result that was just paid for.
    async fn released(&self, run: ScanId, settlement: SettleResponse) -> Result<Finished, Error> {
        let record = self
            .sales
            .runs
            .db
            .call(move |store| store.scan(run))
            .await?
            .ok_or(Error::NotFound)?;
        let document = Document::stored(record.reply);
        Ok(Finished {
            id: run,
            document,
            output: Output::Stored,
            settlement: Some(settlement),
            stored: true,
        })
    }

    /// Notes that the buyer has taken the result.
    pub(super) async fn note_delivery(&self) {
        let key = self.key;
        let booked = self
            .sales
            .runs
            .db
            .call(move |store| store.deliver(&key, now_ms()))
            .await;
        if let Err(error) = booked {
            tracing::error!(
                error = crate::failure::chain(&error),
                "payment.delivery.not_stored"
            );
        }
    }
}

//! Work, hold, settle, hand over.

use super::{Admission, Purchase, settlement_of};
use crate::clock::now_ms;
use crate::paid::settle::{SettleOutcome, Settling};
use crate::runs::run::{Finished, Output};
use crate::{Document, Error};
use ibid_engine::Progress;
use ibid_model::ScanId;
use ibid_store::{ClaimMode, ClaimOutcome, NewScan, SoldResult, Store};
use ibid_x402::SettleResponse;
use tokio::sync::mpsc::UnboundedSender;

impl Purchase {
    /// Works, holds the result, settles, and returns it.
    pub(super) async fn complete(
        &self,
        admission: Admission,
        progress: &UnboundedSender<Progress>,
    ) -> Result<Finished, Error> {
        match admission {
            Admission::Work(lease, permit, verified) => {
                let (runs, origin) = (&self.sales.runs, permit.origin().clone());
                // The channel is closed once the buyer has hung up.
                let on_progress = |event| drop(progress.send(event));
                let output = match runs.work(*permit, on_progress).await {
                    Ok(output) => output,
                    Err(error) => {
                        // Failed work is never settled, and the payment can be used again.
                        self.free(lease).await;
                        return Err(error);
                    }
                };
                let held = verified.hold();
                let bytes = serde_json::to_vec(&held)?;
                let hold = Box::new(move |store: &dyn Store, scan: &NewScan<'_>| {
                    store.hold_to_settle(&lease, scan, &bytes, now_ms())
                });
                let unpaid = output.store(&runs.db, lease.run, origin, hold).await?;
                let settling = Settling::begun(lease, held, self.quote.resource().to_string());
                let settlement = self.settle(settling).await?;
                Ok(Finished {
                    settlement: Some(settlement),
                    ..unpaid
                })
            }
            Admission::Settle(unsettled) => {
                let run = unsettled.lease.run;
                let settlement = self.settle(Settling::again(unsettled)).await?;
                self.released(run, settlement).await
            }
            Admission::Retry(lease, resource, verified) => {
                let held = verified.hold();
                let bytes = serde_json::to_vec(&held)?;
                self.sales
                    .runs
                    .db
                    .call(move |store| store.hold_again(&lease, &bytes, now_ms()))
                    .await?;
                let settling = Settling::first(lease, held, resource);
                let settlement = self.settle(settling).await?;
                self.released(lease.run, settlement).await
            }
            Admission::Sold(SoldResult { run, reply, receipt }) => {
                let settlement = settlement_of(&receipt, self.key.payer);
                let document = Document::stored(reply);
                Ok(Finished {
                    id: run,
                    document,
                    output: Output::Stored,
                    settlement: Some(settlement),
                })
            }
        }
    }

    /// Settles, or reads the outcome of the process that took the settlement over.
    async fn settle(&self, mut settling: Settling) -> Result<SettleResponse, Error> {
        loop {
            let ended = self.sales.settle(settling).await?;
            if !matches!(ended, SettleOutcome::TakenOver) {
                return ended.or_due(&self.quote);
            }
            match self.claim(0, ClaimMode::OnlyReturn).await? {
                ClaimOutcome::Sold(sold) => return Ok(settlement_of(&sold.receipt, self.key.payer)),
                ClaimOutcome::Settle(unsettled) => settling = Settling::again(unsettled),
                ClaimOutcome::Retry { lease, .. } => {
                    self.sales.take(lease, &[]).await?;
                    return ended.or_due(&self.quote);
                }
                ClaimOutcome::Start(_) | ClaimOutcome::Wait | ClaimOutcome::Used | ClaimOutcome::Unknown => {
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
            tracing::error!(%error, "payment.delivery.not_stored");
        }
    }
}

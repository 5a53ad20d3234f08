//! Work, hold, settle, hand over.

use super::{Admission, Buyer, told};
use crate::paid::now_ms;
use crate::paid::settle::{Ended, Settling, settle};
use crate::run::{Finished, Output, work};
use crate::{Document, Error};
use ibid_model::ScanId;
use ibid_store::{Entry, Sold, Visited};
use ibid_x402::SettleResponse;

impl Buyer {
    /// Work, hold, settle.
    pub(super) async fn complete(
        &self,
        admission: Admission,
        progress: tokio::sync::mpsc::UnboundedSender<ibid_engine::Progress>,
    ) -> Result<Finished, Error> {
        match admission {
            Admission::Work(lease, permit, verified) => {
                let origin = permit.origin.clone();
                // A closed channel means that nobody watches.
                let on = |event| drop(progress.send(event));
                let made = match work(&self.inner, lease.run, *permit, on).await {
                    Ok(made) => made,
                    Err(error) => {
                        // Failed work is never settled, and the payment can be used again.
                        self.free(lease).await;
                        return Err(error.of_the_operator());
                    }
                };
                drop(progress);
                let held = verified.hold();
                let bytes = serde_json::to_vec(&held)?;
                let unpaid = made.keep(&self.inner, lease.run, origin, move |store, scan| {
                    store.hold_to_settle(&lease, scan, &bytes, now_ms())
                });
                let unpaid = unpaid.await?;
                let settling = Settling::begun(lease, held, self.quote.resource().to_string());
                let settlement = self.settle(settling).await?;
                Ok(Finished {
                    settlement: Some(settlement),
                    ..unpaid
                })
            }
            Admission::Settle(unsettled) => {
                drop(progress);
                let run = unsettled.lease.run;
                let settlement = self.settle(Settling::again(unsettled)).await?;
                self.released(run, settlement).await
            }
            Admission::Retry(lease, resource, verified) => {
                drop(progress);
                let held = verified.hold();
                let bytes = serde_json::to_vec(&held)?;
                self.inner
                    .db
                    .call(move |store| store.hold_again(&lease, &bytes, now_ms()))
                    .await?;
                let settling = Settling::first(lease, held, resource);
                let settlement = self.settle(settling).await?;
                self.released(lease.run, settlement).await
            }
            Admission::Sold(Sold { run, reply, receipt }) => {
                drop(progress);
                let settlement = told(&receipt, self.key.payer);
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

    /// Settles, or waits for whoever took that over because this process was too slow.
    async fn settle(&self, mut settling: Settling) -> Result<SettleResponse, Error> {
        loop {
            let ended = settle(&self.inner, settling).await?;
            if !matches!(ended, Ended::TakenOver) {
                return ended.or_due(&self.quote);
            }
            match self.visit(self.paid()?, 0, Entry::OnlyReturn).await? {
                Visited::Sold(sold) => return Ok(told(&sold.receipt, self.key.payer)),
                Visited::Settle(unsettled) => settling = Settling::again(unsettled),
                Visited::Retry { lease, .. } => {
                    self.take(lease, &[]).await?;
                    return ended.or_due(&self.quote);
                }
                Visited::Start(_) | Visited::Wait | Visited::Used | Visited::Unknown => {
                    return ended.or_due(&self.quote);
                }
            }
        }
    }

    /// A result that was just paid for.
    async fn released(&self, run: ScanId, settlement: SettleResponse) -> Result<Finished, Error> {
        let record = self
            .inner
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

    pub(super) async fn delivered(&self) {
        let key = self.key;
        let booked = self
            .inner
            .db
            .call(move |store| store.deliver(&key, now_ms()))
            .await;
        if let Err(error) = booked {
            tracing::error!(%error, "a delivery could not be booked");
        }
    }
}

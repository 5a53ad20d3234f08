//! Work, hold, settle, hand over.

use super::{Admission, Purchase, settlement_of};
use crate::clock::now_ms;
use crate::durable::SoldEnd;
use crate::error::Error;
use crate::failure::chain;
use crate::paid::settle::{SettleOutcome, Settling};
use crate::runs::permit::SoldPermit;
use crate::runs::run::{Finished, read_output};
use ibid_model::ScanId;
use ibid_store::{ClaimMode, ClaimOutcome, HeldPayment, Lease, OwedWork, SoldResult, Store};
use ibid_x402::{ExpectedTransfer, Held, SETTLE_MARGIN, SettleResponse, Verified};
use jiff::Timestamp;
use std::time::Duration;

/// The time after which a buyer may try again if a stop interrupted the scan.
const STOPPED_FOR: Duration = Duration::from_secs(2);

impl Purchase {
    /// Works, holds the result, settles, and returns it.
    pub(super) async fn complete(&mut self, admission: Admission) -> Result<Finished, Error> {
        match admission {
            Admission::Work(lease, permit, verified) => self.complete_work(lease, *permit, verified).await,
            Admission::Settled(lease, permit, verified) => {
                tracing::info!("payment.settled_before_the_work");
                let resource = self.quote.resource().to_string();
                let settlement = self.settle_held(lease, resource, verified).await?;
                self.do_owed(lease, *permit, settlement).await
            }
            Admission::Owed(owed) => {
                let settlement = settlement_of(&owed.receipt, self.key.payer);
                self.begin_owed(owed, settlement).await
            }
            Admission::Settle(unsettled) => {
                let run = unsettled.lease.run;
                let settlement = self.settle(self.sales.again(unsettled)).await?;
                self.released(run, settlement).await
            }
            Admission::Retry(lease, resource, verified) => {
                let settlement = self.settle_held(lease, resource, verified).await?;
                self.released(lease.run, settlement).await
            }
            Admission::Decided(run, outcome) => {
                let settlement = outcome.or_due(&self.quote)?;
                self.released(run, settlement).await
            }
            Admission::Sold(SoldResult { run, reply, receipt }) => Ok(Finished::sold(
                run,
                reply,
                settlement_of(&receipt, self.key.payer),
            )),
        }
    }

    /// Holds and settles a payment, whose result is stored or whose work comes later.
    async fn settle_held(
        &self,
        lease: Lease,
        resource: String,
        verified: Verified,
    ) -> Result<SettleResponse, Error> {
        let held = verified.hold();
        let expected = self.expected(&held).await;
        let (payload, stored) = (serde_json::to_vec(&held)?, serde_json::to_string(&expected)?);
        let hold = move |store: &Store| {
            let held = HeldPayment {
                payload: &payload,
                expected: &stored,
            };
            store.hold_to_settle(&lease, held, now_ms())
        };
        self.sales.runs.db.call(hold).await?;
        self.settle(Settling::first(lease, held, expected, resource))
            .await
    }

    /// Begins work that is paid for, or goes on with it.
    async fn begin_owed(&mut self, owed: OwedWork, settlement: SettleResponse) -> Result<Finished, Error> {
        self.bound_failures().await?;
        let job = self.job.take().ok_or(Error::Ended)?;
        let orders = self.sales.settings.orders();
        let cap = orders.spending(self.quote.product(), job.estimate());
        let permit = SoldPermit::owed(self.sales.runs.reserve(job)?, &owed, cap);
        self.do_owed(owed.lease, permit, settlement).await
    }

    /// Does work that is paid for. If it fails, the payment stays a credit for it.
    async fn do_owed(
        &mut self,
        lease: Lease,
        permit: SoldPermit,
        settlement: SettleResponse,
    ) -> Result<Finished, Error> {
        let deadline = Timestamp::now() + permit.job.time_limit();
        match self.sales.queue.sell(permit, deadline).await {
            SoldEnd::Result => self.stored(lease.run, &settlement).await?.ok_or(Error::NotFound),
            SoldEnd::Failed(error) => {
                self.fail(lease).await;
                Err(Error::WorkOwed(Box::new(error)))
            }
            SoldEnd::Stopped => Err(Error::Overloaded {
                retry_after: STOPPED_FOR,
            }),
        }
    }

    /// Queues or continues a job, waits for its hidden result, settles, and returns it.
    async fn complete_work(
        &mut self,
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
        let resource = self.quote.resource().to_string();
        let settlement = self.settle_held(lease, resource, verified).await?;
        let finished = self.released(lease.run, settlement).await?;
        let output = read_output(finished.document.bytes())?;
        Ok(Finished { output, ..finished })
    }

    /// The transfer that the chain shows if the payment goes through from here on.
    async fn expected(&self, held: &Held) -> ExpectedTransfer {
        let expected = held.expected(self.sales.settings.terms.recipient(held.key()));
        let since = self.sales.sale_blocks(self.key.network, self.arrived).await;
        ExpectedTransfer { since, ..expected }
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
                ClaimOutcome::Owed(owed) => return Ok(settlement_of(&owed.receipt, self.key.payer)),
                ClaimOutcome::Start(_)
                | ClaimOutcome::Wait
                | ClaimOutcome::Used
                | ClaimOutcome::Spent
                | ClaimOutcome::Unknown
                | ClaimOutcome::Identified { .. }
                | ClaimOutcome::IdentifierUsed => {
                    return ended.or_due(&self.quote);
                }
            }
        }
    }

    /// Reads the result that was just paid for, or does the work for it.
    async fn released(&mut self, run: ScanId, settlement: SettleResponse) -> Result<Finished, Error> {
        if let Some(finished) = self.stored(run, &settlement).await? {
            return Ok(finished);
        }
        match self.claim(0, ClaimMode::OnlyReturn).await? {
            ClaimOutcome::Owed(owed) => self.begin_owed(owed, settlement).await,
            _ => Err(Error::NotFound),
        }
    }

    /// Reads a released result.
    async fn stored(&self, run: ScanId, settlement: &SettleResponse) -> Result<Option<Finished>, Error> {
        let record = self.sales.runs.db.call(move |store| store.scan(run)).await?;
        Ok(record.map(|record| Finished::sold(run, record.reply, settlement.clone())))
    }

    /// Notes that the buyer has taken the result.
    pub(super) async fn note_delivery(&self) {
        let key = self.key;
        let db = &self.sales.runs.db;
        if let Err(error) = db.call(move |store| store.deliver(&key, now_ms())).await {
            tracing::error!(error = chain(&error), "payment.delivery.not_stored");
        }
    }
}

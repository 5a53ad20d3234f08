//! Payments that were stored under other terms: another price, wallet or token.

use super::sales::Sales;
use super::settle::SettleOutcome;
use super::settlement_of;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::request_hash::RequestHash;
use crate::runs::run::{Finished, Run};
use crate::tasks::Caller;
use ibid_model::{PaymentKey, ScanId, Skill};
use ibid_store::{ClaimMode, ClaimOutcome, PaymentClaim};
use ibid_x402::{Fingerprint, SettleResponse};
use std::time::Duration;

impl Sales {
    /// Returns what one of these payments has bought with the request, although today's terms refuse it with an error.
    /// A stored result is settled as it was agreed.
    ///
    /// # Errors
    /// The given error if nothing was bought; otherwise why it cannot be settled.
    pub(crate) async fn bought(
        &self,
        identities: Vec<(PaymentKey, Fingerprint)>,
        request: RequestHash,
        caller: Caller,
        error: Error,
    ) -> Result<Run, Error> {
        for (key, fingerprint) in identities {
            let lease = millis(self.settings.timing.lease);
            let claimed = self.runs.db.call(move |store| {
                let now = now_ms();
                let claim = PaymentClaim {
                    key: &key,
                    fingerprint: fingerprint.as_bytes(),
                    request: request.as_bytes(),
                    // Nothing new is claimed, so these are never stored.
                    skill: Skill::MyReceipts,
                    identifier: None,
                    resource: "",
                    caller: caller.network(),
                    run: ScanId::random(),
                    expires: 0,
                    now,
                    lease_until: now + lease,
                };
                store.claim(&claim, ClaimMode::OnlyReturn)
            });
            match claimed.await? {
                ClaimOutcome::Sold(sold) => {
                    let settlement = settlement_of(&sold.receipt, key.payer);
                    return self.hand_over(key, sold.run, settlement).await;
                }
                ClaimOutcome::Settle(unsettled) => {
                    let run = unsettled.lease.run;
                    let held = self.background.hold(unsettled.lease);
                    let settled = self.settle_due(unsettled).await?;
                    drop(held);
                    match settled {
                        SettleOutcome::Settled(settlement) => {
                            return self.hand_over(key, run, settlement).await;
                        }
                        SettleOutcome::Spent => return Err(Error::PaymentSpent),
                        SettleOutcome::Unknown(retry_after) => {
                            return Err(Error::SettlementUnknown { retry_after });
                        }
                        SettleOutcome::TakenOver => return Err(busy()),
                        SettleOutcome::Refused(..) => {}
                    }
                }
                ClaimOutcome::Wait => return Err(busy()),
                ClaimOutcome::Owed(_) => return Err(Error::WorkOwed(Box::new(error))),
                ClaimOutcome::Spent => return Err(Error::PaymentSpent),
                ClaimOutcome::Retry(refused) => self.apply_payment_steps(refused.lease, &[]).await?,
                ClaimOutcome::Start(_)
                | ClaimOutcome::Used
                | ClaimOutcome::Unknown
                | ClaimOutcome::Identified { .. }
                | ClaimOutcome::IdentifierUsed => {}
            }
        }
        Err(error)
    }

    async fn hand_over(
        &self,
        key: PaymentKey,
        run: ScanId,
        settlement: SettleResponse,
    ) -> Result<Run, Error> {
        let record = self.runs.db.call(move |store| {
            let record = store.scan(run)?;
            store.deliver(&key, now_ms())?;
            Ok(record)
        });
        let record = record.await?.ok_or(Error::NotFound)?;
        Ok(Run::ended(Finished::sold(run, record.reply, settlement)))
    }
}

fn busy() -> Error {
    Error::SettlementUnknown {
        retry_after: Duration::from_secs(1),
    }
}

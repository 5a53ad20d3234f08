//! Payments that a crash, an outage or a lost answer left behind.

use super::sales::Sales;
use super::settle::SettleOutcome;
use crate::clock::{millis, now_ms};
use crate::failure::chain;
use futures_util::StreamExt;
use ibid_store::{Lease, Store, StoreError, UnsettledPayment};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Settlements that run at one time.
const AT_ONCE: usize = 8;
/// Settlements that one round takes up.
const MOST: u32 = 64;
/// The time for which a payment without a sale is kept after its end.
const AFTER_END: Duration = Duration::from_secs(3_600);
/// The time after its end in which a sold payment still fetches its result, and a refused one may be found paid.
const AFTER_SALE: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Leases that the background renews until they are dropped.
#[derive(Clone, Default)]
pub(super) struct HeldLeases(Arc<Mutex<HashSet<Lease>>>);

/// A lease that is renewed until this is dropped.
pub(super) struct HeldLease {
    leases: HeldLeases,
    lease: Lease,
}

impl HeldLeases {
    pub(super) fn hold(&self, lease: Lease) -> HeldLease {
        self.lock().insert(lease);
        HeldLease {
            leases: self.clone(),
            lease,
        }
    }

    fn all(&self) -> Vec<Lease> {
        self.lock().iter().copied().collect()
    }

    /// The set stays whole even if a holder of the lock panicked.
    fn lock(&self) -> MutexGuard<'_, HashSet<Lease>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        self.leases.lock().remove(&self.lease);
    }
}

impl Sales {
    /// A round.
    /// After two rounds in a row that the database did not take, the buyers of queued scans are let go.
    pub(super) async fn recover_round(self: &Arc<Self>, clean: bool) {
        let Err(error) = self.recover(clean).await else {
            self.failed_rounds.store(0, Ordering::Relaxed);
            return;
        };
        tracing::warn!(error = chain(&error), "payment.recover.failed");
        if self.failed_rounds.fetch_add(1, Ordering::Relaxed) > 0 {
            self.queue.let_buyers_go();
        }
    }

    /// One round: renews this process's leases, frees the payments of lost processes,
    /// settles held results, looks for the transfers of receipts.
    /// The first round runs at start-up.
    async fn recover(self: &Arc<Self>, clean: bool) -> Result<(), StoreError> {
        let db = &self.runs.db;
        let lease = millis(self.settings.timing.lease);
        // The store's thread lists the leases: under load the wait for it can outlast a lease.
        let (single_flight, background) = (self.single_flight.clone(), self.background.clone());
        let renew = move |store: &Store| {
            let mut leases = single_flight.leases();
            leases.extend(background.all());
            match leases.is_empty() {
                true => Ok(()),
                false => store.renew_leases(&leases, now_ms() + lease),
            }
        };
        if self.runs.is_draining() {
            return db.call(renew).await;
        }
        if clean {
            db.call(|store| {
                store.expire_payments(now_ms() - millis(AFTER_END), now_ms() - millis(AFTER_SALE))
            })
            .await?;
        }
        // One call with one clock: otherwise a run of this process could count as lost while it waits for the store.
        let freed = db.call(move |store| {
            let now = now_ms();
            renew(store)?;
            store.free_abandoned_payments(now)
        });
        let freed = freed.await?;
        if freed > 0 {
            tracing::info!(freed, "payment.recover.freed");
        }
        let due = db.call(move |store| store.take_over_due(now_ms(), now_ms() + lease, MOST));
        let due = due.await?;
        if !due.is_empty() {
            let hold = |unsettled: UnsettledPayment| (self.background.hold(unsettled.lease), unsettled);
            let due = due.into_iter().map(hold).collect();
            self.runs.spawn(settle_all(Arc::downgrade(self), due));
        }
        self.look_for_transfers().await
    }
}

async fn settle_all(sales: Weak<Sales>, due: Vec<(HeldLease, UnsettledPayment)>) {
    futures_util::stream::iter(due)
        .for_each_concurrent(AT_ONCE, |(held, unsettled)| {
            let sales = sales.clone();
            async move {
                let Some(sales) = sales.upgrade() else { return };
                let run = unsettled.lease.run;
                let ended = sales.settle_due(unsettled).await;
                drop(held);
                match ended {
                    Ok(SettleOutcome::Settled(_)) => {
                        tracing::info!(scan.id = %run, "payment.recover.settled");
                    }
                    Ok(SettleOutcome::Refused(..)) => {
                        tracing::info!(scan.id = %run, "payment.recover.refused");
                    }
                    Ok(SettleOutcome::Spent | SettleOutcome::Unknown(_) | SettleOutcome::TakenOver) => {}
                    Err(error) => {
                        tracing::warn!(scan.id = %run, error = chain(&error), "payment.recover.unsettled");
                    }
                }
            }
        })
        .await;
}

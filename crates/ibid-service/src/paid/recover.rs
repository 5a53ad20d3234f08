//! Payments that a crash, an outage or a lost answer left behind.

use super::settle::{Ended, Settling, settle};
use super::{millis, now_ms};
use crate::service::Inner;
use futures_util::StreamExt;
use ibid_store::StoreError;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Settlements that are taken up at a time.
const AT_ONCE: usize = 8;
/// How long after its end a payment is kept that can matter to nobody.
const AFTER_END: Duration = Duration::from_secs(3_600);
/// How long after its end a bought payment still fetches its result.
const AFTER_SALE: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Rounds between two clean-ups.
const ROUNDS: u32 = 240;

/// Starts watching: keeps the leases of this process, frees what other processes have lost, settles what they held.
/// The first round is that of the start-up. Ends with the service.
pub(crate) fn watch_over(inner: &Arc<Inner>) {
    let Some(paid) = &inner.paid else { return };
    // Four times a lease: one or two late rounds lose nothing.
    let every = paid.timing.lease / 4;
    let service = Arc::downgrade(inner);
    inner.runtime.spawn(async move {
        let mut round = 0_u32;
        while let Some(inner) = service.upgrade() {
            if let Err(error) = turn(&inner, &service, round.is_multiple_of(ROUNDS)).await {
                tracing::warn!(%error, "payments could not be watched over");
            }
            drop(inner);
            round = round.wrapping_add(1);
            tokio::time::sleep(every).await;
        }
    });
}

async fn turn(inner: &Arc<Inner>, service: &Weak<Inner>, clean: bool) -> Result<(), StoreError> {
    let Some(paid) = &inner.paid else { return Ok(()) };
    let lease = millis(paid.timing.lease);
    // Which leases there are is asked when the turn has come: under a crowd that takes longer than a lease lasts.
    let inflight = inner.inflight.clone();
    let renew = move |store: &dyn ibid_store::Store| {
        let leases = inflight.leases();
        match leases.is_empty() {
            true => Ok(()),
            false => store.renew(&leases, now_ms() + lease),
        }
    };
    // A service that drains finishes what it has and takes up nothing.
    if inner.runs.is_closed() {
        return inner.db.call(renew).await;
    }
    if clean {
        inner
            .db
            .call(|store| store.expire(now_ms() - millis(AFTER_END), now_ms() - millis(AFTER_SALE)))
            .await?;
    }
    // By one clock and without a break, so that no run of this process is taken for lost because it waited.
    let freed = inner
        .db
        .call(move |store| {
            let now = now_ms();
            renew(store)?;
            store.free_abandoned(now)
        })
        .await?;
    if freed > 0 {
        tracing::info!(freed, "payments of lost runs are free again");
    }
    // A settlement may take minutes, so a task of its own does it; its leases last accordingly.
    let due = inner
        .db
        .call(move |store| store.take_due(now_ms(), now_ms() + lease.max(120_000), 64))
        .await?;
    if due.is_empty() {
        return Ok(());
    }
    let service = service.clone();
    let task = async move {
        futures_util::stream::iter(due)
            .for_each_concurrent(AT_ONCE, |unsettled| {
                let service = service.clone();
                async move {
                    let Some(inner) = service.upgrade() else { return };
                    let run = unsettled.lease.run;
                    match settle(&inner, Settling::again(unsettled)).await {
                        Ok(Ended::Settled(_)) => tracing::info!(scan.id = %run, "a held result was settled"),
                        Ok(Ended::Refused(..)) => {
                            tracing::info!(scan.id = %run, "a held result will not be paid")
                        }
                        Ok(Ended::Unknown(_) | Ended::TakenOver) => {}
                        Err(error) => {
                            tracing::warn!(scan.id = %run, %error, "a held result could not be settled")
                        }
                    }
                }
            })
            .await;
    };
    inner.runtime.spawn(inner.runs.track_future(task));
    Ok(())
}

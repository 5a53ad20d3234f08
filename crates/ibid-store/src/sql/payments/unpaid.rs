//! Orders whose work was done and that were not paid for: their settlement was refused or is void.

use super::rows::OpenOrder;
use crate::StoreError;

use crate::purchase::{ExposureLimit, Lease, Millis};
use crate::sql::{Executor, Query, values};
use ibid_model::{PaymentKey, Receipt, Skill, Wallet};

/// The time in which the unpaid orders of all payers are compared with the settled ones.
const MINUTES: Millis = 600_000;
const HOUR: Millis = 3_600_000;
/// Receipts of a payer that are read, the latest first.
const RECEIPTS: i64 = 32;

/// The query that counts the open orders that ask models.
/// An order whose authorization ended without an outcome counts for ten more minutes, in which the chain may show it
/// as void.
macro_rules! open_orders {
    ($of:literal) => {
        concat!(
            "SELECT count(*) FROM payment WHERE state IN ('running', 'held', 'settling', 'pending')
                AND CASE state WHEN 'running' THEN lease_until ELSE expires + 600000 END > ?1 AND skill <> 'audit'",
            $of
        )
    };
}

/// Counts an unpaid order against its payer and its address, once.
/// A payment that was to be settled before the work has cost nothing, and does not count.
pub(super) fn count_unpaid(db: &mut dyn Executor, lease: &Lease, now: Millis) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO failed_order (at, payer, run, caller)
         SELECT ?1, ?2, run, caller FROM payment
         WHERE key = ?3 AND EXISTS (SELECT 1 FROM scan WHERE scan.id = payment.run) ON CONFLICT DO NOTHING",
        values![now, lease.key.payer.to_string(), &lease.key],
    )
}

/// Whether settled money of a payer covers the work: what came in since the last unpaid order, less what other open
/// orders use up.
pub(super) fn is_covered(
    db: &mut dyn Executor,
    payer: &Wallet,
    open: &[OpenOrder],
    limit: &ExposureLimit,
) -> Result<bool, StoreError> {
    // No text is unlike nothing.
    let left_out = if limit.asks_models {
        r#"%"skill":"audit"%"#
    } else {
        ""
    };
    let receipts = db.list::<Receipt>(
        "SELECT document FROM receipt
         WHERE payer = ?1 AND document NOT LIKE ?3
           AND settled_at > (SELECT coalesce(max(at), 0) FROM failed_order WHERE payer = ?1 AND run IS NOT NULL)
         ORDER BY position DESC LIMIT ?2",
        values![payer.to_string(), RECEIPTS, left_out],
    )?;
    let amounts = receipts.iter().map(|receipt| receipt.amount.get());
    let settled = amounts.fold(0, u64::saturating_add);
    let covered = open
        .iter()
        .filter(|order| !order.untrusted && (!limit.asks_models || order.skill != Skill::Audit));
    let used = covered.map(|order| limit.prices.of(order.skill).get().max(limit.cost));
    Ok(used.fold(settled, u64::saturating_sub) >= limit.cost)
}

/// Whether the address of a payment has too many open and unpaid orders.
pub(super) fn is_address_full(
    db: &mut dyn Executor,
    key: &PaymentKey,
    limit: &ExposureLimit,
    now: Millis,
) -> Result<bool, StoreError> {
    let caller: Option<Vec<u8>> = db.only("SELECT caller FROM payment WHERE key = ?1", values![key])?;
    let Some(caller) = caller else {
        return Ok(false);
    };
    let open: u64 = db.only(open_orders!(" AND caller = ?2"), values![now, caller.as_slice()])?;
    let (of_hour, of_minutes) = db.only::<(u64, u64)>(
        "SELECT count(*), count(CASE WHEN at > ?3 THEN 1 END) FROM failed_order WHERE caller = ?1 AND at > ?2",
        values![caller, now - HOUR, now - MINUTES],
    )?;
    Ok(open + of_hour >= limit.unpaid.into() || open + of_minutes >= limit.unpaid_of_address.into())
}

/// Whether open orders and orders left unpaid in the last minutes exceed the settled ones by `most`, over all payers.
/// An audit costs no money and makes no room.
pub(super) fn is_shop_full(db: &mut dyn Executor, most: u32, now: Millis) -> Result<bool, StoreError> {
    let (since, most) = (now - MINUTES, u64::from(most));
    let open: u64 = db.only(open_orders!(""), values![now])?;
    let sql = "SELECT count(*) FROM failed_order WHERE run IS NOT NULL AND at > ?1";
    let unpaid: u64 = db.only(sql, values![since])?;
    if open + unpaid < most {
        return Ok(false);
    }
    let settled: u64 = db.only(
            "SELECT count(*) FROM (SELECT key, settled_at FROM receipt ORDER BY position DESC LIMIT ?1) AS latest
             JOIN payment ON payment.key = latest.key WHERE latest.settled_at > ?2 AND payment.skill <> 'audit'",
            values![i64::try_from(open + unpaid).unwrap_or(i64::MAX), since],
        )?;
    Ok(open + unpaid >= most + settled)
}

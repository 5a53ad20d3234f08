//! Orders whose work was done and that were not paid for: their settlement was refused or is void.

use crate::StoreError;
use crate::columns::read_receipt;
use crate::purchase::{Lease, Millis};
use crate::sql::{Executor, values};
use ibid_model::{PaymentKey, Wallet};

/// The time in which the unpaid orders of all payers are compared with the settled ones.
const MINUTES: Millis = 600_000;
const HOUR: Millis = 3_600_000;
/// The time after which a payer may try again while open orders fill the bound.
const SOON: Millis = 10_000;
/// Receipts of a payer that are read, the latest first.
const RECEIPTS: i64 = 32;

/// The query that counts the open untrusted orders.
/// An order whose authorization ended without an outcome counts for ten more minutes, in which the chain may show it
/// as void.
macro_rules! open_orders {
    ($of:literal) => {
        concat!(
            "SELECT count(*) FROM payment WHERE untrusted AND state IN ('running', 'held', 'settling', 'pending')
                AND CASE state WHEN 'running' THEN lease_until ELSE expires + 600000 END > ?1",
            $of
        )
    };
}

/// Counts an unpaid order as a failed one of its payer and of its address, once.
pub(super) fn count_unpaid(db: &mut dyn Executor, lease: &Lease, now: Millis) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO failed_order (at, payer, run, caller)
         SELECT ?1, ?2, run, caller FROM payment WHERE key = ?3 ON CONFLICT DO NOTHING",
        values![now, lease.key.payer.to_string(), &lease.key],
    )?;
    Ok(())
}

/// Whether a payer has settled as much as the work costs, since his last unpaid order.
pub(super) fn is_trusted(db: &mut dyn Executor, payer: &Wallet, cost: u64) -> Result<bool, StoreError> {
    if cost == 0 {
        return Ok(true);
    }
    let receipts = db.rows(
        "SELECT document FROM receipt
         WHERE payer = ?1
           AND settled_at > (SELECT coalesce(max(at), 0) FROM failed_order WHERE payer = ?1 AND run IS NOT NULL)
         ORDER BY position DESC LIMIT ?2",
        values![payer.to_string(), RECEIPTS],
    )?;
    let mut settled = 0_u64;
    for mut row in receipts {
        settled = settled.saturating_add(read_receipt(&row.take::<String>(0)?)?.amount.get());
    }
    Ok(settled >= cost)
}

/// The address that a payment came from.
pub(super) fn caller_of(db: &mut dyn Executor, key: &PaymentKey) -> Result<Option<Vec<u8>>, StoreError> {
    db.only("SELECT caller FROM payment WHERE key = ?1", values![key])?
        .take(0)
}

/// Counts the open untrusted orders of an address, and its unpaid orders of the last hour.
pub(super) fn unpaid_orders_at(db: &mut dyn Executor, caller: &[u8], now: Millis) -> Result<u64, StoreError> {
    let open: u64 = db
        .only(open_orders!(" AND caller = ?2"), values![now, caller])?
        .take(0)?;
    let unpaid: u64 = db
        .only(
            "SELECT count(*) FROM failed_order WHERE caller = ?1 AND at > ?2",
            values![caller, now - HOUR],
        )?
        .take(0)?;
    Ok(open + unpaid)
}

/// Returns the time of the next try if the untrusted open orders and the unpaid orders of the last minutes, of all
/// payers, exceed the settled ones by `most`. An audit costs no money and makes no room.
pub(super) fn unpaid_orders(
    db: &mut dyn Executor,
    most: u32,
    now: Millis,
) -> Result<Option<Millis>, StoreError> {
    let (since, most) = (now - MINUTES, u64::from(most));
    let open: u64 = db.only(open_orders!(""), values![now])?.take(0)?;
    let mut row = db.only(
        "SELECT count(*), min(at) FROM failed_order WHERE run IS NOT NULL AND at > ?1",
        values![since],
    )?;
    let (unpaid, first): (u64, Option<Millis>) = (row.take(0)?, row.take(1)?);
    if open + unpaid < most {
        return Ok(None);
    }
    let settled: u64 = db
        .only(
            "SELECT count(*) FROM (SELECT key, settled_at FROM receipt ORDER BY position DESC LIMIT ?1) AS latest
             JOIN payment ON payment.key = latest.key WHERE latest.settled_at > ?2 AND payment.skill <> 'audit'",
            values![i64::try_from(open + unpaid).unwrap_or(i64::MAX), since],
        )?
        .take(0)?;
    let most = most + settled;
    Ok(match first {
        _ if open + unpaid < most => None,
        Some(first) if unpaid >= most => Some(first + MINUTES),
        Some(_) | None => Some(now + SOON),
    })
}

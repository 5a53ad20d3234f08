//! Rows of payments: found, claimed, taken over, read.

use crate::StoreError;
use crate::columns::read_receipt;
use crate::purchase::{Lease, Millis, PaymentState, Sight, Sold, Unsettled, Visit};
use ibid_model::{PaymentKey, ScanId};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A row as somebody who shows the payment sees it.
pub(super) struct Found {
    pub(super) sight: Sight,
    pub(super) turn: i64,
    pub(super) resource: String,
}

pub(super) fn find(connection: &Connection, visit: &Visit<'_>) -> Result<Option<Found>, StoreError> {
    type Columns = (String, i64, Vec<u8>, Vec<u8>, i64, String);
    let found: Option<Columns> = connection
        .prepare_cached(
            "SELECT state, lease_until, fingerprint, request, turn, resource FROM payment WHERE key = ?1",
        )?
        .query_row(params![visit.key.to_string()], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            ))
        })
        .optional()?;
    let Some((state, lease_until, fingerprint, request, turn, resource)) = found else {
        return Ok(None);
    };
    let sight = Sight {
        state: PaymentState::parse(&state).ok_or(StoreError::Damaged("payment state"))?,
        leased: lease_until > visit.now,
        same: fingerprint == visit.fingerprint && request == visit.request,
    };
    Ok(Some(Found {
        sight,
        turn,
        resource,
    }))
}

/// Writes a first claim, or takes over one that came to nothing.
pub(super) fn claim(
    connection: &Connection,
    visit: &Visit<'_>,
    found: Option<&Found>,
) -> Result<Lease, StoreError> {
    let turn = found.map_or(1, |found| found.turn + 1);
    let skill = visit.skill.to_string();
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO payment (key, fingerprint, request, skill, resource, run, state, turn, lease_until,
                                             next_try, tries, expires, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'claimed', ?7, ?8, 0, 0, ?9, ?10)",
        )?
        .execute(params![
            visit.key.to_string(),
            visit.fingerprint,
            visit.request,
            skill,
            visit.resource,
            visit.run.as_bytes(),
            turn,
            visit.lease_until,
            visit.expires,
            visit.now
        ])?;
    Ok(Lease {
        key: *visit.key,
        run: visit.run,
        turn,
    })
}

/// Starts a new turn; whoever had the last one cannot move the payment any more.
pub(super) fn take_over(
    connection: &Connection,
    key: &PaymentKey,
    lease_until: Millis,
) -> Result<Lease, StoreError> {
    let (run, turn): ([u8; 16], i64) = connection
        .prepare_cached(
            "UPDATE payment SET turn = turn + 1, lease_until = ?1 WHERE key = ?2 RETURNING run, turn",
        )?
        .query_row(params![lease_until, key.to_string()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(Lease {
        key: *key,
        run: ScanId::from_bytes(run),
        turn,
    })
}

/// Where the payment stands, if the lease is still good.
pub(super) fn current(connection: &Connection, lease: &Lease) -> Result<PaymentState, StoreError> {
    let state: Option<String> = connection
        .prepare_cached("SELECT state FROM payment WHERE key = ?1 AND turn = ?2")?
        .query_row(params![lease.key.to_string(), lease.turn], |row| row.get(0))
        .optional()?;
    PaymentState::parse(&state.ok_or(StoreError::Lost)?).ok_or(StoreError::Damaged("payment state"))
}

pub(super) fn set_held(
    connection: &Connection,
    lease: &Lease,
    state: PaymentState,
    held: &[u8],
    now: Millis,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE payment SET state = ?1, held = ?2, hash = NULL, changed_at = ?3 WHERE key = ?4",
        )?
        .execute(params![state.as_str(), held, now, lease.key.to_string()])?;
    Ok(())
}

pub(super) fn unsettled(connection: &Connection, lease: Lease) -> Result<Unsettled, StoreError> {
    type Columns = (String, Vec<u8>, Option<String>, u32, String);
    let read = |row: &Row<'_>| -> rusqlite::Result<Columns> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    let (state, held, hash, tries, resource) = connection
        .prepare_cached("SELECT state, held, hash, tries, resource FROM payment WHERE key = ?1")?
        .query_row(params![lease.key.to_string()], read)?;
    let sent = PaymentState::parse(&state).ok_or(StoreError::Damaged("payment state"))? != PaymentState::Held;
    let transaction = hash
        .map(|hash| hash.parse())
        .transpose()
        .map_err(|_| StoreError::Damaged("transaction"))?;
    // A request that may have left before counts as unknown: from there the next one may be sent.
    if state == PaymentState::Settling.as_str() {
        connection
            .prepare_cached("UPDATE payment SET state = 'pending' WHERE key = ?1")?
            .execute(params![lease.key.to_string()])?;
    }
    Ok(Unsettled {
        lease,
        held,
        sent,
        transaction,
        tries,
        resource,
    })
}

pub(super) fn sold(connection: &Connection, key: &PaymentKey) -> Result<Sold, StoreError> {
    let (run, reply, document): ([u8; 16], Vec<u8>, String) = connection
        .prepare_cached(
            "SELECT payment.run, scan.reply, receipt.document FROM payment
             JOIN scan ON scan.id = payment.run JOIN receipt ON receipt.key = payment.key WHERE payment.key = ?1",
        )?
        .query_row(params![key.to_string()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(Sold {
        run: ScanId::from_bytes(run),
        reply,
        receipt: read_receipt(&document)?,
    })
}

//! Rows of payments: found, claimed, taken over, read.

use crate::StoreError;
use crate::columns::{read_receipt, read_state};
use crate::postgres::link::{Link, column};
use crate::postgres::scan::scan_id;
use crate::postgres::uuid;
use crate::purchase::{Admittance, Lease, Millis, PaymentState, Sight, Sold, Unsettled, Visit, Visited};
use ibid_model::PaymentKey;
use postgres::Row;

/// A row as somebody who shows the payment sees it.
pub(super) struct Found {
    pub(super) sight: Sight,
    pub(super) resource: String,
}

/// Whether a row is locked when it is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    None,
    Row,
}

pub(super) fn find(link: &mut Link, visit: &Visit<'_>, lock: Lock) -> Result<Option<Found>, StoreError> {
    let sql = match lock {
        Lock::None => "SELECT state, lease_until, fingerprint, request, resource FROM payment WHERE key = $1",
        Lock::Row => {
            "SELECT state, lease_until, fingerprint, request, resource FROM payment WHERE key = $1 FOR UPDATE"
        }
    };
    let Some(row) = link.first(sql, &[&visit.key.to_string()])? else {
        return Ok(None);
    };
    let lease_until: Millis = column(&row, 1)?;
    let (fingerprint, request): (&[u8], &[u8]) = (column(&row, 2)?, column(&row, 3)?);
    let sight = Sight {
        state: read_state(column(&row, 0)?)?,
        leased: lease_until > visit.now,
        same: fingerprint == visit.fingerprint && request == visit.request,
    };
    Ok(Some(Found {
        sight,
        resource: column(&row, 4)?,
    }))
}

/// What is told and changes nothing.
pub(super) fn told(
    link: &mut Link,
    visit: &Visit<'_>,
    admittance: Admittance,
) -> Result<Visited, StoreError> {
    match admittance {
        Admittance::Wait => Ok(Visited::Wait),
        Admittance::Used => Ok(Visited::Used),
        Admittance::Sold => sold(link, visit.key).map(Visited::Sold),
        Admittance::Start | Admittance::Settle | Admittance::Retry => Err(StoreError::Lost),
    }
}

/// Writes a first claim; nothing if somebody else has just written one.
pub(super) fn claim(link: &mut Link, visit: &Visit<'_>) -> Result<Option<Lease>, StoreError> {
    let written = link.execute(
        "INSERT INTO payment (key, fingerprint, request, skill, resource, run, state, turn, lease_until, next_try, tries,
                              expires, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'claimed', 1, $7, 0, 0, $8, $9)
         ON CONFLICT (key) DO NOTHING",
        &[
            &visit.key.to_string(),
            &visit.fingerprint.as_slice(),
            &visit.request.as_slice(),
            &visit.skill.to_string(),
            &visit.resource,
            &uuid(visit.run.as_bytes()),
            &visit.lease_until,
            &visit.expires,
            &visit.now,
        ],
    )?;
    Ok((written == 1).then_some(Lease {
        key: *visit.key,
        run: visit.run,
        turn: 1,
    }))
}

/// Takes over a claim that came to nothing. Its row is locked.
pub(super) fn claim_again(link: &mut Link, visit: &Visit<'_>) -> Result<Lease, StoreError> {
    let row = link.only(
        "UPDATE payment SET fingerprint = $2, request = $3, skill = $4, resource = $5, run = $6, state = 'claimed',
                turn = turn + 1, lease_until = $7, next_try = 0, tries = 0, expires = $8, held = NULL, hash = NULL,
                changed_at = $9
         WHERE key = $1 RETURNING turn",
        &[
            &visit.key.to_string(),
            &visit.fingerprint.as_slice(),
            &visit.request.as_slice(),
            &visit.skill.to_string(),
            &visit.resource,
            &uuid(visit.run.as_bytes()),
            &visit.lease_until,
            &visit.expires,
            &visit.now,
        ],
    )?;
    Ok(Lease {
        key: *visit.key,
        run: visit.run,
        turn: column(&row, 0)?,
    })
}

/// Starts a new turn; whoever had the last one cannot move the payment any more. A request that may have left before
/// counts as unknown: from there the next one may be sent.
pub(super) fn take_over(link: &mut Link, visit: &Visit<'_>) -> Result<Unsettled, StoreError> {
    let row = link.only(
        "UPDATE payment SET turn = turn + 1, lease_until = $2,
                state = CASE state WHEN 'settling' THEN 'pending' ELSE state END
         WHERE key = $1 RETURNING key, run, turn, state, held, hash, tries, resource",
        &[&visit.key.to_string(), &visit.lease_until],
    )?;
    read_unsettled(&row)
}

/// Where the payment stands, if the lease is still good. Locks its row.
pub(super) fn current(link: &mut Link, lease: &Lease) -> Result<PaymentState, StoreError> {
    let row = link.first(
        "SELECT state FROM payment WHERE key = $1 AND turn = $2 AND run = $3 FOR UPDATE",
        &[&lease.key.to_string(), &lease.turn, &uuid(lease.run.as_bytes())],
    )?;
    read_state(column(&row.ok_or(StoreError::Lost)?, 0)?)
}

pub(super) fn set_held(
    link: &mut Link,
    lease: &Lease,
    state: PaymentState,
    held: &[u8],
    now: Millis,
) -> Result<(), StoreError> {
    link.execute(
        "UPDATE payment SET state = $1, held = $2, hash = NULL, changed_at = $3 WHERE key = $4",
        &[&state.as_str(), &held, &now, &lease.key.to_string()],
    )?;
    Ok(())
}

pub(super) fn read_unsettled(row: &Row) -> Result<Unsettled, StoreError> {
    let key: &str = column(row, 0)?;
    let hash: Option<&str> = column(row, 5)?;
    Ok(Unsettled {
        lease: Lease {
            key: key.parse().map_err(|_| StoreError::Damaged("payment key"))?,
            run: scan_id(row, 1)?,
            turn: column(row, 2)?,
        },
        sent: read_state(column(row, 3)?)? != PaymentState::Held,
        held: column::<Option<Vec<u8>>>(row, 4)?.unwrap_or_default(),
        transaction: hash
            .map(str::parse)
            .transpose()
            .map_err(|_| StoreError::Damaged("transaction"))?,
        tries: u32::try_from(column::<i64>(row, 6)?).map_err(|_| StoreError::Damaged("tries"))?,
        resource: column(row, 7)?,
    })
}

pub(super) fn sold(link: &mut Link, key: &PaymentKey) -> Result<Sold, StoreError> {
    let row = link.only(
        "SELECT payment.run, scan.reply, receipt.document FROM payment
         JOIN scan ON scan.id = payment.run JOIN receipt ON receipt.key = payment.key WHERE payment.key = $1",
        &[&key.to_string()],
    )?;
    Ok(Sold {
        run: scan_id(&row, 0)?,
        reply: column(&row, 1)?,
        receipt: read_receipt(column(&row, 2)?)?,
    })
}

//! Idempotency keys.

use super::{Backend, Durability, Executor, Lock, Row, values};
use crate::idempotency::{KeyedOutcome, KeyedRequest};
use crate::purchase::Millis;
use crate::{OpenedRuns, Store, StoreError};
use ibid_model::ScanId;

impl Store {
    pub fn keyed_scan(&self, request: &KeyedRequest<'_>, now: Millis) -> Result<KeyedOutcome, StoreError> {
        self.read(|db| {
            let found = db.first(
                "SELECT request, scan FROM idempotency WHERE caller = ?1 AND key = ?2 AND expires > ?3",
                values![request.caller, &request.key, now],
            )?;
            match found {
                None => Ok(KeyedOutcome::Free),
                Some(row) => read_key(db, request, row, now),
            }
        })
    }

    /// Forgets keys that have expired.
    pub fn expire_keys(&self, now: Millis) -> Result<(), StoreError> {
        self.execute(
            Durability::Relaxed,
            "DELETE FROM idempotency WHERE expires <= ?1",
            values![now],
        )?;
        Ok(())
    }
}

/// Finds out what became of the scan in the row of a key.
fn read_key(
    db: &mut dyn Executor,
    request: &KeyedRequest<'_>,
    mut row: Row,
    now: Millis,
) -> Result<KeyedOutcome, StoreError> {
    let (of_key, scan): (Vec<u8>, ScanId) = (row.take(0)?, row.take(1)?);
    if of_key != request.request {
        return Ok(KeyedOutcome::Conflict);
    }
    let stored = db.first("SELECT id FROM scan WHERE id = ?1 AND released", values![scan])?;
    if stored.is_some() {
        return Ok(KeyedOutcome::Finished(scan));
    }
    // The run of a lost process has ended, although its row does not say so yet.
    let open = db.first(
        "SELECT id FROM durable_run
         WHERE id = ?1 AND ended_at IS NULL AND (pinned_until IS NULL OR pinned_until > ?2)",
        values![scan, now],
    )?;
    Ok(open.map_or(KeyedOutcome::Free, |_| KeyedOutcome::Running(scan)))
}

/// Uses the key of a request for a run that the same transaction stores, also the key of a run that ended without a result.
/// Returns the outcome of the request if its key is in use.
pub(super) fn take_key(
    db: &mut dyn Executor,
    request: &KeyedRequest<'_>,
    now: Millis,
) -> Result<Option<OpenedRuns>, StoreError> {
    loop {
        if insert_key(db, request, now)? {
            return Ok(None);
        }
        let found = db.locked_rows(
            "SELECT request, scan FROM idempotency WHERE caller = ?1 AND key = ?2",
            Lock::Row,
            values![request.caller, &request.key],
        )?;
        // Without a row another transaction has freed the key in between.
        let Some(row) = found.into_iter().next() else {
            continue;
        };
        return Ok(match read_key(db, request, row, now)? {
            KeyedOutcome::Conflict => Some(OpenedRuns::Conflict),
            KeyedOutcome::Running(scan) | KeyedOutcome::Finished(scan) => Some(OpenedRuns::Before(scan)),
            KeyedOutcome::Free => {
                db.execute(
                    "UPDATE idempotency SET scan = ?3, expires = ?4 WHERE caller = ?1 AND key = ?2",
                    values![request.caller, &request.key, request.scan, request.expires],
                )?;
                None
            }
        });
    }
}

/// Uses the key of a request for runs that the same transaction stores.
/// Returns the outcome of the request if the key was used before.
pub(super) fn fulfil_key(
    db: &mut dyn Executor,
    request: &KeyedRequest<'_>,
    now: Millis,
) -> Result<Option<OpenedRuns>, StoreError> {
    loop {
        if insert_key(db, request, now)? {
            return Ok(None);
        }
        let found = db.locked_rows(
            "SELECT request, scan FROM idempotency WHERE caller = ?1 AND key = ?2",
            Lock::Row,
            values![request.caller, &request.key],
        )?;
        // Without a row another request has freed the key in between.
        if let Some(mut row) = found.into_iter().next() {
            let (of_key, scan): (Vec<u8>, ScanId) = (row.take(0)?, row.take(1)?);
            let same = of_key == request.request;
            return Ok(Some(if same {
                OpenedRuns::Before(scan)
            } else {
                OpenedRuns::Conflict
            }));
        }
    }
}

/// Stores the key of a request, unless it is in use.
fn insert_key(db: &mut dyn Executor, request: &KeyedRequest<'_>, now: Millis) -> Result<bool, StoreError> {
    db.execute(
        "DELETE FROM idempotency WHERE caller = ?1 AND key = ?2 AND expires <= ?3",
        values![request.caller, &request.key, now],
    )?;
    let inserted = db.execute(
        "INSERT INTO idempotency (caller, key, request, scan, expires)
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (caller, key) DO NOTHING",
        values![
            request.caller,
            &request.key,
            &request.request,
            request.scan,
            request.expires,
        ],
    )?;
    Ok(inserted == 1)
}

/// Frees the key that a transaction has stored.
pub(super) fn free_key(db: &mut dyn Executor, request: &KeyedRequest<'_>) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM idempotency WHERE caller = ?1 AND key = ?2",
        values![request.caller, &request.key],
    )?;
    Ok(())
}

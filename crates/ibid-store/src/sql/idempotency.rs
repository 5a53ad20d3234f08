//! Idempotency keys.

use super::{Backend, Durability, Executor, Lock, values};
use crate::idempotency::{Idempotency, KeyedOutcome, KeyedRequest};
use crate::purchase::Millis;
use crate::{OpenedRuns, StoreError};
use ibid_model::ScanId;

impl<B: Backend> Idempotency for B {
    fn claim_key(&self, request: &KeyedRequest<'_>, now: Millis) -> Result<KeyedOutcome, StoreError> {
        self.write(Durability::Process, |db| {
            if insert_key(db, request, now)? {
                return Ok(KeyedOutcome::Begin);
            }
            let found = db.locked_rows(
                "SELECT request, scan, lease_until FROM idempotency WHERE caller = ?1 AND key = ?2",
                Lock::Row,
                values![request.caller, &request.key],
            )?;
            let Some(mut row) = found.into_iter().next() else {
                // The other request was freed meanwhile. The caller asks again.
                return Ok(KeyedOutcome::Running(request.scan));
            };
            let (of_key, scan, lease_until): (Vec<u8>, ScanId, Millis) =
                (row.take(0)?, row.take(1)?, row.take(2)?);
            if of_key != request.request {
                return Ok(KeyedOutcome::Conflict);
            }
            let stored = db.first("SELECT id FROM scan WHERE id = ?1 AND released", values![scan])?;
            if stored.is_some() {
                return Ok(KeyedOutcome::Finished(scan));
            }
            if lease_until > now {
                return Ok(KeyedOutcome::Running(scan));
            }
            db.execute(
                "UPDATE idempotency SET scan = ?3, lease_until = ?4, expires = ?5 WHERE caller = ?1 AND key = ?2",
                values![
                    request.caller,
                    &request.key,
                    request.scan,
                    request.lease_until,
                    request.expires,
                ],
            )?;
            Ok(KeyedOutcome::Begin)
        })
    }

    fn renew_keys(&self, scans: &[ScanId], until: Millis, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Relaxed, |db| {
            for scan in scans {
                db.execute(
                    "UPDATE idempotency SET lease_until = ?2 WHERE scan = ?1",
                    values![*scan, until],
                )?;
            }
            db.execute("DELETE FROM idempotency WHERE expires <= ?1", values![now])?;
            Ok(())
        })
    }

    fn free_key(&self, scan: ScanId) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            db.execute(
                "DELETE FROM idempotency WHERE scan = ?1
                 AND NOT EXISTS (SELECT 1 FROM scan WHERE scan.id = ?1 AND scan.released)",
                values![scan],
            )
        })?;
        Ok(())
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
        "INSERT INTO idempotency (caller, key, request, scan, lease_until, expires)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (caller, key) DO NOTHING",
        values![
            request.caller,
            &request.key,
            &request.request,
            request.scan,
            request.lease_until,
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

//! Idempotency keys.

use super::{Backend, Executor, Query, values};
use crate::idempotency::{KeyedOutcome, KeyedRequest};
use crate::purchase::Millis;
use crate::{OpenedRuns, Store, StoreError};
use ibid_model::ScanId;

impl Store {
    pub fn keyed_scan(&self, request: &KeyedRequest<'_>, now: Millis) -> Result<KeyedOutcome, StoreError> {
        self.read(|db| {
            let sql = "SELECT request, scan FROM idempotency WHERE caller = ?1 AND key = ?2 AND expires > ?3";
            let found = db.one::<Used>(sql, values![request.caller, &request.key, now])?;
            found.map_or(Ok(KeyedOutcome::Free), |used| read_key(db, request, used, now))
        })
    }
}

/// A key's first request, as SHA-256, and its scan.
type Used = ([u8; 32], ScanId);

/// Finds out what became of the scan that a key names.
fn read_key(
    db: &mut dyn Executor,
    request: &KeyedRequest<'_>,
    (of_key, scan): Used,
    now: Millis,
) -> Result<KeyedOutcome, StoreError> {
    if of_key != request.request {
        return Ok(KeyedOutcome::Conflict);
    }
    let sql = "SELECT id FROM scan WHERE id = ?1 AND released";
    if db.has(sql, values![scan])? {
        return Ok(KeyedOutcome::Finished(scan));
    }
    // A lost process has ended its runs, although their rows do not say so yet.
    let open = db.first(
        "SELECT id FROM durable_run
         WHERE id = ?1 AND ended_at IS NULL AND (pinned_until IS NULL OR pinned_until > ?2)",
        values![scan, now],
    )?;
    Ok(open.map_or(KeyedOutcome::Free, |_| KeyedOutcome::Running(scan)))
}

/// Uses the key of a request for a run that the same transaction stores, also if the run before it ended without a result.
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
        // Without a row another transaction has freed the key in between.
        let Some(used) = locked_key(db, request)? else {
            continue;
        };
        return Ok(match read_key(db, request, used, now)? {
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
        // Without a row another request has freed the key in between.
        if let Some((of_key, scan)) = locked_key(db, request)? {
            let is_same = of_key == request.request;
            return Ok(Some(match is_same {
                true => OpenedRuns::Before(scan),
                false => OpenedRuns::Conflict,
            }));
        }
    }
}

fn locked_key(db: &mut dyn Executor, request: &KeyedRequest<'_>) -> Result<Option<Used>, StoreError> {
    let sql = "SELECT request, scan FROM idempotency WHERE caller = ?1 AND key = ?2";
    db.locked_one(sql, values![request.caller, &request.key])
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
    db.run(
        "DELETE FROM idempotency WHERE caller = ?1 AND key = ?2",
        values![request.caller, &request.key],
    )
}

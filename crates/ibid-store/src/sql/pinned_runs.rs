//! Pinned runs.

use super::callers::{lock_hour, set_hour};
use super::durable_runs::insert_run;
use super::idempotency::{free_key, take_key};
use super::scans::insert_scan;
use super::{Backend, Durability, Executor, Query, values};
use crate::pinned_run::{CallerUse, NewPinnedRun, OpenedPinned, PinnedCount, PinnedEnd};
use crate::purchase::Millis;
use crate::{NewScan, OpenedRuns, Store, StoreError};
use ibid_model::ScanId;

impl Store {
    /// Opens a run, with its count and its idempotency key. The key of a run that ended without a result is free.
    /// A window in the future begins anew: the clock was set back.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    pub fn open_pinned_run(&self, new: &NewPinnedRun<'_>, now: Millis) -> Result<OpenedPinned, StoreError> {
        // A power cut ends the run, too. What it may lose is a count and a key, on which no money depends.
        self.write(Durability::Relaxed, |db| {
            if let Some(request) = new.once {
                match take_key(db, request, now)? {
                    None | Some(OpenedRuns::Opened) => {}
                    Some(OpenedRuns::Before(scan)) => return Ok(OpenedPinned::Before(scan)),
                    Some(OpenedRuns::Conflict) => return Ok(OpenedPinned::Conflict),
                }
            }
            let mut used = None;
            if let Some(count) = new.count {
                let (admitted, counted) = count_run(db, count, new.run.tenant, now)?;
                if !admitted {
                    if let Some(request) = new.once {
                        free_key(db, request)?;
                    }
                    return Ok(OpenedPinned::OverLimit(counted));
                }
                used = Some(counted);
            }
            insert_run(db, new.run)?;
            db.execute(
                "UPDATE durable_run SET state = 'running', pinned_until = ?2 WHERE id = ?1",
                values![new.run.id, new.lease_until],
            )?;
            Ok(OpenedPinned::Opened(used))
        })
    }

    /// Renews leases, and ends runs that lost their process. Returns those that are cancelled.
    pub fn renew_pinned_runs(
        &self,
        runs: &[ScanId],
        until: Millis,
        now: Millis,
    ) -> Result<Vec<ScanId>, StoreError> {
        self.write(Durability::Relaxed, |db| {
            let mut cancelled = Vec::new();
            for id in runs {
                db.execute(
                    "UPDATE durable_run SET pinned_until = ?2 WHERE id = ?1 AND ended_at IS NULL",
                    values![*id, until],
                )?;
                let sql = "SELECT 1 FROM durable_run WHERE id = ?1 AND ended_at IS NULL AND cancelled";
                if db.has(sql, values![*id])? {
                    cancelled.push(*id);
                }
            }
            db.execute(
                "UPDATE durable_run SET state = 'failed', error = 'worker_lost', ended_at = ?1
                 WHERE pinned_until <= ?1 AND ended_at IS NULL",
                values![now],
            )?;
            Ok(cancelled)
        })
    }

    /// Ends a run and stores its result, if it has one. A run without a row leaves only its result.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the result's id is taken; otherwise the fault of the database.
    pub fn end_pinned_run(
        &self,
        end: &PinnedEnd<'_>,
        result: Option<&NewScan<'_>>,
        now: Millis,
    ) -> Result<(), StoreError> {
        let durability = match result {
            Some(_) => Durability::Disk,
            None => Durability::Relaxed,
        };
        self.write(durability, |db| {
            match result {
                Some(scan) => insert_scan(db, scan, true)?,
                None => {
                    db.execute(
                        "DELETE FROM idempotency WHERE scan = ?1
                         AND NOT EXISTS (SELECT 1 FROM scan WHERE scan.id = ?1)",
                        values![end.run],
                    )?;
                }
            }
            // A run that counts as lost, because the database took no renewal, still gets its result.
            db.run(
                "UPDATE durable_run SET state = ?2, error = ?3, ended_at = ?4, stored = ?5, score = ?6
                 WHERE id = ?1 AND (ended_at IS NULL OR ?7)",
                values![
                    end.run,
                    end.state.as_str(),
                    end.error,
                    now,
                    end.done,
                    end.score,
                    result.is_some(),
                ],
            )
        })
    }
}

/// Counts a run of a caller, unless it would exceed the limits. Returns whether it is admitted.
fn count_run(
    db: &mut dyn Executor,
    count: &PinnedCount<'_>,
    tenant: &str,
    now: Millis,
) -> Result<(bool, CallerUse), StoreError> {
    let (began_at, mut used) = lock_hour(db, count.caller, count.window, now)?;
    let sql = "SELECT count(*) FROM durable_run WHERE tenant = ?1 AND ended_at IS NULL AND pinned_until > ?2";
    let running: u32 = db.only(sql, values![tenant, now])?;
    let admitted = count
        .limits
        .is_none_or(|limits| used < limits.per_hour && running < limits.at_once);
    if admitted {
        used = used.saturating_add(1);
        set_hour(db, count.caller, began_at, used)?;
    }
    let age = now - began_at;
    Ok((admitted, CallerUse { used, age }))
}

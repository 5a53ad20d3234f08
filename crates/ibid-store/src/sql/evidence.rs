//! Evidence on its way to an object store.
//!
//! `evidence_until` is 0 until the first claim, then the end of the last one.
//! Where it is not 0 an object may exist; where `answers` is NULL as well, the object is the evidence.
//! A scan that is deleted leaves this time in `evidence_deletion`.

use super::{Backend, Durability, Executor, Lock, Query, values};
use crate::{ClaimedEvidence, Millis, Store, StoreError};
use ibid_model::{AccountId, ScanId};

impl Store {
    /// Claims the evidence of at most `most` released scans, which no process holds at `now`, until `until`.
    /// Evidence without an earlier claim comes first.
    pub fn claim_evidence(
        &self,
        until: Millis,
        most: u32,
        now: Millis,
    ) -> Result<Vec<ClaimedEvidence>, StoreError> {
        // The usual round finds no evidence to move, and need not take the lock of a writer.
        let sql =
            "SELECT 1 FROM scan WHERE answers IS NOT NULL AND released AND evidence_until <= ?1 LIMIT 1";
        if !self.has(sql, values![now])? {
            return Ok(Vec::new());
        }
        self.write(Durability::Process, |db| {
            let rows = db.locked(
                "SELECT id, answers FROM scan WHERE answers IS NOT NULL AND released AND evidence_until <= ?1
                 ORDER BY evidence_until, id LIMIT ?2",
                Lock::SkipLocked,
                values![now, most],
            )?;
            let mut claimed = Vec::with_capacity(rows.len());
            for (scan, answers) in rows {
                db.execute(
                    "UPDATE scan SET evidence_until = ?2 WHERE id = ?1",
                    values![scan, until],
                )?;

                claimed.push(ClaimedEvidence { scan, answers });
            }
            Ok(claimed)
        })
    }

    /// Erases the evidence of a scan, which the object store has now, and ends the claim that lasts until `claim`.
    /// Returns false where the scan was deleted meanwhile, or another process has claimed it.
    pub fn evidence_moved(&self, scan: ScanId, claim: Millis, now: Millis) -> Result<bool, StoreError> {
        // If the erasure is lost with the machine, the evidence moves again.
        let erased = self.execute(
            Durability::Relaxed,
            "UPDATE scan SET answers = NULL, evidence_until = ?3 WHERE id = ?1 AND evidence_until = ?2",
            values![scan, claim, now],
        )?;
        Ok(erased > 0)
    }

    /// Whether the object store alone has the evidence of a released scan.
    pub fn is_evidence_moved(&self, scan: ScanId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM scan WHERE id = ?1 AND released AND answers IS NULL AND evidence_until > 0";
        self.has(sql, values![scan])
    }

    /// Returns deleted scans whose objects no process can be writing at `now`: at most `most`.
    pub fn evidence_to_delete(&self, most: u32, now: Millis) -> Result<Vec<ScanId>, StoreError> {
        self.list(
            "SELECT scan FROM evidence_deletion WHERE not_before <= ?1 ORDER BY not_before, scan LIMIT ?2",
            values![now, most],
        )
    }

    /// Forgets a deleted scan whose object is deleted, too.
    pub fn evidence_deleted(&self, scan: ScanId) -> Result<(), StoreError> {
        self.execute(
            Durability::Relaxed,
            "DELETE FROM evidence_deletion WHERE scan = ?1",
            values![scan],
        )
        .map(drop)
    }
}

/// Notes which objects an account's scans have, before they are deleted.
pub(super) fn delete_objects_of(db: &mut dyn Executor, account: AccountId) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO evidence_deletion (scan, not_before) SELECT id, evidence_until FROM scan
         WHERE evidence_until > 0 AND id IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        values![account],
    )
}

/// Notes the object of a scan, before the scan is deleted.
pub(super) fn delete_object(db: &mut dyn Executor, scan: ScanId) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO evidence_deletion (scan, not_before) SELECT id, evidence_until FROM scan
         WHERE evidence_until > 0 AND id = ?1",
        values![scan],
    )
}

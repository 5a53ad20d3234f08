//! Finished scans.

use super::{Backend, Durability, Executor, Query, Row, values};
use crate::{Connections, NewScan, PackedAnswers, ScanRecord, Store, StoreError, columns};
use ibid_model::ScanId;

impl Store {
    /// Stores a finished scan.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    /// On an error no scan is stored.
    pub fn put_scan(&self, scan: &NewScan<'_>) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_scan(db, scan, true))
    }

    /// Returns the scan with this id, of any origin.
    pub fn scan(&self, id: ScanId) -> Result<Option<ScanRecord>, StoreError> {
        let sql =
            "SELECT origin, owner, created_at, sandbox, method, reply FROM scan WHERE id = ?1 AND released";
        self.first(sql, values![id])?.map(read_scan).transpose()
    }

    /// Returns the evidence of a scan, uncompressed; `None` when the scan is unknown, its evidence was not stored,
    /// or an object store has it ([`Store::is_evidence_moved`]).
    ///
    /// # Errors
    /// The fault of the database, or evidence that cannot be read back.
    pub fn answers(&self, id: ScanId) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT answers FROM scan WHERE id = ?1 AND released AND answers IS NOT NULL";
        let packed = self.one::<PackedAnswers>(sql, values![id])?;
        packed.map(|packed| packed.unpack()).transpose()
    }

    /// Returns the scans with evidence, here or in an object store, that another version of the method scored:
    /// at most `most`, after the id `after`, in ascending order.
    pub fn scans_of_other_methods(
        &self,
        method: &str,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<ScanId>, StoreError> {
        self.list(
            "SELECT id FROM scan WHERE method <> ?1 AND released
             AND (answers IS NOT NULL OR evidence_until > 0) AND (id > ?2 OR ?2 IS NULL) ORDER BY id LIMIT ?3",
            values![method, after, most],
        )
    }

    /// Writes a row with the time `now` and reads it.
    pub fn ping(&self, now: i64) -> Result<(), StoreError> {
        let read: i64 = self.write(Durability::Process, |db| {
            db.execute(
                "INSERT INTO readiness (id, checked_at) VALUES (1, ?1)
                 ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at",
                values![now],
            )?;
            db.only("SELECT checked_at FROM readiness WHERE id = 1", &[])
        })?;
        if read == now {
            Ok(())
        } else {
            Err(StoreError::Damaged("readiness row"))
        }
    }

    pub fn connections(&self) -> Connections {
        self.pool()
    }
}

/// Writes a scan. Queries do not find it until it is released.
pub(super) fn insert_scan(
    db: &mut dyn Executor,
    scan: &NewScan<'_>,
    released: bool,
) -> Result<(), StoreError> {
    let (origin, owner) = columns::write_origin(&scan.origin);
    db.run(
        "INSERT INTO scan (id, origin, owner, created_at, sandbox, method, reply, answers, released)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            scan.id,
            origin,
            owner,
            scan.created_at,
            scan.sandbox,
            scan.method,
            scan.reply,
            scan.answers.as_ref().map(PackedAnswers::as_bytes),
            released,
        ],
    )
}

fn read_scan(mut row: Row) -> Result<ScanRecord, StoreError> {
    let kind: String = row.take(0)?;
    Ok(ScanRecord {
        origin: columns::read_origin(&kind, row.take(1)?).ok_or(StoreError::Damaged("origin"))?,
        created_at: row.take(2)?,
        sandbox: row.take(3)?,
        method: row.take(4)?,
        reply: row.bytes(5)?,
    })
}

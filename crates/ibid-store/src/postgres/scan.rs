//! Scans in PostgreSQL.

use super::link::{Link, column};
use super::{Postgres, PostgresFault, uuid};
use crate::pack::{Packed, unpack};
use crate::{NewScan, ScanRecord, Store, StoreError, columns};
use ibid_model::ScanId;
use postgres::Row;
use uuid::Uuid;

impl Store for Postgres {
    fn put_scan(&self, scan: &NewScan<'_>) -> Result<(), StoreError> {
        self.write(|link| insert_scan(link, scan, true))
    }

    fn scan(&self, id: ScanId) -> Result<Option<ScanRecord>, StoreError> {
        let found = self.read(|link| {
            link.first(
                "SELECT origin, owner, created_at, sandbox, method, reply FROM scan WHERE id = $1 AND released",
                &[&uuid(id.as_bytes())],
            )
        })?;
        found.as_ref().map(read_scan).transpose()
    }

    fn answers(&self, id: ScanId) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.read(|link| {
            link.first(
                "SELECT answers FROM scan WHERE id = $1 AND released AND answers IS NOT NULL",
                &[&uuid(id.as_bytes())],
            )
        })?;
        found.map(|row| unpack(column(&row, 0)?)).transpose()
    }

    fn scans_of_other_methods(
        &self,
        method: &str,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<ScanId>, StoreError> {
        let after = after.map(|id| uuid(id.as_bytes()));
        let rows = self.read(|link| {
            link.all(
                "SELECT id FROM scan WHERE method <> $1 AND released AND answers IS NOT NULL
                 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3",
                &[&method, &after, &i64::from(most)],
            )
        })?;
        rows.iter().map(|row| scan_id(row, 0)).collect()
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.read(|link| link.only("SELECT count(*) FROM schema_version", &[]).map(drop))?;
        // A server in recovery, and one that was told so, take no writes.
        let read_only: String = self.write(|link| {
            column(
                &link.only("SELECT current_setting('transaction_read_only')", &[])?,
                0,
            )
        })?;
        if read_only == "on" {
            return Err(PostgresFault::new("the database takes no writes").into());
        }
        Ok(())
    }
}

/// Writes a scan; one that is not released is found by nobody.
pub(super) fn insert_scan(link: &mut Link, scan: &NewScan<'_>, released: bool) -> Result<(), StoreError> {
    let (origin, owner) = columns::write_origin(&scan.origin);
    link.execute(
        "INSERT INTO scan (id, origin, owner, created_at, sandbox, method, reply, answers, released)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            &uuid(scan.id.as_bytes()),
            &origin,
            &owner,
            &scan.created_at,
            &scan.sandbox,
            &scan.method,
            &scan.reply,
            &scan.answers.as_ref().map(Packed::as_bytes),
            &released,
        ],
    )?;
    Ok(())
}

/// A column with the id of a scan.
pub(super) fn scan_id(row: &Row, at: usize) -> Result<ScanId, StoreError> {
    Ok(ScanId::from_bytes(column::<Uuid>(row, at)?.into_bytes()))
}

fn read_scan(row: &Row) -> Result<ScanRecord, StoreError> {
    Ok(ScanRecord {
        origin: columns::read_origin(column(row, 0)?, column(row, 1)?)
            .ok_or(StoreError::Damaged("origin"))?,
        created_at: column(row, 2)?,
        sandbox: column(row, 3)?,
        method: column(row, 4)?,
        reply: column(row, 5)?,
    })
}

//! Frozen reports of projects.

use super::project_parts::noted_if;
use super::{Backend, Durability, Query, Row, values};
use crate::project::{ProjectChange, ProjectScope};
use crate::report_snapshot::{NewReport, NewReportLink, ReportLink, ReportRecord, StoredReport};
use crate::seal::{RunKeys, token_digest};
use crate::{Millis, Store, StoreError};
use ibid_model::ReportId;

/// Selects a [`ReportRecord`], then others.
macro_rules! select_reports {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, made_at, sha256, token_sealed, link_until, link_password",
            $rest
        )
    };
}

impl Store {
    /// Stores a report, unless one with its id is there. Returns false, without storing it, if the project has `most` already.
    pub fn add_report(
        &self,
        scope: &ProjectScope,
        report: &NewReport<'_>,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM report_snapshot WHERE project = ?1";
            if db.only::<u32>(sql, values![scope.project])? >= most {
                return Ok(false);
            }
            let added = db.execute(
                "INSERT INTO report_snapshot (id, project, title, made_at, sha256, document, logo)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (id) DO NOTHING",
                values![
                    report.id,
                    scope.project,
                    report.title,
                    change.at,
                    report.sha256,
                    report.document.as_bytes(),
                    report.logo
                ],
            )?;
            noted_if(db, scope, change, added)?;
            Ok(true)
        })
    }

    /// Returns the reports of a project, the latest first.
    pub fn reports(&self, scope: &ProjectScope) -> Result<Vec<ReportRecord>, StoreError> {
        let keys = self.keys()?;
        let sql = select_reports!(" FROM report_snapshot WHERE project = ?1 ORDER BY made_at DESC, id");
        let rows = self.rows(sql, values![scope.project])?;
        rows.into_iter().map(|mut row| record(&mut row, keys)).collect()
    }

    pub fn report(&self, scope: &ProjectScope, id: ReportId) -> Result<Option<StoredReport>, StoreError> {
        let keys = self.keys()?;
        let sql = select_reports!(", document, logo FROM report_snapshot WHERE project = ?1 AND id = ?2");
        let row = self.first(sql, values![scope.project, id])?;
        row.map(|row| stored(row, keys)).transpose()
    }

    /// Deletes a report. Returns whether there was one.
    pub fn delete_report(
        &self,
        scope: &ProjectScope,
        id: ReportId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM report_snapshot WHERE project = ?1 AND id = ?2";
            let deleted = db.execute(sql, values![scope.project, id])?;
            noted_if(db, scope, change, deleted)
        })
    }

    /// Gives a report this public link in the place of any other; `None` ends it. Returns whether there is such a report.
    pub fn set_report_link(
        &self,
        scope: &ProjectScope,
        id: ReportId,
        link: Option<&NewReportLink<'_>>,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        let keys = self.keys()?;
        let sealed = link.map(|link| keys.stored(id.as_bytes(), link.token.as_bytes()));
        let sealed = sealed.transpose()?;
        self.write(Durability::Disk, |db| {
            let changed = db.execute(
                "UPDATE report_snapshot SET token = ?3, link_until = ?4, link_password = ?5, token_sealed = ?6
                 WHERE project = ?1 AND id = ?2",
                values![
                    scope.project,
                    id,
                    link.map(|link| token_digest(link.token.as_bytes())),
                    link.and_then(|link| link.until),
                    link.and_then(|link| link.password),
                    sealed.as_deref()
                ],
            )?;
            noted_if(db, scope, change, changed)
        })
    }

    /// Returns the report behind a public link that has not ended.
    pub fn linked_report(&self, token: &str, now: Millis) -> Result<Option<StoredReport>, StoreError> {
        let keys = self.keys()?;
        let row = self.first(
            select_reports!(
                    ", document, logo FROM report_snapshot WHERE token = ?1 AND (link_until IS NULL OR link_until > ?2)"
                ),
            values![token_digest(token.as_bytes()), now],
        )?;
        row.map(|row| stored(row, keys)).transpose()
    }
}

fn record(row: &mut Row, keys: &RunKeys) -> Result<ReportRecord, StoreError> {
    let id: ReportId = row.take(0)?;
    let token = keys.token(id.as_bytes(), row.take(4)?);
    let (until, password) = (row.take(5)?, row.take(6)?);

    Ok(ReportRecord {
        id,
        title: row.take(1)?,
        made_at: row.take(2)?,
        sha256: row.take(3)?,
        link: token.map(|token| ReportLink {
            token,
            until,
            password,
        }),
    })
}

fn stored(mut row: Row, keys: &RunKeys) -> Result<StoredReport, StoreError> {
    Ok(StoredReport {
        document: row.take(7)?,
        logo: row.take(8)?,
        record: record(&mut row, keys)?,
    })
}

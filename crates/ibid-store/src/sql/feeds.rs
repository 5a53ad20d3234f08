//! Feeds of projects.

use super::project_parts::{USE_NOTED, key_lives, noted_if, parent_lives};
use super::projects::note_in;
use super::{Backend, Durability, values};
use crate::feed::{FeedGrouping, FeedKeyRecord, FeedRow, NewFeedKey, OpenFeed};
use crate::project::{ProjectChange, ProjectScope, Subject};
use crate::{Millis, Store, StoreError};
use ibid_model::{FeedKeyId, ScanId};

/// Sums over the answers of a day. `$part` is the model or the question.
macro_rules! sums {
    ($part:literal, $join:literal) => {
        concat!(
            "SELECT project_run.ended_at / 86400000 AS day, project_run.keyword, project_run.place,
                    project_market.language, ",
            $part,
            " AS part, COUNT(DISTINCT project_run.scan), CAST(SUM(cell.valid) AS BIGINT),
                    CAST(SUM(cell.cited) AS BIGINT), CAST(SUM(cell.linked) AS BIGINT),
                    CAST(SUM(cell.searched) AS BIGINT), CAST(SUM(cell.named) AS BIGINT),
                    CAST(SUM(cell.score_sum) AS BIGINT)
             FROM project_run
             JOIN cell ON cell.project = project_run.project AND cell.run = project_run.scan
             LEFT JOIN project_market ON project_market.schedule = project_run.market ",
            $join,
            " WHERE project_run.project = ?1
             GROUP BY 1, 2, 3, 4, 5 ORDER BY 1 DESC, 2, 3, 4, 5 LIMIT ?2"
        )
    };
}

impl Store {
    /// Returns the keys to the feeds of a project, the oldest first.
    pub fn feed_keys(&self, scope: &ProjectScope) -> Result<Vec<FeedKeyRecord>, StoreError> {
        self.list(
            "SELECT id, name, detail, created_at, used_at, expires_at FROM feed_key
             WHERE project = ?1 ORDER BY created_at, id",
            values![scope.project],
            |mut row| {
                Ok(FeedKeyRecord {
                    id: row.take(0)?,
                    name: row.take(1)?,
                    detail: row.take(2)?,
                    created_at: row.take(3)?,
                    used_at: row.take(4)?,
                    expires_at: row.take(5)?,
                })
            },
        )
    }

    /// Stores a key. Returns whether it did: a project has at most `most`.
    pub fn add_feed_key(
        &self,
        scope: &ProjectScope,
        key: &NewFeedKey<'_>,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let mut count = db.only(
                "SELECT COUNT(*) FROM feed_key WHERE project = ?1",
                values![scope.project],
            )?;
            if count.take::<i64>(0)? >= i64::from(most) {
                return Ok(false);
            }
            db.execute(
                "INSERT INTO feed_key (id, project, name, hash, detail, created_at, expires_at, parent)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                values![
                    key.id,
                    scope.project,
                    key.name,
                    key.hash,
                    i64::from(key.detail),
                    change.at,
                    key.expires_at,
                    scope.key()
                ],
            )?;
            note_in(db, scope, change)?;
            Ok(true)
        })
    }

    /// Ends a key. Returns whether there was one.
    pub fn revoke_feed_key(
        &self,
        scope: &ProjectScope,
        id: FeedKeyId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM feed_key WHERE project = ?1 AND id = ?2";
            let deleted = db.execute(sql, values![scope.project, id])?;
            noted_if(db, scope, change, deleted)
        })
    }

    /// Returns what the key with this digest opens, and notes its use.
    pub fn open_feed(&self, hash: &[u8; 32], now: Millis) -> Result<Option<OpenFeed>, StoreError> {
        let row = self.first(
            concat!(
                "SELECT feed_key.id, feed_key.project, project.organisation, feed_key.detail, feed_key.used_at
                 FROM feed_key JOIN project ON project.id = feed_key.project
                 WHERE feed_key.hash = ?1 AND feed_key.expires_at > ?2 AND ",
                parent_lives!("feed_key")
            ),
            values![hash, now],
        )?;
        let Some(mut row) = row else {
            return Ok(None);
        };
        let key: FeedKeyId = row.take(0)?;
        let scope = ProjectScope {
            project: row.take(1)?,
            organisation: row.take(2)?,
            rights: Subject::FeedKey.rights(false),
            actor: format!("feed {key}"),
        };
        let (detail, used) = (row.take(3)?, row.take::<Option<Millis>>(4)?);
        if used.is_none_or(|used| now.saturating_sub(used) > USE_NOTED) {
            self.write(Durability::Relaxed, |db| {
                let sql = "UPDATE feed_key SET used_at = ?2 WHERE id = ?1";
                db.execute(sql, values![key, now]).map(drop)
            })?;
        }
        Ok(Some(OpenFeed { key, scope, detail }))
    }

    /// Counts the answers of a project, the latest day first, at most so many rows.
    pub fn feed_rows(
        &self,
        scope: &ProjectScope,
        by: FeedGrouping,
        most: u32,
    ) -> Result<Vec<FeedRow>, StoreError> {
        let sql = match by {
            FeedGrouping::Day => sums!("CAST('' AS TEXT)", ""),
            FeedGrouping::Model => sums!("cell.model", ""),
            FeedGrouping::Question => sums!(
                "project_question.text",
                "JOIN project_question ON project_question.project = cell.project
                                      AND project_question.question = cell.question"
            ),
        };
        self.list(sql, values![scope.project, most], |mut row| {
            Ok(FeedRow {
                day: row.take(0)?,
                keyword: row.take(1)?,
                place: row.take(2)?,
                language: row.take(3)?,
                part: row.take(4)?,
                runs: row.take(5)?,
                valid: row.take(6)?,
                cited: row.take(7)?,
                linked: row.take(8)?,
                searched: row.take(9)?,
                named: row.take(10)?,
                score_sum: row.take(11)?,
            })
        })
    }

    /// Returns the runs of a project with a result, the oldest first, each with its place.
    pub fn project_results(&self, scope: &ProjectScope) -> Result<Vec<(ScanId, Option<String>)>, StoreError> {
        self.list(
            "SELECT scan, place FROM project_run WHERE project = ?1 ORDER BY ended_at, scan",
            values![scope.project],
            |mut row| Ok((row.take(0)?, row.take(1)?)),
        )
    }

    /// Returns the texts of the questions of a project, by the word that names them in results.
    pub fn question_texts(&self, scope: &ProjectScope) -> Result<Vec<(String, String)>, StoreError> {
        self.list(
            "SELECT question, text FROM project_question WHERE project = ?1",
            values![scope.project],
            |mut row| Ok((row.take(0)?, row.take(1)?)),
        )
    }
}

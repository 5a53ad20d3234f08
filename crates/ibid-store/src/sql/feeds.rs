//! Feeds of projects.

use super::project_parts::{USE_NOTED, key_lives, noted_if, parent_lives};
use super::projects::note_in;
use super::{Backend, Durability, Query, values};
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
            " AS part, COUNT(DISTINCT project_run.scan) AS runs, CAST(SUM(cell.valid) AS BIGINT) AS valid,
                    CAST(SUM(cell.cited) AS BIGINT) AS cited, CAST(SUM(cell.linked) AS BIGINT) AS linked,
                    CAST(SUM(cell.searched) AS BIGINT) AS searched, CAST(SUM(cell.named) AS BIGINT) AS named,
                    CAST(SUM(cell.score_sum) AS BIGINT) AS score_sum
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
            let sql = "SELECT COUNT(*) FROM feed_key WHERE project = ?1";
            if db.only::<u32>(sql, values![scope.project])? >= most {
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
        let row = self.one::<(FeedKeyId, _, _, _, Option<Millis>)>(
            concat!(
                "SELECT feed_key.id, feed_key.project, project.organisation, feed_key.detail, feed_key.used_at
                 FROM feed_key JOIN project ON project.id = feed_key.project
                 WHERE feed_key.hash = ?1 AND feed_key.expires_at > ?2 AND ",
                parent_lives!("feed_key")
            ),
            values![hash, now],
        )?;
        let Some((key, project, organisation, detail, used)) = row else {
            return Ok(None);
        };
        let scope = ProjectScope {
            project,
            organisation,
            rights: Subject::FeedKey.rights(false),
            actor: format!("feed {key}"),
        };

        if used.is_none_or(|used| now.saturating_sub(used) > USE_NOTED) {
            self.write(Durability::Relaxed, |db| {
                let sql = "UPDATE feed_key SET used_at = ?2 WHERE id = ?1";
                db.run(sql, values![key, now])
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
        self.list(sql, values![scope.project, most])
    }

    /// Returns the runs of a project with a result, the oldest first, each with its place.
    pub fn project_results(&self, scope: &ProjectScope) -> Result<Vec<(ScanId, Option<String>)>, StoreError> {
        self.list(
            "SELECT scan, place FROM project_run WHERE project = ?1 ORDER BY ended_at, scan",
            values![scope.project],
        )
    }

    /// Returns what the questions of a project say, by the word that names each in results.
    pub fn question_texts(&self, scope: &ProjectScope) -> Result<Vec<(String, String)>, StoreError> {
        self.list(
            "SELECT question, text FROM project_question WHERE project = ?1",
            values![scope.project],
        )
    }
}

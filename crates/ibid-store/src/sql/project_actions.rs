//! Actions of projects.

use super::project_parts::noted_if;
use super::projects::note_in;
use super::{Backend, Durability, Executor, Query, values};
use crate::project::{ActionRecord, ProjectChange, ProjectScope};
use crate::{Millis, Store, StoreError};
use ibid_model::{AccountId, ActionId, ProjectId};

/// Selects an [`ActionRecord`], then what `$rest` names.
macro_rules! select_actions {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, page, questions, person, goal, status, runs, agreed_at, done_on, test, finding, judged_at,
                    created_at, author FROM project_action",
            $rest
        )
    };
}

impl Store {
    /// Returns the actions of a project, the oldest first.
    pub fn actions(&self, scope: &ProjectScope) -> Result<Vec<ActionRecord>, StoreError> {
        self.list(
            select_actions!(" WHERE project = ?1 ORDER BY created_at, id"),
            values![scope.project],
        )
    }

    /// Stores an action, in the place of the one with its id; its author and when it was written stay.
    /// Returns whether it did: a project has at most `most`.
    pub fn put_action(
        &self,
        scope: &ProjectScope,
        action: &ActionRecord,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM project_action WHERE project = ?1 AND id <> ?2";
            if db.only::<u32>(sql, values![scope.project, action.id])? >= most {
                return Ok(false);
            }
            insert_action(db, scope.project, scope.account(), action)?;
            note_in(db, scope, change)?;
            Ok(true)
        })
    }

    /// Deletes an action. Returns whether there was one.
    pub fn delete_action(
        &self,
        scope: &ProjectScope,
        id: ActionId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM project_action WHERE project = ?1 AND id = ?2";
            let deleted = db.execute(sql, values![scope.project, id])?;
            noted_if(db, scope, change, deleted)
        })
    }

    /// Returns the actions that are done and whose test has not ended.
    pub fn actions_to_judge(&self, project: ProjectId) -> Result<Vec<ActionRecord>, StoreError> {
        self.list(
            select_actions!(
                " WHERE project = ?1 AND status = 'done' AND judged_at IS NULL ORDER BY created_at, id"
            ),
            values![project],
        )
    }

    /// Returns the actions whose test ended since a time, the earliest first.
    pub fn judged_actions(&self, project: ProjectId, since: Millis) -> Result<Vec<ActionRecord>, StoreError> {
        self.list(
            select_actions!(" WHERE project = ?1 AND judged_at >= ?2 ORDER BY judged_at, id"),
            values![project, since],
        )
    }

    /// Stores what the runs so far show about an action, and when its test ended. Does nothing where the test has begun anew,
    /// or has ended.
    pub fn put_finding(
        &self,
        action: &ActionRecord,
        finding: &str,
        judged_at: Option<Millis>,
    ) -> Result<(), StoreError> {
        self.write(Durability::Relaxed, |db| {
            db.run(
                "UPDATE project_action SET finding = ?3, judged_at = ?4
                 WHERE id = ?1 AND agreed_at = ?2 AND status = 'done' AND judged_at IS NULL",
                values![action.id, action.agreed_at, finding, judged_at],
            )
        })
    }

    /// Returns the texts of the questions that a project has asked, by the word that names them in results.
    pub fn question_words(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError> {
        self.list(
            "SELECT question, text FROM project_question WHERE project = ?1 ORDER BY question",
            values![project],
        )
    }
}

/// Stores an action, in the place of the one that has its id in the project.
pub(super) fn insert_action(
    db: &mut dyn Executor,
    project: ProjectId,
    author: Option<AccountId>,
    action: &ActionRecord,
) -> Result<(), StoreError> {
    let questions = serde_json::to_string(&action.questions).map_err(|_| StoreError::Damaged("questions"))?;
    db.run(
        "INSERT INTO project_action (id, project, title, page, questions, person, goal, status, runs, agreed_at, done_on,
                                     test, finding, judged_at, created_at, author)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (id) DO UPDATE
         SET title = excluded.title, page = excluded.page, questions = excluded.questions, person = excluded.person,
             goal = excluded.goal, status = excluded.status, runs = excluded.runs, agreed_at = excluded.agreed_at,
             done_on = excluded.done_on, test = excluded.test, finding = excluded.finding,
             judged_at = excluded.judged_at
         WHERE project_action.project = excluded.project",
        values![
            action.id,
            project,
            action.title.as_str(),
            action.page.as_deref(),
            questions.as_str(),
            action.person.as_deref(),
            action.goal.as_deref(),
            action.status.as_str(),
            action.runs,
            action.agreed_at,
            action.done_on.as_deref(),
            action.test.as_deref(),
            action.finding.as_deref(),
            action.judged_at,
            action.created_at,
            author
        ],
    )
}

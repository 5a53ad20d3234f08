//! Imports of a website's own data.

use super::project_parts::noted_if;
use super::projects::note_in;
use super::{Backend, Durability, Executor, Query, Row, values};
use crate::own_file::{BotAddresses, NewOwnFile, OwnFileOutcome, OwnFileRecord, OwnFileRoom};
use crate::project::{ProjectChange, ProjectPerson, ProjectScope};
use crate::{Millis, PackedAnswers, Store, StoreError};
use ibid_model::{AccountId, OwnFileId, ProjectId};

impl Store {
    /// Stores an import. With `pending` it counts only once it is confirmed, and takes the place of the actor's earlier one.
    pub fn add_own_file(
        &self,
        scope: &ProjectScope,
        file: &NewOwnFile<'_>,
        room: OwnFileRoom,
        pending: bool,
        change: ProjectChange<'_>,
    ) -> Result<OwnFileOutcome, StoreError> {
        self.write(Durability::Disk, |db| {
            // A person looks at one file at a time.
            db.execute(
                "DELETE FROM own_file WHERE project = ?1 AND actor = ?2 AND pending = 1",
                values![scope.project, scope.actor.as_str()],
            )?;
            insert(db, scope.project, file, &scope.actor, change.at, true)?;
            match pending {
                true => Ok(OwnFileOutcome::Pending),
                false => confirm(db, scope, file.id, room, change),
            }
        })
    }

    /// Stores a pending import of this actor.
    pub fn confirm_own_file(
        &self,
        scope: &ProjectScope,
        id: OwnFileId,
        room: OwnFileRoom,
        change: ProjectChange<'_>,
    ) -> Result<OwnFileOutcome, StoreError> {
        self.write(Durability::Disk, |db| confirm(db, scope, id, room, change))
    }

    /// Returns the imports of a project, the latest first.
    pub fn own_files(&self, scope: &ProjectScope) -> Result<Vec<OwnFileRecord>, StoreError> {
        let rows = self.rows(
            "SELECT id, hash, name, formats, first_day, last_day, row_count, created_at, actor FROM own_file
             WHERE project = ?1 AND pending = 0 ORDER BY created_at DESC, id",
            values![scope.project],
        )?;
        let people = self.project_people(scope)?;
        rows.into_iter().map(|row| record(row, &people)).collect()
    }

    /// Returns what each import has a day, the oldest first.
    pub fn own_rows(&self, scope: &ProjectScope) -> Result<Vec<PackedAnswers>, StoreError> {
        let sql =
            "SELECT document FROM own_file WHERE project = ?1 AND pending = 0 ORDER BY created_at, id DESC";
        self.list(sql, values![scope.project])
    }

    /// Returns what this actor's pending import has a day.
    pub fn pending_own_rows(
        &self,
        scope: &ProjectScope,
        id: OwnFileId,
    ) -> Result<Option<PackedAnswers>, StoreError> {
        let sql =
            "SELECT document FROM own_file WHERE project = ?1 AND actor = ?2 AND id = ?3 AND pending = 1";
        self.one(sql, values![scope.project, scope.actor.as_str(), id])
    }

    /// Deletes an import. Returns whether there was one.
    pub fn delete_own_file(
        &self,
        scope: &ProjectScope,
        id: OwnFileId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM own_file WHERE project = ?1 AND id = ?2 AND pending = 0";
            let deleted = db.execute(sql, values![scope.project, id])?;
            noted_if(db, scope, change, deleted)
        })
    }

    /// Stores published addresses in the place of those with the same names.
    pub fn put_bot_addresses(&self, files: &[BotAddresses]) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            for file in files {
                db.execute(
                    "DELETE FROM bot_addresses WHERE name = ?1",
                    values![file.name.as_str()],
                )?;
                db.execute(
                    "INSERT INTO bot_addresses (name, is_program, document, updated_at) VALUES (?1, ?2, ?3, ?4)",
                    values![
                        file.name.as_str(),
                        i64::from(file.is_program),
                        file.document.as_slice(),
                        file.updated_at
                    ],
                )?;
            }
            Ok(())
        })
    }

    pub fn bot_addresses(&self) -> Result<Vec<BotAddresses>, StoreError> {
        self.list(
            "SELECT name, is_program, document, updated_at FROM bot_addresses ORDER BY name",
            values![],
        )
    }
}

/// Inserts an import with its actor, its time, and whether it is pending.
pub(super) fn insert(
    db: &mut dyn Executor,
    project: ProjectId,
    file: &NewOwnFile<'_>,
    actor: &str,
    at: Millis,
    pending: bool,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO own_file (id, project, hash, name, formats, first_day, last_day, row_count, created_at, actor, pending, document)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        values![
            file.id,
            project,
            file.hash,
            file.name,
            file.formats,
            file.days.map(|days| days.0),
            file.days.map(|days| days.1),
            file.row_count,
            at,
            actor,
            i64::from(pending),
            file.document.as_bytes()
        ],
    )
}

/// Makes a pending import of the actor count, unless the project has it or has no room: then it goes.
fn confirm(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    id: OwnFileId,
    room: OwnFileRoom,
    change: ProjectChange<'_>,
) -> Result<OwnFileOutcome, StoreError> {
    // Imports of a project are counted one after the other.
    db.lock("SELECT id FROM project WHERE id = ?1", values![scope.project])?;
    let found = db.one::<([u8; 32], PackedAnswers, u64)>(
        "SELECT hash, document, row_count FROM own_file WHERE project = ?1 AND id = ?2 AND actor = ?3 AND pending = 1",
        values![scope.project, id, scope.actor.as_str()],
    )?;
    let Some((hash, document, rows)) = found else {
        return Ok(OwnFileOutcome::Unknown);
    };
    let before = db.one::<(OwnFileId, PackedAnswers)>(
        "SELECT id, document FROM own_file WHERE project = ?1 AND hash = ?2 AND pending = 0",
        values![scope.project, &hash],
    )?;
    let outcome = match &before {
        Some((_, same)) if same.as_bytes() == document.as_bytes() => OwnFileOutcome::Same,
        Some(_) => OwnFileOutcome::Replaced,
        None => OwnFileOutcome::Stored,
    };
    let replaced = before
        .map(|(id, _)| id)
        .filter(|_| outcome == OwnFileOutcome::Replaced);
    let (files, kept) = db.only::<(u32, u64)>(
        "SELECT COUNT(*), CAST(COALESCE(SUM(row_count), 0) AS BIGINT) FROM own_file
         WHERE project = ?1 AND pending = 0 AND id <> ?2",
        values![scope.project, replaced.unwrap_or(id)],
    )?;

    let is_full = files >= room.files || kept + rows > u64::from(room.rows);
    if outcome == OwnFileOutcome::Same || is_full {
        db.execute("DELETE FROM own_file WHERE id = ?1", values![id])?;
        return Ok(match outcome {
            OwnFileOutcome::Same => outcome,
            _ => OwnFileOutcome::Full,
        });
    }
    if let Some(replaced) = replaced {
        db.execute("DELETE FROM own_file WHERE id = ?1", values![replaced])?;
    }
    db.execute(
        "UPDATE own_file SET pending = 0, created_at = ?2 WHERE id = ?1",
        values![id, change.at],
    )?;
    note_in(db, scope, change)?;
    Ok(outcome)
}

fn record(mut row: Row, people: &[ProjectPerson]) -> Result<OwnFileRecord, StoreError> {
    let actor: String = row.take(8)?;
    let account: Option<AccountId> = actor.strip_prefix("account ").and_then(|id| id.parse().ok());
    let person = people.iter().find(|person| Some(person.account) == account);

    let (first, last): (Option<String>, Option<String>) = (row.take(4)?, row.take(5)?);
    Ok(OwnFileRecord {
        id: row.take(0)?,
        hash: row.take(1)?,
        name: row.take(2)?,
        formats: row.take(3)?,
        days: first.zip(last),
        row_count: row.take(6)?,
        created_at: row.take(7)?,
        email: person.map(|person| person.email.clone()),
        actor,
    })
}

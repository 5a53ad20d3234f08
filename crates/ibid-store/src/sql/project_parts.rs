//! Rivals, notes, people, keys and the log of projects.

use super::accounts::find_account;
use super::invitations::{join, put_role, withdraw};
use super::projects::{note, note_in, rests};
use super::{Backend, Durability, Executor, Query, values};
use crate::project::{
    AnnotationKind, AnnotationRecord, ApiKey, ApiKeyRecord, BadgeNumbers, EventPage, KeyAccess, NewApiKey,
    ProjectChange, ProjectEvent, ProjectPerson, ProjectRole, ProjectScope, Right, RivalRecord, Subject,
};
use crate::seal::token_digest;
use crate::{Millis, Store, StoreError};
use ibid_model::{AccountId, AnnotationId, ApiKeyId, OrganisationId, ProjectId, RivalId};

/// The time for which a use of a key is not noted again.
pub(super) const USE_NOTED: Millis = 60_000;

/// Whether a key has not ended at `?2`. It rests while its owner is no admin of its organisation, or may not sign in.
macro_rules! key_lives {
    ($key:literal) => {
        concat!(
            "(",
            $key,
            ".expires_at > ?2 OR ",
            $key,
            ".expires_at IS NULL) AND (",
            $key,
            ".owner IS NULL
                OR EXISTS (SELECT 1 FROM account JOIN membership ON membership.account = account.id
                           WHERE account.id = ",
            $key,
            ".owner AND NOT account.disabled
                             AND membership.role = 'admin' AND membership.organisation = ",
            $key,
            ".organisation))"
        )
    };
}

/// Whether the key that made another one has not ended at `?2`.
macro_rules! parent_lives {
    ($key:literal) => {
        concat!(
            "(",
            $key,
            ".parent IS NULL OR EXISTS (SELECT 1 FROM api_key AS parent WHERE parent.id = ",
            $key,
            ".parent AND ",
            key_lives!("parent"),
            "))"
        )
    };
}

pub(super) use {key_lives, parent_lives};

impl Store {
    /// Returns the rivals of a project, by name.
    pub fn rivals(&self, scope: &ProjectScope) -> Result<Vec<RivalRecord>, StoreError> {
        let sql = "SELECT id, name, domains, aliases, state FROM rival WHERE project = ?1 ORDER BY name";
        self.list(sql, values![scope.project])
    }

    /// Stores a rival, in the place of one with the same name. Returns whether it did: a project has at most `most`.
    pub fn put_rival(
        &self,
        scope: &ProjectScope,
        rival: &RivalRecord,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM rival WHERE project = ?1 AND name <> ?2";
            if db.only::<u32>(sql, values![scope.project, rival.name.as_str()])? >= most {
                return Ok(false);
            }
            insert_rival(db, scope.project, rival)?;
            note_in(db, scope, change)?;
            Ok(true)
        })
    }

    /// Forgets a rival. Returns whether there was one.
    pub fn delete_rival(
        &self,
        scope: &ProjectScope,
        id: RivalId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM rival WHERE project = ?1 AND id = ?2";
            let deleted = db.execute(sql, values![scope.project, id])?;
            noted_if(db, scope, change, deleted)
        })
    }

    /// Returns the notes of a project, by day.
    pub fn annotations(&self, scope: &ProjectScope) -> Result<Vec<AnnotationRecord>, StoreError> {
        self.list(
            "SELECT id, day, text, author, kind FROM annotation WHERE project = ?1
             ORDER BY day, created_at, id",
            values![scope.project],
        )
    }

    /// Stores a note. Returns whether it did: a project has at most `most`.
    pub fn add_annotation(
        &self,
        scope: &ProjectScope,
        annotation: &AnnotationRecord,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        let is_note = annotation.kind == AnnotationKind::Note;
        let author = scope.account().filter(|_| is_note);
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM annotation WHERE project = ?1 AND kind = ?2";
            if db.only::<u32>(sql, values![scope.project, annotation.kind.as_str()])? >= most {
                return Ok(false);
            }
            insert_annotation(db, scope.project, annotation, author, change.at)?;
            note_in(db, scope, change)?;
            Ok(true)
        })
    }

    /// Deletes a note. Returns whether there was one.
    pub fn delete_annotation(
        &self,
        scope: &ProjectScope,
        id: AnnotationId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM annotation WHERE project = ?1 AND id = ?2 AND kind = 'note'";
            let deleted = db.execute(sql, values![scope.project, id])?;
            noted_if(db, scope, change, deleted)
        })
    }

    /// Returns the people who belong to a project's organisation, by address.
    pub fn project_people(&self, scope: &ProjectScope) -> Result<Vec<ProjectPerson>, StoreError> {
        self.list(
            "SELECT account.id AS account, account.email, membership.role AS organisation_role,
                    (SELECT role FROM project_role
                     WHERE project_role.project = ?2 AND project_role.account = account.id) AS role, 1 = 0 AS waits
             FROM membership JOIN account ON account.id = membership.account
             WHERE membership.organisation = ?1
             UNION ALL
             SELECT account.id, account.email, 'member', invitation.role, 1 = 1
             FROM invitation JOIN account ON account.id = invitation.account WHERE invitation.target = ?2
             ORDER BY 2",
            values![scope.organisation, scope.project],
        )
    }

    /// Sets what a person may do in a project, and makes them a member of its organisation; `None` takes the role away.
    pub fn set_project_role(
        &self,
        scope: &ProjectScope,
        account: AccountId,
        role: Option<ProjectRole>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            match role {
                Some(role) => {
                    join(db, scope.organisation, account, change.at)?;
                    put_role(db, scope.project, account, role)?;
                }
                None => {
                    withdraw(db, scope.project, account)?;
                    db.execute(
                        "DELETE FROM project_role WHERE project = ?1 AND account = ?2",
                        values![scope.project, account],
                    )?;
                }
            }
            note_in(db, scope, change)
        })
    }

    /// Shows the badge of a project at the address with a token, or no badge. A badge that is shown keeps its token.
    pub fn set_badge(
        &self,
        scope: &ProjectScope,
        token: Option<&str>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError> {
        let (keys, id) = (self.keys()?, scope.project.as_bytes());
        let sealed = token.map(|token| keys.stored(id, token.as_bytes())).transpose()?;
        self.write(Durability::Disk, |db| {
            let sql =
                "UPDATE project SET badge = ?2, badge_sealed = ?4 WHERE id = ?1 AND (badge IS NULL) = ?3";
            let digest = token.map(|token| token_digest(token.as_bytes()));
            let changed = db.execute(
                sql,
                values![scope.project, digest, token.is_some(), sealed.as_deref()],
            )?;
            noted_if(db, scope, change, changed).map(drop)
        })
    }

    /// Returns what the badge with a token shows. The token is the proof.
    pub fn badge(&self, token: &str) -> Result<Option<BadgeNumbers>, StoreError> {
        let sql = "SELECT level, last_run_at FROM project WHERE badge = ?1";
        self.one(sql, values![token_digest(token.as_bytes())])
    }

    /// Returns the keys that open a project, the oldest first.
    pub fn api_keys(&self, scope: &ProjectScope, now: Millis) -> Result<Vec<ApiKeyRecord>, StoreError> {
        self.list(
            concat!(
                "SELECT id, project IS NULL AS of_organisation, name, access, created_at, used_at, expires_at,
                        NOT (",
                key_lives!("api_key"),
                " AND ",
                parent_lives!("api_key"),
                ") AS rests
                 FROM api_key WHERE organisation = ?1 AND (project = ?3 OR project IS NULL) ORDER BY created_at, id"
            ),
            values![scope.organisation, now, scope.project],
        )
    }

    /// Makes the scope's person the owner of a key, so that it and what it made go on. Returns whether there
    /// was one, and a person to have it.
    pub fn take_api_key(
        &self,
        scope: &ProjectScope,
        id: ApiKeyId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        let Some(owner) = scope.account() else {
            return Ok(false);
        };
        self.write(Durability::Disk, |db| {
            let taken = db.execute(
                "UPDATE api_key SET owner = ?5, parent = NULL WHERE id = ?2 AND organisation = ?3
                   AND (project = ?1 OR (project IS NULL AND ?4))",
                values![
                    scope.project,
                    id,
                    scope.organisation,
                    scope.may(Right::AdminOrganisation),
                    owner
                ],
            )?;
            noted_if(db, scope, change, taken)
        })
    }

    /// Stores a key to a project. Returns whether it did: a project has at most `most`.
    pub fn add_api_key(
        &self,
        scope: &ProjectScope,
        key: &NewApiKey<'_>,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM api_key WHERE project = ?1";
            if db.only::<u32>(sql, values![scope.project])? >= most {
                return Ok(false);
            }
            let (parent, owner) = (scope.key(), scope.account());
            insert_key(
                db,
                scope.organisation,
                Some(scope.project),
                key,
                parent,
                owner,
                change.at,
            )?;
            note_in(db, scope, change)?;
            Ok(true)
        })
    }

    /// Stores a key to all that an organisation has, which the operator makes; it counts among the keys of the day.
    /// An equal key is not stored again.
    pub fn add_organisation_key(
        &self,
        organisation: OrganisationId,
        owner: Option<AccountId>,
        key: &NewApiKey<'_>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            match insert_key(db, organisation, None, key, None, owner, change.at)? {
                0 => Ok(()),
                _ => note(db, organisation, None, "operator", change),
            }
        })
    }

    /// Ends a key to the project. Returns whether there was one.
    pub fn revoke_api_key(
        &self,
        scope: &ProjectScope,
        id: ApiKeyId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let deleted = db.execute(
                "DELETE FROM api_key WHERE id = ?2 AND organisation = ?3
                   AND (project = ?1 OR (project IS NULL AND ?4))",
                values![
                    scope.project,
                    id,
                    scope.organisation,
                    scope.may(Right::AdminOrganisation)
                ],
            )?;
            if deleted > 0 {
                for sql in [
                    "DELETE FROM api_key WHERE parent = ?1",
                    "DELETE FROM feed_key WHERE parent = ?1",
                ] {
                    db.execute(sql, values![id])?;
                }
                let inviter = format!("key {id}");
                db.execute(
                    "DELETE FROM invitation WHERE inviter = ?1",
                    values![inviter.as_str()],
                )?;
            }
            noted_if(db, scope, change, deleted)
        })
    }

    /// Returns the key with this digest that has not ended, and notes its use.
    pub fn api_key(&self, hash: &[u8; 32], now: Millis) -> Result<Option<ApiKey>, StoreError> {
        let row = self.one::<(_, _, _, KeyAccess, Option<Millis>, bool)>(
            concat!(
                "SELECT id, organisation, project, access, used_at, ",
                rests!("api_key.organisation"),
                " FROM api_key WHERE hash = ?1 AND ",
                key_lives!("api_key"),
                " AND ",
                parent_lives!("api_key")
            ),
            values![hash, now],
        )?;
        let Some((id, organisation, project, access, used, rests)) = row else {
            return Ok(None);
        };
        let subject = match project {
            Some(_) => Subject::ProjectKey(access),
            None => Subject::OrganisationKey(access),
        };
        let key = ApiKey {
            id,
            organisation,
            project,
            rights: subject.rights(rests),
        };

        if used.is_none_or(|used| now.saturating_sub(used) > USE_NOTED) {
            self.write(Durability::Relaxed, |db| {
                let sql = "UPDATE api_key SET used_at = ?2 WHERE id = ?1";
                db.run(sql, values![key.id, now])
            })?;
        }
        Ok(Some(key))
    }

    /// Returns a page of a project's log, the latest first.
    pub fn project_events(
        &self,
        scope: &ProjectScope,
        page: EventPage,
    ) -> Result<Vec<ProjectEvent>, StoreError> {
        self.read(|db| {
            let rows = db.list::<(String, _, _, _)>(
                "SELECT actor, action, members, at FROM audit_event
                 WHERE organisation = ?1 AND (project = ?2 OR project IS NULL)
                   AND (NOT ?5 OR action NOT IN ('note_added', 'note_removed', 'rival_put', 'rival_removed',
                       'action_added', 'action_changed', 'action_removed', 'questions_changed', 'run_started',
                       'captures_asked', 'answers_imported', 'answers_deleted', 'own_data_imported',
                       'own_data_deleted', 'report_made', 'report_deleted', 'project_changed', 'sender_set'))
                 ORDER BY at DESC, id LIMIT ?3 OFFSET ?4",
                values![
                    scope.organisation,
                    scope.project,
                    page.most,
                    page.skipped,
                    page.access
                ],
            )?;
            let mut events = Vec::with_capacity(rows.len());
            for (actor, action, members, at) in rows {
                let account = actor.strip_prefix("account ").and_then(|id| id.parse().ok());
                let person = account
                    .map(|account| find_account(db, account))
                    .transpose()?
                    .flatten();
                events.push(ProjectEvent {
                    email: person.map(|person| person.email),
                    action,
                    members,
                    at,
                    actor,
                });
            }
            Ok(events)
        })
    }
}

/// Stores a rival, in the place of one with the same name.
pub(super) fn insert_rival(
    db: &mut dyn Executor,
    project: ProjectId,
    rival: &RivalRecord,
) -> Result<(), StoreError> {
    let texts = |texts: &Vec<String>| serde_json::to_string(texts).map_err(|_| StoreError::Damaged("rival"));
    let (domains, aliases) = (texts(&rival.domains)?, texts(&rival.aliases)?);
    db.run(
        "INSERT INTO rival (id, project, name, domains, aliases, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (project, name) DO UPDATE
         SET domains = excluded.domains, aliases = excluded.aliases, state = excluded.state",
        values![
            rival.id,
            project,
            rival.name.as_str(),
            domains.as_str(),
            aliases.as_str(),
            rival.state.as_str()
        ],
    )
}

pub(super) fn insert_annotation(
    db: &mut dyn Executor,
    project: ProjectId,
    note: &AnnotationRecord,
    author: Option<AccountId>,
    at: Millis,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO annotation (id, project, day, text, author, created_at, kind)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        values![
            note.id,
            project,
            note.day.as_str(),
            note.text.as_str(),
            author,
            at,
            note.kind.as_str()
        ],
    )
}

/// Notes a change that concerned a row, and returns whether it did.
pub(super) fn noted_if(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    change: ProjectChange<'_>,
    rows: u64,
) -> Result<bool, StoreError> {
    if rows > 0 {
        note_in(db, scope, change)?;
    }
    Ok(rows > 0)
}

fn insert_key(
    db: &mut dyn Executor,
    organisation: OrganisationId,
    project: Option<ProjectId>,
    key: &NewApiKey<'_>,
    parent: Option<ApiKeyId>,
    owner: Option<AccountId>,
    now: Millis,
) -> Result<u64, StoreError> {
    db.execute(
        "INSERT INTO api_key (id, organisation, project, name, hash, access, created_at, expires_at, parent, owner)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (hash) DO NOTHING",
        values![
            key.id,
            organisation,
            project,
            key.name,
            key.hash,
            key.access.as_str(),
            now,
            key.expires_at,
            parent,
            owner
        ],
    )
}

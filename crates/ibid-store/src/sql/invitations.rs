//! Invitations to projects, and the admins of organisations.

use super::accounts::{erase_account, find_account, insert_account, log};
use super::project_parts::key_lives;
use super::projects::{has_room, insert_member, note, note_in, rests};
use super::{Backend, Durability, Executor, Query, values};
use crate::project::{
    InvitationRecord, Invited, NewInvitation, OrganisationRole, ProjectChange, ProjectRole, ProjectScope,
};
use crate::workspace::{AccountAction, AccountRecord, Change};
use crate::{Millis, Store, StoreError};
use ibid_model::{AccountId, ApiKeyId, OrganisationId, ProjectId};

impl Store {
    /// Invites a person. Only an account that this call opens gets a link that sets its password.
    pub fn invite(
        &self,
        scope: &ProjectScope,
        invitation: &NewInvitation<'_>,
        change: ProjectChange<'_>,
    ) -> Result<Invited, StoreError> {
        self.write(Durability::Disk, |db| {
            let email = invitation.account.email.as_str();
            let known: Option<AccountId> =
                db.one("SELECT id FROM account WHERE email = ?1", values![email])?;
            let is_member = db.has(
                "SELECT 1 FROM membership WHERE organisation = ?1 AND account = ?2",
                values![scope.organisation, known],
            )?;
            let account = match (known, is_member, invitation.role) {
                (_, false, None) => return Ok(Invited::Stranger),
                (Some(account), true, Some(role)) => {
                    put_role(db, scope.project, account, role)?;
                    note_in(db, scope, change)?;
                    return Ok(Invited::Joined(account));
                }
                _ if !has_room(
                    db,
                    scope.organisation,
                    &scope.actor,
                    ["person_added", ""],
                    invitation.since,
                    invitation.room,
                )? =>
                {
                    return Ok(Invited::TooMany);
                }
                (Some(account), ..) if is_unused(db, account, invitation, change.at)? => {
                    let by = scope.account();
                    erase_account(db, account, Change { at: change.at, by })?;
                    open(db, scope, invitation, change.at)?
                }
                (Some(account), ..) => account,
                (None, ..) => open(db, scope, invitation, change.at)?,
            };
            let (target, role) = match invitation.role {
                Some(role) => (scope.project, role.as_str()),
                None => (
                    ProjectId::from_bytes(*scope.organisation.as_bytes()),
                    OrganisationRole::Admin.as_str(),
                ),
            };
            db.execute(
                "INSERT INTO invitation (target, account, organisation, role, inviter, hash, expires_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (target, account) DO UPDATE
                 SET role = excluded.role, inviter = excluded.inviter, hash = excluded.hash,
                     expires_at = excluded.expires_at",
                values![
                    target,
                    account,
                    scope.organisation,
                    role,
                    scope.actor.as_str(),
                    &invitation.hash,
                    invitation.expires_at
                ],
            )?;
            note_in(db, scope, change)?;
            Ok(Invited::Waits(account))
        })
    }

    pub fn invitations(&self, account: AccountId, now: Millis) -> Result<Vec<InvitationRecord>, StoreError> {
        self.list(
            "SELECT invitation.target, organisation.name AS organisation, project.name AS project
             FROM invitation JOIN organisation ON organisation.id = invitation.organisation
                             LEFT JOIN project ON project.id = invitation.target
             WHERE invitation.account = ?1 AND invitation.expires_at > ?2
             ORDER BY invitation.expires_at, invitation.target",
            values![account, now],
        )
    }

    /// Returns the account that the link of an invitation is for, and to what.
    pub fn invitation(
        &self,
        hash: &[u8; 32],
        now: Millis,
    ) -> Result<Option<(AccountRecord, ProjectId)>, StoreError> {
        self.read(|db| {
            let sql = "SELECT account, target FROM invitation WHERE hash = ?1 AND expires_at > ?2";
            let Some((account, target)) = db.one(sql, values![hash, now])? else {
                return Ok(None);
            };
            let account = find_account(db, account)?.filter(|account| !account.disabled);
            Ok(account.map(|account| (account, target)))
        })
    }

    /// Accepts or declines an invitation. Returns whether there was one by somebody who may still invite.
    pub fn answer_invitation(
        &self,
        account: AccountId,
        target: ProjectId,
        accepts: bool,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let answered = db.one::<(_, String, String)>(
                "DELETE FROM invitation WHERE target = ?1 AND account = ?2 AND expires_at > ?3
                 RETURNING organisation, role, inviter",
                values![target, account, now],
            )?;
            let Some((organisation, role, inviter)) = answered else {
                return Ok(false);
            };
            let action = match accepts {
                true => "invitation_accepted",
                false => "invitation_declined",
            };
            if accepts && !may_invite(db, organisation, &inviter, now)? {
                return Ok(false);
            }
            let project = (role != OrganisationRole::Admin.as_str()).then_some(target);
            if accepts {
                match project {
                    Some(project) => {
                        join(db, organisation, account, now)?;
                        let role = role.parse().map_err(|_| StoreError::Damaged("role"))?;
                        put_role(db, project, account, role)?;
                    }
                    None => insert_member(db, organisation, account, OrganisationRole::Admin, now)?,
                }
            }
            let change = ProjectChange {
                action,
                members: "{}",
                at: now,
            };
            note(db, organisation, project, &format!("account {account}"), change)?;
            Ok(true)
        })
    }

    /// Makes a member the admin of its organisations that have none, for the operator. Returns their number.
    pub fn name_admin(&self, account: AccountId, now: Millis) -> Result<u64, StoreError> {
        self.write(Durability::Disk, |db| {
            let resting = db.list(
                concat!(
                    "SELECT organisation FROM membership WHERE account = ?1 AND ",
                    rests!("membership.organisation")
                ),
                values![account],
            )?;
            let mut named = 0;
            for organisation in resting {
                insert_member(db, organisation, account, OrganisationRole::Admin, now)?;
                let change = ProjectChange {
                    action: "admin_named",
                    members: "{}",
                    at: now,
                };
                note(db, organisation, None, "operator", change)?;
                named += 1;
            }
            Ok(named)
        })
    }
}

/// Whether an invitation opened an account, and nobody ever was in it or can come into it any more: its links ended, and no
/// other invitation waits for it. Another invitation then opens an account of its own.
fn is_unused(
    db: &mut dyn Executor,
    account: AccountId,
    invitation: &NewInvitation<'_>,
    now: Millis,
) -> Result<bool, StoreError> {
    let sql =
        "SELECT 1 FROM account WHERE id = ?1 AND guest_of IS NOT NULL AND password = ?2 AND NOT disabled
           AND NOT EXISTS (SELECT 1 FROM account_log WHERE account_log.account = ?1 AND action = 'signed_in')
           AND NOT EXISTS (SELECT 1 FROM identity WHERE identity.account = ?1)
           AND NOT EXISTS (SELECT 1 FROM account_link WHERE account_link.account = ?1 AND expires_at > ?3)
           AND NOT EXISTS (SELECT 1 FROM invitation WHERE invitation.account = ?1 AND expires_at > ?3)";
    db.has(sql, values![account, invitation.account.password, now])
}

/// Opens the account of an invited person, with the link that sets its password. It belongs to the organisation alone.
fn open(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    invitation: &NewInvitation<'_>,
    now: Millis,
) -> Result<AccountId, StoreError> {
    let (account, by) = (invitation.account.id, scope.account());
    let change = Change { at: now, by };
    insert_account(db, &invitation.account, change)?;
    db.execute(
        "UPDATE account SET guest_of = ?2 WHERE id = ?1",
        values![account, scope.organisation],
    )?;
    db.execute(
        "INSERT INTO account_link (hash, account, expires_at) VALUES (?1, ?2, ?3)",
        values![&invitation.hash, account, invitation.expires_at],
    )?;
    log(db, account, AccountAction::Link, None, change)?;
    Ok(account)
}

/// Whether the maker of an invitation still manages the organisation.
fn may_invite(
    db: &mut dyn Executor,
    organisation: OrganisationId,
    inviter: &str,
    now: Millis,
) -> Result<bool, StoreError> {
    let person: Option<AccountId> = inviter.strip_prefix("account ").and_then(|id| id.parse().ok());
    let key: Option<ApiKeyId> = inviter.strip_prefix("key ").and_then(|id| id.parse().ok());
    match (person, key) {
        (Some(person), _) => db.has(
            "SELECT 1 FROM membership JOIN account ON account.id = membership.account
             WHERE organisation = ?1 AND account = ?2 AND membership.role = 'admin' AND NOT account.disabled",
            values![organisation, person],
        ),
        (None, Some(key)) => db.has(
            concat!("SELECT 1 FROM api_key WHERE id = ?1 AND ", key_lives!("api_key")),
            values![key, now],
        ),
        (None, None) => Ok(false),
    }
}

/// Makes an account a member of an organisation, if it is none yet.
pub(super) fn join(
    db: &mut dyn Executor,
    organisation: OrganisationId,
    account: AccountId,
    now: Millis,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO membership (organisation, account, role, created_at) VALUES (?1, ?2, 'member', ?3)
         ON CONFLICT (organisation, account) DO NOTHING",
        values![organisation, account, now],
    )
}

pub(super) fn put_role(
    db: &mut dyn Executor,
    project: ProjectId,
    account: AccountId,
    role: ProjectRole,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO project_role (project, account, role) VALUES (?1, ?2, ?3)
         ON CONFLICT (project, account) DO UPDATE SET role = excluded.role",
        values![project, account, role.as_str()],
    )
}

/// Takes an invitation back, with the link of the account that its organisation opened and nobody came into.
pub(super) fn withdraw(
    db: &mut dyn Executor,
    project: ProjectId,
    account: AccountId,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM invitation WHERE target = ?1 AND account = ?2 RETURNING organisation";
    if let Some(organisation) = db.one::<OrganisationId>(sql, values![project, account])? {
        db.execute(
            "DELETE FROM account_link
             WHERE account IN (SELECT id FROM account WHERE id = ?1 AND guest_of = ?2)
               AND NOT EXISTS (SELECT 1 FROM account_log WHERE account_log.account = ?1 AND action = 'signed_in')",
            values![account, organisation],
        )?;
    }
    Ok(())
}

//! Identities of accounts.

use super::accounts::{end_sessions, find_account, insert_account, lock_account, log};
use super::{Backend, Durability, Executor, Query, values};
use crate::identity::Identity;
use crate::workspace::{AccountAction, AccountRecord, Change, NewAccount, Role};
use crate::{Millis, Store, StoreError};
use ibid_model::AccountId;

impl Store {
    pub fn account_of(&self, identity: &Identity) -> Result<Option<AccountRecord>, StoreError> {
        self.read(|db| {
            let sql = "SELECT account FROM identity WHERE issuer = ?1 AND subject = ?2";
            let joined = db.one(sql, values![identity.issuer.as_str(), identity.subject.as_str()])?;
            joined.map_or(Ok(None), |account| find_account(db, account))
        })
    }

    /// Returns the identities of an account, the oldest first.
    pub fn identities(&self, account: AccountId) -> Result<Vec<Identity>, StoreError> {
        self.list(
            "SELECT issuer, subject FROM identity WHERE account = ?1 ORDER BY joined_at, issuer, subject",
            values![account],
        )
    }

    /// Opens an account that an identity has joined.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the address has an account or the identity has joined one; the fault of the database.
    pub fn open_account_of(
        &self,
        identity: &Identity,
        account: &NewAccount<'_>,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            insert_account(db, account, now.into())?;
            join(db, identity, account.id, now.into())
        })
    }

    /// Joins an identity to an account.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when it has joined one; the fault of the database.
    pub fn join_identity(
        &self,
        identity: &Identity,
        account: AccountId,
        change: Change,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            join(db, identity, account, change)
        })
    }

    /// Takes every identity from an account. Returns whether there was one.
    pub fn part_identities(&self, account: AccountId, change: Change) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            let parted = erase(db, account)?;
            if parted {
                log(db, account, AccountAction::IdentityParted, None, change)?;
            }
            Ok(parted)
        })
    }

    /// Sets the role that the groups of a person give; `None` makes the account a viewer and ends its sessions.
    /// It may take the role from the last admin: the provider decides, and the operator can name another admin.
    pub fn set_role_of_groups(
        &self,
        account: AccountId,
        role: Option<Role>,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            let changed = db.execute(
                "UPDATE account SET role = ?2 WHERE id = ?1 AND role <> ?2",
                values![account, role.unwrap_or(Role::Viewer).as_str()],
            )?;
            match role {
                Some(_) => {
                    db.execute(
                        "UPDATE account SET guest_of = NULL WHERE id = ?1",
                        values![account],
                    )?;
                }
                None => end_sessions(db, account)?,
            }
            match changed {
                0 => Ok(()),
                _ => log(db, account, AccountAction::Role, None, now.into()),
            }
        })
    }
}

fn join(
    db: &mut dyn Executor,
    identity: &Identity,
    account: AccountId,
    change: Change,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO identity (issuer, subject, account, joined_at) VALUES (?1, ?2, ?3, ?4)",
        values![
            identity.issuer.as_str(),
            identity.subject.as_str(),
            account,
            change.at
        ],
    )?;
    db.execute("DELETE FROM account_link WHERE account = ?1", values![account])?;
    log(db, account, AccountAction::IdentityJoined, None, change)
}

/// Deletes the identities of an account. Returns whether there was one.
pub(super) fn erase(db: &mut dyn Executor, account: AccountId) -> Result<bool, StoreError> {
    let parted = db.execute("DELETE FROM identity WHERE account = ?1", values![account])?;
    Ok(parted > 0)
}

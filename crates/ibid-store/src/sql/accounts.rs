//! Accounts, their sessions, credits and log.
//!
//! A transaction that moves credits or begins a session first locks the row of the account.

use super::{Backend, Durability, Executor, Lock, Query, Row, values};
use crate::columns::{MOST_SESSIONS, signed};
use crate::workspace::{
    AccountAction, AccountRecord, Change, CreditMovement, LogEntry, MovementKind, NewAccount, NewLink,
    NewSession, Role, SessionRecord, Spending,
};
use crate::{Millis, Store, StoreError};
use ibid_model::{AccountId, Email, ScanId};

/// Accounts with their balance, which is that of their latest movement.
macro_rules! select_accounts {
    ($rest:literal) => {
        concat!(
            "SELECT id, email, password, disabled, created_at,
                    coalesce((SELECT balance FROM credit WHERE credit.account = account.id
                              ORDER BY entry DESC LIMIT 1), 0) AS credits,
                    role, budget,
                    (SELECT max(at) FROM account_log
                     WHERE account_log.account = account.id AND action = 'signed_in')
                        AS signed_in_at,
                    EXISTS (SELECT 1 FROM second_factor
                            WHERE second_factor.account = account.id AND confirmed_at IS NOT NULL) AS second_factor
             FROM account ",
            $rest
        )
    };
}

impl Store {
    /// Opens an account with its first credits.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the address has an account; the fault of the database.
    pub fn open_account(&self, account: &NewAccount<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_account(db, account, now.into()))
    }

    /// Opens an account if no account exists, and returns whether it did.
    /// Of several concurrent calls one opens it.
    pub fn open_first_account(&self, account: &NewAccount<'_>, now: Millis) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            // A row that every database has: no account is there to be locked.
            db.lock("SELECT version FROM migration WHERE version = 1", &[])?;
            let sql = "SELECT 1 FROM account WHERE deleted_at IS NULL LIMIT 1";
            if db.has(sql, &[])? {
                return Ok(false);
            }
            insert_account(db, account, now.into())?;
            Ok(true)
        })
    }

    pub fn account(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError> {
        let sql = select_accounts!("WHERE email = ?1");
        self.one(sql, values![email.as_str()])
    }

    /// Returns every account, ordered by address.
    pub fn accounts(&self) -> Result<Vec<AccountRecord>, StoreError> {
        self.list(select_accounts!("WHERE deleted_at IS NULL ORDER BY email"), &[])
    }

    /// Returns the account of an id, unless it was deleted.
    pub fn account_by_id(&self, account: AccountId) -> Result<Option<AccountRecord>, StoreError> {
        self.read(|db| find_account(db, account))
    }

    /// Replaces the password and ends every session and link.
    pub fn set_password(&self, account: AccountId, password: &str, change: Change) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            replace_password(db, account, password, change)
        })
    }

    /// Gives an account another role.
    ///
    /// # Errors
    /// [`StoreError::LastAdmin`] when no enabled admin would be left; the fault of the database.
    pub fn set_role(&self, account: AccountId, role: Role, change: Change) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            if role != Role::Admin {
                keep_an_admin(db, account)?;
            }
            db.execute(
                "UPDATE account SET role = ?2, guest_of = NULL WHERE id = ?1",
                values![account, role.as_str()],
            )?;
            log(db, account, AccountAction::Role, None, change)
        })
    }

    /// Sets what an account may spend in a month, in millionths of a dollar; `None` for no bound.
    pub fn set_budget(
        &self,
        account: AccountId,
        budget: Option<u64>,
        change: Change,
    ) -> Result<(), StoreError> {
        let budget = budget.map(signed).transpose()?;
        self.write(Durability::Disk, |db| {
            db.execute(
                "UPDATE account SET budget = ?2 WHERE id = ?1",
                values![account, budget],
            )?;
            log(db, account, AccountAction::Budget, None, change)
        })
    }

    /// Stores a link that sets the password once. Earlier links of the account end.
    pub fn put_link(&self, link: &NewLink, change: Change) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, link.account)?;
            db.execute(
                "DELETE FROM account_link WHERE account = ?1",
                values![link.account],
            )?;
            db.execute(
                "INSERT INTO account_link (hash, account, expires_at) VALUES (?1, ?2, ?3)",
                values![&link.hash, link.account, link.expires_at],
            )?;
            log(db, link.account, AccountAction::Link, None, change)
        })
    }

    /// Returns the account of a link; `None` if the link has ended or the account is disabled.
    pub fn link(&self, hash: &[u8; 32], now: Millis) -> Result<Option<AccountRecord>, StoreError> {
        let sql = select_accounts!(
            "WHERE NOT disabled AND id IN (SELECT account FROM account_link WHERE hash = ?1 AND expires_at > ?2)"
        );
        self.one(sql, values![hash, now])
    }

    /// Replaces the password of the account that a link names, and ends its sessions and links.
    /// Returns whether the link was valid.
    pub fn use_link(&self, hash: &[u8; 32], password: &str, now: Millis) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let used = db.one(
                "DELETE FROM account_link WHERE hash = ?1 AND expires_at > ?2
                     AND account IN (SELECT id FROM account WHERE NOT disabled) RETURNING account",
                values![hash, now],
            )?;
            let Some(account) = used else {
                return Ok(false);
            };
            replace_password(db, account, password, now.into())?;
            Ok(true)
        })
    }

    /// Deletes an account with its scans, audits, sessions and log.
    /// Its credits and receipts stay, without its address and without what they were for.
    ///
    /// # Errors
    /// [`StoreError::Lost`] while one of its scans runs; the fault of the database.
    pub fn delete_account(&self, account: AccountId, change: Change) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| erase_account(db, account, change))
    }

    /// Returns scans and costs for every account that began scans in a span of time.
    /// Imported scans do not count.
    pub fn spending(&self, from: Millis, until: Millis) -> Result<Vec<Spending>, StoreError> {
        self.list(
            "SELECT account, count(*) AS scans, CAST(sum(cost) AS BIGINT) AS cost FROM workspace_scan
             WHERE created_at >= ?1 AND created_at < ?2
               AND EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id)
             GROUP BY account ORDER BY account",
            values![from, until],
        )
    }

    /// Disables or enables an account. Both end every session.
    pub fn set_disabled(&self, account: AccountId, disabled: bool, change: Change) -> Result<(), StoreError> {
        let action = if disabled {
            AccountAction::Disabled
        } else {
            AccountAction::Enabled
        };
        self.write(Durability::Disk, |db| {
            if disabled {
                keep_an_admin(db, account)?;
            }
            db.execute(
                "UPDATE account SET disabled = ?2 WHERE id = ?1",
                values![account, disabled],
            )?;
            end_sessions(db, account)?;
            log(db, account, action, None, change)
        })
    }

    /// Gives credits, or takes them if negative. Returns the new balance.
    ///
    /// # Errors
    /// [`StoreError::NoCredit`] when the account has fewer; the fault of the database.
    pub fn move_credits(&self, account: AccountId, amount: i64, change: Change) -> Result<u32, StoreError> {
        self.write(Durability::Disk, |db| {
            let kind = match amount {
                0 => return balance(db, account),
                1.. => MovementKind::Granted,
                ..0 => MovementKind::Withdrawn,
            };
            let balance = move_credits(db, account, kind, amount, None, change.at)?;
            log(db, account, AccountAction::Credits, None, change)?;
            Ok(balance)
        })
    }

    /// Begins a session.
    /// Ends the replaced session, expired sessions, and the account's oldest sessions beyond twenty.
    pub fn open_session(&self, session: &NewSession, now: Millis) -> Result<(), StoreError> {
        let (hash, account) = (&session.hash, session.account);
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            if let Some(replaced) = &session.replaces {
                db.execute("DELETE FROM session WHERE hash = ?1", values![replaced])?;
            }
            // A session that another transaction is deleting is left to it.
            let expired = db.locked::<Vec<u8>>(
                "SELECT hash FROM session WHERE expires_at <= ?1",
                Lock::SkipLocked,
                values![now],
            )?;
            for expired in expired {
                db.execute("DELETE FROM session WHERE hash = ?1", values![expired.as_slice()])?;
            }
            db.execute(
                "INSERT INTO session (hash, account, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
                values![hash, account, now, session.expires_at],
            )?;
            db.execute(
                "DELETE FROM session WHERE account = ?1 AND hash NOT IN
                     (SELECT hash FROM session WHERE account = ?1 ORDER BY created_at DESC, hash = ?3 DESC LIMIT ?2)",
                values![account, MOST_SESSIONS, hash],
            )?;
            log(db, account, AccountAction::SignedIn, None, now.into())
        })
    }

    /// Returns the account of a session; `None` if the session has expired or the account is disabled.
    pub fn session(&self, hash: &[u8; 32], now: Millis) -> Result<Option<SessionRecord>, StoreError> {
        self.one(
            "SELECT account.id AS account, account.email,
                    coalesce((SELECT balance FROM credit WHERE credit.account = account.id
                              ORDER BY entry DESC LIMIT 1), 0) AS credits,
                    account.role, account.guest_of IS NOT NULL AS is_guest
             FROM session JOIN account ON account.id = session.account
             WHERE session.hash = ?1 AND session.expires_at > ?2 AND NOT account.disabled",
            values![hash, now],
        )
    }

    /// Ends a session, if there is one.
    pub fn end_session(&self, hash: &[u8; 32], now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "DELETE FROM session WHERE hash = ?1 RETURNING account";
            match db.one(sql, values![hash])? {
                Some(account) => log(db, account, AccountAction::SignedOut, None, now.into()),
                None => Ok(()),
            }
        })
    }

    /// Adds to the log of an account.
    pub fn log_account(
        &self,
        account: AccountId,
        action: AccountAction,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| log(db, account, action, None, now.into()))
    }

    /// Returns the log of one account, or everything, the latest entry first.
    pub fn account_log(&self, account: Option<AccountId>, most: u32) -> Result<Vec<LogEntry>, StoreError> {
        self.list(
            "SELECT at, account.email, action, scan, author.email AS \"by\"
             FROM account_log JOIN account ON account.id = account_log.account
                              LEFT JOIN account AS author ON author.id = account_log.actor
             WHERE account_log.account = ?1 OR ?1 IS NULL ORDER BY entry DESC LIMIT ?2",
            values![account, most],
        )
    }

    /// Returns the credit movements of an account before the entry `before`, the latest first.
    pub fn movements(
        &self,
        account: AccountId,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<CreditMovement>, StoreError> {
        let rows = self.rows(
            "SELECT credit.entry, credit.at, credit.kind, credit.amount, credit.balance,
                    workspace_scan.id, workspace_scan.domain, workspace_scan.keyword
             FROM credit LEFT JOIN workspace_scan ON workspace_scan.id = credit.scan
                                                 AND workspace_scan.deleted_at IS NULL
             WHERE credit.account = ?1 AND credit.entry < ?2 ORDER BY credit.entry DESC LIMIT ?3",
            values![account, before.unwrap_or(i64::MAX), most],
        )?;
        rows.into_iter().map(read_movement).collect()
    }
}

pub(super) fn find_account(
    db: &mut dyn Executor,
    account: AccountId,
) -> Result<Option<AccountRecord>, StoreError> {
    let sql = select_accounts!("WHERE id = ?1 AND deleted_at IS NULL");
    db.one(sql, values![account])
}

fn replace_password(
    db: &mut dyn Executor,
    account: AccountId,
    password: &str,
    change: Change,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE account SET password = ?2 WHERE id = ?1",
        values![account, password],
    )?;
    end_sessions(db, account)?;
    log(db, account, AccountAction::Password, None, change)
}

fn read_movement(mut row: Row) -> Result<CreditMovement, StoreError> {
    let scan = match row.take::<Option<ScanId>>(5)? {
        Some(id) => Some((id, row.take(6)?, row.take(7)?)),
        None => None,
    };
    Ok(CreditMovement {
        entry: row.take(0)?,
        at: row.take(1)?,
        kind: row.take(2)?,
        amount: row.take(3)?,
        balance: row.take(4)?,
        scan,
    })
}

/// Deletes an account. Its credits and receipts stay, without the address.
pub(super) fn erase_account(
    db: &mut dyn Executor,
    account: AccountId,
    change: Change,
) -> Result<(), StoreError> {
    let email = format!("deleted-{account}");
    lock_account(db, account)?;
    super::projects::erase_account(db, account, change.by)?;
    super::runs::erase_runs(db, account, change.at)?;
    super::schedules::delete_schedules(db, &format!("account {account}"))?;
    end_sessions(db, account)?;
    super::second_factors::erase(db, account)?;
    super::identities::erase(db, account)?;
    super::report_brands::erase(db, account)?;
    super::question_sets::erase(db, &format!("account {account}"))?;
    db.execute("DELETE FROM account_log WHERE account = ?1", values![account])?;
    db.execute(
        "UPDATE account SET email = ?2, password = '', disabled = ?3, role = 'viewer', budget = NULL, deleted_at = ?4
         WHERE id = ?1",
        values![account, email.as_str(), true, change.at],
    )?;
    log(db, account, AccountAction::Deleted, None, change)
}

/// Ends every session and every one-time link.
pub(super) fn end_sessions(db: &mut dyn Executor, account: AccountId) -> Result<(), StoreError> {
    db.execute("DELETE FROM account_link WHERE account = ?1", values![account])?;
    db.run("DELETE FROM session WHERE account = ?1", values![account])
}

pub(super) fn log(
    db: &mut dyn Executor,
    account: AccountId,
    action: AccountAction,
    scan: Option<ScanId>,
    change: Change,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO account_log (at, account, action, scan, actor) VALUES (?1, ?2, ?3, ?4, ?5)",
        values![change.at, account, action.as_str(), scan, change.by],
    )
}

/// Refuses a change that takes the last enabled admin away.
/// The admins are locked in a fixed order: when two demote each other, one is left.
fn keep_an_admin(db: &mut dyn Executor, account: AccountId) -> Result<(), StoreError> {
    let admins: Vec<AccountId> = db.locked(
        "SELECT id FROM account WHERE role = 'admin' AND disabled = ?1 AND deleted_at IS NULL ORDER BY id",
        Lock::Row,
        values![false],
    )?;

    if admins == [account] {
        return Err(StoreError::LastAdmin);
    }
    Ok(())
}

pub(super) fn insert_account(
    db: &mut dyn Executor,
    account: &NewAccount<'_>,
    change: Change,
) -> Result<(), StoreError> {
    let now = change.at;
    db.execute(
        "INSERT INTO account (id, email, password, disabled, created_at, role) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            account.id,
            account.email.as_str(),
            account.password,
            false,
            now,
            account.role.as_str(),
        ],
    )?;
    log(db, account.id, AccountAction::Opened, None, change)?;
    if account.credits > 0 {
        let kind = MovementKind::Granted;
        move_credits(db, account.id, kind, account.credits.into(), None, now)?;
    }
    Ok(())
}

/// Keeps other transactions from moving credits of the account and from beginning sessions for it.
pub(super) fn lock_account(db: &mut dyn Executor, account: AccountId) -> Result<(), StoreError> {
    db.lock("SELECT id FROM account WHERE id = ?1", values![account])
        .map(drop)
}

fn balance(db: &mut dyn Executor, account: AccountId) -> Result<u32, StoreError> {
    let sql = "SELECT balance FROM credit WHERE account = ?1 ORDER BY entry DESC LIMIT 1";
    Ok(db.one(sql, values![account])?.unwrap_or(0))
}

/// Adds a movement of credits. Returns the balance after it.
///
/// # Errors
/// [`StoreError::NoCredit`] when the balance would be negative, or the fault of the database.
pub(super) fn move_credits(
    db: &mut dyn Executor,
    account: AccountId,
    kind: MovementKind,
    amount: i64,
    scan: Option<ScanId>,
    now: Millis,
) -> Result<u32, StoreError> {
    lock_account(db, account)?;
    let after = i64::from(balance(db, account)?).saturating_add(amount);
    let after = u32::try_from(after).map_err(|_| StoreError::NoCredit)?;
    db.execute(
        "INSERT INTO credit (at, account, kind, amount, balance, scan) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![now, account, kind.as_str(), amount, after, scan],
    )?;
    Ok(after)
}

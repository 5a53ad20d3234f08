//! Accounts in SQLite.

use super::{Sqlite, is_taken};
use crate::columns::MOST_SESSIONS;
use crate::workspace::{
    AccountAction, AccountRecord, Accounts, LogEntry, Movement, MovementKind, NewAccount, NewSession,
    SessionRecord,
};
use crate::{Millis, StoreError};
use ibid_model::{AccountId, Email, ScanId};
use rusqlite::{Connection, OptionalExtension, Row, params};

impl Accounts for Sqlite {
    fn open_account(&self, account: &NewAccount<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(|connection| {
            let done = connection.execute(
                "INSERT INTO account (id, email, password, created_at) VALUES (?1, ?2, ?3, ?4)",
                params![
                    account.id.as_bytes(),
                    account.email.as_str(),
                    account.password,
                    now
                ],
            );
            match done {
                Ok(_) => {}
                Err(error) if is_taken(&error) => return Err(StoreError::Exists),
                Err(error) => return Err(error.into()),
            }
            log(connection, account.id, AccountAction::Opened, None, now)?;
            if account.credits > 0 {
                let kind = MovementKind::Granted;
                move_credits(connection, account.id, kind, account.credits.into(), None, now)?;
            }
            Ok(())
        })
    }

    fn account(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError> {
        self.read(|connection| {
            let sql = format!("{ACCOUNTS} WHERE email = ?1");
            connection
                .prepare_cached(&sql)?
                .query_row(params![email.as_str()], |row| Ok(read_account(row)))
                .optional()?
                .transpose()
        })
    }

    fn accounts(&self) -> Result<Vec<AccountRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(&format!("{ACCOUNTS} ORDER BY email"))?;
            let rows = statement.query_map([], |row| Ok(read_account(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    fn set_password(&self, account: AccountId, password: &str, now: Millis) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute(
                "UPDATE account SET password = ?2 WHERE id = ?1",
                params![account.as_bytes(), password],
            )?;
            end_sessions(connection, account)?;
            log(connection, account, AccountAction::Password, None, now)
        })
    }

    fn set_disabled(&self, account: AccountId, disabled: bool, now: Millis) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute(
                "UPDATE account SET disabled = ?2 WHERE id = ?1",
                params![account.as_bytes(), disabled],
            )?;
            end_sessions(connection, account)?;
            let action = if disabled {
                AccountAction::Disabled
            } else {
                AccountAction::Enabled
            };
            log(connection, account, action, None, now)
        })
    }

    fn move_credits(&self, account: AccountId, amount: i64, now: Millis) -> Result<u32, StoreError> {
        self.write(|connection| {
            let kind = match amount {
                0 => return balance(connection, account),
                1.. => MovementKind::Granted,
                ..0 => MovementKind::Withdrawn,
            };
            let balance = move_credits(connection, account, kind, amount, None, now)?;
            log(connection, account, AccountAction::Credits, None, now)?;
            Ok(balance)
        })
    }

    fn open_session(&self, session: &NewSession, now: Millis) -> Result<(), StoreError> {
        self.write(|connection| {
            if let Some(replaced) = &session.replaces {
                connection.execute("DELETE FROM session WHERE hash = ?1", params![replaced])?;
            }
            connection.execute("DELETE FROM session WHERE expires_at <= ?1", params![now])?;
            connection.execute(
                "INSERT INTO session (hash, account, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
                params![session.hash, session.account.as_bytes(), now, session.expires_at],
            )?;
            connection.execute(
                "DELETE FROM session WHERE account = ?1 AND hash NOT IN
                     (SELECT hash FROM session WHERE account = ?1 ORDER BY created_at DESC, hash = ?3 DESC LIMIT ?2)",
                params![session.account.as_bytes(), MOST_SESSIONS, session.hash],
            )?;
            log(connection, session.account, AccountAction::SignedIn, None, now)
        })
    }

    fn session(&self, hash: &[u8; 32], now: Millis) -> Result<Option<SessionRecord>, StoreError> {
        self.read(|connection| {
            let found: Option<(Vec<u8>, String)> = connection
                .prepare_cached(
                    "SELECT account.id, account.email FROM session JOIN account ON account.id = session.account
                     WHERE session.hash = ?1 AND session.expires_at > ?2 AND NOT account.disabled",
                )?
                .query_row(params![hash, now], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((account, email)) = found else {
                return Ok(None);
            };
            let account = account_id(account)?;
            let credits = balance(connection, account)?;
            Ok(Some(SessionRecord {
                account,
                email,
                credits,
            }))
        })
    }

    fn end_session(&self, hash: &[u8; 32], now: Millis) -> Result<(), StoreError> {
        self.write(|connection| {
            let ended: Option<Vec<u8>> = connection
                .prepare_cached("DELETE FROM session WHERE hash = ?1 RETURNING account")?
                .query_row(params![hash], |row| row.get(0))
                .optional()?;
            match ended {
                Some(account) => log(
                    connection,
                    account_id(account)?,
                    AccountAction::SignedOut,
                    None,
                    now,
                ),
                None => Ok(()),
            }
        })
    }

    fn log_account(&self, account: AccountId, action: AccountAction, now: Millis) -> Result<(), StoreError> {
        self.write(|connection| log(connection, account, action, None, now))
    }

    fn account_log(&self, account: Option<AccountId>, most: u32) -> Result<Vec<LogEntry>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT at, email, action, scan FROM account_log JOIN account ON account.id = account_log.account
                 WHERE ?1 IS NULL OR account_log.account = ?1 ORDER BY entry DESC LIMIT ?2",
            )?;
            let account = account.map(|account| account.as_bytes().to_vec());
            let rows = statement.query_map(params![account, most], |row| Ok(read_entry(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    fn movements(
        &self,
        account: AccountId,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<Movement>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT credit.entry, credit.at, credit.kind, credit.amount, credit.balance,
                        workspace_scan.id, workspace_scan.domain, workspace_scan.keyword
                 FROM credit LEFT JOIN workspace_scan ON workspace_scan.id = credit.scan
                 WHERE credit.account = ?1 AND credit.entry < ?2 ORDER BY credit.entry DESC LIMIT ?3",
            )?;
            let before = before.unwrap_or(i64::MAX);
            let rows = statement.query_map(params![account.as_bytes(), before, most], |row| {
                Ok(read_movement(row))
            })?;
            rows.map(|row| row?).collect()
        })
    }
}

/// Accounts with their balance, which is that of their latest movement.
const ACCOUNTS: &str = "SELECT id, email, password, disabled, created_at,
    coalesce((SELECT balance FROM credit WHERE credit.account = account.id ORDER BY entry DESC LIMIT 1), 0)
    FROM account";

fn read_account(row: &Row<'_>) -> Result<AccountRecord, StoreError> {
    Ok(AccountRecord {
        id: account_id(row.get(0)?)?,
        email: row.get(1)?,
        password: row.get(2)?,
        disabled: row.get(3)?,
        created_at: row.get(4)?,
        credits: row.get(5)?,
    })
}

fn read_entry(row: &Row<'_>) -> Result<LogEntry, StoreError> {
    let word: String = row.get(2)?;
    let known = AccountAction::ALL
        .into_iter()
        .find(|action| action.as_str() == word);
    let scan: Option<Vec<u8>> = row.get(3)?;
    Ok(LogEntry {
        at: row.get(0)?,
        email: row.get(1)?,
        action: known.ok_or(StoreError::Damaged("account log"))?,
        scan: scan.map(scan_id).transpose()?,
    })
}

fn read_movement(row: &Row<'_>) -> Result<Movement, StoreError> {
    let word: String = row.get(2)?;
    let known = MovementKind::ALL.into_iter().find(|kind| kind.as_str() == word);
    let scan = match row.get::<_, Option<Vec<u8>>>(5)? {
        Some(id) => Some((scan_id(id)?, row.get(6)?, row.get(7)?)),
        None => None,
    };
    Ok(Movement {
        entry: row.get(0)?,
        at: row.get(1)?,
        kind: known.ok_or(StoreError::Damaged("movement"))?,
        amount: row.get(3)?,
        balance: row.get(4)?,
        scan,
    })
}

pub(super) fn account_id(bytes: Vec<u8>) -> Result<AccountId, StoreError> {
    let bytes = bytes.try_into().map_err(|_| StoreError::Damaged("account"))?;
    Ok(AccountId::from_bytes(bytes))
}

pub(super) fn scan_id(bytes: Vec<u8>) -> Result<ScanId, StoreError> {
    let bytes = bytes.try_into().map_err(|_| StoreError::Damaged("scan id"))?;
    Ok(ScanId::from_bytes(bytes))
}

fn end_sessions(connection: &Connection, account: AccountId) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM session WHERE account = ?1",
        params![account.as_bytes()],
    )?;
    Ok(())
}

pub(super) fn log(
    connection: &Connection,
    account: AccountId,
    action: AccountAction,
    scan: Option<ScanId>,
    now: Millis,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO account_log (at, account, action, scan) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![
            now,
            account.as_bytes(),
            action.as_str(),
            scan.map(|scan| scan.as_bytes().to_vec())
        ])?;
    Ok(())
}

fn balance(connection: &Connection, account: AccountId) -> Result<u32, StoreError> {
    let balance = connection
        .prepare_cached("SELECT balance FROM credit WHERE account = ?1 ORDER BY entry DESC LIMIT 1")?
        .query_row(params![account.as_bytes()], |row| row.get(0))
        .optional()?;
    Ok(balance.unwrap_or(0))
}

/// Books a movement. Returns the balance after it.
pub(super) fn move_credits(
    connection: &Connection,
    account: AccountId,
    kind: MovementKind,
    amount: i64,
    scan: Option<ScanId>,
    now: Millis,
) -> Result<u32, StoreError> {
    let after = i64::from(balance(connection, account)?).saturating_add(amount);
    let after = u32::try_from(after).map_err(|_| StoreError::NoCredit)?;
    connection
        .prepare_cached(
            "INSERT INTO credit (at, account, kind, amount, balance, scan) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            now,
            account.as_bytes(),
            kind.as_str(),
            amount,
            after,
            scan.map(|scan| scan.as_bytes().to_vec())
        ])?;
    Ok(after)
}

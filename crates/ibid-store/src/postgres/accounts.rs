//! Accounts in PostgreSQL. Whoever moves credits or begins sessions holds the lock of the account's row.

use super::link::{Link, column};
use super::{Postgres, uuid};
use crate::columns::MOST_SESSIONS;
use crate::workspace::{
    AccountAction, AccountRecord, Accounts, LogEntry, Movement, MovementKind, NewAccount, NewSession,
    SessionRecord,
};
use crate::{Millis, StoreError};
use ibid_model::{AccountId, Email, ScanId};
use postgres::Row;
use uuid::Uuid;

/// Accounts with their balance, which is that of their latest movement.
macro_rules! accounts {
    ($rest:literal) => {
        concat!(
            "SELECT id, email, password, disabled, created_at,
                    coalesce((SELECT balance FROM credit WHERE credit.account = account.id
                              ORDER BY entry DESC LIMIT 1), 0)
             FROM account ",
            $rest
        )
    };
}

impl Accounts for Postgres {
    fn open_account(&self, account: &NewAccount<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(|link| {
            link.execute(
                "INSERT INTO account (id, email, password, created_at) VALUES ($1, $2, $3, $4)",
                &[
                    &uuid(account.id.as_bytes()),
                    &account.email.as_str(),
                    &account.password,
                    &now,
                ],
            )?;
            log(link, account.id, AccountAction::Opened, None, now)?;
            if account.credits > 0 {
                let kind = MovementKind::Granted;
                move_credits(link, account.id, kind, account.credits.into(), None, now)?;
            }
            Ok(())
        })
    }

    fn account(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError> {
        let found = self.read(|link| link.first(accounts!("WHERE email = $1"), &[&email.as_str()]))?;
        found.as_ref().map(read_account).transpose()
    }

    fn accounts(&self) -> Result<Vec<AccountRecord>, StoreError> {
        let rows = self.read(|link| link.all(accounts!("ORDER BY email"), &[]))?;
        rows.iter().map(read_account).collect()
    }

    fn set_password(&self, account: AccountId, password: &str, now: Millis) -> Result<(), StoreError> {
        self.write(|link| {
            link.execute(
                "UPDATE account SET password = $2 WHERE id = $1",
                &[&uuid(account.as_bytes()), &password],
            )?;
            end_sessions(link, account)?;
            log(link, account, AccountAction::Password, None, now)
        })
    }

    fn set_disabled(&self, account: AccountId, disabled: bool, now: Millis) -> Result<(), StoreError> {
        let action = if disabled {
            AccountAction::Disabled
        } else {
            AccountAction::Enabled
        };
        self.write(|link| {
            link.execute(
                "UPDATE account SET disabled = $2 WHERE id = $1",
                &[&uuid(account.as_bytes()), &disabled],
            )?;
            end_sessions(link, account)?;
            log(link, account, action, None, now)
        })
    }

    fn move_credits(&self, account: AccountId, amount: i64, now: Millis) -> Result<u32, StoreError> {
        self.write(|link| {
            let kind = match amount {
                0 => return balance(link, account),
                1.. => MovementKind::Granted,
                ..0 => MovementKind::Withdrawn,
            };
            let balance = move_credits(link, account, kind, amount, None, now)?;
            log(link, account, AccountAction::Credits, None, now)?;
            Ok(balance)
        })
    }

    fn open_session(&self, session: &NewSession, now: Millis) -> Result<(), StoreError> {
        let (hash, account) = (session.hash.as_slice(), uuid(session.account.as_bytes()));
        self.write(|link| {
            lock(link, session.account)?;
            if let Some(replaced) = &session.replaces {
                link.execute("DELETE FROM session WHERE hash = $1", &[&replaced.as_slice()])?;
            }
            // What somebody else is about to forget is left to him.
            link.execute(
                "DELETE FROM session WHERE hash IN
                     (SELECT hash FROM session WHERE expires_at <= $1 FOR UPDATE SKIP LOCKED)",
                &[&now],
            )?;
            link.execute(
                "INSERT INTO session (hash, account, created_at, expires_at) VALUES ($1, $2, $3, $4)",
                &[&hash, &account, &now, &session.expires_at],
            )?;
            link.execute(
                "DELETE FROM session WHERE account = $1 AND hash NOT IN
                     (SELECT hash FROM session WHERE account = $1 ORDER BY created_at DESC, hash = $3 DESC LIMIT $2)",
                &[&account, &i64::from(MOST_SESSIONS), &hash],
            )?;
            log(link, session.account, AccountAction::SignedIn, None, now)
        })
    }

    fn session(&self, hash: &[u8; 32], now: Millis) -> Result<Option<SessionRecord>, StoreError> {
        let found = self.read(|link| {
            link.first(
                "SELECT account.id, account.email,
                        coalesce((SELECT balance FROM credit WHERE credit.account = account.id
                                  ORDER BY entry DESC LIMIT 1), 0)
                 FROM session JOIN account ON account.id = session.account
                 WHERE session.hash = $1 AND session.expires_at > $2 AND NOT account.disabled",
                &[&hash.as_slice(), &now],
            )
        })?;
        let read = |row: Row| {
            Ok(SessionRecord {
                account: account_id(&row, 0)?,
                email: column(&row, 1)?,
                credits: credits(&row, 2)?,
            })
        };
        found.map(read).transpose()
    }

    fn end_session(&self, hash: &[u8; 32], now: Millis) -> Result<(), StoreError> {
        self.write(|link| {
            let ended = link.first(
                "DELETE FROM session WHERE hash = $1 RETURNING account",
                &[&hash.as_slice()],
            )?;
            match ended {
                Some(row) => log(link, account_id(&row, 0)?, AccountAction::SignedOut, None, now),
                None => Ok(()),
            }
        })
    }

    fn log_account(&self, account: AccountId, action: AccountAction, now: Millis) -> Result<(), StoreError> {
        self.write(|link| log(link, account, action, None, now))
    }

    fn account_log(&self, account: Option<AccountId>, most: u32) -> Result<Vec<LogEntry>, StoreError> {
        let account = account.map(|account| uuid(account.as_bytes()));
        let rows = self.read(|link| {
            link.all(
                "SELECT at, email, action, scan FROM account_log JOIN account ON account.id = account_log.account
                 WHERE $1::uuid IS NULL OR account_log.account = $1 ORDER BY entry DESC LIMIT $2",
                &[&account, &i64::from(most)],
            )
        })?;
        rows.iter().map(read_entry).collect()
    }

    fn movements(
        &self,
        account: AccountId,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<Movement>, StoreError> {
        let rows = self.read(|link| {
            link.all(
                "SELECT credit.entry, credit.at, credit.kind, credit.amount, credit.balance,
                        workspace_scan.id, workspace_scan.domain, workspace_scan.keyword
                 FROM credit LEFT JOIN workspace_scan ON workspace_scan.id = credit.scan
                 WHERE credit.account = $1 AND credit.entry < $2 ORDER BY credit.entry DESC LIMIT $3",
                &[
                    &uuid(account.as_bytes()),
                    &before.unwrap_or(i64::MAX),
                    &i64::from(most),
                ],
            )
        })?;
        rows.iter().map(read_movement).collect()
    }
}

fn read_account(row: &Row) -> Result<AccountRecord, StoreError> {
    Ok(AccountRecord {
        id: account_id(row, 0)?,
        email: column(row, 1)?,
        password: column(row, 2)?,
        disabled: column(row, 3)?,
        created_at: column(row, 4)?,
        credits: credits(row, 5)?,
    })
}

fn read_entry(row: &Row) -> Result<LogEntry, StoreError> {
    let word: &str = column(row, 2)?;
    let known = AccountAction::ALL
        .into_iter()
        .find(|action| action.as_str() == word);
    let scan: Option<Uuid> = column(row, 3)?;
    Ok(LogEntry {
        at: column(row, 0)?,
        email: column(row, 1)?,
        action: known.ok_or(StoreError::Damaged("account log"))?,
        scan: scan.map(|scan| ScanId::from_bytes(scan.into_bytes())),
    })
}

fn read_movement(row: &Row) -> Result<Movement, StoreError> {
    let word: &str = column(row, 2)?;
    let known = MovementKind::ALL.into_iter().find(|kind| kind.as_str() == word);
    let scan = match column::<Option<Uuid>>(row, 5)? {
        Some(id) => Some((
            ScanId::from_bytes(id.into_bytes()),
            column(row, 6)?,
            column(row, 7)?,
        )),
        None => None,
    };
    Ok(Movement {
        entry: column(row, 0)?,
        at: column(row, 1)?,
        kind: known.ok_or(StoreError::Damaged("movement"))?,
        amount: column(row, 3)?,
        balance: credits(row, 4)?,
        scan,
    })
}

/// A column with the id of an account.
pub(super) fn account_id(row: &Row, at: usize) -> Result<AccountId, StoreError> {
    Ok(AccountId::from_bytes(column::<Uuid>(row, at)?.into_bytes()))
}

fn credits(row: &Row, at: usize) -> Result<u32, StoreError> {
    u32::try_from(column::<i64>(row, at)?).map_err(|_| StoreError::Damaged("balance"))
}

fn end_sessions(link: &mut Link, account: AccountId) -> Result<(), StoreError> {
    link.execute(
        "DELETE FROM session WHERE account = $1",
        &[&uuid(account.as_bytes())],
    )?;
    Ok(())
}

pub(super) fn log(
    link: &mut Link,
    account: AccountId,
    action: AccountAction,
    scan: Option<ScanId>,
    now: Millis,
) -> Result<(), StoreError> {
    link.execute(
        "INSERT INTO account_log (at, account, action, scan) VALUES ($1, $2, $3, $4)",
        &[
            &now,
            &uuid(account.as_bytes()),
            &action.as_str(),
            &scan.map(|scan| uuid(scan.as_bytes())),
        ],
    )?;
    Ok(())
}

/// From here to the end of the transaction nobody else moves credits of the account or begins sessions for it. Rows
/// that only name the account go on.
fn lock(link: &mut Link, account: AccountId) -> Result<(), StoreError> {
    link.execute(
        "SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE",
        &[&uuid(account.as_bytes())],
    )?;
    Ok(())
}

fn balance(link: &mut Link, account: AccountId) -> Result<u32, StoreError> {
    let latest = link.first(
        "SELECT balance FROM credit WHERE account = $1 ORDER BY entry DESC LIMIT 1",
        &[&uuid(account.as_bytes())],
    )?;
    latest.map_or(Ok(0), |row| credits(&row, 0))
}

/// Books a movement. Returns the balance after it.
pub(super) fn move_credits(
    link: &mut Link,
    account: AccountId,
    kind: MovementKind,
    amount: i64,
    scan: Option<ScanId>,
    now: Millis,
) -> Result<u32, StoreError> {
    lock(link, account)?;
    let after = i64::from(balance(link, account)?).saturating_add(amount);
    let after = u32::try_from(after).map_err(|_| StoreError::NoCredit)?;
    link.execute(
        "INSERT INTO credit (at, account, kind, amount, balance, scan) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            &now,
            &uuid(account.as_bytes()),
            &kind.as_str(),
            &amount,
            &i64::from(after),
            &scan.map(|scan| uuid(scan.as_bytes())),
        ],
    )?;
    Ok(after)
}

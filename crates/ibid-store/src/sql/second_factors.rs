//! Second factors of accounts.

use super::accounts::{lock_account, log};
use super::{Backend, Durability, Executor, values};
use crate::second_factor::SecondFactor;
use crate::workspace::{AccountAction, Change};
use crate::{Millis, Store, StoreError};
use ibid_model::AccountId;

impl Store {
    /// Stores an unconfirmed secret, in the place of an earlier unconfirmed one.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the account has a confirmed one; the fault of the database.
    pub fn begin_second_factor(&self, account: AccountId, secret: &[u8; 20]) -> Result<(), StoreError> {
        let sealed = self.keys()?.stored(account.as_bytes(), secret)?;
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            db.execute(
                "DELETE FROM second_factor WHERE account = ?1 AND confirmed_at IS NULL",
                values![account],
            )?;
            db.run(
                "INSERT INTO second_factor (account, secret, last_step) VALUES (?1, ?2, 0)",
                values![account, sealed.as_slice()],
            )
        })
    }

    pub fn second_factor(&self, account: AccountId) -> Result<Option<SecondFactor>, StoreError> {
        let keys = self.keys()?;
        let found = self.one::<(Vec<u8>, bool, u32)>(
            "SELECT secret, confirmed_at IS NOT NULL, (SELECT count(*) FROM recovery_code WHERE account = ?1)
             FROM second_factor WHERE account = ?1",
            values![account],
        )?;
        let opened = found.map(|(sealed, confirmed, codes_left)| {
            let secret = keys.opened(account.as_bytes(), &sealed);
            Some(SecondFactor {
                secret: secret?.try_into().ok()?,
                confirmed,
                codes_left,
            })
        });
        let damaged = StoreError::Damaged("second factor");
        opened.map(|factor| factor.ok_or(damaged)).transpose()
    }

    /// Confirms the second factor by the code of a time step, and stores the hashed recovery codes.
    /// Returns whether there was one to confirm.
    pub fn confirm_second_factor(
        &self,
        account: AccountId,
        step: i64,
        codes: &[[u8; 32]],
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            let confirmed = db.execute(
                "UPDATE second_factor SET confirmed_at = ?2, last_step = ?3 WHERE account = ?1 AND confirmed_at IS NULL",
                values![account, now, step],
            )?;
            if confirmed == 0 {
                return Ok(false);
            }
            for code in codes {
                db.execute(
                    "INSERT INTO recovery_code (hash, account) VALUES (?1, ?2)",
                    values![code, account],
                )?;
            }
            log(db, account, AccountAction::SecondFactorOn, None, now.into())?;
            Ok(true)
        })
    }

    /// Uses the code of a time step.
    /// Returns `false` if the code for this or a later step was used before.
    pub fn use_step(&self, account: AccountId, step: i64) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let used = db.execute(
                "UPDATE second_factor SET last_step = ?2
                 WHERE account = ?1 AND last_step < ?2 AND confirmed_at IS NOT NULL",
                values![account, step],
            )?;
            Ok(used == 1)
        })
    }

    /// Uses a recovery code. Returns `false` if it is unknown or was used before.
    pub fn use_recovery_code(
        &self,
        account: AccountId,
        hash: &[u8; 32],
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let used = db.execute(
                "DELETE FROM recovery_code WHERE account = ?1 AND hash = ?2",
                values![account, hash],
            )?;
            if used == 1 {
                log(db, account, AccountAction::RecoveryCodeUsed, None, now.into())?;
            }
            Ok(used == 1)
        })
    }

    /// Removes the second factor and its recovery codes. Returns whether there was one.
    pub fn remove_second_factor(&self, account: AccountId, change: Change) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            let removed = erase(db, account)?;
            if removed {
                log(db, account, AccountAction::SecondFactorOff, None, change)?;
            }
            Ok(removed)
        })
    }
}

/// Deletes the second factor of an account. Returns whether there was one.
pub(super) fn erase(db: &mut dyn Executor, account: AccountId) -> Result<bool, StoreError> {
    db.execute("DELETE FROM recovery_code WHERE account = ?1", values![account])?;
    let removed = db.execute("DELETE FROM second_factor WHERE account = ?1", values![account])?;
    Ok(removed == 1)
}

//! Titles and logos of reports.

use super::accounts::lock_account;
use super::{Backend, Durability, Executor, Query, values};
use crate::report_brand::{LogoChange, ReportBrand};
use crate::{Millis, Store, StoreError};
use ibid_model::AccountId;

impl Store {
    /// Returns the title and the logo of an account; `None` without both.
    pub fn report_brand(&self, account: AccountId) -> Result<Option<ReportBrand>, StoreError> {
        self.read(|db| find(db, account))
    }

    /// Sets the title and changes the logo of an account.
    /// Returns `false` if the account is unknown or was deleted.
    pub fn set_report_brand(
        &self,
        account: AccountId,
        title: Option<&str>,
        logo: LogoChange<'_>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            lock_account(db, account)?;
            let sql = "SELECT id FROM account WHERE id = ?1 AND deleted_at IS NULL";
            if !db.has(sql, values![account])? {
                return Ok(false);
            }
            let logo = match logo {
                LogoChange::Keep => find(db, account)?.and_then(|brand| brand.logo),
                LogoChange::Remove => None,
                LogoChange::Replace(png) => Some(png.to_vec()),
            };
            erase(db, account)?;
            if title.is_some() || logo.is_some() {
                db.execute(
                    "INSERT INTO report_brand (account, title, logo, changed_at) VALUES (?1, ?2, ?3, ?4)",
                    values![account, title, logo.as_deref(), now],
                )?;
            }
            Ok(true)
        })
    }
}

fn find(db: &mut dyn Executor, account: AccountId) -> Result<Option<ReportBrand>, StoreError> {
    let sql = "SELECT title, logo, changed_at FROM report_brand WHERE account = ?1";
    db.one(sql, values![account])
}

/// Deletes the title and the logo of an account.
pub(super) fn erase(db: &mut dyn Executor, account: AccountId) -> Result<(), StoreError> {
    db.run("DELETE FROM report_brand WHERE account = ?1", values![account])
}

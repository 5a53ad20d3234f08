//! A person's data: handing it out, and deleting the account.

use super::admin::{Admin, by};
use super::attempts::Attempt;
use super::export::AccountExport;
use super::sign_in::Member;
use crate::accounts::Accounts;
use crate::clock::now_ms;
use crate::error::Error;
use bytes::Bytes;
use futures_util::Stream;
use ibid_model::AccountId;
use ibid_store::{Change, RunQuery, StoreError};
use secrecy::SecretString;
use std::net::IpAddr;
use std::time::Duration;

/// The latest scans, in which running ones are looked for.
/// No more than these can run at a time.
const LATEST: u32 = 10_000;

impl Accounts {
    /// Returns all data of an account: one JSON document in parts.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Store`]; [`Error::Evidence`].
    /// A fault after the first part ends the stream with an error.
    pub async fn export(
        &self,
        account: AccountId,
    ) -> Result<impl Stream<Item = Result<Bytes, Error>> + use<>, Error> {
        let begun = self.db().call(move |store| match store.account_by_id(account)? {
            Some(record) => AccountExport::begin(store, record, now_ms()).map(Some),
            None => Ok(None),
        });
        let export = begun.await?.ok_or(Error::NotFound)?;
        let evidence = self.stored_scans.evidence.clone();
        Ok(futures_util::stream::try_unfold(export, move |mut export| {
            let evidence = evidence.clone();
            async move {
                let part = export.next(&evidence).await?;
                Ok(part.map(|part| (Bytes::from(part), export)))
            }
        }))
    }

    /// Deletes the account of a signed-in person who proves the password.
    /// Attempts count as sign-in attempts.
    ///
    /// # Errors
    /// [`Error::SignInRefused`] for a wrong password; [`Error::LastAdmin`] for one who leaves other people without an admin;
    /// [`Error::TooMany`]; [`Error::Store`].
    pub async fn delete_own_account(
        &self,
        member: &Member,
        password: SecretString,
        address: IpAddr,
    ) -> Result<(), Error> {
        self.check_own_password(member, password, address).await?;
        let change = Change {
            at: now_ms(),
            by: Some(member.account),
        };
        self.delete(member.account, change).await
    }

    /// Checks the password of a signed-in person. Attempts count as sign-in attempts.
    ///
    /// # Errors
    /// [`Error::SignInRefused`] for a wrong password; [`Error::TooMany`]; [`Error::Store`].
    pub(super) async fn check_own_password(
        &self,
        member: &Member,
        password: SecretString,
        address: IpAddr,
    ) -> Result<(), Error> {
        let account = member.account;
        let record = self.db().call(move |store| store.account_by_id(account)).await?;
        let record = record.ok_or(Error::NotFound)?;
        let counted = Attempt::of(address, &record.email, None);
        let is_right = self.check_counted(&counted, password, record.password).await?;
        is_right.then_some(()).ok_or(Error::SignInRefused)
    }

    /// Deletes an account.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the admin's own account; [`Error::Store`].
    pub async fn delete_person(&self, admin: &Admin, account: AccountId) -> Result<(), Error> {
        if admin.0 == account {
            return Err(Error::Forbidden);
        }
        self.on_person(account, |_| Ok(())).await?;
        self.delete(account, by(admin)).await
    }

    /// Stops the running scans of an account, then deletes it.
    async fn delete(&self, account: AccountId, change: Change) -> Result<(), Error> {
        let query = RunQuery {
            most: LATEST,
            ..RunQuery::default()
        };
        let latest = self
            .db()
            .call(move |store| store.find_runs(account, &query))
            .await?;
        for run in latest.rows {
            if run.state.is_open() {
                self.scans.queue.end_now(run.id).await?;
            }
        }
        let deleted = self.db().call(move |store| store.delete_account(account, change));
        match deleted.await {
            Err(StoreError::LastAdmin) => Err(Error::LastAdmin),
            // A scan began meanwhile.
            Err(StoreError::Lost) => Err(Error::Overloaded {
                retry_after: Duration::from_secs(2),
            }),
            deleted => Ok(deleted?),
        }
    }

    /// Checks the password of a public link under the limits on guessing.
    pub(crate) async fn check_share(
        &self,
        token: &str,
        password: SecretString,
        hash: String,
        address: IpAddr,
    ) -> Result<bool, Error> {
        let counted = Attempt::of_link(address, token);
        self.check_counted(&counted, password, hash).await
    }

    /// Checks a password under the limits on guessing.
    async fn check_counted(
        &self,
        counted: &Attempt,
        password: SecretString,
        hash: String,
    ) -> Result<bool, Error> {
        self.count_attempt(counted).await?;
        let right = self.sign_ins.hashing.verify(password, Some(hash)).await?;
        if right {
            self.count_success(counted).await?;
        }
        Ok(right)
    }
}

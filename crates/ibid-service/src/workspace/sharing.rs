//! Public links, with an end and a password, opened by a cookie after proof of the password.

use crate::accounts::{Accounts, PasswordError, SharePass, random_text};
use crate::clock::now_ms;
use crate::error::Error;
use ibid_model::{AccountId, FaultCode, ScanId};
use ibid_store::{NewShare, SharedRun};
use secrecy::{ExposeSecret, SecretString};
use std::net::IpAddr;

/// A link lasts so many days at most: ten years.
const MOST_DAYS: u32 = 3_650;
/// Milliseconds of a day.
const DAY: i64 = 24 * 3_600_000;

/// How long a new link lasts, and what opens it.
#[derive(Debug, Default)]
pub struct ShareTerms {
    /// Days until it ends, or `None` for no end.
    pub days: Option<u32>,
    /// Its password; empty for no password.
    pub password: SecretString,
}

/// A public link that can be stored. No `Debug`: its token opens a report.
pub(crate) struct NewLink {
    pub(crate) token: String,
    pub(crate) until: Option<i64>,
    pub(crate) password: Option<String>,
}

/// The scan behind a public link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedReport {
    pub account: AccountId,
    pub id: ScanId,
    /// Whether the link has a password.
    pub protected: bool,
}

/// A public link as a reader finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareAccess {
    /// The report may be read.
    Open(SharedReport),
    /// The password has to be proved first.
    Locked,
}

impl Accounts {
    /// Gives a report a public link, unless it has one.
    ///
    /// # Errors
    /// [`Error::Invalid`] for terms out of range; [`Error::NotFound`], also for a scan without a report;
    /// [`Error::Overloaded`]; [`Error::Store`].
    pub async fn share(&self, account: AccountId, id: ScanId, terms: ShareTerms) -> Result<(), Error> {
        let link = self.new_link(terms).await?;
        let set = self.in_store(move |store| {
            let share = NewShare {
                token: &link.token,
                until: link.until,
                password: link.password.as_deref(),
            };
            store.set_share(account, id, Some(&share), now_ms())
        });
        set.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// A public link with these terms.
    pub(crate) async fn new_link(&self, terms: ShareTerms) -> Result<NewLink, Error> {
        let token = random_text::<16>()?;
        if terms.days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
            let message = format!("a link lasts 1 to {MOST_DAYS} days");
            return Err(invalid("/days", message));
        }
        let until = terms
            .days
            .map(|days| now_ms().saturating_add(i64::from(days) * DAY));
        let password = match terms.password.expose_secret().is_empty() {
            true => None,
            false => match self.sign_ins.hashing.hash(terms.password, "").await? {
                Ok(hash) => Some(hash),
                Err(PasswordError::Failed) => return Err(Error::NoEntropy),
                Err(refused) => return Err(invalid("/password", refused.to_string())),
            },
        };
        Ok(NewLink {
            token,
            until,
            password,
        })
    }

    /// Whether a pass opens a link with a password of this hash.
    pub(crate) async fn is_link_open(
        &self,
        token: &str,
        hash: Option<&str>,
        pass: Option<&str>,
    ) -> Result<bool, Error> {
        let Some(hash) = hash else {
            return Ok(true);
        };
        let secret = self.device_secret().await?;
        Ok(pass.is_some_and(|pass| SharePass::opens(pass, &secret, token, hash, now_ms())))
    }

    /// Checks the password of a link and returns its pass. Attempts count as sign-in attempts.
    pub(crate) async fn unlock_link(
        &self,
        token: &str,
        hash: String,
        password: SecretString,
        address: IpAddr,
    ) -> Result<SharePass, Error> {
        if !self.check_share(token, password, hash.clone(), address).await? {
            return Err(Error::SignInRefused);
        }
        let secret = self.device_secret().await?;
        SharePass::new(&secret, token, &hash, now_ms())
    }

    /// Removes the public link of a report.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a scan without a report; [`Error::Store`].
    pub async fn unshare(&self, account: AccountId, id: ScanId) -> Result<(), Error> {
        let set = self.in_store(move |store| store.set_share(account, id, None, now_ms()));
        set.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// The scan behind a public link, for a reader with this pass.
    ///
    /// # Errors
    /// [`Error::NotFound`], also after the link has ended; [`Error::Store`].
    pub async fn shared(&self, token: &str, pass: Option<&str>) -> Result<ShareAccess, Error> {
        let found = self.find_share(token).await?;
        let open = self.is_link_open(token, found.password.as_deref(), pass).await?;
        Ok(if open {
            ShareAccess::Open(SharedReport {
                account: found.account,
                id: found.id,
                protected: found.password.is_some(),
            })
        } else {
            ShareAccess::Locked
        })
    }

    /// Checks the password of a public link and returns its pass.
    /// Attempts count as sign-in attempts.
    ///
    /// # Errors
    /// [`Error::SignInRefused`] for a wrong password; [`Error::NotFound`]; [`Error::TooMany`]; [`Error::Overloaded`];
    /// [`Error::Store`].
    pub async fn unlock_share(
        &self,
        token: &str,
        password: SecretString,
        address: IpAddr,
    ) -> Result<SharePass, Error> {
        let hash = self.find_share(token).await?.password.ok_or(Error::NotFound)?;
        self.unlock_link(token, hash, password, address).await
    }

    async fn find_share(&self, token: &str) -> Result<SharedRun, Error> {
        let token = token.to_owned();
        let found = self.in_store(move |store| store.shared(&token, now_ms())).await?;
        found.ok_or(Error::NotFound)
    }
}

fn invalid(field: &str, message: String) -> Error {
    Error::fault(field, FaultCode::Invalid, message)
}

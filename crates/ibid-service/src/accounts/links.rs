//! One-time links to set a password, for invited persons and lost passwords.
//!
//! An admin makes the link and hands it over.
//! The store has only the digest of its token.

use super::password::{NO_PASSWORD, PasswordError};
use super::sign_in::{SignIn, SignInStep};
use super::token::SessionToken;
use crate::accounts::Accounts;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use ibid_model::{AccountId, Email};
use ibid_store::{Millis, NewAccount, NewLink, Role};
use secrecy::{ExposeSecret, SecretString};
use std::net::IpAddr;
use std::time::Duration;

/// The lifetime of a link.
const LINK_TIME: Duration = Duration::from_secs(3 * 24 * 3_600);

/// A password for the account of a link, as entered.
#[derive(Debug)]
pub struct LinkPassword {
    /// The token of the link.
    pub token: String,
    /// The password.
    pub password: SecretString,
    /// The address of the client.
    pub address: IpAddr,
}

/// The reason that a password was not set.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The link is unknown, was used, has ended, or its account is disabled.
    #[error("the link is not valid any more")]
    Closed,
    /// The password cannot be set.
    #[error(transparent)]
    Password(PasswordError),
    /// Everything else.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl Accounts {
    /// Finds the account with an address, or opens one without a password. A new one gets a link to set it: its token.
    ///
    /// # Errors
    /// No random bytes; [`Error::Store`].
    pub(crate) async fn find_or_open(&self, email: Email) -> Result<(AccountId, Option<String>), Error> {
        let (id, now) = (AccountId::random(), now_ms());
        let (token, link) = one_time_link(id, now)?;
        let found = self.db().call(move |store| {
            if let Some(account) = store.account(&email)? {
                return Ok(Some(account.id));
            }
            let account = NewAccount {
                id,
                email: &email,
                password: NO_PASSWORD,
                credits: 0,
                role: Role::Member,
            };
            store.open_account(&account, now)?;
            store.put_link(&link, now.into())?;
            Ok(None)
        });
        Ok(match found.await? {
            Some(account) => (account, None),
            None => (id, Some(token)),
        })
    }
}

/// Returns a new one-time link of an account, to be stored, and its token.
///
/// # Errors
/// No random bytes.
pub fn one_time_link(account: AccountId, now: Millis) -> Result<(String, NewLink), Error> {
    let token = SessionToken::random()?;
    let link = NewLink {
        hash: token.hash(),
        account,
        expires_at: now.saturating_add(millis(LINK_TIME)),
    };
    Ok((token.reveal().to_owned(), link))
}

impl Accounts {
    /// The address of a link's account, or `None` for an invalid link.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn link_address(&self, token: &str) -> Result<Option<String>, Error> {
        let Some(token) = SessionToken::parse(token) else {
            return Ok(None);
        };
        let hash = token.hash();
        let found = self.db().call(move |store| store.link(&hash, now_ms())).await?;
        Ok(found.map(|account| account.email))
    }

    /// Sets the password of a link's account, ends the link and every session of the account, and
    /// signs in, or opens the second step.
    ///
    /// # Errors
    /// [`LinkError`].
    pub async fn set_password_by_link(&self, entered: LinkPassword) -> Result<SignInStep, LinkError> {
        let Some(email) = self.link_address(&entered.token).await? else {
            return Err(LinkError::Closed);
        };
        let token = SessionToken::parse(&entered.token).ok_or(LinkError::Closed)?;
        let password = entered.password.expose_secret().to_owned();
        let hashed = self.sign_ins.hashing.hash(password.clone().into()).await?;
        let hashed = hashed.map_err(LinkError::Password)?;
        let hash = token.hash();
        let used = self
            .db()
            .call(move |store| store.use_link(&hash, &hashed, now_ms()));
        if !used.await.map_err(Error::from)? {
            return Err(LinkError::Closed);
        }
        let attempt = SignIn {
            email,
            password: password.into(),
            address: entered.address,
            replaces: None,
            device: None,
        };
        Ok(self.sign_in_after_link(attempt).await?)
    }
}

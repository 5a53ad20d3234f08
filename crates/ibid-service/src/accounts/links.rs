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
    /// Finds the account with an address, or opens one without a password. Returns it with the token of a link, which sets
    /// the password of an account without one, and takes that of another one. The two look the same.
    ///
    /// # Errors
    /// No random bytes; [`Error::Store`].
    pub(crate) async fn invite_person(&self, email: Email) -> Result<(AccountId, String), Error> {
        let now = now_ms();
        let token = SessionToken::random()?;
        let (hash, invitation_hash) = (token.hash(), token.invitation_hash());
        let found = self.db().call(move |store| {
            let link = |account, hash| NewLink {
                hash,
                account,
                expires_at: now.saturating_add(millis(LINK_TIME)),
            };
            let account = match store.account(&email)? {
                Some(account) if account.password != NO_PASSWORD => {
                    store.put_invitation(&link(account.id, invitation_hash), now)?;
                    return Ok(account.id);
                }
                Some(account) => account.id,
                None => {
                    let id = AccountId::random();
                    let account = NewAccount {
                        id,
                        email: &email,
                        password: NO_PASSWORD,
                        credits: 0,
                        role: Role::Member,
                    };
                    store.open_account(&account, now)?;
                    id
                }
            };
            store.put_link(&link(account, hash), now.into())?;
            Ok(account)
        });
        Ok((found.await?, token.reveal().to_owned()))
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
    pub async fn link_address(&self, token: &str) -> Result<Option<String>, Error> {
        let Some(token) = SessionToken::parse(token) else {
            return Ok(None);
        };
        let (hash, invitation_hash) = (token.hash(), token.invitation_hash());
        let found = self.db().call(move |store| match store.link(&hash, now_ms())? {
            Some(account) => Ok(Some(account)),
            None => store.link(&invitation_hash, now_ms()),
        });
        Ok(found.await?.map(|account| account.email))
    }

    /// Sets the password of a link's account, ends the link and every session of the account, and
    /// signs in, or opens the second step. The link of a person who has a password takes that one, and changes nothing.
    pub async fn set_password_by_link(&self, entered: LinkPassword) -> Result<SignInStep, LinkError> {
        let Some(email) = self.link_address(&entered.token).await? else {
            return Err(LinkError::Closed);
        };
        let token = SessionToken::parse(&entered.token).ok_or(LinkError::Closed)?;
        let password = entered.password.expose_secret().to_owned();
        let hashed = self.sign_ins.hashing.hash(password.clone().into()).await?;
        let hashed = hashed.map_err(LinkError::Password)?;
        let (hash, invitation_hash) = (token.hash(), token.invitation_hash());
        let is_known = self
            .db()
            .call(move |store| store.link(&invitation_hash, now_ms()));
        let attempt = SignIn {
            email,
            password: password.into(),
            address: entered.address,
            replaces: None,
            device: None,
        };
        if is_known.await.map_err(Error::from)?.is_some() {
            return Ok(self.sign_in(attempt).await?);
        }
        let used = self
            .db()
            .call(move |store| store.use_link(&hash, &hashed, now_ms()));
        if !used.await.map_err(Error::from)? {
            return Err(LinkError::Closed);
        }
        Ok(self.sign_in_after_link(attempt).await?)
    }
}

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
use secrecy::SecretString;
use std::net::IpAddr;
use std::time::Duration;

/// How long a link or an invitation is valid.
pub(crate) const LINK_TIME: Duration = Duration::from_secs(3 * 24 * 3_600);

/// A password for the account of a link, as entered.
#[derive(Debug)]
pub struct LinkPassword {
    pub token: String,
    pub password: SecretString,
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

/// Opens an account for an invited person whose address has none.
pub(crate) fn invited_account(email: &Email) -> NewAccount<'_> {
    NewAccount {
        id: AccountId::random(),
        email,
        password: NO_PASSWORD,
        credits: 0,
        role: Role::Member,
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
    /// Returns the address of the account that a link is for. `None` for an invalid link.
    pub async fn link_address(&self, token: &str) -> Result<Option<String>, Error> {
        let Some(token) = SessionToken::parse(token) else {
            return Ok(None);
        };
        let hash = token.hash();
        let found = self.db().call(move |store| match store.link(&hash, now_ms())? {
            Some(account) => Ok(Some(account)),
            None => Ok(store.invitation(&hash, now_ms())?.map(|(account, _)| account)),
        });
        Ok(found.await?.map(|account| account.email))
    }

    /// Sets a password, ends the link and every session, and signs in or opens the second step. A person who is invited and has
    /// an account enters its password, which stays as it is. Whoever signs in by an invitation has accepted it.
    pub async fn set_password_by_link(&self, entered: LinkPassword) -> Result<SignInStep, LinkError> {
        let Some(email) = self.link_address(&entered.token).await? else {
            return Err(LinkError::Closed);
        };
        let hash = SessionToken::parse(&entered.token)
            .ok_or(LinkError::Closed)?
            .hash();
        let found = self
            .db()
            .call(move |store| Ok((store.link(&hash, now_ms())?, store.invitation(&hash, now_ms())?)));
        let (opens, invited) = found.await.map_err(Error::from)?;
        let attempt = SignIn {
            email,
            password: entered.password.clone(),
            address: entered.address,
            replaces: None,
            device: None,
        };
        let step = match opens {
            None => self.sign_in(attempt).await?,
            Some(_) => {
                let hashing = &self.sign_ins.hashing;
                let hashed = hashing.hash(entered.password, &attempt.email).await?;
                let hashed = hashed.map_err(LinkError::Password)?;
                let used = self
                    .db()
                    .call(move |store| store.use_link(&hash, &hashed, now_ms()));
                if !used.await.map_err(Error::from)? {
                    return Err(LinkError::Closed);
                }
                self.sign_in_after_link(attempt).await?
            }
        };
        if let (SignInStep::SignedIn(_), Some((account, target))) = (&step, invited) {
            let accepted = self
                .db()
                .call(move |store| store.answer_invitation(account.id, target, true, now_ms()));
            accepted.await.map_err(Error::from)?;
        }
        Ok(step)
    }
}

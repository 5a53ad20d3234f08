//! The first account of a new server, opened with a one-time link that the server prints at its start.
//!
//! The link holds for this process and while there is no account. Only its digest is kept.

use super::SignIn;
use super::password::PasswordError;
use super::token::SessionToken;
use crate::Error;
use crate::clock::now_ms;
use crate::handle::service::Service;
use ibid_model::{AccountId, Email};
use ibid_provider::{Probe, probe_all};
use ibid_store::{NewAccount, StoreError};
use secrecy::{ExposeSecret, SecretString};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Credits of the first account.
const CREDITS: u32 = 100;

/// The digest of the token of the link; `None` while no link is open.
#[derive(Debug, Default)]
pub(crate) struct FirstRun(Mutex<Option<[u8; 32]>>);

impl FirstRun {
    fn set(&self, hash: Option<[u8; 32]>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = hash;
    }

    fn is_open(&self, token: &str) -> bool {
        let hash = SessionToken::parse(token).map(|token| token.hash());
        hash.is_some() && *self.0.lock().unwrap_or_else(PoisonError::into_inner) == hash
    }
}

/// The first account, as entered.
#[derive(Debug)]
pub struct FirstAccount {
    /// The token of the link.
    pub token: String,
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: SecretString,
    /// The address of the client.
    pub address: IpAddr,
}

/// The reason that the first account was not opened.
#[derive(Debug, thiserror::Error)]
pub enum FirstRunError {
    /// The link is unknown, was used, or there is an account already.
    #[error("the link is not valid any more")]
    Closed,
    /// The e-mail address cannot be one.
    #[error("the e-mail address cannot be read")]
    Email,
    /// The password cannot be set.
    #[error(transparent)]
    Password(PasswordError),
    /// Everything else.
    #[error(transparent)]
    Failed(Error),
}

impl Service {
    /// Opens the link of the first run and returns its token; `None` where there is an account.
    ///
    /// # Errors
    /// [`Error::Store`], or no random bytes.
    pub async fn open_first_run(&self) -> Result<Option<String>, Error> {
        if !self.has_no_account().await? {
            return Ok(None);
        }
        let token = SessionToken::random()?;
        self.first_run.set(Some(token.hash()));
        Ok(Some(token.reveal().to_owned()))
    }

    /// Whether a token is that of the open link.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn is_first_run(&self, token: &str) -> Result<bool, Error> {
        Ok(self.first_run.is_open(token) && self.has_no_account().await?)
    }

    /// Opens the first account, closes the link, and signs in.
    ///
    /// # Errors
    /// [`FirstRunError`].
    pub async fn open_first_account(&self, first: FirstAccount) -> Result<SessionToken, FirstRunError> {
        if !self
            .is_first_run(&first.token)
            .await
            .map_err(FirstRunError::Failed)?
        {
            return Err(FirstRunError::Closed);
        }
        let email: Email = first.email.parse().map_err(|_| FirstRunError::Email)?;
        let password = first.password.expose_secret().to_owned();
        let hashed = self.sign_ins.hashing.hash(password.clone().into()).await;
        let hash = hashed
            .map_err(FirstRunError::Failed)?
            .map_err(FirstRunError::Password)?;
        let opened = self.db().call(move |store| {
            let account = NewAccount {
                id: AccountId::random(),
                email: &email,
                password: &hash,
                credits: CREDITS,
            };
            store.open_account(&account, now_ms())
        });
        match opened.await {
            Ok(()) => self.first_run.set(None),
            Err(StoreError::Exists) => return Err(FirstRunError::Closed),
            Err(error) => return Err(FirstRunError::Failed(error.into())),
        }
        let attempt = SignIn {
            email: first.email,
            password: password.into(),
            address: first.address,
            replaces: None,
            device: None,
        };
        let signed_in = self.sign_in(attempt).await.map_err(FirstRunError::Failed)?;
        Ok(signed_in.session)
    }

    /// Asks each model of the alias table one question with the operator's key and keeps the outcome. `None` without a
    /// key.
    pub async fn probe_models(&self) -> Option<Vec<Probe>> {
        let key = self.account_runs.key()?;
        let catalog = self.catalog();
        let web_search = self.planner.web_search();
        let probes = probe_all(&*self.runs.provider, key, catalog.models(), web_search).await;
        self.set_probes(probes.clone());
        Some(probes)
    }

    async fn has_no_account(&self) -> Result<bool, Error> {
        Ok(self.db().call(|store| store.accounts()).await?.is_empty())
    }
}

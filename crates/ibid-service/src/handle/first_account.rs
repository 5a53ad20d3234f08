//! Opens the first account of a new server.

use crate::accounts::{Accounts, FirstAccount, FirstRunError, SessionToken, SignIn, SignInStep};
use crate::clock::now_ms;
use crate::error::Error;
use ibid_model::{AccountId, Email};
use ibid_store::{NewAccount, Role, StoreError};
use secrecy::ExposeSecret;
use std::time::Instant;

/// Credits of the first account.
const CREDITS: u32 = 100;

impl Accounts {
    /// Opens the link of the first run and returns its token, or `None` if an account exists.
    ///
    /// # Errors
    /// [`Error::Store`], or no random bytes.
    pub async fn open_first_run(&self) -> Result<Option<String>, Error> {
        if !self.has_no_account().await? {
            return Ok(None);
        }
        let token = SessionToken::random()?;
        self.first_run.set(token.hash(), Instant::now());
        Ok(Some(token.reveal().to_owned()))
    }

    /// Whether a token is that of the open link.
    pub async fn is_first_run(&self, token: &str) -> Result<bool, Error> {
        Ok(self.first_run.holds(token, Instant::now()) && self.has_no_account().await?)
    }

    /// Opens the first account, which closes the link, and signs in.
    pub async fn open_first_account(&self, first: FirstAccount) -> Result<SessionToken, FirstRunError> {
        if !self.first_run.holds(&first.token, Instant::now()) {
            return Err(FirstRunError::Closed);
        }
        let email = first.email.parse::<Email>();
        if !self.has_no_account().await? {
            return Err(self.used(email.ok()).await);
        }
        let email = email.map_err(|_| FirstRunError::Email)?;
        let password = first.password.expose_secret().to_owned();
        let hashing = &self.sign_ins.hashing;
        let hashed = hashing.hash(password.clone().into(), email.as_str()).await?;
        let hash = hashed.map_err(FirstRunError::Password)?;
        let address = email.clone();
        let opened = self.db().call(move |store| {
            let account = NewAccount {
                id: AccountId::random(),
                email: &email,
                password: &hash,
                credits: CREDITS,
                role: Role::Admin,
            };
            store.open_first_account(&account, now_ms())
        });
        match opened.await {
            Ok(true) => {}
            Ok(false) | Err(StoreError::Exists) => return Err(self.used(Some(address)).await),
            Err(error) => return Err(FirstRunError::Failed(error.into())),
        }
        let attempt = SignIn {
            email: first.email,
            password: password.into(),
            address: first.address,
            replaces: None,
            device: None,
        };
        match self.sign_in_after_link(attempt).await? {
            SignInStep::SignedIn(signed_in) => Ok(signed_in.session),
            // A new account has no second step.
            SignInStep::Code(_) => Err(FirstRunError::Closed),
        }
    }

    /// The reason why a used link opens no account.
    async fn used(&self, email: Option<Email>) -> FirstRunError {
        let Some(email) = email else {
            return FirstRunError::Closed;
        };
        match self.db().call(move |store| store.account(&email)).await {
            Ok(Some(_)) => FirstRunError::Opened,
            Ok(None) => FirstRunError::Closed,
            Err(error) => FirstRunError::Failed(error.into()),
        }
    }

    async fn has_no_account(&self) -> Result<bool, Error> {
        Ok(self.db().call(|store| store.accounts()).await?.is_empty())
    }
}

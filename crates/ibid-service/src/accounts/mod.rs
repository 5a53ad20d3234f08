//! Accounts of the workspace: who signs in, and who is signed in.
//!
//! The operator opens accounts; nobody can open one from outside. A sign-in is answered the same, in word and in time,
//! whether the address is unknown, the password wrong or the account shut. Of a session only the digest of its token
//! is kept, so whoever reads the store cannot use it.

mod password;
mod throttle;
mod token;

pub(crate) use password::Hashing;
pub use password::{PasswordError, hash_password};
pub(crate) use throttle::{Throttle, network_of};
pub use token::SessionToken;
pub(crate) use token::random_text;

use crate::service::now_ms;
use crate::{Error, Service};
use ibid_model::{AccountId, Email};
use ibid_store::{AccountAction, NewSession};
use secrecy::SecretString;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// How long a session lasts.
pub const SESSION_TIME: Duration = Duration::from_secs(14 * 24 * 3_600);

/// Somebody tries to sign in.
#[derive(Debug)]
pub struct SignIn {
    /// The address, as entered.
    pub email: String,
    /// The password, as entered.
    pub password: SecretString,
    /// Where the attempt comes from.
    pub address: IpAddr,
    /// The session that the browser has; it ends with the sign-in.
    pub replaces: Option<SessionToken>,
}

/// Who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The account.
    pub account: AccountId,
    /// Its address.
    pub email: String,
    /// Credits left.
    pub credits: u32,
}

impl Service {
    /// Signs somebody in. The token is new whatever the browser brought.
    ///
    /// # Errors
    /// [`Error::SignInRefused`]; [`Error::TooMany`] after too many failures for the address or from it;
    /// [`Error::Overloaded`] when too many wait already; [`Error::Store`].
    pub async fn sign_in(&self, attempt: SignIn) -> Result<SessionToken, Error> {
        let inner = &self.inner;
        let email = attempt.email.parse::<Email>().ok();
        let try_of = inner
            .throttle
            .begin(attempt.address, &attempt.email, Instant::now())
            .map_err(|retry_after| Error::TooMany { retry_after })?;
        let record = match email {
            Some(email) => inner.db.call(move |store| store.account(&email)).await?,
            None => None,
        };
        // Nobody's password is checked as long as somebody's.
        let hash = record.as_ref().map(|record| record.password.clone());
        let right = inner.hashing.verify(attempt.password, hash).await?;
        let account = match record {
            Some(record) if right && !record.disabled => record.id,
            Some(record) => {
                self.log_refusal(record.id);
                return Err(Error::SignInRefused);
            }
            None => return Err(Error::SignInRefused),
        };
        let token = SessionToken::random()?;
        let now = now_ms();
        let lasts = i64::try_from(SESSION_TIME.as_millis()).unwrap_or(i64::MAX);
        let session = NewSession {
            hash: token.hash(),
            account,
            expires_at: now.saturating_add(lasts),
            replaces: attempt.replaces.map(|token| token.hash()),
        };
        inner
            .db
            .call(move |store| store.open_session(&session, now))
            .await?;
        try_of.succeeded();
        Ok(token)
    }

    /// Who a token belongs to; nobody if it is none, was ended or has expired.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn member(&self, token: &SessionToken) -> Result<Option<Member>, Error> {
        let hash = token.hash();
        let found = self
            .inner
            .db
            .call(move |store| store.session(&hash, now_ms()))
            .await?;
        Ok(found.map(|session| Member {
            account: session.account,
            email: session.email,
            credits: session.credits,
        }))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn sign_out(&self, token: &SessionToken) -> Result<(), Error> {
        let hash = token.hash();
        let ended = self
            .inner
            .db
            .call(move |store| store.end_session(&hash, now_ms()));
        Ok(ended.await?)
    }

    /// Writes down a refusal, after the answer: waiting for the disk would tell known addresses from unknown ones.
    fn log_refusal(&self, account: AccountId) {
        let inner = std::sync::Arc::clone(&self.inner);
        let task = async move {
            let action = AccountAction::SignInRefused;
            let logged = inner
                .db
                .call(move |store| store.log_account(account, action, now_ms()));
            if let Err(error) = logged.await {
                tracing::warn!(%error, "a refused sign-in could not be logged");
            }
        };
        self.inner.runtime.spawn(self.inner.runs.track_future(task));
    }
}

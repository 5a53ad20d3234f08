//! Signing in and out.

use super::token::SessionToken;
use crate::Error;
use crate::clock::{millis, now_ms};
use crate::handle::service::Service;
use ibid_model::{AccountId, Email};
use ibid_store::{AccountAction, NewSession};
use secrecy::SecretString;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The lifetime of a session.
pub const SESSION_TIME: Duration = Duration::from_secs(14 * 24 * 3_600);

/// An attempt to sign in.
#[derive(Debug)]
pub struct SignIn {
    /// The address, as entered.
    pub email: String,
    /// The password, as entered.
    pub password: SecretString,
    /// The address of the client.
    pub address: IpAddr,
    /// The session that the browser has; it ends with the sign-in.
    pub replaces: Option<SessionToken>,
}

/// The holder of a session.
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
    /// Signs in. The token is always new.
    ///
    /// # Errors
    /// [`Error::SignInRefused`]; [`Error::TooMany`] after too many failures for the account or from the network;
    /// [`Error::Overloaded`] when too many attempts are waiting; [`Error::Store`].
    pub async fn sign_in(&self, attempt: SignIn) -> Result<SessionToken, Error> {
        let outcome = self.try_sign_in(attempt).await;
        self.measurements().signed_in(match &outcome {
            Ok(_) => "accepted",
            Err(Error::SignInRefused) => "refused",
            Err(Error::TooMany { .. }) => "throttled",
            Err(_) => "failed",
        });
        outcome
    }

    async fn try_sign_in(&self, attempt: SignIn) -> Result<SessionToken, Error> {
        let email = attempt.email.parse::<Email>().ok();
        let counted = self
            .sign_ins
            .throttle
            .begin(attempt.address, &attempt.email, Instant::now())
            .map_err(|retry_after| Error::TooMany { retry_after })?;
        let record = match email {
            Some(email) => self.db().call(move |store| store.account(&email)).await?,
            None => None,
        };
        // Without an account a password is checked all the same, so the answer takes as long.
        let hash = record.as_ref().map(|record| record.password.clone());
        let right = self.sign_ins.hashing.verify(attempt.password, hash).await?;
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
        let session = NewSession {
            hash: token.hash(),
            account,
            expires_at: now.saturating_add(millis(SESSION_TIME)),
            replaces: attempt.replaces.map(|token| token.hash()),
        };
        self.db()
            .call(move |store| store.open_session(&session, now))
            .await?;
        counted.succeeded();
        Ok(token)
    }

    /// The holder of a token; `None` if the token is unknown, was ended or has expired.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn member(&self, token: &SessionToken) -> Result<Option<Member>, Error> {
        let hash = token.hash();
        let found = self
            .db()
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
        let ended = self.db().call(move |store| store.end_session(&hash, now_ms()));
        Ok(ended.await?)
    }

    /// Stores a refusal after the answer: waiting for the disk would tell known addresses from unknown ones.
    fn log_refusal(&self, account: AccountId) {
        let db = self.db().clone();
        let task = async move {
            let action = AccountAction::SignInRefused;
            let logged = db.call(move |store| store.log_account(account, action, now_ms()));
            if let Err(error) = logged.await {
                tracing::warn!(error = crate::chain(&error), "account.refusal.not_stored");
            }
        };
        self.runs.spawn(task);
    }
}

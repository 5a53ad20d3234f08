//! Signing in and out.

use super::attempts::Attempt;
use super::device::{CodePass, DeviceToken};
use super::token::{SessionToken, random_bytes};
use crate::accounts::Accounts;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::failure::chain;
use ibid_model::{AccountId, Email};
use ibid_store::{AccountAction, NewSession, Role};
use secrecy::SecretString;
use std::net::IpAddr;
use std::time::Duration;

pub const SESSION_TIME: Duration = Duration::from_secs(14 * 24 * 3_600);

/// An attempt to sign in.
#[derive(Debug)]
pub struct SignIn {
    /// The address, as entered.
    pub email: String,
    /// The password, as entered.
    pub password: SecretString,
    pub address: IpAddr,
    /// The session that the browser has; it ends with the sign-in.
    pub replaces: Option<SessionToken>,
    /// Its cookie from an earlier sign-in.
    pub device: Option<DeviceToken>,
}

/// A new session, and the proof of the browser's sign-in to the account.
#[derive(Debug)]
pub struct SignedIn {
    pub session: SessionToken,
    pub device: DeviceToken,
}

/// How an attempt with a right password ends.
#[derive(Debug)]
pub enum SignInStep {
    /// The session has begun.
    SignedIn(SignedIn),
    /// The account asks for a code, too.
    /// The pass opens the second step.
    Code(CodePass),
}

/// Who holds a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub account: AccountId,
    pub email: String,
    /// Credits left.
    pub credits: u32,
    pub role: Role,
    /// Whether an organisation invited the person to projects, and no operator to the server.
    pub is_guest: bool,
}

impl Member {
    /// Whether the member may change what is below a path: a viewer nothing, a guest the projects and the own account.
    pub fn may_change(&self, path: &str) -> bool {
        const OF_GUESTS: [&str; 4] = [
            "/workspace/projects/",
            "/workspace/account",
            "/workspace/invitations/",
            "/sign-out",
        ];
        self.role.may_change() && (!self.is_guest || OF_GUESTS.iter().any(|own| path.starts_with(own)))
    }
}

impl Accounts {
    /// Signs in with a password, or opens the second step where the account has one.
    /// The token is always new.
    ///
    /// # Errors
    /// [`Error::SignInRefused`], also where no passwords are taken; [`Error::TooMany`] after too many failures for the
    /// account or from the network; [`Error::Overloaded`] when too many attempts are waiting; [`Error::Store`].
    pub async fn sign_in(&self, attempt: SignIn) -> Result<SignInStep, Error> {
        match self.takes_passwords() {
            true => self.sign_in_after_link(attempt).await,
            false => Err(Error::SignInRefused),
        }
    }

    /// Signs in with the password that a one-time link has just set, also where no passwords are taken.
    pub(crate) async fn sign_in_after_link(&self, attempt: SignIn) -> Result<SignInStep, Error> {
        let outcome = self.try_sign_in(attempt).await;
        // The second step counts its own end.
        if !matches!(outcome, Ok(SignInStep::Code(_))) {
            self.note_sign_in(&outcome);
        }
        outcome
    }

    /// Counts the end of an attempt to sign in.
    pub(super) fn note_sign_in<T>(&self, outcome: &Result<T, Error>) {
        self.runs.measurements.signed_in(match outcome {
            Ok(_) => "accepted",
            Err(Error::SignInRefused) => "refused",
            Err(Error::TooMany { .. }) => "throttled",
            Err(_) => "failed",
        });
    }

    /// Counts an attempt before its password is checked.
    ///
    /// # Errors
    /// [`Error::TooMany`] while earlier failures have to be waited for; [`Error::Store`].
    pub(super) async fn count_attempt(&self, attempt: &Attempt) -> Result<(), Error> {
        let counts = attempt.counts();
        let wait = self
            .db()
            .call(move |store| store.begin_sign_in(&counts, now_ms()))
            .await?;
        if wait > 0 {
            let retry_after = Duration::from_millis(wait.unsigned_abs());
            return Err(Error::TooMany { retry_after });
        }
        Ok(())
    }

    /// Clears the failures before a success, and takes its own attempt off those of its networks.
    pub(super) async fn count_success(&self, attempt: &Attempt) -> Result<(), Error> {
        let (cleared, lowered) = attempt.ended_well();
        let counted = self
            .db()
            .call(move |store| store.sign_in_succeeded(&cleared, &lowered));
        Ok(counted.await?)
    }

    async fn try_sign_in(&self, attempt: SignIn) -> Result<SignInStep, Error> {
        let record = match Email::stored(&attempt.email) {
            Ok(email) => self.db().call(move |store| store.account(&email)).await?,
            Err(_) => None,
        };
        let secret = self.device_secret().await?;
        let owner = record.as_ref().map(|record| record.id);
        let device = attempt
            .device
            .filter(|device| owner.is_some_and(|account| device.is_of(&secret, account)));
        let counted = Attempt::of(attempt.address, &attempt.email, device.as_ref());
        self.count_attempt(&counted).await?;
        // Without an account the password is still checked, so the answer takes as long.
        let hash = record.as_ref().map(|record| record.password.clone());
        let right = self.sign_ins.hashing.verify(attempt.password, hash).await?;
        let record = match record {
            Some(record) if right && !record.disabled => record,
            Some(record) => {
                self.log_refusal(record.id);
                return Err(Error::SignInRefused);
            }
            None => return Err(Error::SignInRefused),
        };
        self.count_success(&counted).await?;
        if record.second_factor {
            let pass = CodePass::new(&secret, record.id, &record.password, now_ms())?;
            return Ok(SignInStep::Code(pass));
        }
        let signed_in = self.open_session(record.id, device, attempt.replaces, &secret);
        Ok(SignInStep::SignedIn(signed_in.await?))
    }

    /// Begins a session of an account that proved itself.
    pub(super) async fn open_session(
        &self,
        account: AccountId,
        device: Option<DeviceToken>,
        replaces: Option<SessionToken>,
        secret: &[u8; 32],
    ) -> Result<SignedIn, Error> {
        let token = SessionToken::random()?;
        let now = now_ms();
        let session = NewSession {
            hash: token.hash(),
            account,
            expires_at: now.saturating_add(millis(SESSION_TIME)),
            replaces: replaces.map(|token| token.hash()),
        };
        self.db()
            .call(move |store| store.open_session(&session, now))
            .await?;
        let device = match device {
            Some(device) => device,
            None => DeviceToken::new(secret, account)?,
        };
        Ok(SignedIn {
            session: token,
            device,
        })
    }

    /// The secret that signs cookies of known devices, the same in every process.
    pub(crate) async fn device_secret(&self) -> Result<[u8; 32], Error> {
        let secret = self.sign_ins.device_secret.get_or_try_init(async || {
            let fresh = random_bytes()?;
            let secret = self.db().call(move |store| store.secret("devices", &fresh));
            Ok::<_, Error>(secret.await?)
        });
        secret.await.copied()
    }

    /// Finds who holds a token. `None` if it is unknown, was ended or has expired.
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
            role: session.role,
            is_guest: session.is_guest,
        }))
    }

    /// Ends a session.
    pub async fn sign_out(&self, token: &SessionToken) -> Result<(), Error> {
        let hash = token.hash();
        let ended = self.db().call(move |store| store.end_session(&hash, now_ms()));
        Ok(ended.await?)
    }

    /// Stores a refusal after the answer, because a wait for the disk would distinguish known addresses from unknown ones.
    pub(super) fn log_refusal(&self, account: AccountId) {
        let db = self.db().clone();
        let task = async move {
            let action = AccountAction::SignInRefused;
            let logged = db.call(move |store| store.log_account(account, action, now_ms()));
            if let Err(error) = logged.await {
                tracing::warn!(error = chain(&error), "account.refusal.not_stored");
            }
        };
        self.runs.spawn(task);
    }
}

//! Signing in with a second step: a code of an authenticator app, or a recovery code.
//!
//! A right password opens the second step with a signed pass of five minutes, which is no session.
//! Every code is accepted once.
//! Wrong codes are counted and cost waits, as wrong passwords do.

use super::admin::{Admin, by};
use super::attempts::Attempt;
use super::device::{CodePass, DeviceToken};
use super::sign_in::{Member, SignedIn};
use super::token::{SessionToken, random_bytes};
use super::totp::{DIGITS, step_of};
use crate::accounts::Accounts;
use crate::clock::now_ms;
use crate::error::Error;
use data_encoding::BASE32_NOPAD;
use ibid_model::AccountId;
use ibid_store::{SecondFactor, StoreError};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use std::net::IpAddr;

/// Recovery codes of an account.
const RECOVERY_CODES: usize = 10;

/// A secret to enter into an authenticator app. Its `Debug` is silent.
pub struct Enrolment {
    /// The secret in base 32.
    pub secret: String,
    /// The address that a QR code holds.
    pub uri: String,
}

impl std::fmt::Debug for Enrolment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Enrolment(..)")
    }
}

/// Whether signing in to an account has a second step.
#[derive(Debug)]
pub enum SecondStep {
    /// Signing in asks for the password alone.
    Off,
    /// A secret was shown, and no code was entered yet.
    Begun(Enrolment),
    /// Signing in asks for a code.
    On {
        /// Unused recovery codes.
        codes_left: u32,
    },
}

/// A code for the second step, as entered.
#[derive(Debug)]
pub struct CodeEntry {
    /// What the first step gave.
    pub pass: String,
    /// What the app shows, or a recovery code.
    pub code: SecretString,
    pub address: IpAddr,
    /// The session that the browser has; it ends with the sign-in.
    pub replaces: Option<SessionToken>,
    /// Its cookie from an earlier sign-in.
    pub device: Option<DeviceToken>,
}

impl Accounts {
    /// Signs in with a code after the password.
    /// `None` if the pass is no longer valid: signing in begins again.
    ///
    /// # Errors
    /// [`Error::SignInRefused`]; [`Error::TooMany`] after too many wrong codes; [`Error::Store`].
    pub async fn sign_in_with_code(&self, entry: CodeEntry) -> Result<Option<SignedIn>, Error> {
        let secret = self.device_secret().await?;
        let Some(account) = CodePass::account(&entry.pass) else {
            return Ok(None);
        };
        let record = self.db().call(move |store| store.account_by_id(account)).await?;
        let valid = |password: &str| CodePass::opens(&entry.pass, &secret, account, password, now_ms());
        let Some(record) = record.filter(|record| !record.disabled && valid(&record.password)) else {
            return Ok(None);
        };
        let device = entry.device.filter(|device| device.is_of(&secret, account));
        let counted = Attempt::of_code(entry.address, account, device.as_ref());
        let outcome = match self.check_code(&counted, account, &entry.code).await {
            Ok(true) => self
                .open_session(account, device, entry.replaces, &secret)
                .await
                .map(Some),
            Ok(false) => {
                self.log_refusal(record.id);
                Err(Error::SignInRefused)
            }
            Err(error) => Err(error),
        };
        self.note_sign_in(&outcome);
        outcome
    }

    pub async fn second_step(&self, member: &Member) -> Result<SecondStep, Error> {
        let account = member.account;
        let found = self.db().call(move |store| store.second_factor(account)).await?;
        Ok(match found {
            None => SecondStep::Off,
            Some(factor) if factor.confirmed => SecondStep::On {
                codes_left: factor.codes_left,
            },
            Some(factor) => SecondStep::Begun(enrolment(&member.email, &factor)),
        })
    }

    /// Makes a secret for the authenticator app of an account that proves its password.
    ///
    /// # Errors
    /// [`Error::SignInRefused`] for a wrong password; [`Error::Forbidden`] where a second step is set up;
    /// [`Error::TooMany`]; [`Error::Store`]; no random bytes.
    pub async fn begin_second_step(
        &self,
        member: &Member,
        password: SecretString,
        address: IpAddr,
    ) -> Result<(), Error> {
        self.check_own_password(member, password, address).await?;
        let (account, secret) = (member.account, random_bytes::<20>()?);
        let begun = self
            .db()
            .call(move |store| store.begin_second_factor(account, &secret));
        match begun.await {
            Err(StoreError::Exists) => Err(Error::Forbidden),
            begun => Ok(begun?),
        }
    }

    /// Confirms the secret by a code of the app.
    /// Returns the recovery codes, which are not kept; `None` for a wrong code.
    ///
    /// # Errors
    /// [`Error::Store`]; no random bytes.
    pub async fn confirm_second_step(
        &self,
        member: &Member,
        code: &SecretString,
    ) -> Result<Option<Vec<String>>, Error> {
        let (account, now) = (member.account, now_ms());
        let found = self.db().call(move |store| store.second_factor(account)).await?;
        let Some(factor) = found.filter(|factor| !factor.confirmed) else {
            return Ok(None);
        };
        let Some(step) = step_of(&factor.secret, &compact(code.expose_secret()), now)? else {
            return Ok(None);
        };
        let codes = (0..RECOVERY_CODES).map(|_| recovery_code());
        let codes = codes.collect::<Result<Vec<_>, _>>()?;
        let hashes: Vec<_> = codes
            .iter()
            .map(|code| recovery_hash(account, &compact(code)))
            .collect();
        let confirmed = self
            .db()
            .call(move |store| store.confirm_second_factor(account, step, &hashes, now));
        Ok(confirmed.await?.then_some(codes))
    }

    /// Removes the second step of an account that proves its password and a code.
    ///
    /// # Errors
    /// [`Error::SignInRefused`] for a wrong password or code; [`Error::TooMany`]; [`Error::Store`].
    pub async fn end_second_step(
        &self,
        member: &Member,
        password: SecretString,
        code: SecretString,
        address: IpAddr,
    ) -> Result<(), Error> {
        self.check_own_password(member, password, address).await?;
        let account = member.account;
        let counted = Attempt::of_code(address, account, None);
        if !self.check_code(&counted, account, &code).await? {
            return Err(Error::SignInRefused);
        }
        let removed = self
            .db()
            .call(move |store| store.remove_second_factor(account, now_ms().into()));
        removed.await?;
        Ok(())
    }

    /// Removes a person's second step after the loss of the app and the recovery codes.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the admin's own account; [`Error::Store`].
    pub async fn reset_second_step(&self, admin: &Admin, account: AccountId) -> Result<(), Error> {
        if admin.0 == account {
            return Err(Error::Forbidden);
        }
        let change = by(admin);
        self.on_person(account, move |store| {
            store.remove_second_factor(account, change).map(drop)
        })
        .await
    }

    /// Checks a code under the limits on guessing, and uses it.
    async fn check_code(
        &self,
        counted: &Attempt,
        account: AccountId,
        code: &SecretString,
    ) -> Result<bool, Error> {
        self.count_attempt(counted).await?;
        let (entered, now) = (compact(code.expose_secret()), now_ms());
        let used = if entered.len() == DIGITS {
            let found = self.db().call(move |store| store.second_factor(account)).await?;
            let step = match found.filter(|factor| factor.confirmed) {
                Some(factor) => step_of(&factor.secret, &entered, now)?,
                None => None,
            };
            match step {
                Some(step) => self.db().call(move |store| store.use_step(account, step)).await?,
                None => false,
            }
        } else {
            let hash = recovery_hash(account, &entered);
            self.db()
                .call(move |store| store.use_recovery_code(account, &hash, now))
                .await?
        };
        if used {
            self.count_success(counted).await?;
        }
        Ok(used)
    }
}

/// Returns the secret of a factor in the forms that an app reads.
fn enrolment(email: &str, factor: &SecondFactor) -> Enrolment {
    let secret = BASE32_NOPAD.encode(&factor.secret);
    let label: String = url::form_urlencoded::byte_serialize(email.as_bytes()).collect();
    Enrolment {
        uri: format!("otpauth://totp/ibid:{label}?secret={secret}&issuer=ibid"),
        secret,
    }
}

/// Returns a code in the compared form: without blanks and hyphens, and in one letter case.
fn compact(code: &str) -> String {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Returns a new recovery code: 80 random bits in four groups.
fn recovery_code() -> Result<String, Error> {
    let text = BASE32_NOPAD.encode(&random_bytes::<10>()?).to_ascii_lowercase();
    let groups: Vec<_> = (0..4).filter_map(|at| text.get(at * 4..at * 4 + 4)).collect();
    Ok(groups.join("-"))
}

/// Returns the digest of a recovery code.
/// Its 80 random bits rule out a search for it.
fn recovery_hash(account: AccountId, compact: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(account.as_bytes());
    hash.update(compact);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_codes_are_read_as_people_type_them() {
        let code = recovery_code().unwrap();
        assert_eq!((code.len(), code.split('-').count()), (19, 4));
        assert_ne!(recovery_code().unwrap(), code);
        let typed = format!(" {} ", code.to_ascii_uppercase().replace('-', " "));
        assert_eq!(compact(&typed), compact(&code));
        let (ada, eve) = (AccountId::random(), AccountId::random());
        assert_ne!(recovery_hash(ada, "a"), recovery_hash(eve, "a"));
    }

    #[test]
    fn the_address_of_the_qr_code_names_the_account() {
        let factor = SecondFactor {
            secret: *b"12345678901234567890",
            confirmed: false,
            codes_left: 0,
        };
        let enrolment = enrolment("ada@example.com", &factor);
        assert_eq!(
            enrolment.uri,
            "otpauth://totp/ibid:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ibid"
        );
        assert_eq!(format!("{enrolment:?}"), "Enrolment(..)");
    }
}

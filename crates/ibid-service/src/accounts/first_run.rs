//! How a new server gets its first account: by a one-time link, which it prints when it starts.
//!
//! The link is valid in this process, for a day and while no account exists.
//! Only its digest is kept.

use super::password::PasswordError;
use super::token::SessionToken;
use crate::error::Error;
use secrecy::SecretString;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const LINK_TIME: Duration = Duration::from_secs(24 * 3_600);

/// A digest of the link's token, and when its validity began.
/// `None` before a link is made.
#[derive(Debug, Default)]
pub(crate) struct FirstRun(Mutex<Option<([u8; 32], Instant)>>);

impl FirstRun {
    pub(crate) fn set(&self, hash: [u8; 32], now: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((hash, now));
    }

    /// Whether a token is the link's, and the link has not ended.
    pub(crate) fn holds(&self, token: &str, now: Instant) -> bool {
        let hash = SessionToken::parse(token).map(|token| token.hash());
        let link = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        link.is_some_and(|(own, since)| Some(own) == hash && now.duration_since(since) < LINK_TIME)
    }
}

/// The first account, as entered.
#[derive(Debug)]
pub struct FirstAccount {
    pub token: String,
    /// The e-mail address.
    pub email: String,
    pub password: SecretString,
    pub address: IpAddr,
}

/// The reason that the first account was not opened.
#[derive(Debug, thiserror::Error)]
pub enum FirstRunError {
    /// The link is unknown, was used, has ended, or there is an account already.
    #[error("the link is not valid any more")]
    Closed,
    /// The link was used for this address before, perhaps by the same click.
    #[error("the account is open already")]
    Opened,
    /// The e-mail address cannot be one.
    #[error("the e-mail address cannot be read")]
    Email,
    /// The password cannot be set.
    #[error(transparent)]
    Password(PasswordError),
    /// Everything else.
    #[error(transparent)]
    Failed(#[from] Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_for_a_day() {
        let (first_run, now) = (FirstRun::default(), Instant::now());
        let [token, other] = [(); 2].map(|()| SessionToken::random().unwrap());
        assert!(!first_run.holds(token.reveal(), now));
        first_run.set(token.hash(), now);
        assert!(first_run.holds(token.reveal(), now + LINK_TIME - Duration::from_secs(1)));
        assert!(!first_run.holds(token.reveal(), now + LINK_TIME));
        assert!(!first_run.holds(other.reveal(), now) && !first_run.holds("x", now));
    }
}

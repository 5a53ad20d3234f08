//! The first account of a new server, opened with a one-time link that the server prints at its start.
//!
//! The link holds for this process and while there is no account. Only its digest is kept.

use super::password::PasswordError;
use super::token::SessionToken;
use crate::Error;
use secrecy::SecretString;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// The digest of the token of the link; `None` while no link is open.
#[derive(Debug, Default)]
pub(crate) struct FirstRun(Mutex<Option<[u8; 32]>>);

impl FirstRun {
    pub(crate) fn set(&self, hash: Option<[u8; 32]>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = hash;
    }

    pub(crate) fn is_open(&self, token: &str) -> bool {
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

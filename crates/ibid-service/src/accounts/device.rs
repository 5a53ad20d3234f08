//! Known devices: browsers that have signed in to an account before.

use super::token::random_bytes;
use crate::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use ibid_model::AccountId;
use sha2::Sha256;
use std::fmt;

/// Bytes that are signed: the account and the random name of the device.
const SIGNED: usize = 16 + 16;
/// Bytes of the signature.
const SIGNATURE: usize = 32;

/// The proof of an earlier sign-in: the account and a random name, signed. It opens nothing. Its `Debug` is silent.
#[derive(Clone)]
pub struct DeviceToken(String);

impl DeviceToken {
    /// A new token for an account.
    pub(super) fn new(secret: &[u8; 32], account: AccountId) -> Result<Self, Error> {
        let mut bytes = account.as_bytes().to_vec();
        bytes.extend_from_slice(&random_bytes::<16>()?);
        let signature = signature(secret, &bytes)?.finalize().into_bytes();
        bytes.extend_from_slice(&signature);
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The token in a cookie; `None` for a text that cannot be one. The signature has not been checked.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == SIGNED + SIGNATURE).then(|| Self(text.to_owned()))
    }

    /// The token itself, to be sent to its browser and nowhere else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether the token was made for this account with this secret.
    pub(super) fn is_of(&self, secret: &[u8; 32], account: AccountId) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(&self.0) else {
            return false;
        };
        let Some((signed, sent)) = bytes.split_at_checked(SIGNED) else {
            return false;
        };
        let valid = signature(secret, signed).is_ok_and(|mac| mac.verify_slice(sent).is_ok());
        valid && signed.starts_with(account.as_bytes())
    }
}

fn signature(secret: &[u8; 32], signed: &[u8]) -> Result<Hmac<Sha256>, Error> {
    // A key of any length is taken.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| Error::NoEntropy)?;
    mac.update(signed);
    Ok(mac)
}

impl fmt::Debug for DeviceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_its_account_and_its_secret() {
        let (ada, eve) = (AccountId::random(), AccountId::random());
        let token = DeviceToken::new(&[7; 32], ada).unwrap();
        let read = DeviceToken::parse(token.reveal()).unwrap();
        assert!(read.is_of(&[7; 32], ada));
        assert!(!read.is_of(&[7; 32], eve) && !read.is_of(&[8; 32], ada));
        let mut forged = URL_SAFE_NO_PAD.decode(token.reveal()).unwrap();
        forged[..16].copy_from_slice(eve.as_bytes());
        let forged = DeviceToken::parse(&URL_SAFE_NO_PAD.encode(forged)).unwrap();
        assert!(!forged.is_of(&[7; 32], eve));
        assert!(DeviceToken::parse("x").is_none());
        assert_eq!(format!("{token:?}"), "DeviceToken(..)");
    }
}

//! Known devices: browsers that have signed in to an account before.

use super::token::random_bytes;
use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use ibid_model::AccountId;
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// Bytes that are signed: the account and the random name of the device.
const SIGNED: usize = 16 + 16;
/// Bytes of the signature.
const SIGNATURE: usize = 32;

/// Proves an earlier sign-in: an account and a random name, signed.
/// It grants no access.
#[derive(Clone, Debug)]
pub struct DeviceToken(SecretString);

impl DeviceToken {
    pub(super) fn new(secret: &[u8; 32], account: AccountId) -> Result<Self, Error> {
        let mut bytes = account.as_bytes().to_vec();
        bytes.extend_from_slice(&random_bytes::<16>()?);
        let signature = signature(secret, &bytes)?.finalize().into_bytes();
        bytes.extend_from_slice(&signature);
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes).into()))
    }

    /// Parses the token in a cookie. `None` for malformed text.
    /// The signature has not been checked.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == SIGNED + SIGNATURE).then(|| Self(text.into()))
    }

    /// The token itself, to be sent to its browser only.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether the token was made for this account with this secret.
    pub(super) fn is_of(&self, secret: &[u8; 32], account: AccountId) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(self.reveal()) else {
            return false;
        };
        let Some((signed, sent)) = bytes.split_at_checked(SIGNED) else {
            return false;
        };
        let valid = signature(secret, signed).is_ok_and(|mac| mac.verify_slice(sent).is_ok());
        valid && signed.starts_with(account.as_bytes())
    }
}

/// The time for which a pass opens a public link, in milliseconds.
const PASS_TIME: i64 = 24 * 3_600_000;

/// Proves that a browser knew a public link's password: an end and a signature, such as `1796034000000.kZ3…`.
#[derive(Debug)]
pub struct SharePass(SecretString);

impl SharePass {
    /// A new pass for a link and the hash of its password.
    pub(crate) fn new(secret: &[u8; 32], token: &str, hash: &str, now: i64) -> Result<Self, Error> {
        let end = now.saturating_add(PASS_TIME);
        let signature = signature_text(secret, &signed_pass(token, hash, end))?;
        Ok(Self(format!("{end}.{signature}").into()))
    }

    /// The pass itself, to be sent to its browser only.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether a text is an unexpired pass for this link and this hash.
    pub(crate) fn opens(text: &str, secret: &[u8; 32], token: &str, hash: &str, now: i64) -> bool {
        ends_after(text, now)
            .is_some_and(|(end, sent)| is_signature(secret, &signed_pass(token, hash, end), sent))
    }
}

/// The time for which a right password opens the second step, in milliseconds.
const CODE_TIME: i64 = 5 * 60_000;

/// Proves an account's right password: the account, an end and a signature, with a dot between each.
/// It is no session.
#[derive(Debug)]
pub struct CodePass(SecretString);

impl CodePass {
    /// A new pass for an account and the hash of its password.
    pub(super) fn new(secret: &[u8; 32], account: AccountId, hash: &str, now: i64) -> Result<Self, Error> {
        let end = now.saturating_add(CODE_TIME);
        let signature = signature_text(secret, &signed_code(account, hash, end))?;
        Ok(Self(format!("{account}.{end}.{signature}").into()))
    }

    /// The pass itself, to be sent to its browser only.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    /// The account in a text. The signature has not been checked.
    pub(super) fn account(text: &str) -> Option<AccountId> {
        text.split('.').next()?.parse().ok()
    }

    /// Whether a text is an unexpired pass for this account and this password.
    pub(super) fn opens(text: &str, secret: &[u8; 32], account: AccountId, hash: &str, now: i64) -> bool {
        let rest = text.split_once('.').and_then(|(_, rest)| ends_after(rest, now));
        rest.is_some_and(|(end, sent)| is_signature(secret, &signed_code(account, hash, end), sent))
    }
}

/// What is signed for a second step. No other signed bytes begin with this prefix, so no signature is valid as another.
fn signed_code(account: AccountId, hash: &str, end: i64) -> Vec<u8> {
    format!("second step of signing in\0{account}\0{hash}\0{end}").into_bytes()
}

/// What is signed for a link. Its length differs from a device's, so neither signature is valid as the other.
fn signed_pass(token: &str, hash: &str, end: i64) -> Vec<u8> {
    format!("pass of a public link\0{token}\0{hash}\0{end}").into_bytes()
}

/// Reads when a pass ends, and its signature. `None` for malformed text, and once the end is over.
fn ends_after(text: &str, now: i64) -> Option<(i64, &str)> {
    let (end, sent) = text.split_once('.')?;
    let end = end.parse().ok()?;
    (now < end).then_some((end, sent))
}

/// Signs bytes, in the form that a cookie takes.
pub(super) fn signature_text(secret: &[u8; 32], signed: &[u8]) -> Result<String, Error> {
    Ok(URL_SAFE_NO_PAD.encode(signature(secret, signed)?.finalize().into_bytes()))
}

/// Whether a text is the signature of bytes.
pub(super) fn is_signature(secret: &[u8; 32], signed: &[u8], text: &str) -> bool {
    let sent = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    signature(secret, signed).is_ok_and(|mac| mac.verify_slice(&sent).is_ok())
}

fn signature(secret: &[u8; 32], signed: &[u8]) -> Result<Hmac<Sha256>, Error> {
    // A key of any length is taken.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| Error::NoEntropy)?;
    mac.update(signed);
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_opens_its_link_for_a_day_while_the_password_is_the_same() {
        let pass = SharePass::new(&[7; 32], "token", "hash", 1_000).unwrap();
        let opens =
            |secret: u8, token, hash, now| SharePass::opens(pass.reveal(), &[secret; 32], token, hash, now);
        assert!(opens(7, "token", "hash", 1_000) && opens(7, "token", "hash", 999 + PASS_TIME));
        assert!(!opens(7, "token", "hash", 1_000 + PASS_TIME) && !opens(8, "token", "hash", 1_000));
        assert!(!opens(7, "other", "hash", 1_000) && !opens(7, "token", "other", 1_000));
        let longer = pass.reveal().replacen('8', "9", 1);
        assert!(longer == pass.reveal() || !SharePass::opens(&longer, &[7; 32], "token", "hash", 1_000));
        for odd in ["", ".", "1.", "x.y", "99999999999999."] {
            assert!(!SharePass::opens(odd, &[7; 32], "token", "hash", 0), "{odd}");
        }
        assert!(!format!("{pass:?}").contains(pass.reveal()));
    }

    #[test]
    fn a_code_pass_is_for_its_account_and_password_and_ends() {
        let (ada, eve) = (AccountId::random(), AccountId::random());
        let pass = CodePass::new(&[7; 32], ada, "hash", 1_000).unwrap();
        let opens = |text: &str, account, hash, now| CodePass::opens(text, &[7; 32], account, hash, now);
        assert_eq!(CodePass::account(pass.reveal()), Some(ada));
        assert!(opens(pass.reveal(), ada, "hash", 999 + CODE_TIME));
        assert!(!opens(pass.reveal(), ada, "hash", 1_000 + CODE_TIME));
        assert!(!opens(pass.reveal(), ada, "other", 1_000) && !opens(pass.reveal(), eve, "hash", 1_000));
        assert!(!CodePass::opens(pass.reveal(), &[8; 32], ada, "hash", 1_000));
        let share = SharePass::new(&[7; 32], &ada.to_string(), "hash", 1_000).unwrap();
        for odd in ["", ".", "..", "a.1.", &format!("{ada}.{}", share.reveal())] {
            assert!(!opens(odd, ada, "hash", 0), "{odd}");
        }
        assert!(!format!("{pass:?}").contains(pass.reveal()));
    }

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
        assert!(!format!("{token:?}").contains(token.reveal()));
    }
}

//! Tokens of sessions: 256 random bits that only the browser keeps.

use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// Bytes of a token.
const BYTES: usize = 32;

/// Proves a session to its server. [`SessionToken::reveal`] is for the cookie.
#[derive(Clone, Debug)]
pub struct SessionToken(SecretString);

impl SessionToken {
    pub(crate) fn random() -> Result<Self, Error> {
        Ok(Self(random_text::<BYTES>()?.into()))
    }

    /// Parses the token in a cookie. `None` for malformed text.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == BYTES).then(|| Self(text.into()))
    }

    /// The token itself, to be sent to its browser only.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    /// The digest to store.
    /// The token has as many random bits as the digest, which rules out a search for it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.reveal().as_bytes()).into()
    }
}

/// `N` random bytes.
pub(super) fn random_bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0_u8; N];
    getrandom::fill(&mut bytes).map_err(|_| Error::NoEntropy)?;
    Ok(bytes)
}

/// `N` random bytes, as letters, digits, `-` and `_`.
pub(crate) fn random_text<const N: usize>() -> Result<String, Error> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<N>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_its_debug_output_is_silent() {
        let token = SessionToken::random().unwrap();
        let read = SessionToken::parse(token.reveal()).unwrap();
        assert_eq!(read.hash(), token.hash());
        assert_ne!(SessionToken::random().unwrap().reveal(), token.reveal());
        assert!(!format!("{token:?}").contains(token.reveal()));
        for other in [
            "",
            "x",
            &"A".repeat(42),
            &"A".repeat(44),
            &"=".repeat(43),
            &format!("{} ", token.reveal()),
        ] {
            assert!(SessionToken::parse(other).is_none(), "{other}");
        }
    }
}
